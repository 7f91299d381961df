"""What is going on: the newest tournament's progress and leaders, what is being played, what ended last."""

from __future__ import annotations

import streamlit as st

from dashboard import component, frame, source, words
from dashboard.source import MatchFilter
from referee.wording import counted

st.title("Ninefold")


@st.fragment(run_every=5)
def now() -> None:
    frame.guarded(show)


def show() -> None:
    known = source.tournaments()
    if not known:
        st.info(
            "No tournament yet. Submit bots with `ninefold bot submit DIR`, create a tournament with "
            "`ninefold tournament create first --game nines --all` and start it with `ninefold tournament "
            "start first`. "
            "Or see it all at once: `deploy/demo`."
        )
        return
    tournament = source.tournament(frame.most_wanted(known)[0]["name"])
    problems = source.problems()
    if problems:
        st.warning(
            f"{counted(len(problems), 'part')} of the league need{'s' if len(problems) == 1 else ''} its organiser: "
            "`ninefold status` names " + ("it." if len(problems) == 1 else "them.")
        )
    frame.stale(tournament)
    st.markdown(f"#### {words.name(tournament['name'])}")
    st.caption(
        f"{tournament['game']}, tables of {tournament['table_size']}, {counted(tournament['entries_count'], 'bot')}, "
        f"{tournament['state']}"
    )
    frame.progress(tournament)
    playing = source.running(6)
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.markdown("##### Leaders")
        rows = source.standings(tournament["name"])
        if rows and any(r["matches"] for r in rows):
            frame.standing_rows("leaders", rows[:5], short=True)
            st.page_link(
                "views/standings.py",
                icon=":material/arrow_forward:",
                label="All standings",
                query_params={"tournament": tournament["name"]},
            )
        else:
            st.info("No match of this tournament has ended yet.")
    with right:
        st.markdown("##### Being played now")
        if playing:
            lines = [
                {
                    "_key": f["fixture_id"],
                    "fixture": {"text": f["fixture_id"], "href": words.url("live", fixture=f["fixture_id"])},
                    "seats": frame.seats(f),
                    "since": f["started_at"].isoformat() if f["started_at"] else None,
                }
                for f in playing
            ]
            component.rows(
                "playing",
                "Being played now",
                [
                    {"name": "fixture", "label": "fixture", "kind": "link"},
                    {"name": "seats", "label": "seats", "kind": "seats", "sort": False},
                    {"name": "since", "label": "since", "kind": "when"},
                ],
                lines,
            )
        else:
            st.info(
                "Nothing is being played."
                + ("" if tournament["state"] != "running" else " Fixtures are waiting for a worker.")
            )
    st.markdown("##### Latest results")
    latest = source.matches(MatchFilter(played=True), limit=10)
    if latest:
        frame.match_rows("latest", "Latest results", latest)
    else:
        st.info("No match has been played yet.")


now()
