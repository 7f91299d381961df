"""Figures with their rows, made once for all viewers: what costs more to draw than to read."""

from __future__ import annotations

from typing import Any

from dashboard import charts, source


@source.kept
def head_to_head(name: str, metric: str, order: str, limit: int) -> dict[str, Any] | None:
    """The crosstable of the best `limit` bots, by standing or by name; None if no two have met."""
    table = source.crosstable(name, limit)
    bots, cells = [row["bot"] for row in table["bots"]], table["cells"]
    if not cells:
        return None
    if order == "name":
        position = {bot: i for i, bot in enumerate(sorted(bots))}
        cells = [
            {**cell, "row": position[bots[cell["row"]]], "column": position[bots[cell["column"]]]} for cell in cells
        ]
        bots = sorted(bots)
    return charts.crosstable(bots, cells, metric)
