// Read what the viewer shows, from the page alone. Evaluated in the page by the tests.
(() => {
  const root = () => {
    const direct = document.querySelector(".ninefold-viewer");
    if (direct) return direct;
    for (const element of document.querySelectorAll("*")) {
      const inside = element.shadowRoot?.querySelector(".ninefold-viewer");
      if (inside) return inside;
    }
    return null;
  };
  const codes = (element) => [...element.querySelectorAll("[data-card]")].map((card) => card.dataset.card).sort();
  const number = (text) => Number((text.match(/\d+/) ?? ["NaN"])[0]);
  const press = (key, more = {}) => document.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }));

  /** Everything on the table, in plain values. */
  const table = () => {
    const felt = root().querySelector(".felt");
    const seats = {};
    for (const seat of felt.querySelectorAll(".seat")) {
      seats[seat.dataset.seat] = {
        faces: codes(seat),
        backs: seat.querySelectorAll(".card.back").length,
        total: Number(seat.querySelector(".total").textContent),
        count: seat.querySelector(".count").textContent,
        dealer: Boolean(seat.querySelector(".dealer")),
        toAct: Boolean(seat.querySelector(".to-act")),
        legal: [...seat.querySelectorAll(".card.legal")].map((card) => card.dataset.card).sort(),
      };
    }
    const medal = felt.querySelector(".medal");
    return {
      step: Number(felt.dataset.step),
      kind: felt.dataset.kind,
      seats,
      top: felt.querySelector(".discard .top [data-card]")?.dataset.card ?? null,
      stock: number(felt.querySelector(".stock .pile-label").textContent),
      discards: felt.querySelector(".discard .pile-label").textContent,
      suit: felt.querySelector(".suit-box .suit")?.getAttribute("aria-label") ?? null,
      named: medal.classList.contains("named"),
      goAround: medal.dataset.goAround ?? null,
      direction: felt.querySelector(".direction")?.dataset.direction ?? null,
      message: felt.querySelector(".message").textContent,
      choices: [...felt.querySelectorAll(".choice")].map((c) => `${c.dataset.do} ${c.dataset.cards} ${c.dataset.suits}`.trim()),
      result: [...felt.querySelectorAll(".over:not([hidden]) tbody tr")].map((row) => ({ seat: Number(row.dataset.seat), place: Number(row.querySelector(".place").textContent), total: Number(row.querySelector(".num").textContent) })),
      spoken: root().querySelector(".speaker").textContent,
      shownStep: Number(root().querySelector(".step-input").value),
    };
  };

  /** Names of all cards that can be seen, read or heard anywhere in the viewer, the discard pile apart. */
  const mentioned = () => {
    const found = new Set();
    for (const element of root().querySelectorAll("[data-card]")) found.add(element.dataset.card);
    for (const element of root().querySelectorAll("[data-mentions]")) found.add(element.dataset.mentions);
    return [...found];
  };

  /** Plays the match through with the keyboard in one view: the table at every step that this view shows. */
  const walk = (view) => {
    root().querySelector(`.views [data-view="${view}"]`).click();
    press("Home");
    const seen = [];
    for (let last = -1; ; ) {
      const now = table();
      if (now.step === last) return seen;
      last = now.step;
      now.mentioned = mentioned();
      now.markup = root().querySelector(".list").textContent.length;
      seen.push(now);
      press("ArrowRight");
    }
  };

  window.reading = { root, table, walk, press, mentioned };
})();
