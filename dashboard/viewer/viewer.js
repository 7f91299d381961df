// The replay viewer: one match, sent once, played here. Its default export is what Streamlit calls (components v2); `mount` is
// what the offline file calls. Nothing in here talks to a server while stepping.

import { h, put, setText, clamp } from "./dom.js";
import { Match, Unreadable } from "./state.js";
import { Address, parse, viewFrom } from "./address.js";
import { canShow, Table } from "./table.js";
import { Controls, isTyping, keyAction, keyOverlay, SPEEDS } from "./controls.js";
import { EventList } from "./list.js";
import { roundName, spoken, time } from "./words.js";
import { Strip } from "./strip.js";
import { flyCards } from "./flight.js";
import { LiveFeed } from "./live.js";
import { Links, Rows } from "./rows.js";

const MEMORY = "ninefold.viewer";

function remembered() {
  try {
    return JSON.parse(window.localStorage.getItem(MEMORY)) ?? {};
  } catch {
    return {};
  }
}

function remember(values) {
  try {
    window.localStorage.setItem(MEMORY, JSON.stringify({ ...remembered(), ...values }));
  } catch {
    // a file opened from disk may have no storage: the choice then lasts as long as the page
  }
}

/** The root knows whether it stands on a dark ground, and which suit colours are wanted. */
export function setTheme(root, fourColour) {
  root.dataset.theme = isDark(getComputedStyle(root).backgroundColor) ? "dark" : "light";
  root.dataset.suits = fourColour ? "four" : "two";
}

/** Whether a CSS colour is dark, as the page's ground decides which suit colours can be read on it. */
function isDark(colour) {
  const [r, g, b] = (colour.match(/[\d.]+/g) ?? [255, 255, 255]).map(Number);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b < 110;
}

export class Viewer {
  constructor(host, { useHash = false } = {}) {
    this.host = host;
    this.address = new Address(useHash);
    this.who = "open";
    this.n = 0;
    this.before = [];
    const memory = remembered();
    this.speed = SPEEDS.includes(memory.speed) ? memory.speed : 2;
    this.fourColour = memory.fourColour ?? true;
    this.playing = 0;
    this.following = false;
    this.status = h("div", { class: "status", role: "status" });
    this.stage = h("div", { class: "stage" });
    this.speaker = h("div", { class: "speaker", "aria-live": "polite" });
    this.toast = h("div", { class: "toast", hidden: true });
    this.keys = keyOverlay(() => this.toggleKeys(false));
    this.root = h("div", { class: "ninefold-viewer" }, this.status, this.stage, this.speaker, this.toast, this.keys);
    put(host, this.root);
    this.onKey = (event) => this.key(event);
    this.onPop = () => this.restore(false);
    document.addEventListener("keydown", this.onKey, true);
    window.addEventListener("popstate", this.onPop);
    window.addEventListener("hashchange", this.onPop);
    this.darkness = window.matchMedia?.("(prefers-color-scheme: dark)");
    this.onTheme = () => this.theme();
    this.darkness?.addEventListener("change", this.onTheme);
    this.theme();
  }

  dispose() {
    this.pause();
    this.address.stop();
    this.feed?.close();
    this.aborted?.abort();
    document.removeEventListener("keydown", this.onKey, true);
    window.removeEventListener("popstate", this.onPop);
    window.removeEventListener("hashchange", this.onPop);
    this.darkness?.removeEventListener("change", this.onTheme);
  }

  // ---- what is shown

  /** Says something instead of the match; never a blank page. */
  say(text, links = []) {
    this.status.hidden = false;
    put(this.status, h("p", {}, text), links.map(({ label, href, press }) => (href ? h("a", { class: "button", href }, label) : h("button", { type: "button", on: { click: press } }, label))));
  }

  /** Runs `work`; whatever goes wrong in it is said in words. */
  guard(work) {
    try {
      return work();
    } catch (error) {
      clearTimeout(this.playing);
      this.playing = 0;
      put(this.stage);
      this.say(error instanceof Unreadable ? error.message : `This match cannot be drawn (${error.message}). Reload the page; if it stays so, download the JSON file and report it.`, this.links?.json ? [{ label: "JSON", href: this.links.json }] : []);
      if (!(error instanceof Unreadable)) console.warn(error);
      return undefined;
    }
  }

  async load(url, links) {
    this.links = links;
    this.aborted?.abort();
    this.aborted = new AbortController();
    this.say("Loading the match …");
    try {
      const answer = await fetch(url, { signal: this.aborted.signal });
      if (!answer.ok) throw new Unreadable((await answer.text()).slice(0, 300) || `The server answered ${answer.status}.`);
      this.open(await answer.json(), links);
    } catch (error) {
      if (error.name === "AbortError") return;
      const text = error instanceof Unreadable ? error.message : error instanceof SyntaxError ? "The match arrived incomplete." : "The match cannot be fetched: the league does not answer.";
      this.say(text, [{ label: "Try again", press: () => this.load(url, links) }]);
    }
  }

  open(document_, links) {
    this.links = links;
    this.guard(() => {
      this.pause();
      this.match = new Match(document_);
      if (this.match.end < 0) throw new Unreadable("Nothing has happened in this match yet.");
      this.build();
      this.restore(true);
    });
  }

  build() {
    const { match } = this;
    this.status.hidden = true;
    this.before = [];
    this.table = canShow(match) ? new Table(match) : null;
    this.list = new EventList(match, (n) => this.seek(n));
    this.strip = new Strip(match, (n) => this.seek(n, { quiet: true }));
    this.controls = new Controls(this);
    this.controls.fit(match, this.links);
    this.round_ = h("span", { class: "round-name" });
    this.detail = h("span", { class: "detail" });
    const rules = Object.entries(match.rules);
    put(
      this.stage,
      match.meta.problem ? h("p", { class: "problem", role: "alert" }, `This replay does not verify: ${match.meta.problem}. It is shown as far as it goes.`) : null,
      h("div", { class: "head" }, this.round_, this.detail),
      h("div", { class: `board ${this.table ? "" : "no-table"}` }, this.table?.element ?? h("p", { class: "no-table-note" }, `There is no table for the game “${match.game}” in this viewer: every event is listed.`), h("div", { class: "side" }, this.list.element)),
      this.controls.element,
      this.strip.element,
      rules.length ? h("details", { class: "rules" }, h("summary", {}, "Rules of this match"), h("dl", {}, rules.map(([name, value]) => [h("dt", {}, name), h("dd", {}, String(value))]))) : null,
    );
    this.theme();
  }

  restore(first) {
    if (!this.match || this.match.meta.closed) return;
    const place = parse(window.location);
    if (!this.address.useHash && place.match !== null && this.match.meta.match_id && place.match !== this.match.meta.match_id) return;
    this.table?.mark(place.me);
    const who = viewFrom(place.view, this.match.players);
    if (who !== null) this.who = who;
    const round = place.round !== null ? this.match.meta.rounds?.[place.round - 1] : null;
    const n = place.step ?? round?.step ?? (first ? (this.following ? this.match.end : this.match.opening) : this.n);
    if (n > this.match.end) this.flash(`Step ${n} is not in this match: it ends at ${this.match.end}.`);
    if (first && place.step !== null) this.following = false;
    this.n = this.match.settle(clamp(n, 0, this.match.end), this.who);
    this.draw();
  }

  draw(step = 0) {
    this.guard(() => {
      const { match, n, who } = this;
      const scene = this.table?.show(n, who);
      this.list.show(n, who);
      this.strip.show(n, who);
      this.controls.show(n, match, { speed: this.speed, fourColour: this.fourColour, playing: Boolean(this.playing), who, live: Boolean(this.feed) && !match.finished, following: this.following });
      setText(this.round_, match.steps[n].kind === "start" ? "Before the first deal" : match.steps[n].kind === "result" ? "Result" : roundName(match, match.steps[n].round ?? match.roundOf(n)));
      const current = match.steps[n];
      const timed = "ms" in current && (typeof who === "string" || who === current.seat);
      setText(this.detail, timed ? `${time(current.ms)} wall, ${time(current.cpu_ms)} processor${current.legal && match.knows(who, current.seat) ? `, one of ${current.legal.length} choices` : ""}` : "");
      if (step === 1 && scene && (!this.playing || this.speed <= 4)) flyCards(this.table, match, n, who, this.playing ? 700 / this.speed : 260);
      if (!this.playing) setText(this.speaker, spoken(match, n, who));
    });
  }

  // ---- where the reader is

  place() {
    return { step: this.n, round: this.match.roundOf(this.n) + 1, who: this.who };
  }

  go(n, { quiet = false, step = 0 } = {}) {
    const target = this.match.settle(n, this.who);
    if (target === this.n) return this.draw();
    if (!quiet && !this.playing && Math.abs(target - this.n) > 1) {
      this.before.push({ n: this.n, who: this.who });
      if (this.before.length > 50) this.before.shift();
    }
    this.n = target;
    if (!this.match.meta.closed) this.address.write(this.place());
    return this.draw(step);
  }

  seek(n, options) {
    if (!Number.isFinite(n)) return this.draw();
    this.following = this.following && n >= this.match.end;
    return this.go(clamp(Math.round(n), 0, this.match.end), options);
  }

  stepBy(by) {
    const steps = this.match.visibleSteps(this.who);
    let at = steps.indexOf(this.n);
    if (at < 0) at = 0;
    const target = steps[clamp(at + by, 0, steps.length - 1)];
    this.following = this.following && by > 0;
    if (Boolean(this.feed) && target === this.match.end) this.following = true;
    this.go(target, { step: by === 1 ? 1 : 0, quiet: Math.abs(by) === 1 });
  }

  event(direction) {
    if (direction < 0) this.following = false;
    this.go(this.match.nextMark(this.n, direction, this.who));
  }

  round(direction) {
    if (direction < 0) this.following = false;
    this.go(this.match.nextRound(this.n, direction));
  }

  goBack() {
    const place = this.before.pop();
    if (!place) return this.flash("There is no earlier position.");
    this.who = place.who;
    this.following = false;
    this.n = this.match.settle(place.n, this.who);
    this.address.write(this.place());
    return this.draw();
  }

  look(who) {
    if (this.match.meta.closed) return;
    if (typeof who === "number" && who >= this.match.players) return;
    this.who = who;
    this.n = this.match.settle(this.n, who);
    this.address.write(this.place());
    this.draw();
  }

  // ---- playing

  togglePlay() {
    if (this.playing) return this.pause();
    if (this.n >= this.match.end && !this.feed) this.n = 0;
    const beat = () => {
      if (this.n >= this.match.end) return this.pause();
      this.stepBy(1);
      this.playing = setTimeout(beat, 1000 / this.speed);
      return undefined;
    };
    this.playing = setTimeout(beat, Math.min(250, 1000 / this.speed));
    return this.draw();
  }

  pause() {
    clearTimeout(this.playing);
    this.playing = 0;
    if (this.match && this.controls) this.draw();
  }

  setSpeed(speed) {
    this.speed = speed;
    remember({ speed });
    this.draw();
  }

  faster(by) {
    this.setSpeed(SPEEDS[clamp(SPEEDS.indexOf(this.speed) + by, 0, SPEEDS.length - 1)]);
    this.flash(`Speed ${this.speed}×`);
  }

  // ---- live

  watch(url, links) {
    this.links = links;
    this.following = true;
    this.say("Waiting for the match …");
    this.feed = new LiveFeed(url, {
      whole: (document_) => this.guard(() => {
        // after a lost connection the same match comes again, whole: who stepped back stays where he was
        const kept = this.match?.meta.match_id === document_.match_id && !this.following ? this.n : null;
        this.match = new Match(document_);
        this.who = "public";
        this.build();
        this.n = kept ?? this.match.end;
        this.draw();
      }),
      part: (part) => this.guard(() => {
        this.match.append(part);
        if (this.following) this.n = this.match.settle(this.match.end, this.who);
        this.draw();
      }),
      state: (text) => (text ? this.say(text) : (this.status.hidden = true)),
      over: () => {
        this.following = false;
        const replay = this.match?.finished ? `/replay?match=${encodeURIComponent(this.match.meta.match_id).replaceAll("%2F", "/")}` : null;
        this.say(this.match ? "This fixture is over." : (this.status.textContent || "This fixture is over."), replay ? [{ label: "Watch the replay", href: replay }] : []);
        if (this.match) this.draw();
      },
    });
  }

  followLive() {
    this.pause();
    this.following = true;
    this.go(this.match.end, { quiet: true });
  }

  // ---- the reader's comforts

  theme() {
    setTheme(this.root, this.fourColour);
    this.strip?.draw();
  }

  toggleSuits() {
    this.fourColour = !this.fourColour;
    remember({ fourColour: this.fourColour });
    this.root.dataset.suits = this.fourColour ? "four" : "two";
    this.draw();
  }

  async copyLink() {
    const url = this.address.url(this.place());
    try {
      await navigator.clipboard.writeText(url);
      this.flash("Link copied");
    } catch {
      // no permission, or a page without https: show the link, so that it can be copied by hand
      this.flash(url);
    }
  }

  fullScreen() {
    if (document.fullscreenElement) document.exitFullscreen();
    else this.root.requestFullscreen?.().catch(() => this.flash("The browser allows no full screen here."));
  }

  toggleKeys(open = this.keys.hidden) {
    this.keys.hidden = !open;
    if (open) {
      this.focusBefore = this.root.getRootNode().activeElement;
      this.keys.querySelector("button").focus();
    } else this.focusBefore?.focus?.();
  }

  flash(text) {
    this.toast.hidden = false;
    setText(this.toast, text);
    clearTimeout(this.toastTimer);
    this.toastTimer = setTimeout(() => (this.toast.hidden = true), 2600);
  }

  key(event) {
    if (!this.match || !this.controls || !this.root.isConnected || isTyping(event)) return;
    if (!this.keys.hidden) {
      if (event.key === "Escape" || event.key === "?") this.toggleKeys(false), event.preventDefault();
      else if (event.key === "Tab") event.preventDefault();
      return;
    }
    const action = keyAction(event);
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    if (this.playing && !" +=-".includes(event.key)) this.pause();
    action(this);
  }
}

const mounted = new WeakMap();

/** Shows what `data` asks for below `parent`: {table} of rows, or a match: {steps} inline, {url} to fetch once, {live} to follow. */
export function mount(parent, data, options = {}) {
  let entry = mounted.get(parent);
  if (!entry) {
    const host = h("div", {});
    parent.append(h("style", {}, options.css ?? ""), host);
    entry = { viewer: data.table ? new Rows(host) : data.links_only ? new Links(host) : new Viewer(host, options), shown: null };
    mounted.set(parent, entry);
  }
  if (data.table || data.links_only) {
    entry.viewer.update(data);
    setTheme(entry.viewer.root, true);
    return () => mounted.delete(parent);
  }
  const wanted = data.url ?? data.live ?? data.steps?.match_id ?? "";
  if (entry.shown !== wanted) {
    entry.shown = wanted;
    if (data.steps) entry.viewer.open(data.steps, data.links);
    else if (data.live) entry.viewer.watch(data.live, data.links);
    else if (data.url) entry.viewer.load(data.url, data.links);
    else entry.viewer.say(data.message ?? "No match was asked for.");
  }
  entry.viewer.theme();
  return () => {
    entry.viewer.dispose();
    mounted.delete(parent);
  };
}
