"""Every match, newest first, filtered by what stands in the address; 200 rows a page."""

from __future__ import annotations

import streamlit as st

from dashboard import component, frame, source, words
from dashboard.source import MatchFilter
from referee.games import registry

st.title("Matches")
PAGE = 200


def text(label: str, parameter: str) -> str:
    """A text kept in the address."""
    asked = st.query_params.get(parameter, "")
    key = f"{parameter}={asked}"

    def changed() -> None:
        value = st.session_state[key].strip()
        if value:
            st.query_params[parameter] = value
        else:
            st.query_params.pop(parameter, None)
        st.query_params.pop("before", None)

    return st.text_input(label, value=asked, key=key, on_change=changed, max_chars=64, placeholder="any").strip()


def drop(parameter: str) -> None:
    st.query_params.pop(parameter, None)
    st.query_params.pop("before", None)


def page() -> None:
    columns = st.columns([2, 1, 2, 2, 2])
    with columns[0]:
        tournament = frame.choose(
            "Tournament", "tournament", [row["name"] for row in source.tournaments()], any_label="any"
        )
    with columns[1]:
        game = frame.choose("Game", "game", list(registry.names()), any_label="any")
    with columns[2]:
        bot = text("Bot", "bot")
    with columns[3]:
        opponent = text("Opponent", "opponent")
    with columns[4]:
        cause = frame.choose(
            "Ending", "cause", ["fault", *words.CAUSES], any_label="any", names={"fault": "any forfeit", **words.CAUSES}
        )
    before = st.query_params.get("before", "")
    wanted = MatchFilter(
        tournament=tournament,
        game=game,
        bot=bot,
        opponent=opponent,
        cause="" if cause == "fault" else cause,
        faults=cause == "fault",
    )
    try:
        found = source.matches(wanted, before=int(before) if before.isdigit() and len(before) < 19 else 0, limit=PAGE)
    except source.Missing as missing:
        st.warning(words.code(str(missing)))
        found = []
    if not found:
        set_filters = {
            "tournament": tournament,
            "game": game,
            "bot": bot,
            "opponent": opponent,
            "cause": cause,
            "before": before,
        }
        active = {name: value for name, value in set_filters.items() if value}
        if not active:
            st.info("No match has ended yet. Running ones are on the page Live.")
            return
        st.info("No match fits. Remove one of the filters:")
        with st.container(horizontal=True):
            for name in active:
                st.button(f"Remove “{name}”", key=f"remove-{name}", on_click=drop, args=(name,))
        return
    frame.match_rows("matches", "Matches", found, me=bot)
    query = {name: value for name, value in st.query_params.items() if name != "before"}
    going = [("Newest", words.url("matches", **query))] if before else []
    if len(found) == PAGE:
        going.append(("Older matches", words.url("matches", **{**query, "before": found[-1]["key"]})))
    if going:
        component.links("pages", going)
    if len(found) < PAGE:
        st.caption(f"{len(found)} matches, the oldest that fit last.")


frame.guarded(page)
