// The events beside the table, one row a step. Only the rows in sight exist, so five thousand cost no more than fifty.

import { h, put, icon } from "./dom.js";
import { badge } from "./seat.js";
import { partNodes } from "./table.js";
import { sentence, time } from "./words.js";

const SPARE = 8;

export class EventList {
  constructor(match, onSeek) {
    this.match = match;
    this.body = h("div", { class: "list-body" });
    this.element = h("div", { class: "list", role: "listbox", tabindex: 0, "aria-label": "Events" }, this.body);
    // asking the browser for these at every step would make it lay out the page each time
    this.scrolled = 0;
    this.inSight = 400;
    this.element.addEventListener("scroll", () => {
      this.scrolled = this.element.scrollTop;
      this.draw();
    });
    this.body.addEventListener("click", (event) => {
      const row = event.target.closest("[data-index]");
      if (row) onSeek(Number(row.dataset.index));
    });
    this.rows = new Map();
    new ResizeObserver(() => this.resized()).observe(this.element);
  }

  resized() {
    this.height = 0;
    this.inSight = this.element.clientHeight || 400;
    this.scrolled = this.element.scrollTop;
    this.forget();
    this.draw();
    if (this.current !== undefined) this.keepInSight();
  }

  forget() {
    this.rows.clear();
    put(this.body);
  }

  rowHeight() {
    if (!this.height) this.height = parseFloat(getComputedStyle(this.element).getPropertyValue("--row-height")) || 30;
    return this.height;
  }

  show(n, who) {
    if (who !== this.who || this.length !== this.match.steps.length) {
      this.steps = this.match.visibleSteps(who);
      if (who !== this.who) this.forget();
      this.who = who;
      this.length = this.match.steps.length;
    }
    const changed = this.current !== n;
    this.rows.get(this.current)?.setAttribute("aria-selected", "false");
    this.current = n;
    if (changed) this.keepInSight();
    this.draw();
    const row = this.rows.get(n);
    row?.setAttribute("aria-selected", "true");
    if (row) this.element.setAttribute("aria-activedescendant", row.id);
    else this.element.removeAttribute("aria-activedescendant");
  }

  position(n) {
    let low = 0, high = this.steps.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.steps[middle] <= n) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  keepInSight() {
    const size = this.rowHeight();
    const y = this.position(this.current) * size;
    if (y >= this.scrolled + size && y <= this.scrolled + this.inSight - 2 * size) return;
    this.body.style.height = `${this.steps.length * size}px`;
    this.scrolled = Math.max(0, Math.min(y - this.inSight / 2 + size / 2, this.steps.length * size - this.inSight));
    this.element.scrollTop = this.scrolled;
  }

  draw() {
    if (!this.steps) return;
    const size = this.rowHeight();
    this.body.style.height = `${this.steps.length * size}px`;
    const first = Math.max(0, Math.floor(this.scrolled / size) - SPARE);
    const last = Math.min(this.steps.length - 1, Math.ceil((this.scrolled + this.inSight) / size) + SPARE);
    const wanted = new Set(this.steps.slice(first, last + 1));
    for (const [n, row] of this.rows) if (!wanted.has(n)) row.remove(), this.rows.delete(n);
    for (let i = first; i <= last; i++) {
      const n = this.steps[i];
      if (this.rows.has(n)) continue;
      const row = this.row(n, i);
      row.style.top = `${i * size}px`;
      this.rows.set(n, row);
      this.body.append(row);
    }
  }

  row(n, position) {
    const { match, who } = this;
    const step = match.steps[n];
    const { seat, parts } = sentence(match, n, who);
    const marks = match.marks(n, who);
    const timed = "ms" in step && (typeof who === "string" || who === step.seat);
    return h(
      "div",
      { class: `event kind-${step.kind} ${marks.map((m) => `mark-${m}`).join(" ")}`, id: `nf-event-${n}`, role: "option", "data-index": n, "aria-selected": n === this.current, "aria-setsize": this.steps.length, "aria-posinset": position + 1 },
      h("span", { class: "event-number" }, String(n)),
      seat === null || seat === undefined ? null : badge(seat),
      h("span", { class: "event-text" }, partNodes(match, parts)),
      step.standin && match.knows(who, step.seat) ? h("span", { class: "chip" }, "stand-in") : null,
      marks.includes("note") ? icon("note") : null,
      marks.includes("fault") ? icon("fault") : null,
      timed ? h("span", { class: "event-time" }, time(step.ms)) : null,
    );
  }
}
