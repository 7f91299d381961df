"""One bot: its versions, its record by seat and opponent, its rating over time, its faults, its latest matches."""

from __future__ import annotations

import difflib

import streamlit as st

from dashboard import charts, component, frame, source, words
from dashboard.source import MatchFilter

asked = st.query_params.get("name", "")


def page() -> None:
    if not asked:
        st.title("Bots")
        listing()
        return
    try:
        row = source.bot(asked)
    except source.Missing:
        st.title("No such bot")
        st.warning(f"There is no bot {words.code(asked)}.")
        near = difflib.get_close_matches(asked, [bot["name"] for bot in source.bots()], n=6, cutoff=0.4)
        if near:
            st.caption("Names like it:")
            component.rows(
                "near",
                "Names like it",
                [{"name": "bot", "label": "bot", "kind": "link"}],
                [{"_key": n, "bot": {"text": n, "href": words.url("bot", name=n)}} for n in near],
            )
        component.links("onward", [("All bots", "/bot"), ("Standings", "/standings"), ("Matches", "/matches")])
        return
    st.title(words.name(row["name"]))
    st.caption(
        f"by {words.code(row['owner'])} · latest version {row['version'] or 'none admitted'} · games "
        f"{', '.join(row['games']) or 'none'}"
    )
    if row["retired_at"]:
        st.warning(
            f"Retired {words.ago(row['retired_at'])}"
            + (f": {words.code(row['retire_reason'])}" if row["retire_reason"] else ".")
            + " Its matches stay here."
        )
    figures(row["name"])
    versions(row)


@st.fragment(run_every=10)
def figures(name: str) -> None:
    frame.guarded(lambda: show(name))


def show(name: str) -> None:
    found = source.matches(MatchFilter(bot=name), limit=50)
    if not found:
        st.info("This bot has not played a match in a tournament yet.")
        return
    history = source.rating_history(name)
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("##### Rating over time")
        if history:
            st.vega_lite_chart(charts.rating_history(history), width="stretch", key="history")
        else:
            st.info("No rating yet: ratings are fitted once results come in.")
    with right:
        times(name, found)
    records(name)
    faults(name)
    st.markdown("##### Latest matches")
    frame.match_rows("bot-matches", "Latest matches", found[:20], me=name)
    st.page_link(
        "views/matches.py", icon=":material/arrow_forward:", label="All its matches", query_params={"bot": name}
    )


def times(name: str, found: list[source.Row]) -> None:
    """How long the bot thinks, against what its clock gives back for each decision."""
    st.markdown("##### Time per decision, last 50 matches")
    own = [seat for match in found for seat in match["seats"] if seat["bot"] == name]
    spent = sorted(seat["cpu_ms"] / seat["decisions"] for seat in own if seat["cpu_ms"] and seat["decisions"])
    if not spent:
        st.info("No times are known of its matches.")
        return
    limits: dict[str, float] = {}
    for bank, increment in source.clocks(tuple(sorted({match["tournament"] for match in found}))).values():
        limits[f"increment {increment:,} ms" if increment else f"bank {bank:,} ms"] = increment or bank
    st.vega_lite_chart(charts.decision_times(charts.log_bins(spent), limits), width="stretch", key="times")
    st.caption(
        f"Processor time per decision, the mean of each match: {words.short(spent[len(spent) // 2])} ms in the middle, "
        f"{words.short(spent[-1])} ms at most. A bot that stays left of the increment never touches its time bank."
    )


RECORD = [
    {"name": "matches", "label": "matches", "kind": "number"},
    {"name": "score", "label": "points share", "kind": "share"},
    {"name": "won", "label": "won", "kind": "number"},
    {"name": "drawn", "label": "drawn", "kind": "number"},
    {"name": "lost", "label": "lost", "kind": "number"},
    {"name": "mean_margin", "label": "mean margin", "kind": "number", "digits": 1},
    {"name": "forfeits", "label": "forfeits", "kind": "number"},
]
FIGURES = [column["name"] for column in RECORD]


def records(name: str) -> None:
    record = source.record(name, "")
    st.markdown("##### By seat")
    component.rows(
        "by-seat",
        "Record by seat",
        [
            {"name": "tournament", "label": "tournament", "kind": "link"},
            {"name": "seat", "label": "seat", "kind": "number"},
            *RECORD,
        ],
        [
            {
                "_key": f"{r['tournament']} {r['seat']}",
                "tournament": frame.tournament_link(r["tournament"]),
                "seat": r["seat"] + 1,
                **{f: r[f] for f in FIGURES},
            }
            for r in record["seats"]
        ],
    )
    st.markdown("##### By opponent")
    component.rows(
        "by-opponent",
        "Record by opponent",
        [
            {"name": "bot", "label": "against", "kind": "link"},
            {"name": "tournament", "label": "tournament", "kind": "link"},
            *RECORD,
        ],
        [
            {
                "_key": f"{r['tournament']} {r['bot']}",
                "bot": {"text": f"{r['bot']}@{r['version']}", "href": words.url("bot", name=r["bot"])},
                "tournament": frame.tournament_link(r["tournament"]),
                **{f: r[f] for f in FIGURES},
            }
            for r in record["opponents"]
        ],
    )


def faults(name: str) -> None:
    counts = source.fault_counts(name)
    st.markdown("##### Forfeits")
    if not counts:
        st.caption("None.")
        return
    component.rows(
        "faults",
        "Forfeits",
        [{"name": "cause", "label": "cause", "kind": "link"}, {"name": "count", "label": "times", "kind": "number"}],
        [
            {
                "_key": row["cause"],
                "cause": {
                    "text": words.cause(row["cause"]),
                    "href": words.url("matches", bot=name, cause=row["cause"]),
                },
                "count": row["count"],
            }
            for row in counts
        ],
    )


def versions(row: frame.Row) -> None:
    st.markdown("##### Versions")
    component.rows(
        "versions",
        "Versions",
        [
            {"name": "version", "label": "version", "kind": "number"},
            {"name": "state", "label": "state", "kind": "chip"},
            {"name": "games", "label": "games"},
            {"name": "runtime", "label": "runtime"},
            {"name": "created", "label": "submitted", "kind": "when"},
            {"name": "digest", "label": "digest"},
        ],
        [
            {
                "_key": str(v["version"]),
                "version": v["version"],
                "state": frame.chip(
                    v["state"] + (f" at {v['stage']}" if v["state"] == "refused" and v["stage"] else ""),
                    {"admitted": "good", "refused": "bad"}.get(v["state"], "wait"),
                ),
                "games": ", ".join(v["games"]),
                "runtime": v["runtime"],
                "created": v["created_at"].isoformat(),
                "digest": v["digest"][:16] + "…" if v["digest"] else None,
            }
            for v in row["versions"]
        ],
    )


def listing() -> None:
    found = source.bots()
    if not found:
        st.info(
            "No bot yet. Make one with `ninefold bot new NAME --game nines` and submit it with `ninefold bot "
            "submit DIR`."
        )
        return
    component.rows(
        "bots",
        "Bots",
        [
            {"name": "bot", "label": "bot", "kind": "link"},
            {"name": "owner", "label": "author"},
            {"name": "version", "label": "version", "kind": "number"},
            {"name": "games", "label": "games"},
        ],
        [
            {
                "_key": b["name"],
                "bot": {"text": b["name"], "href": words.url("bot", name=b["name"])},
                "owner": b["owner"],
                "version": b["version"],
                "games": ", ".join(b["games"]),
            }
            for b in found
        ],
    )


frame.guarded(page)
