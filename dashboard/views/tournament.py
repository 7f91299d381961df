"""One tournament: how far it is, who plays, what is scheduled, its rules, and how its deals can be checked."""

from __future__ import annotations

import json

import streamlit as st

from dashboard import component, frame, source, words

st.title("Tournament")

FIXTURE_COLUMNS = [
    {"name": "fixture", "label": "fixture", "kind": "link", "sort": False},
    {"name": "block", "label": "block", "kind": "number"},
    {"name": "seats", "label": "seats", "kind": "seats", "sort": False},
    {"name": "state", "label": "state", "kind": "chip"},
    {"name": "reason", "label": "why"},
    {
        "name": "voids",
        "label": "void attempts",
        "kind": "number",
        "help": "attempts that failed by the league's fault; the fixture is played again on the same deals",
    },
    {"name": "moved", "label": "last moved", "kind": "when"},
]


@st.fragment(run_every=5)
def running(name: str) -> None:
    frame.guarded(lambda: show(name))


def show(name: str) -> None:
    row = source.tournament(name)
    frame.stale(row)
    state = row["state"] + (", incomplete" if row["incomplete"] else "")
    st.markdown(f"#### {words.name(name)}: {state}")
    plural = "blocks" if row["blocks"] != 1 else "block"
    st.caption(
        f"{row['game']}, tables of {row['table_size']}, {row['blocks']} {plural} for each set of bots, matches "
        f"a fixture: {row['matches_per_fixture']}"
    )
    if row["reason"]:
        st.caption(words.code(row["reason"]))
    frame.progress(row)
    counts = {
        **row["live"],
        "done": row["done_fixtures"],
        "cancelled": row["cancelled_fixtures"],
        "dropped": row["dropped_fixtures"],
    }
    st.caption(
        "Fixtures: " + ", ".join(f"{count:,} {state}" for state, count in counts.items() if count or state == "done")
    )
    entries_of(row)
    schedule_of(name, row)


def entries_of(row: frame.Row) -> None:
    st.markdown("##### Entries")
    if not row["entries"]:
        st.info(f"No bot is entered yet: `ninefold tournament enter {row['name']} BOT`.")
        return
    standing = {line["bot"]: line for line in source.standings(row["name"])}
    lines = [
        {
            "_key": entry["bot"],
            "bot": {
                "text": entry["bot"] + (f"@{entry['version']}" if entry["version"] else ""),
                "href": words.url("bot", name=entry["bot"]),
            },
            "owner": entry["owner"],
            "state": frame.chip(entry["state"], "good" if entry["state"] == "entered" else "wait"),
            "reason": entry["reason"],
            "matches": standing.get(entry["bot"], {}).get("matches"),
            "forfeits": standing.get(entry["bot"], {}).get("forfeits"),
        }
        for entry in row["entries"][:500]
    ]
    component.rows(
        "entries",
        "Entries",
        [
            {"name": "bot", "label": "bot", "kind": "link"},
            {"name": "owner", "label": "author"},
            {"name": "state", "label": "state", "kind": "chip"},
            {"name": "reason", "label": "why"},
            {"name": "matches", "label": "matches", "kind": "number"},
            {"name": "forfeits", "label": "forfeits", "kind": "number"},
        ],
        lines,
    )
    played = [line["matches"] for line in standing.values()]
    if played and max(played):
        st.caption(
            f"Balance so far: every bot that plays on has played between {min(played):,} and {max(played):,} "
            f"matches. Each block seats its bots once in every seat, on the same deals."
        )


def schedule_of(name: str, row: frame.Row) -> None:
    st.markdown("##### Schedule")
    parked = source.fixtures(name, ("parked",))
    if parked:
        st.warning(
            f"{len(parked)} fixture(s) are parked after failing by the league's fault; its organiser settles "
            f"them with `ninefold tournament retry` or `drop`."
        )
    found = parked + source.fixtures(name, ("running",)) + source.fixtures(name, ("queued", "planned"), limit=40)
    if not found:
        text = {
            "draft": "Nothing is scheduled before the start.",
            "running": "The next fixtures are being laid out.",
        }.get(row["state"], "Nothing is left to play.")
        st.info(text)
        return
    lines = []
    for fixture in found[:100]:
        live = fixture["state"] == "running"
        address = (
            words.url("live", fixture=fixture["fixture_id"])
            if live
            else words.url("replay", match=f"{fixture['fixture_id']}/1")
        )
        lines.append(
            {
                "_key": fixture["fixture_id"],
                "fixture": {"text": fixture["fixture_id"], "href": address},
                "block": fixture["block"],
                "seats": frame.seats(fixture),
                "state": frame.chip(fixture["state"], frame.STATE_TONES.get(fixture["state"], "plain")),
                "reason": words.cause(fixture["cause"]) if fixture["cause"] else None,
                "voids": fixture["voids"] or None,
                "moved": fixture["progress_at"].isoformat() if fixture["progress_at"] else None,
            }
        )
    component.rows("schedule", "Schedule", FIXTURE_COLUMNS, lines)


def facts(name: str) -> None:
    row, chain = source.tournament(name), source.seed_chain(name)
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("##### Rules and clock")
        st.code(
            json.dumps(
                {"game": row["game"], "profile": row["profile"], "rules": row["rules"], "clock": row["clock"]},
                indent=1,
                ensure_ascii=False,
            ),
            language="json",
            wrap_lines=True,
        )
    with right:
        st.markdown("##### Seeds")
        if chain["seed_chosen"]:
            st.warning("The master seed of this tournament was chosen by its organiser.")
        st.caption("Committed before entries closed (SHA-256 of the master seed)")
        st.code(chain["commitment"], language=None, wrap_lines=True)
        st.caption("Salt, from the entered bots' digests")
        st.code(chain["salt"] or "fixed at the start", language=None, wrap_lines=True)
        st.caption("Master seed")
        st.code(chain["master_seed"] or "published when the tournament has ended", language=None, wrap_lines=True)
    st.markdown("##### Download")
    component.rows(
        "downloads",
        "Downloads",
        [
            {"name": "what", "label": "what", "sort": False},
            {"name": "get", "label": "as", "kind": "links", "sort": False},
        ],
        [
            {
                "_key": what,
                "what": label,
                "get": [
                    {"text": kind.upper(), "href": f"/data/{what}/{name}.{kind}", "download": True}
                    for kind in ("csv", "json")
                ],
            }
            for what, label in (("standings", "Standings and ratings"), ("crosstable", "Crosstable, pair by pair"))
        ],
    )
    st.caption(f"All replays at once: `ninefold tournament export {name}`.")


def page() -> None:
    chosen = frame.the_tournament()
    if chosen:
        running(chosen)
        facts(chosen)


frame.guarded(page)
