"""One match: played in the browser from its replay, or, where there is none, what state it is in and why.

The step shown lives in the address, which only the browser writes: nothing here may touch `st.query_params`.
"""

from __future__ import annotations

import streamlit as st

from dashboard import component, frame, source, words
from dashboard.source import MatchFilter

match_id = st.query_params.get("match", "")


def page() -> None:
    if not match_id:
        st.title("Matches to watch")
        latest()
        return
    try:
        row = source.match(match_id)
    except source.Missing:
        st.title("No such match")
        st.warning(f"There is no match {words.code(match_id)}, and none of that name is planned. These ended last:")
        latest()
        return
    head(row)
    if row["has_replay"]:
        component.viewer(
            "viewer",
            {
                "url": f"/data/steps/{match_id}.json",
                "links": {"json": f"/data/replay/{match_id}.json", "html": f"/data/replay/{match_id}.html"},
            },
        )
        neighbours(row)
        facts(row)
    else:
        waiting(row)


def head(row: frame.Row) -> None:
    st.markdown(f"#### Match {words.name(match_id)}")


def neighbours(row: frame.Row) -> None:
    going = [(label, row.get(name)) for label, name in (("Previous match", "previous"), ("Next match", "next"))]
    if any(other for _, other in going):
        component.links("neighbours", [(label, words.url("replay", match=other)) for label, other in going if other])


def facts(row: frame.Row) -> None:
    """What is known of the match beside what can be watched."""
    with st.expander("About this match"):
        component.rows(
            "seats",
            "Seats",
            [
                {"name": "seats", "label": "seat", "kind": "seats", "sort": False},
                {"name": "version", "label": "version", "kind": "number"},
                {"name": "place", "label": "place", "kind": "number"},
                {"name": "points", "label": "match points", "kind": "number", "digits": 2},
                {"name": "penalty", "label": "penalty", "kind": "number"},
                {"name": "ending", "label": "ending", "kind": "chip"},
                {"name": "detail", "label": "rule or limit"},
                {"name": "decisions", "label": "decisions", "kind": "number"},
                {"name": "cpu_ms", "label": "cpu ms", "kind": "number", "digits": 0},
                {"name": "wall_ms", "label": "wall ms", "kind": "number", "digits": 0},
            ],
            [
                {
                    "_key": str(seat["seat"]),
                    "seats": [shown],
                    "ending": frame.chip(
                        words.cause(seat["cause"]), "plain" if seat["cause"] == "completed" else "bad"
                    ),
                    **{
                        name: seat[name]
                        for name in (
                            "version",
                            "place",
                            "points",
                            "penalty",
                            "detail",
                            "decisions",
                            "cpu_ms",
                            "wall_ms",
                        )
                    },
                }
                for seat, shown in zip(row["seats"], frame.seats({"seats": row["seats"]}), strict=True)
            ],
        )
        st.caption(
            f"Played {words.ago(row['ended_at'])}, attempt {row['attempt']}, machine speed "
            f"{words.number(row['speed'], 2)}. Tournament {words.name(row['tournament'])}."
        )
        st.caption("SHA-256 of the canonical record")
        st.code(row["canonical_sha256"], language=None, wrap_lines=True)
        st.caption(
            "The seed is in the JSON file; `ninefold replay verify FILE` plays it again."
            if row["seed_revealed"]
            else "The seed is published when every match on these deals is over."
        )


def waiting(row: frame.Row) -> None:
    """A match without a replay: its state and the reason, never an error."""
    state = row["state"]
    texts = {
        "planned": "This match waits for its turn.",
        "queued": "This match waits for a worker.",
        "running": "This match is in a fixture that is being played.",
        "parked": "This fixture failed several times by the league's fault and waits for the organiser. No bot "
        "loses anything.",
        "cancelled": "This match was cancelled and will not be played.",
        "dropped": "This fixture was dropped by the organiser and will not be played.",
    }
    st.info(
        texts.get(state, f"This match is {state}.")
        if not row.get("ended_at")
        else f"This match has no replay: {words.cause(row['cause'])}."
    )
    reason = row.get("reason") or ""
    if row.get("cause") and row["cause"] != "completed":
        reason = f"{words.cause(row['cause'])}{': ' + reason if reason else ''}"
    if reason:
        st.caption(words.code(reason))
    component.rows(
        "waiting-seats",
        "Seats",
        [{"name": "seats", "label": "seats", "kind": "seats", "sort": False}],
        [{"_key": "seats", "seats": frame.seats(row)}],
    )
    if state == "running":
        st.page_link(
            "views/live.py",
            icon=":material/arrow_forward:",
            label="Watch it live",
            query_params={"fixture": row["fixture_id"]},
        )


def latest() -> None:
    found = source.matches(MatchFilter(), limit=10)
    if found:
        frame.match_rows("latest", "Latest results", found)
    else:
        st.info("No match has ended yet.")
    st.page_link("views/matches.py", icon=":material/arrow_forward:", label="Find a match")


frame.guarded(page)
