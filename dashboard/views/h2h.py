"""How each bot does against each other bot of a tournament."""

from __future__ import annotations

import streamlit as st

from dashboard import charts, component, figures, frame, source, words
from dashboard.source import MatchFilter

st.title("Head to head")


@st.fragment(run_every=10)
def matrix(name: str, metric: str, order: str, limit: int) -> None:
    frame.guarded(lambda: show(name, metric, order, limit))


def show(name: str, metric: str, order: str, limit: int) -> None:
    figure = figures.head_to_head(name, metric, order, limit)
    if figure is None:
        st.info("No two bots of this tournament have met yet.")
        return
    st.vega_lite_chart(figure, width="content", key="crosstable")
    st.caption(
        "A row's bot against a column's. Pale: the 95% interval of the mean margin, from whole blocks, still "
        "holds 0, so the difference may be chance."
    )


def pair(name: str, first: str, second: str) -> None:
    table = source.crosstable(name, 60)
    index = {row["bot"]: i for i, row in enumerate(table["bots"])}
    cell = next((c for c in table["cells"] if (c["row"], c["column"]) == (index.get(first), index.get(second))), None)
    if cell is None:
        st.info("These two have not met in this tournament.")
    else:
        component.rows(
            "pair",
            "The pair",
            [
                {"name": "bot", "label": "bot", "kind": "link"},
                {"name": "against", "label": "against", "kind": "link"},
                {"name": "matches", "label": "matches", "kind": "number"},
                {"name": "score", "label": "win share", "kind": "share"},
                {"name": "margin", "label": "mean margin", "kind": "number", "digits": 2},
                {"name": "low", "label": "from", "kind": "number", "digits": 2},
                {"name": "high", "label": "to", "kind": "number", "digits": 2},
            ],
            [
                {
                    "_key": "pair",
                    "bot": {"text": first, "href": words.url("bot", name=first)},
                    "against": {"text": second, "href": words.url("bot", name=second)},
                    **{k: cell[k] for k in ("matches", "score", "margin", "low", "high")},
                }
            ],
        )
    found = source.matches(MatchFilter(tournament=name, bot=first, opponent=second), limit=20)
    if found:
        st.markdown("##### Their latest matches")
        frame.match_rows("pair-matches", "Their latest matches", found, me=first)


def page() -> None:
    top = st.columns([2, 1, 1, 1])
    with top[0]:
        chosen = frame.the_tournament()
    if chosen:
        with top[1]:
            shown = frame.choose("Show", "metric", list(charts.METRICS), names=charts.METRICS)
        with top[2]:
            sorting = frame.choose(
                "Order", "order", ["rating", "name"], names={"rating": "by standing", "name": "by name"}
            )
        entered = [row["bot"] for row in source.standings(chosen)]
        amount = 60
        with top[3]:
            if len(entered) > 30:
                amount = st.slider("Bots shown, best first", 5, 60, 30, key="h2h-top")
        matrix(chosen, shown, sorting, amount)
        if len(entered) >= 2:
            st.markdown("##### Two bots")
            left, right = st.columns(2)
            with left:
                a = frame.choose("Bot", "a", entered)
            with right:
                b = frame.choose("Against", "b", [bot for bot in entered if bot != a])
            pair(chosen, a, b)


frame.guarded(page)
