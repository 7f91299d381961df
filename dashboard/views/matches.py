"""Every match, newest first, filtered by what stands in the address; 200 rows a page."""

from __future__ import annotations

from datetime import timedelta

import streamlit as st

from dashboard import component, exports, frame, source, words
from dashboard.source import MatchFilter
from referee.games import registry
from referee.wording import counted

st.title("Matches")
PAGE = 200
FILTERS = ("tournament", "game", "players", "bot", "opponent", "cause", "from", "to", "before")


def text(label: str, parameter: str) -> str:
    """A text kept in the address."""
    asked = st.query_params.get(parameter, "")
    key = f"{parameter}={asked}"

    def changed() -> None:
        set_or_drop(parameter, st.session_state[key].strip())

    value = st.text_input(label, value=asked, key=key, on_change=changed, max_chars=64, placeholder="any", width=122)
    return value.strip()


def day(label: str, parameter: str) -> str:
    """A day kept in the address as 2026-05-31; "" for any, and for what is no day."""
    asked = st.query_params.get(parameter, "")
    found = exports.day(asked)
    key = f"{parameter}={asked}"

    def changed() -> None:
        chosen = st.session_state[key]
        set_or_drop(parameter, chosen.isoformat() if chosen else "")

    picked = st.date_input(
        label,
        value=found.date() if found else None,
        min_value=exports.FIRST_DAY,
        max_value=exports.LAST_DAY,
        format="YYYY-MM-DD",
        key=key,
        on_change=changed,
        width=138,
    )
    return picked.isoformat() if picked else ""


def set_or_drop(parameter: str, value: str) -> None:
    if value:
        st.query_params[parameter] = value
    else:
        st.query_params.pop(parameter, None)
    st.query_params.pop("before", None)


def drop(parameter: str) -> None:
    set_or_drop(parameter, "")


def wanted() -> MatchFilter:
    """What the filters say, drawn as they stand in the address."""
    with st.container(horizontal=True, gap="small"):
        tournament = frame.choose(
            "Tournament", "tournament", [row["name"] for row in source.tournaments()], any_label="any", width=165
        )
        game = frame.choose("Game", "game", list(registry.names()), any_label="any", width=92)
        players = frame.choose("Players", "players", list("23456"), any_label="any", width=92)
        bot = text("Bot", "bot")
        opponent = text("Opponent", "opponent")
        cause = frame.choose(
            "Ending",
            "cause",
            ["fault", *words.CAUSES],
            any_label="any",
            names={"fault": "any forfeit", **words.CAUSES},
            width=150,
        )
        since, until = day("From (UTC)", "from"), day("To", "to")
    for parameter, found in (("from", since), ("to", until)):
        if (asked := st.query_params.get(parameter, "")) and not found:
            st.caption(f"{words.code(asked)} is no day; write it as 2026-05-31.")
    end = exports.day(until)
    return MatchFilter(
        tournament=tournament,
        game=game,
        players=int(players) if players else 0,
        bot=bot,
        opponent=opponent,
        cause="" if cause == "fault" else cause,
        faults=cause == "fault",
        since=exports.day(since),
        until=end + timedelta(days=1) if end else None,
    )


def page() -> None:
    asked = wanted()
    before = st.query_params.get("before", "")
    try:
        found = source.matches(
            asked, before=int(before) if before.isascii() and before.isdigit() and len(before) < 19 else 0, limit=PAGE
        )
    except source.Missing as missing:
        st.warning(words.code(str(missing)))
        found = []
    if not found:
        active = [name for name in FILTERS if st.query_params.get(name)]
        if not active:
            st.info("No match has ended yet. Running ones are on the page Live.")
            return
        st.info("No match fits. Remove one of the filters:")
        with st.container(horizontal=True):
            for name in active:
                st.button(f"Remove “{name}”", key=f"remove-{name}", on_click=drop, args=(name,))
        return
    frame.match_rows("matches", "Matches", found, me=asked.bot)
    query = {name: value for name, value in st.query_params.items() if name != "before"}
    going = [("Newest", words.url("matches", **query))] if before else []
    if len(found) == PAGE:
        going.append(("Older matches", words.url("matches", **{**query, "before": found[-1]["key"]})))
    if going:
        component.links("pages", going)
    if len(found) < PAGE:
        st.caption(f"{counted(len(found), 'match', 'matches')}, the oldest that fit last.")


frame.guarded(page)
