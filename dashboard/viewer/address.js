// The address holds match, round, step and view. In a page of the dashboard that is the query; in a file, which may not change
// its query, the part after "#". Only the browser writes it: a page that also wrote it from Python would put old steps back.

const DELAY = 150;

export function parse(location) {
  const query = new URLSearchParams(location.search);
  const hash = location.hash.slice(1);
  const extra = new URLSearchParams(/^\d+$/.test(hash) ? `step=${hash}` : hash);
  const pick = (name) => extra.get(name) ?? query.get(name);
  const number = (text) => (text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null);
  return { match: pick("match"), round: number(pick("round")), step: number(pick("step")), view: pick("view"), me: pick("me") };
}

/** "all" | "public" | seat number from 1, as in the address, to an onlooker. Anything else: null. */
export function viewFrom(text, players) {
  if (text === "all" || text === "open") return "open";
  if (text === "public" || text === "spectator") return "public";
  const seat = /^\d$/.test(text ?? "") ? Number(text) - 1 : -1;
  return seat >= 0 && seat < players ? seat : null;
}

export const viewText = (who) => (who === "open" ? "all" : who === "public" ? "public" : String(who + 1));

export class Address {
  constructor(useHash) {
    this.useHash = useHash;
    this.timer = 0;
  }

  url(place) {
    const url = new URL(window.location.href);
    const values = { round: place.round, step: place.step, view: viewText(place.who) };
    if (this.useHash) url.hash = new URLSearchParams(values).toString();
    else {
      for (const [name, value] of Object.entries(values)) url.searchParams.set(name, value);
      url.hash = "";
    }
    return url.toString();
  }

  write(place) {
    clearTimeout(this.timer);
    const path = window.location.pathname;
    const match = new URLSearchParams(window.location.search).get("match");
    this.timer = setTimeout(() => {
      // the reader may have gone to another page, or another match, meanwhile
      if (window.location.pathname !== path || new URLSearchParams(window.location.search).get("match") !== match) return;
      const url = this.url(place);
      if (url !== window.location.href) window.history.replaceState(window.history.state, "", url);
    }, DELAY);
  }

  stop() {
    clearTimeout(this.timer);
  }
}
