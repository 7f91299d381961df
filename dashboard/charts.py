"""Figures: rows in, a Vega-Lite specification out. Plain data, so nothing here costs more than building a list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]
Spec = dict[str, Any]

ACCENT = "#2f9c77"
GREY = "#98a2ad"
LIMIT = "#d9544a"
"""Seen on white and on near-black alike."""
DIVERGING = ["#c2641a", "#f3f2ee", "#1f66a8"]
"""Losing, even, winning: told apart by everyone who tells apart orange and blue."""
SERIES = ["#2f9c77", "#d07a1a", "#3f8fd0", "#b860a0", "#8a8f1f", "#c9503c"]
"""One colour a tournament, each readable on white and on near-black."""
COUNT = ("#eef4f1", "#1c6b50")


KNOWN = {"filter": {"field": "low", "valid": True}}
"""Leaves out whose interval is not known: too few blocks."""


def _spec(**parts: Any) -> Spec:
    return {"$schema": "https://vega.github.io/schema/vega-lite/v6.json", "background": "transparent", **parts}


def ratings(rows: Sequence[Row]) -> Spec:
    """Ratings with their 95% intervals, in the order given; hollow where provisional."""
    values = [
        {
            "bot": row["bot"],
            "rating": row["rating"],
            "low": row["rating_low"],
            "high": row["rating_high"],
            "state": "provisional" if row["provisional"] else "rated",
        }
        for row in rows
        if row["rating"] is not None
    ]
    y = {
        "field": "bot",
        "type": "nominal",
        "sort": [value["bot"] for value in values],
        "title": None,
        "axis": {
            "labelLimit": 220,
            "labelOverlap": False,
            "labelFlush": False,
            "labelBound": False,
            "labelBaseline": "middle",
        },
    }
    x_scale = {"zero": False, "nice": True}
    tooltip = [
        {"field": "bot", "title": "bot"},
        {"field": "rating", "format": ".0f"},
        {"field": "low", "format": ".0f"},
        {"field": "high", "format": ".0f"},
        {"field": "state"},
    ]
    return _spec(
        data={"values": values},
        height={"step": 24},
        encoding={"y": y, "tooltip": tooltip},
        layer=[
            {
                "transform": [KNOWN],
                "mark": {"type": "rule", "strokeWidth": 2.5, "color": ACCENT, "opacity": 0.7},
                "encoding": {
                    "x": {
                        "field": "low",
                        "type": "quantitative",
                        "scale": x_scale,
                        "title": "rating, 95% interval",
                        "axis": {"tickCount": 8},
                    },
                    "x2": {"field": "high"},
                    "strokeDash": {
                        "field": "state",
                        "type": "nominal",
                        "scale": {"domain": ["rated", "provisional"], "range": [[1, 0], [4, 3]]},
                        "legend": None,
                    },
                },
            },
            {
                "mark": {"type": "point", "filled": True, "size": 80, "color": ACCENT, "opacity": 1},
                "encoding": {"x": {"field": "rating", "type": "quantitative", "scale": x_scale}},
            },
        ],
    )


def rating_history(rows: Sequence[Row]) -> Spec:
    """One bot's rating over time, its interval as a band."""
    values = [
        {
            "at": row["at"].isoformat(),
            "rating": row["rating"],
            "low": row["low"],
            "high": row["high"],
            "tournament": row["tournament"],
        }
        for row in rows
    ]
    x = {"field": "at", "type": "temporal", "title": None}
    scale = {"zero": False}
    return _spec(
        data={"values": values},
        height=240,
        encoding={
            "x": x,
            "color": {
                "field": "tournament",
                "type": "nominal",
                "title": None,
                "scale": {"range": SERIES},
                "legend": {"orient": "top", "labelLimit": 220},
            },
        },
        layer=[
            {
                "transform": [KNOWN],
                "mark": {"type": "area", "opacity": 0.18},
                "encoding": {
                    "y": {"field": "low", "type": "quantitative", "scale": scale, "title": "rating"},
                    "y2": {"field": "high"},
                },
            },
            {
                "mark": {"type": "line", "strokeWidth": 2.5, "point": {"size": 50}},
                "encoding": {
                    "y": {"field": "rating", "type": "quantitative", "scale": scale},
                    "tooltip": [
                        {"field": "at", "type": "temporal"},
                        {"field": "rating", "format": ".0f"},
                        {"field": "low", "format": ".0f"},
                        {"field": "high", "format": ".0f"},
                        {"field": "tournament"},
                    ],
                },
            },
        ],
    )


METRICS = {"score": "win share", "margin": "mean margin", "matches": "matches"}


def crosstable(bots: Sequence[str], cells: Sequence[Row], metric: str) -> Spec:
    """Every pair that met: the row's win share, mean margin or number of matches. Pale where the interval holds 0."""
    values = [cell for cell in cells if cell[metric] is not None]
    reach = max((abs(cell[metric]) for cell in values), default=1) or 1
    small = len(bots) > 24
    axis = {
        "labelLimit": 150,
        "labelOverlap": False,
        "labelFlush": False,
        "labelBound": False,
        "ticks": False,
        "domain": False,
        "grid": False,
    }
    place = {"type": "nominal", "sort": list(bots), "title": None}
    scale = {"domain": list(bots), "paddingInner": 0.06}
    layers: list[Spec] = [
        {
            "mark": {"type": "rect", "cornerRadius": 4},
            "encoding": {"color": {"field": "fill", "type": "nominal", "scale": None, "legend": None}},
        }
    ]
    if not small:
        text = {"field": "value", "format": {"score": ".0%", "margin": "+.1f", "matches": ",.0f"}[metric]}
        ink = {"field": "ink", "type": "nominal", "scale": None, "legend": None}
        layers.append({"mark": {"type": "text", "fontSize": 12}, "encoding": {"text": text, "color": ink}})
    return _spec(
        data={"values": [_cell(bots, cell, metric, reach) for cell in values]},
        width={"step": 16 if small else 44},
        height={"step": 16 if small else 32},
        encoding={
            "x": {**place, "field": "column", "axis": {**axis, "orient": "top", "labelAngle": -45}, "scale": scale},
            "y": {**place, "field": "row", "axis": axis, "scale": scale},
            "tooltip": [
                {"field": "row", "title": "bot"},
                {"field": "column", "title": "against"},
                {"field": "matches", "format": ",.0f"},
                {"field": "score", "title": "win share", "format": ".1%"},
                {"field": "margin", "title": "mean margin", "format": "+.2f"},
                {"field": "low", "title": "from", "format": "+.2f"},
                {"field": "high", "title": "to", "format": "+.2f"},
            ],
        },
        layer=layers,
    )


def _cell(bots: Sequence[str], cell: Row, metric: str, reach: float) -> dict[str, Any]:
    """A cell with its colours, the same in both themes: dark text on light cells and the other way round."""
    value = cell[metric]
    if metric == "matches":
        fill = mixed(COUNT[0], COUNT[1], value / reach)
    else:
        weight = 2 * value - 1 if metric == "score" else value / reach
        fill = mixed(DIVERGING[1], DIVERGING[2] if weight > 0 else DIVERGING[0], abs(weight))
        if not cell["significant"]:
            fill = mixed(fill, DIVERGING[1], 0.6)
    names = ("matches", "score", "margin", "low", "high")
    return {
        "row": bots[cell["row"]],
        "column": bots[cell["column"]],
        "value": value,
        "fill": fill,
        "ink": "#16191d" if brightness(fill) > 0.33 else "#ffffff",
        **{name: cell[name] for name in names},
    }


def mixed(a: str, b: str, share: float) -> str:
    """The colour between two, `share` of the second."""
    pairs = [(int(a[i : i + 2], 16), int(b[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(x + (y - x) * min(max(share, 0.0), 1.0)):02x}" for x, y in pairs)


def brightness(colour: str) -> float:
    """Relative luminance, 0 to 1."""
    red, green, blue = ((int(colour[i : i + 2], 16) / 255) ** 2.2 for i in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def decision_times(rows: Sequence[Mapping[str, float]], limits: Mapping[str, float]) -> Spec:
    """Mean processor time per decision of each match, counted on a log scale; `limits` are lines with their words."""
    x = {"type": "quantitative", "scale": {"type": "log"}}
    layers: list[Spec] = [
        {
            "data": {"values": [{"bin": row["bin"], "end": row["end"], "count": row["count"]} for row in rows]},
            "mark": {"type": "bar", "color": ACCENT, "cornerRadiusEnd": 3},
            "encoding": {
                "x": {**x, "field": "bin", "title": "milliseconds per decision", "axis": {"format": "~g"}},
                "x2": {"field": "end"},
                "y": {"field": "count", "type": "quantitative", "title": "matches", "axis": {"tickMinStep": 1}},
                "y2": {"datum": 0},
                "tooltip": [
                    {"field": "bin", "title": "from ms", "format": ".3~g"},
                    {"field": "end", "title": "to ms", "format": ".3~g"},
                    {"field": "count"},
                ],
            },
        }
    ]
    for i, (label, ms) in enumerate((label, ms) for label, ms in limits.items() if ms > 0):
        at = {**x, "field": "limit"}
        tooltip = [{"field": "label", "title": "limit"}, {"field": "limit", "title": "ms"}]
        written = {"type": "text", "color": LIMIT, "align": "right", "dx": -6, "baseline": "top", "fontSize": 13}
        layers.append(
            {
                "data": {"values": [{"limit": ms, "label": label}]},
                "encoding": {"x": at, "tooltip": tooltip},
                "layer": [
                    {"mark": {"type": "rule", "color": LIMIT, "strokeDash": [5, 4], "strokeWidth": 2}},
                    {"mark": written, "encoding": {"text": {"field": "label"}, "y": {"value": 2 + 15 * i}}},
                ],
            }
        )
    return _spec(height=220, layer=layers)


def log_bins(values: Sequence[float], per_decade: int = 5) -> list[dict[str, float]]:
    """Values counted in bins of equal width on a logarithmic scale."""
    from math import floor, log10

    counts: dict[int, int] = {}
    for value in values:
        if value > 0:
            place = floor(log10(value) * per_decade)
            counts[place] = counts.get(place, 0) + 1
    return [
        {"bin": 10 ** (place / per_decade), "end": 10 ** ((place + 1) / per_decade), "count": count}
        for place, count in sorted(counts.items())
    ]
