// The numbers behind the plot of penalty points.

/** For every step and seat: match totals, and what the open hand would add if the round ended there (null where unknown). */
export function series(match, who) {
  const totals = Array.from({ length: match.players }, () => []);
  const running = Array.from({ length: match.players }, () => []);
  let table = null;
  match.steps.forEach((step, n) => {
    if (step.table) table = step.table;
    else if (step.set) table = { ...table, ...step.set, hand_values: { ...table?.hand_values, ...step.set.hand_values } };
    const over = step.kind !== "event" && step.kind !== "deal";
    for (let seat = 0; seat < match.players; seat++) {
      const total = table?.totals[seat] ?? 0;
      totals[seat].push(total);
      const value = table?.hand_values?.[seat];
      running[seat].push(!over && value !== undefined && (step.kind === "event" || step.kind === "deal") && match.knows(who, seat) ? total + value : null);
    }
  });
  return { totals, running };
}
