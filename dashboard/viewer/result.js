// The last step: who won, with places, totals and forfeits.

import { h, icon } from "./dom.js";
import { badge, TEAM_NAMES } from "./seat.js";
import { faultWords, joined, time, winners } from "./words.js";

export function resultCard(match) {
  const { places = [], totals = [] } = match.meta.result ?? {};
  const first = winners(match);
  const names = match.teams ? [...new Set(first.map((seat) => match.name(seat)))] : first.map((seat) => match.name(seat));
  const title = names.length === 0 ? "Nobody wins" : names.length === 1 ? `${names[0]} wins` : `${joined(names)} share the win`;
  const order = places.map((place, seat) => ({ place, seat })).sort((a, b) => a.place - b.place || a.seat - b.seat);
  return h(
    "div",
    { class: "result", role: "group", "aria-label": "Result" },
    h("div", { class: "result-title" }, title),
    h("table", {},
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "place"), h("th", { scope: "col" }, "bot"), match.teams ? h("th", { scope: "col" }, "team") : null, h("th", { scope: "col", class: "num" }, "points"))),
      h("tbody", {}, order.map(({ place, seat }) => {
        const fault = (match.meta.faults ?? []).find((f) => f.seat === seat);
        return h("tr", { "data-place": place, "data-seat": seat, class: first.includes(seat) ? "winner" : "" },
          h("td", { class: "place" }, String(place)),
          h("td", {}, badge(seat), h("span", { class: "name" }, match.name(seat)), fault ? h("span", { class: "chip bad" }, icon("fault"), faultWords(fault.kind)) : null),
          match.teams ? h("td", {}, TEAM_NAMES[match.team(seat)] ?? "") : null,
          h("td", { class: "num" }, String(totals[seat] ?? "–")));
      }))),
    (match.meta.faults ?? []).map((fault) => h("div", { class: "result-fault" }, badge(fault.seat), `${match.name(fault.seat)} forfeited: ${faultWords(fault.kind)}${fault.detail ? `, ${fault.detail}` : ""}${fault.ms !== null && fault.ms !== undefined ? ` (${time(fault.ms)}${fault.limit_ms ? ` of ${time(fault.limit_ms)}` : ""})` : ""}`)),
  );
}
