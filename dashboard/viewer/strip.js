// Two plots over all steps, on one canvas: how long each decision took (logarithmic), and the penalty points of each seat.
// The picture is drawn once; a step only moves the cursor.

import { h, clamp } from "./dom.js";
import { series } from "./series.js";

const MARKS = 8;
const TIMES = 54;
const GAP = 16;
const POINTS = 76;
const LEFT = 40;
const RIGHT = 20;
const LEAST_MS = 0.1;

export class Strip {
  constructor(match, onSeek) {
    this.match = match;
    this.canvas = h("canvas", { class: "strip-canvas" });
    this.cursor = h("div", { class: "strip-cursor" });
    this.tip = h("div", { class: "strip-tip", hidden: true });
    this.element = h("div", { class: "strip", "aria-hidden": "true" }, this.canvas, this.cursor, this.tip);
    const seek = (event) => {
      const n = this.stepAt(event.clientX);
      if (n !== null) onSeek(n);
    };
    this.element.addEventListener("pointerdown", (event) => {
      this.element.setPointerCapture(event.pointerId);
      seek(event);
    });
    this.element.addEventListener("pointermove", (event) => {
      if (event.buttons) seek(event);
    });
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  x(n) {
    return LEFT + ((n + 0.5) / this.match.steps.length) * (this.width - LEFT - RIGHT);
  }

  stepAt(clientX) {
    const box = this.element.getBoundingClientRect();
    if (!box.width) return null;
    const share = (clientX - box.left - LEFT) / (box.width - LEFT - RIGHT);
    return clamp(Math.floor(share * this.match.steps.length), 0, this.match.end);
  }

  show(n, who) {
    if (who !== this.who || this.length !== this.match.steps.length) {
      this.who = who;
      this.length = this.match.steps.length;
      this.draw();
    }
    this.current = n;
    if (this.width) this.cursor.style.transform = `translateX(${this.x(n)}px)`;
  }

  draw() {
    const width = this.element.clientWidth;
    if (!width || this.who === undefined) return;
    this.width = width;
    const height = MARKS + TIMES + GAP + POINTS + 14;
    const scale = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * scale);
    this.canvas.height = Math.round(height * scale);
    this.canvas.style.height = `${height}px`;
    const g = this.canvas.getContext("2d");
    g.scale(scale, scale);
    const style = getComputedStyle(this.element);
    const colour = (name) => style.getPropertyValue(name).trim();
    g.font = `11px ${style.fontFamily}`;
    this.ink = { muted: colour("--muted"), line: colour("--line"), bad: colour("--bad"), text: colour("--text"), gold: colour("--gold-line"), accent: colour("--accent"), seats: Array.from({ length: 6 }, (_, i) => colour(`--seat-line-${i}`)) };
    this.drawMarks(g);
    g.translate(0, MARKS);
    this.drawRounds(g);
    this.drawTimes(g);
    this.drawPoints(g);
    if (this.current !== undefined) this.cursor.style.transform = `translateX(${this.x(this.current)}px)`;
  }

  /** A row of ticks where something worth a look happened. */
  drawMarks(g) {
    const { match, who, ink } = this;
    const colours = { fault: ink.bad, call: ink.gold, nine: ink.accent, last: ink.gold, note: ink.text, reshuffle: ink.muted };
    match.steps.forEach((_, n) => {
      if (!match.visible(n, who)) return;
      const mark = match.marks(n, who).find((name) => name in colours);
      if (!mark) return;
      g.fillStyle = colours[mark];
      g.fillRect(this.x(n) - 1.5, 0, 3, mark === "fault" || mark === "call" ? 7 : 4);
    });
  }

  drawRounds(g) {
    const rounds = this.match.meta.rounds ?? [];
    g.fillStyle = this.ink.line;
    g.textAlign = "left";
    let lastLabel = -40;
    rounds.forEach((round, i) => {
      const x = Math.round(this.x(round.step) - 0.5) + 0.5;
      g.fillStyle = this.ink.line;
      g.fillRect(x, 0, 1, TIMES + GAP + POINTS);
      if (x - lastLabel > 26) {
        g.fillStyle = this.ink.muted;
        g.fillText(round.kind === "playoff" ? `P${round.round}` : String(round.round ?? i + 1), x + 3, TIMES + GAP + POINTS + 11);
        lastLabel = x;
      }
    });
  }

  drawTimes(g) {
    const { match, who, ink } = this;
    const most = Math.max(1000, match.meta.clock?.bank_ms ?? 0, ...(match.meta.faults ?? []).map((f) => f.ms ?? 0));
    const rise = (ms) => (clamp(Math.log10(Math.max(ms, LEAST_MS) / LEAST_MS) / Math.log10(most / LEAST_MS), 0.04, 1) * (TIMES - 4));
    g.textAlign = "right";
    for (const [ms, label] of [[1, "1 ms"], [30, "30 ms"], [1000, "1 s"]]) {
      const y = TIMES - rise(ms);
      g.fillStyle = ink.line;
      g.fillRect(LEFT, Math.round(y), this.width - LEFT - RIGHT, 1);
      g.fillStyle = ink.muted;
      g.fillText(label, LEFT - 5, y + 4);
    }
    const wide = Math.max(1, Math.min(14, (this.width - LEFT - RIGHT) / match.steps.length - 1));
    match.steps.forEach((step, n) => {
      const fault = step.kind === "fault" ? match.meta.faults?.[step.fault] : null;
      if (fault) {
        g.fillStyle = ink.bad;
        const height = fault.ms ? rise(Math.max(fault.ms, fault.kind === "timeout" ? (fault.limit_ms ?? 0) : 0)) : TIMES - 4;
        g.fillRect(this.x(n) - Math.max(wide, 3) / 2, TIMES - height, Math.max(wide, 3), height);
      } else if (step.ms !== undefined && step.ms !== null && match.visible(n, who) && (typeof who === "string" || who === step.seat)) {
        g.fillStyle = ink.seats[step.seat];
        const height = rise(step.ms);
        if (step.cpu_ms !== undefined && step.cpu_ms !== null && step.cpu_ms < step.ms) {
          g.globalAlpha = 0.4;
          g.fillRect(this.x(n) - wide / 2, TIMES - height, wide, height);
          g.globalAlpha = 1;
          const cpu = rise(step.cpu_ms);
          g.fillRect(this.x(n) - wide / 2, TIMES - cpu, wide, cpu);
        } else g.fillRect(this.x(n) - wide / 2, TIMES - height, wide, height);
      }
    });
  }

  drawPoints(g) {
    const { match, ink } = this;
    const { totals, running } = series(match, this.who);
    const top = TIMES + GAP;
    const most = Math.max(10, ...totals.flatMap((values) => [values[values.length - 1] ?? 0]), ...totals.map((values) => values.reduce((a, b) => Math.max(a, b), 0)), ...running.map((values) => values.reduce((a, b) => Math.max(a, b ?? 0), 0)));
    const y = (value) => top + POINTS - 2 - (value / most) * (POINTS - 8);
    g.textAlign = "right";
    const marks = [0, Math.round(most / 2), most];
    for (const value of marks) {
      g.fillStyle = ink.line;
      g.fillRect(LEFT, Math.round(y(value)), this.width - LEFT - RIGHT, 1);
      g.fillStyle = ink.muted;
      g.fillText(String(value), LEFT - 5, y(value) + 4);
    }
    const cutoff = match.rules.match_end === "rounds" ? null : match.rules.cutoff;
    if (cutoff && cutoff <= most) {
      g.strokeStyle = ink.bad;
      g.setLineDash([4, 4]);
      g.strokeRect(LEFT, Math.round(y(cutoff)) + 0.5, this.width - LEFT - RIGHT, 0);
      g.setLineDash([]);
    }
    const ends = [];
    totals.forEach((values, seat) => {
      g.strokeStyle = ink.seats[seat];
      g.lineJoin = "round";
      for (const [line, alpha, weight] of [[running[seat], 0.55, 1], [values, 1, 2.25]]) {
        g.globalAlpha = alpha;
        g.lineWidth = weight;
        g.beginPath();
        let open = false;
        line.forEach((value, n) => {
          if (value === null) open = false;
          else if (open) g.lineTo(this.x(n), y(value));
          else g.moveTo(this.x(n), y(value)), (open = true);
        });
        g.stroke();
      }
      g.globalAlpha = 1;
      ends.push({ seat, y: y(values[values.length - 1] ?? 0) });
    });
    ends.sort((a, b) => a.y - b.y);
    ends.forEach((end, i) => { if (i && end.y - ends[i - 1].y < 11) end.y = ends[i - 1].y + 11; });
    g.textAlign = "left";
    for (const end of ends) {
      g.fillStyle = ink.seats[end.seat];
      g.font = g.font.replace(/^(bold )?/, "bold ");
      g.fillText(String(end.seat + 1), this.width - RIGHT + 6, Math.min(end.y + 4, top + POINTS + 10));
    }
  }
}
