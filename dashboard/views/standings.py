"""Who leads a tournament, by how much, and which neighbours are not decided yet."""

from __future__ import annotations

import streamlit as st

from dashboard import charts, frame, source, words
from referee.tournament.enough import NO_INTERVAL, PROVISIONAL_BLOCKS
from referee.wording import counted

st.title("Standings")
PAGE = 200


@st.fragment(run_every=5)
def table(name: str) -> None:
    frame.guarded(lambda: show(name))


def show(name: str) -> None:
    tournament = source.tournament(name)
    frame.stale(tournament)
    if tournament["state"] == "running":
        frame.progress(tournament)
    rows = source.standings(name)
    if not rows:
        st.info(
            "No bot is entered in this tournament"
            + (": it has not started." if tournament["state"] == "draft" else ", or all have been withdrawn.")
        )
        return
    if not any(row["matches"] for row in rows):
        st.info("No match of this tournament has ended yet: every bot stands at a dash.")
    shown = rows
    if len(rows) > PAGE:
        pages = -(-len(rows) // PAGE)
        page = st.pagination(pages, key="standings-page")
        shown = rows[(page - 1) * PAGE : page * PAGE]
    frame.standing_rows("standings", shown, places=tournament["table_size"] > 2)
    rated = source.ratings(name)
    if rated is None:
        challenge = tournament["kind"] == "challenge"
        st.caption("A challenge is not rated." if challenge else "Ratings are fitted once results come in.")
    else:
        behind = rated["matches"] - rated["watermark"]
        st.caption(
            f"Ratings include {counted(rated['watermark'], 'match', 'matches')}, fitted {words.ago(rated['at'])}"
            + (f"; {counted(behind, 'newer one is', 'newer ones are')} not in them yet." if behind > 0 else ".")
        )
    st.caption(
        "Bots whose 95% intervals overlap are marked *undecided*: their order may still turn. *Provisional* (dashed): "
        f"fewer than {PROVISIONAL_BLOCKS} blocks played. A dash: {NO_INTERVAL}."
    )
    plotted = [row for row in shown if row["rating"] is not None][:60]
    if plotted:
        st.markdown("##### Ratings with 95% intervals")
        st.vega_lite_chart(
            charts.ratings(sorted(plotted, key=lambda row: -row["rating"])), width="stretch", key="rating-plot"
        )
    st.page_link("views/about.py", icon=":material/arrow_forward:", label="How standings and ratings are made")


def page() -> None:
    chosen = frame.the_tournament()
    if chosen:
        table(chosen)


frame.guarded(page)
