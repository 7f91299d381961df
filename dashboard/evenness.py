"""The parts of the tournament page that say how even it is and when it stops."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from dashboard import component, frame, source, words
from referee.wording import counted

Row = Mapping[str, Any]

COUNTED = {
    "blocks": ("matches of a bot", "every bot plays in as many blocks"),
    "pairs": ("meetings of a pair", "every two bots meet as often"),
    "seats": ("a bot's turns at a seat", "every bot has every seat as often"),
    "left": ("turns to another's left", "every bot follows every other as often"),
}
COLUMNS = [
    {"name": "what", "label": "what is counted", "sort": False},
    {"name": "planned", "label": "as planned", "sort": False, "help": "blocks, over the whole schedule"},
    {"name": "played", "label": "played so far", "sort": False, "help": "matches; fixtures in the last line"},
    {"name": "even", "label": "", "kind": "chip", "sort": False},
    {"name": "why", "label": "why it is not even", "kind": "prose", "sort": False},
]


def balance(name: str) -> None:
    """How even the schedule is, what has been played of it, and why it is not evener."""
    st.markdown("##### Balance")
    found = source.balance(name)
    if found["sets"] is None:
        st.info(f"There is no schedule to count yet: {words.code(found['reason'])}")
        return
    passes = "one pass" if found["passes"] == 1 else f"{found['passes']:,} passes"
    sets = "every set of bots that may meet" if found["complete"] else "a balanced choice of the sets that may meet"
    st.caption(
        f"{counted(found['sets'], 'block')} a pass, {sets}; {passes}. In a block each bot takes every seat once, on "
        f"the same deals."
    )
    lines = []
    for what, (label, ideal) in COUNTED.items():
        planned, played = found["planned"][what], found["played"][what]
        reason = (planned or {}).get("reason") or (played or {}).get("reason") or ""
        uneven = any(part and part["most"] - part["least"] > 1 for part in (planned, played))
        known = planned or played
        lines.append(
            {
                "_key": what,
                "what": label,
                "planned": span(planned, "block"),
                "played": span(played, "fixture" if what == "left" else "match"),
                "even": (frame.chip("uneven", "wait") if uneven else frame.chip("even", "good")) if known else None,
                "why": reason if uneven else ideal if known else found["reason"],
            }
        )
    component.rows("balance", "Balance", COLUMNS, lines)
    if found["reason"]:
        st.caption(f"The plan is not counted: {words.code(found['reason'])}. It is made like shorter ones, which are.")


def span(part: Row | None, unit: str) -> str | None:
    """ "3 blocks" or "3 to 4 blocks"; None where it is not counted."""
    if part is None:
        return None
    many = {"block": "blocks", "match": "matches", "fixture": "fixtures"}[unit]
    if part["least"] == part["most"]:
        return f"{part['most']:,} {unit if part['most'] == 1 else many}"
    return f"{part['least']:,} to {part['most']:,} {many}"


def stopping(name: str, row: Row) -> None:
    """When the tournament ends: after its blocks, or once its bots are told apart."""
    st.markdown("##### When it ends")
    found = source.stopping(name)
    if found is None:
        blocks = counted(row["blocks"], "block")
        st.caption(f"When every set of bots has played {blocks}, whoever leads by then.")
        return
    st.caption(
        f"When it is certain which of each two bots is better: at 95% over the whole tournament, however often one "
        f"looks. Every pair plays at least {found['least_blocks']:,} and at most "
        f"{counted(found['most_blocks'], 'block')}; a pair that is certain is dealt no more."
    )
    if found["pairs"] is None:
        st.info("Which pairs are certain is worked out here for started tournaments of up to 40 bots.")
        return
    share = found["certain"] / found["pairs"] if found["pairs"] else 1.0
    st.progress(share, text=f"certain: {found['certain']:,} of {counted(found['pairs'], 'pair')}")
    if not found["undecided"]:
        st.caption("No pair is left open" + (": nothing more is dealt." if found["over"] else "."))
        return
    component.rows(
        "undecided",
        "Undecided pairs",
        [
            {"name": "a", "label": "bot", "kind": "link"},
            {"name": "b", "label": "against", "kind": "link"},
            {"name": "passes", "label": "passes looked at", "kind": "number"},
            {"name": "note", "label": "", "kind": "chip", "sort": False},
        ],
        [
            {
                "_key": " ".join(pair["bots"]),
                **{
                    side: {"text": bot, "href": words.url("bot", name=bot)}
                    for side, bot in zip("ab", pair["bots"], strict=True)
                },
                "passes": pair["passes"],
                "note": frame.chip("withdrawn", "wait")
                if pair["withdrawn"]
                else frame.chip("at the limit", "wait")
                if pair["passes"] >= found["most_blocks"]
                else None,
            }
            for pair in found["undecided"][:100]
        ],
    )
    if len(found["undecided"]) > 100:
        st.caption(f"The first 100 of {len(found['undecided']):,} pairs.")
