// A table of rows as a component: real links, sorting that survives refreshes, all text as text. Columns say what they hold.

import { h, put, icon } from "./dom.js";
import { seatLabel } from "./words.js";

const PLACES = ["1st", "2nd", "3rd"];

/** Goes to an address of the dashboard without loading the page anew, as Streamlit's own links do. */
export function visit(event, href) {
  if (event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  window.history.pushState({}, "", href);
  window.dispatchEvent(new PopStateEvent("popstate"));
  window.scrollTo?.(0, 0);
}

function link(href, ...children) {
  return h("a", { href, on: { click: (event) => visit(event, href) } }, ...children);
}

const dash = () => h("span", { class: "dash" }, "–");

function when(text) {
  const moment = new Date(text);
  const ago = (Date.now() - moment.getTime()) / 1000;
  const units = [[86400, "d"], [3600, "h"], [60, "min"]];
  const unit = units.find(([size]) => ago >= size);
  const words = ago < 5 ? "just now" : unit ? `${Math.floor(ago / unit[0])} ${unit[1]} ago` : `${Math.floor(ago)} s ago`;
  return h("time", { datetime: text, title: moment.toLocaleString() }, words);
}

/** A rating on a scale that all rows share: point and interval; dashed while provisional. */
function interval(value, column) {
  if (value === null || value.at === null || value.at === undefined) return dash();
  const [low, high] = column.range;
  const x = (v) => `${Math.min(100, Math.max(0, (100 * (v - low)) / (high - low || 1)))}%`; // the scale may leave out who is far off
  return h("span", { class: `interval ${value.provisional ? "provisional" : ""}`, role: "img", "aria-label": `${Math.round(value.low)} to ${Math.round(value.high)}` },
    h("span", { class: "interval-line", style: { left: x(value.low), right: `calc(100% - ${x(value.high)})` } }),
    h("span", { class: "interval-point", style: { left: x(value.at) } }));
}

function seats(list) {
  return h("span", { class: "seats" }, list.map((seat) =>
    h("span", { class: `seated ${seat.place === 1 ? "first" : ""}` },
      h("span", { class: `badge seat-${seat.seat}`, title: `seat ${seatLabel(seat.seat)}` }, `S${seatLabel(seat.seat)}`),
      link(seat.href, seat.bot),
      seat.place ? h("span", { class: "place", title: "place" }, PLACES[seat.place - 1] ?? `${seat.place}th`) : null,
      seat.fault ? h("span", { class: "fault", title: seat.fault, role: "img", "aria-label": seat.fault }, icon("fault")) : null)));
}

function cell(value, column) {
  if (value === null || value === undefined || value === "") return dash();
  switch (column.kind) {
    case "number": return column.digits === undefined ? value.toLocaleString("en") : value.toLocaleString("en", { minimumFractionDigits: column.digits, maximumFractionDigits: column.digits });
    case "share": return h("span", { class: "share" }, h("span", { class: "share-bar", style: { width: `${Math.round(56 * value)}px` } }), h("span", {}, `${(100 * value).toFixed(1)}%`));
    case "interval": return interval(value, column);
    case "link": return link(value.href, value.text);
    case "links": return h("span", { class: "actions" }, value.map((one) => (one.download ? h("a", { href: one.href, download: "", class: "action" }, one.text) : h("a", { href: one.href, class: "action", on: { click: (e) => visit(e, one.href) } }, one.text))));
    case "seats": return seats(value);
    case "when": return when(value);
    case "chip": return h("span", { class: `state state-${value.tone ?? "plain"}` }, value.text);
    default: return String(value);
  }
}

const sortKey = (value, column) => {
  if (value === null || value === undefined) return null;
  if (column.kind === "interval") return value.at;
  if (column.kind === "link" || column.kind === "chip") return value.text;
  return value;
};

export class Rows {
  constructor(host) {
    this.host = host;
    this.sort = null;
    this.head = h("tr", {});
    this.body = h("tbody", {});
    this.table = h("table", {}, h("thead", {}, this.head), this.body);
    this.scroll = h("div", { class: "rows-scroll", tabindex: 0, role: "region" }, this.table);
    put(host, h("div", { class: "ninefold-viewer ninefold-rows" }, this.scroll));
    this.root = host.firstChild;
  }

  update({ table }) {
    this.data = table;
    this.scroll.setAttribute("aria-label", table.label);
    this.table.classList.toggle("stacks", table.columns.some((column) => column.kind === "seats"));
    const shape = JSON.stringify(table.columns.map(({ range, ...column }) => column));
    if (shape !== this.shape) {
      this.shape = shape;
      this.shown = null;
      put(this.head, table.columns.map((column, i) => h("th", { scope: "col", class: `kind-${column.kind ?? "text"}`, title: column.help },
        column.sort === false ? column.label : h("button", { type: "button", on: { click: () => this.sortBy(i) } }, column.label, h("span", { class: "sort-mark", "aria-hidden": "true" })))));
    }
    this.draw();
  }

  sortBy(i) {
    const column = this.data.columns[i];
    const down = ["number", "share", "interval", "when"].includes(column.kind);
    if (this.sort?.i !== i) this.sort = { i, down };
    else if (this.sort.down === down) this.sort = { i, down: !down };
    else this.sort = null;
    this.draw();
  }

  draw() {
    const { columns, rows } = this.data;
    let order = rows;
    if (this.sort) {
      const { i, down } = this.sort;
      const column = columns[i];
      order = [...rows].sort((a, b) => {
        const [x, y] = [sortKey(a[column.name], column), sortKey(b[column.name], column)];
        if (x === null || y === null) return (x === null) - (y === null);
        return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1);
      });
    }
    [...this.head.children].forEach((th, i) => th.setAttribute("aria-sort", this.sort?.i === i ? (this.sort.down ? "descending" : "ascending") : "none"));
    const key = JSON.stringify([columns, order]);
    if (key === this.shown) return this.tick();
    this.shown = key;
    put(this.body, order.map((row) => h("tr", { class: row._tone ?? "", "data-key": row._key }, columns.map((column, i) =>
      h(i === (this.data.header ?? -1) ? "th" : "td", { class: `kind-${column.kind ?? "text"}`, "data-column": column.name, "data-label": column.label, scope: i === (this.data.header ?? -1) ? "row" : null }, cell(row[column.name], column))))));
    return undefined;
  }

  /** Nothing changed but the time. */
  tick() {
    for (const old of this.body.querySelectorAll("time")) old.textContent = when(old.getAttribute("datetime")).textContent;
  }
}

/** A few links in a row, as buttons: within a page Streamlit's own page links change the page but not the address. */
export class Links {
  constructor(host) {
    put(host, h("nav", { class: "ninefold-viewer ninefold-links" }));
    this.root = host.firstChild;
  }

  update({ links }) {
    put(this.root, links.map(({ text, href }) => h("a", { class: "button", href, on: { click: (event) => visit(event, href) } }, text)));
  }
}
