"""A fixture while it is being played: what everyone may see, as it happens."""

from __future__ import annotations

import streamlit as st

from dashboard import component, frame, source, words
from dashboard.source import MatchFilter

fixture_id = st.query_params.get("fixture", "")
st.title("Live")


def page() -> None:
    if not fixture_id:
        listing()
        return
    try:
        row = source.fixture(fixture_id)
    except source.Missing:
        st.warning(f"There is no fixture {words.code(fixture_id)}. What is being played now:")
        listing()
        return
    st.markdown(f"#### Fixture {words.name(fixture_id)}")
    component.rows(
        "live-seats",
        "Seats",
        [
            {"name": "seats", "label": "seats", "kind": "seats", "sort": False},
            {"name": "state", "label": "state", "kind": "chip"},
        ],
        [
            {
                "_key": "seats",
                "seats": frame.seats(row),
                "state": frame.chip(row["state"], frame.STATE_TONES.get(row["state"], "plain")),
            }
        ],
    )
    if row["state"] == "running":
        component.viewer(f"live {fixture_id}", {"live": f"/data/live/{fixture_id}", "links": {}})
        st.caption(
            "Hands stay hidden while other tables play the same deals; the replay shows them once the match is "
            "recorded."
        )
    elif row["state"] == "done":
        st.info("This fixture is over.")
        st.page_link(
            "views/replay.py",
            icon=":material/arrow_forward:",
            label="Watch its first match",
            query_params={"match": f"{fixture_id}/1"},
        )
    else:
        st.info(
            f"This fixture is not being played: it is {row['state']}"
            + (f" ({words.cause(row['cause'])})." if row["cause"] else ".")
        )


@st.fragment(run_every=5)
def listing() -> None:
    frame.guarded(show)


def show() -> None:
    found = source.running()
    if not found:
        last = source.matches(MatchFilter(), limit=5)
        st.info(
            "Nothing is being played now."
            + (" These matches ended last:" if last else " Start a tournament: `ninefold tournament start NAME`.")
        )
        if last:
            frame.match_rows("last", "Ended last", last)
        return
    st.caption("Choose a fixture to follow it card by card, hands closed.")
    component.rows(
        "running",
        "Being played now",
        [
            {"name": "fixture", "label": "fixture", "kind": "link"},
            {"name": "tournament", "label": "tournament", "kind": "link"},
            {"name": "seats", "label": "seats", "kind": "seats", "sort": False},
            {"name": "stage", "label": "stage"},
            {"name": "since", "label": "since", "kind": "when"},
        ],
        [
            {
                "_key": f["fixture_id"],
                "fixture": {"text": f["fixture_id"], "href": words.url("live", fixture=f["fixture_id"])},
                "tournament": frame.tournament_link(f["tournament"]),
                "seats": frame.seats(f),
                "stage": f["stage"],
                "since": f["started_at"].isoformat() if f["started_at"] else None,
            }
            for f in found
        ],
    )


frame.guarded(page)
