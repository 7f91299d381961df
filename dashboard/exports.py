"""Tables to take away: standings and crosstable as CSV and strictly valid JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

from dashboard import source

STANDINGS = (
    "rank",
    "bot",
    "version",
    "matches",
    "points",
    "score",
    "won",
    "drawn",
    "lost",
    "forfeits",
    "mean_place",
    "mean_penalty",
    "mean_margin",
    "rating",
    "rating_low",
    "rating_high",
    "provisional",
    "blocks",
)
CROSSTABLE = ("bot", "against", "matches", "blocks", "score", "margin", "low", "high", "significant")


def standings(name: str) -> tuple[Sequence[str], list[dict[str, Any]]]:
    return STANDINGS, [{column: row[column] for column in STANDINGS} for row in source.standings(name)]


def crosstable(name: str) -> tuple[Sequence[str], list[dict[str, Any]]]:
    table = source.crosstable(name, 1_000)
    bots = [row["bot"] for row in table["bots"]]
    return CROSSTABLE, [
        {
            **{column: cell.get(column) for column in CROSSTABLE},
            "bot": bots[cell["row"]],
            "against": bots[cell["column"]],
        }
        for cell in table["cells"]
    ]


TABLES = {"standings": standings, "crosstable": crosstable}


def as_csv(columns: Sequence[str], rows: Sequence[dict[str, Any]]) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def as_json(rows: Sequence[dict[str, Any]]) -> bytes:
    return json.dumps(rows, ensure_ascii=False, allow_nan=False, indent=1).encode()
