"""What pages have in common: choices kept in the address, tables of the same rows, and every state said in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from statistics import median
from typing import Any, Literal

import streamlit as st
import structlog

from dashboard import component, source, words
from referee.errors import NinefoldError
from referee.tournament.enough import NO_INTERVAL
from referee.wording import counted

log = structlog.get_logger(__name__)
Row = Mapping[str, Any]

STALE_SECONDS = 120
REACH = 600
"""Rating points beyond which one bot that never wins would squeeze all others into a corner."""
PLACES = ("page", "before")
"""Parameters that say how far down a list one is; another choice begins it anew."""


def guarded(work: Callable[[], None]) -> None:
    """Runs a page or a part of one; whatever goes wrong is said in words, with what to do."""
    try:
        work()
    except source.NoLeague:
        st.info(
            "There is no league here yet. Start one with `ninefold up`, or try everything at once with `deploy/demo`."
        )
    except source.Unreadable as error:
        st.warning(str(error))
    except source.Missing as error:
        st.warning(words.code(str(error)))
        st.page_link("views/overview.py", icon=":material/arrow_forward:", label="Go to the overview")
    except NinefoldError as error:
        st.warning(words.code(str(error)))
    except Exception:
        log.exception("page_failed")
        st.error(
            "This page cannot be shown. Reload it; if it stays so, the organiser finds the cause in the "
            "dashboard's log."
        )


def choose(
    label: str,
    parameter: str,
    options: Sequence[str],
    *,
    any_label: str = "",
    names: Mapping[str, str] | None = None,
    width: int | Literal["stretch"] = "stretch",
    strict: bool = False,
) -> str:
    """One of the options, kept in the address under `parameter`; "" stands for `any_label` where that is given.

    Where the address asks for what there is not, that is said; if `strict`, nothing is chosen in its place ("").

    The widget's key follows the address, so a link, back and forward always win over what was chosen before.
    """
    asked = st.query_params.get(parameter, "")
    listed = ["", *options] if any_label else list(options)
    unknown = bool(asked) and asked not in listed
    if unknown:
        say = st.warning if strict else st.caption
        say(f"There is no {label.lower()} {words.code(asked)}." + (" Choose one:" if strict else ""))
    index = None if unknown and strict else listed.index(asked) if asked in listed else 0
    key = f"{parameter}={asked}"

    def changed() -> None:
        value = st.session_state[key] or ""
        if value == (listed[0] if listed else ""):
            st.query_params.pop(parameter, None)
        else:
            st.query_params[parameter] = value
        for place in PLACES:
            st.query_params.pop(place, None)

    picked = st.selectbox(
        label,
        listed,
        index=index,
        key=key,
        on_change=changed,
        format_func=lambda value: (names or {}).get(value, value) if value else any_label,
        width=width,
    )
    return picked or ""


def the_tournament(label: str = "Tournament") -> str | None:
    """The tournament asked for in the address, or the first of `most_wanted`; None, said in words, if there is none.

    An address that asks for one that does not exist gets none, not another's figures.
    """
    known = source.tournaments()
    if not known:
        st.info(
            "No tournament yet. Create one: `ninefold tournament create first --game nines --all`, then "
            "`ninefold tournament start first`."
        )
        return None
    return choose(label, "tournament", [row["name"] for row in most_wanted(known)], strict=True) or None


def most_wanted(known: Sequence[Row]) -> list[Row]:
    """Tournaments, newest first, in the order in which a visitor will want them: running, ended, not begun; challenges,
    which somebody plays for himself, after all of them.
    """
    return sorted(
        known, key=lambda row: (row["kind"] == "challenge", row["state"] == "draft", row["state"] != "running")
    )


def tournament_link(name: str) -> dict[str, str]:
    """A table's cell that leads to the tournament."""
    return {"text": name, "href": words.url("tournament", tournament=name)}


def stale(tournament: Row) -> None:
    """Says so where a running tournament has not moved for a while."""
    if tournament["state"] != "running" or tournament["progress_at"] is None:
        return
    silent = (datetime.now(UTC) - tournament["progress_at"]).total_seconds()
    if silent > STALE_SECONDS:
        st.warning(
            f"Nothing has moved for {words.span(silent)}. If that goes on, the organiser sees what is stuck "
            f"with `ninefold status`."
        )


STATE_TONES = {
    "running": "good",
    "done": "plain",
    "parked": "bad",
    "void": "bad",
    "cancelled": "wait",
    "dropped": "wait",
    "planned": "wait",
    "queued": "wait",
    "paused": "wait",
    "draft": "wait",
}


def chip(text: str, tone: str = "plain") -> dict[str, str]:
    return {"text": text, "tone": tone}


def ending(row: Row) -> dict[str, str]:
    """How a match ended, or where it stands, the same wording everywhere."""
    if row["state"] in ("done", "finished", "completed") or row.get("ended_at"):
        return chip(
            words.cause(row["cause"] or row["state"]),
            "plain" if row["cause"] == "completed" else "bad" if row["cause"] in words.FAULTS else "wait",
        )
    return chip(row["state"], STATE_TONES.get(row["state"], "plain"))


def seats(row: Row) -> list[dict[str, Any]]:
    return [
        {
            "seat": seat.get("seat", index),
            "bot": seat["bot"],
            "href": words.url("bot", name=seat["bot"]),
            "place": seat.get("place"),
            "fault": words.cause(seat["cause"]) if seat.get("cause") in words.FAULTS else None,
        }
        for index, seat in enumerate(row["seats"])
    ]


MATCH_COLUMNS = [
    {"name": "match", "label": "match", "kind": "link", "sort": False},
    {"name": "when", "label": "ended", "kind": "when"},
    {"name": "game", "label": "game"},
    {"name": "seats", "label": "seats and places", "kind": "seats", "sort": False},
    {"name": "ending", "label": "ending", "kind": "chip"},
    {"name": "rounds", "label": "rounds", "kind": "number"},
    {"name": "plies", "label": "events", "kind": "number"},
    {
        "name": "slowest",
        "label": "most cpu ms",
        "kind": "number",
        "digits": 0,
        "help": "processor time of the bot that used most, over the match",
    },
    {"name": "get", "label": "", "kind": "links", "sort": False},
]


def match_rows(key: str, label: str, found: Iterable[Row], *, me: str = "") -> None:
    """Matches as a table with links to their replays."""
    lines = []
    for row in found:
        address = words.url("replay", match=row["match_id"], me=me)
        cpu = [seat["cpu_ms"] for seat in row["seats"] if seat.get("cpu_ms") is not None]
        lines.append(
            {
                "_key": row["match_id"],
                "match": {"text": row["match_id"], "href": address},
                "when": row["ended_at"].isoformat() if row.get("ended_at") else None,
                "game": row["game"],
                "seats": seats(row),
                "ending": ending(row),
                "rounds": row.get("rounds") if row["has_replay"] else None,
                "plies": row.get("plies") if row["has_replay"] else None,
                "slowest": max(cpu) if cpu else None,
                "get": [
                    {"text": "watch", "href": address},
                    {"text": "JSON", "href": f"/data/replay/{row['match_id']}.json", "download": True},
                ]
                if row.get("has_replay")
                else None,
            }
        )
    component.rows(key, label, MATCH_COLUMNS, lines)


def rating_range(rows: Sequence[Row]) -> list[float]:
    """The scale that rows share: all intervals, but no farther than `REACH` from the middle of the ratings."""
    ends = [row[name] for row in rows for name in ("rating_low", "rating_high", "rating") if row.get(name) is not None]
    if not ends:
        return [1400, 1600]
    middle = median(row["rating"] for row in rows if row.get("rating") is not None)
    return [max(min(ends), middle - REACH), min(max(ends), middle + REACH)]


def interval(row: Row) -> dict[str, Any] | None:
    if row.get("rating") is None or row.get("rating_low") is None:
        return None
    return {
        "at": row["rating"],
        "low": row["rating_low"],
        "high": row["rating_high"],
        "provisional": row["provisional"],
    }


def undecided(rows: Sequence[Row]) -> set[int]:
    """Indices of rows whose interval overlaps that of the row above or below: that order is not decided."""
    found: set[int] = set()
    for i in range(len(rows) - 1):
        above, below = rows[i], rows[i + 1]
        if above["rating_low"] is None or below["rating_high"] is None or below["rating_high"] >= above["rating_low"]:
            found |= {i, i + 1}
    return found


def standing_rows(key: str, rows: Sequence[Row], *, short: bool = False, places: bool = True) -> None:
    """The standings as a table: share of points first, what decides ties, then ratings with intervals.

    Without `places` the mean place is left out: at a table of two it says again who won how often.
    """
    close = undecided(rows)
    columns: list[dict[str, Any]] = [
        {"name": "rank", "label": "rank", "kind": "number"},
        {"name": "bot", "label": "bot", "kind": "link"},
        {
            "name": "score",
            "label": "points share",
            "kind": "share",
            "help": "match points divided by matches: share of opponents placed behind, ties half",
        },
        {"name": "rating", "label": "rating", "kind": "number", "digits": 0},
        {
            "name": "interval",
            "label": "95% interval",
            "kind": "interval",
            "range": rating_range(rows),
            "help": NO_INTERVAL,
        },
        {"name": "matches", "label": "matches", "kind": "number"},
    ]
    if not short:
        columns += [
            {"name": "won", "label": "won", "kind": "number"},
            {"name": "drawn", "label": "drawn", "kind": "number"},
            {"name": "lost", "label": "lost", "kind": "number"},
            *([{"name": "mean_place", "label": "mean place", "kind": "number", "digits": 2}] if places else []),
            {
                "name": "mean_margin",
                "label": "margin",
                "kind": "number",
                "digits": 1,
                "help": "mean of penalty points fewer than the opponents', over matches without forfeits",
            },
            {
                "name": "mean_penalty",
                "label": "penalty",
                "kind": "number",
                "digits": 1,
                "help": "mean penalty points of a match without forfeits",
            },
            {"name": "forfeits", "label": "forfeits", "kind": "number"},
        ]
        columns.insert(2, {"name": "note", "label": "order", "kind": "chip", "sort": False})
    lines = []
    for i, row in enumerate(rows):
        note = chip("undecided", "open") if i in close else chip("provisional", "wait") if row["provisional"] else None
        lines.append(
            {
                "_key": row["bot"],
                "_tone": "undecided" if i in close and not short else "",
                "rank": row["rank"],
                "bot": {
                    "text": row["bot"] + (f"@{row['version']}" if row["version"] else ""),
                    "href": words.url("bot", name=row["bot"]),
                },
                "score": row["score"],
                "rating": row["rating"],
                "interval": interval(row),
                "note": note,
                **{
                    name: row[name]
                    for name in (
                        "matches",
                        "won",
                        "drawn",
                        "lost",
                        "mean_place",
                        "mean_margin",
                        "mean_penalty",
                        "forfeits",
                    )
                },
            }
        )
    component.rows(key, "Standings", columns, lines, header=1)


def progress(tournament: Row) -> None:
    """How far a tournament is, in a bar and in words; what was cancelled never counts as played."""
    total = tournament["total_fixtures"] or tournament["planned_fixtures"] or 0
    played = tournament["done_fixtures"]
    given_up = {"cancelled": tournament["cancelled_fixtures"], "dropped": tournament["dropped_fixtures"]}
    parts = [f"{counted(tournament['done_matches'], 'match', 'matches')} played"]
    if tournament["total_matches"]:
        parts[0] = (
            f"{tournament['done_matches']:,} of {counted(tournament['total_matches'], 'match', 'matches')} played"
        )
    fixtures = [f"{played:,} of {counted(total, 'fixture')} played" if total else "no fixture laid out yet"]
    parts.append(", ".join(fixtures + [f"{count:,} {what}" for what, count in given_up.items() if count]))
    if tournament["fault_matches"]:
        parts.append(f"{tournament['fault_matches']:,} with a forfeit")
    if tournament.get("seconds_left") is not None:
        parts.append(f"about {words.span(tournament['seconds_left'])} left")
    filled = played if tournament["state"] == "cancelled" else played + sum(given_up.values())
    st.progress(min(1.0, filled / total) if total else 0.0, text=" · ".join(parts))
