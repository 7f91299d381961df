// Buttons, keys and the overlay that lists them. Every key is also a button with a name.

import { h, put, icon, setText } from "./dom.js";
import { suitMark } from "./cards.js";
import { seatLabel } from "./words.js";

export const SPEEDS = [0.5, 1, 2, 4, 8, 16];

const KEYS = [
  ["→ ←", "one step on, one back"],
  ["Shift → ←", "ten steps"],
  ["Home End", "start, result"],
  ["Space", "play, pause"],
  ["+ −", "faster, slower"],
  ["n p", "next, previous event (call, nine, last card, reshuffle, fault, round end, note)"],
  ["[ ]", "previous, next round"],
  ["0", "all hands; again: spectator"],
  ["1 – 6", "what the bot at that seat could see"],
  ["s", "four-colour suits"],
  ["l", "copy a link to this step"],
  ["f", "full screen"],
  ["Backspace", "back to where you were"],
  ["?", "this list"],
];

function button(name, iconName, press, extra = {}) {
  return h("button", { type: "button", "aria-label": name, title: name, ...extra, on: { click: press } }, typeof iconName === "string" ? icon(iconName) : iconName);
}

export class Controls {
  constructor(viewer) {
    this.viewer = viewer;
    const v = viewer;
    this.play = button("Play", "play", () => v.togglePlay(), { class: "primary", "data-act": "play" });
    this.step = h("input", { type: "number", min: 0, class: "step-input", "aria-label": "Step", inputmode: "numeric", on: { change: () => v.seek(Number(this.step.value)), keydown: (e) => { if (e.key === "Enter") v.seek(Number(this.step.value)); } } });
    this.steps = h("span", { class: "step-count" });
    this.range = h("input", { type: "range", min: 0, class: "scrub", "aria-label": "Position in the match", on: { input: () => v.seek(Number(this.range.value), { quiet: true }) } });
    this.speed = h("select", { "aria-label": "Speed", class: "speed", on: { change: () => v.setSpeed(Number(this.speed.value)) } }, SPEEDS.map((x) => h("option", { value: x }, `${x}×`)));
    this.suits = button("Four-colour suits", h("span", { class: "four" }, ["S", "H", "D", "C"].map(suitMark)), () => v.toggleSuits(), { class: "wide", "aria-pressed": "false", "data-act": "suits" });
    this.live = button("Return to live", h("span", { class: "live-text" }, "LIVE"), () => v.followLive(), { class: "wide live", hidden: true, "data-act": "live" });
    this.more = button("More", "more", () => this.element.classList.toggle("open"), { class: "more-button" });
    this.secondary = h("div", { class: "group secondary" });
    this.views = h("div", { class: "views", role: "radiogroup", "aria-label": "Whose eyes" });
    this.element = h(
      "div",
      { class: "controls" },
      this.range,
      h("div", { class: "bar" },
        h("div", { class: "group ends" }, button("Start", "first", () => v.seek(0), { "data-act": "first" }), button("Previous round", "prevRound", () => v.round(-1), { "data-act": "prev-round" })),
        h("div", { class: "group main" },
          button("Previous event", "prevEvent", () => v.event(-1), { "data-act": "prev-event" }),
          button("Step back", "back", () => v.stepBy(-1), { "data-act": "back" }), this.play, button("Step on", "forward", () => v.stepBy(1), { "data-act": "forward" }),
          button("Next event", "nextEvent", () => v.event(1), { "data-act": "next-event" })),
        h("div", { class: "group ends" }, button("Next round", "nextRound", () => v.round(1), { "data-act": "next-round" }), button("Result", "last", () => v.seek(v.match.end), { "data-act": "last" })),
        h("label", { class: "group stepper" }, this.step, this.steps),
        this.live,
        this.more,
        this.secondary),
      this.views,
    );
  }

  /** What depends on the match: its links and its seats. */
  fit(match, links) {
    const v = this.viewer;
    put(
      this.secondary,
      this.speed,
      button("Back to where you were", "undo", () => v.goBack(), { "data-act": "undo" }),
      this.suits,
      button("Copy a link to this step", "link", () => v.copyLink(), { "data-act": "link" }),
      links?.json ? h("a", { class: "button", href: links.json, download: "", "aria-label": "Download the replay as JSON", title: "Download the replay as JSON" }, icon("save"), "JSON") : null,
      links?.html ? h("a", { class: "button", href: links.html, download: "", "aria-label": "Download as one HTML file that plays offline", title: "Download as one HTML file that plays offline" }, icon("save"), "HTML") : null,
      button("Full screen", "full", () => v.fullScreen(), { "data-act": "full" }),
      button("Keys", "keys", () => v.toggleKeys(), { "data-act": "keys" }),
    );
    const choice = (who, label, ...children) => h("button", { type: "button", role: "radio", "aria-label": label, title: label, "aria-checked": "false", "data-view": who, tabindex: -1, on: { click: () => v.look(who) } }, children);
    put(
      this.views,
      icon("eye"),
      match.meta.closed ? null : choice("open", "All hands", "All hands"),
      choice("public", "Spectator: no hands", "Spectator"),
      match.meta.closed ? null : match.seats.map((_, seat) => choice(seat, `Seat ${seatLabel(seat)}: what ${match.name(seat)} could see`, h("span", { class: `badge seat-${seat}` }, String(seatLabel(seat))), h("span", { class: "view-name" }, match.name(seat)))),
    );
    this.views.onkeydown = (event) => {
      const way = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!way) return;
      event.preventDefault();
      event.stopPropagation();
      const all = [...this.views.querySelectorAll("[role=radio]")];
      const next = all[(all.findIndex((b) => b.getAttribute("aria-checked") === "true") + way + all.length) % all.length];
      next.click();
      next.focus();
    };
  }

  show(n, match, state) {
    for (const input of [this.range, this.step]) {
      input.max = match.end;
      if (document.activeElement !== input || input === this.range) input.value = n;
    }
    this.step.value = n;
    setText(this.steps, `/ ${match.end}`);
    this.range.setAttribute("aria-valuetext", `step ${n} of ${match.end}`);
    this.range.style.setProperty("--done", `${match.end ? (100 * n) / match.end : 0}%`);
    this.speed.value = String(state.speed);
    this.suits.setAttribute("aria-pressed", String(state.fourColour));
    const name = state.playing ? "Pause" : "Play";
    if (this.play.getAttribute("aria-label") !== name) {
      this.play.setAttribute("aria-label", name);
      this.play.title = name;
      put(this.play, icon(state.playing ? "pause" : "play"));
    }
    this.live.hidden = !state.live;
    this.live.classList.toggle("on", state.following);
    this.live.setAttribute("aria-label", state.following ? "Following live" : "Return to live");
    for (const view of this.views.querySelectorAll("[role=radio]")) {
      const chosen = view.dataset.view === String(state.who);
      view.setAttribute("aria-checked", String(chosen));
      view.tabIndex = chosen ? 0 : -1;
    }
  }
}

/** What a key asks the viewer to do; undefined for keys that are not ours. */
export function keyAction(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return undefined;
  const far = event.shiftKey ? 10 : 1;
  const actions = {
    ArrowRight: (v) => v.stepBy(far), ArrowLeft: (v) => v.stepBy(-far), Home: (v) => v.seek(0), End: (v) => v.seek(v.match.end), " ": (v) => v.togglePlay(),
    n: (v) => v.event(1), p: (v) => v.event(-1), "[": (v) => v.round(-1), "]": (v) => v.round(1), "+": (v) => v.faster(1), "=": (v) => v.faster(1), "-": (v) => v.faster(-1),
    s: (v) => v.toggleSuits(), l: (v) => v.copyLink(), f: (v) => v.fullScreen(), "?": (v) => v.toggleKeys(), Backspace: (v) => v.goBack(),
    0: (v) => v.look(v.who === "open" ? "public" : "open"),
  };
  if (/^[1-6]$/.test(event.key)) return (v) => v.look(Number(event.key) - 1);
  return actions[event.key];
}

/** Keys pressed while writing, choosing or in somebody else's grid are not for us. */
export function isTyping(event) {
  const target = event.composedPath()[0];
  if (!(target instanceof Element)) return false;
  if (target.matches("textarea, select, [contenteditable=true], [contenteditable='']")) return true;
  if (target.matches("canvas")) return true;
  if (target.matches("input")) return target.type !== "range" || /^(Arrow|Home|End|Page)/.test(event.key);
  return event.key === " " && target.matches("button, a, summary, [role=button], [role=radio], [role=tab]");
}

export function keyOverlay(close) {
  const dialog = h("div", { class: "keys", role: "dialog", "aria-modal": "true", "aria-label": "Keys", hidden: true, tabindex: -1 },
    h("div", { class: "keys-card" },
      h("div", { class: "keys-head" }, h("b", {}, "Keys"), h("button", { type: "button", "aria-label": "Close", on: { click: close } }, icon("close"))),
      h("dl", {}, KEYS.map(([keys, what]) => [h("dt", {}, keys.split(" ").map((key) => (key === "–" ? "–" : h("kbd", {}, key)))), h("dd", {}, what)]))));
  dialog.addEventListener("click", (event) => { if (event.target === dialog) close(); });
  return dialog;
}
