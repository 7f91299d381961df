"""One tournament: how far it is, who plays, its schedule and balance, its rules, and how its deals can be checked."""

from __future__ import annotations

import json

import streamlit as st

from dashboard import component, evenness, frame, source, words
from referee.tournament.seeds import commitment
from referee.wording import counted

st.title("Tournament")
PAGE = 100

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
    st.caption(
        f"{row['game']}, tables of {row['table_size']}, {counted(row['blocks'], 'block')} for each set of bots, "
        f"{counted(row['matches_per_fixture'], 'match', 'matches')} a fixture"
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
    schedule_of(name, row)
    entries_of(row)


def entries_of(row: frame.Row) -> None:
    st.markdown("##### Entries")
    if not row["entries"]:
        st.info(f"No bot is entered yet: `ninefold tournament enter {row['name']} BOT`.")
        return
    standing = {line["bot"]: line for line in source.standings(row["name"])}
    shown = row["entries"]
    if len(shown) > PAGE:
        page = st.pagination(-(-len(shown) // PAGE), key="entries-page")
        shown = shown[(page - 1) * PAGE : page * PAGE]
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
        for entry in shown
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


def schedule_of(name: str, row: frame.Row) -> None:
    st.markdown("##### Being played, and next")
    parked = source.fixtures(name, ("parked",))
    if parked:
        st.warning(
            f"{counted(len(parked), 'fixture')} parked after failing by the league's fault; its organiser settles "
            f"that with `ninefold tournament retry` or `drop`."
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
        lines.append(
            {
                "_key": fixture["fixture_id"],
                "fixture": {"text": fixture["fixture_id"], "href": address_of(fixture)},
                "block": fixture["block"],
                "seats": frame.seats(fixture),
                "state": frame.chip(fixture["state"], frame.STATE_TONES.get(fixture["state"], "plain")),
                "reason": words.cause(fixture["cause"]) if fixture["cause"] else None,
                "voids": fixture["voids"] or None,
                "moved": fixture["progress_at"].isoformat() if fixture["progress_at"] else None,
            }
        )
    component.rows("schedule", "Schedule", FIXTURE_COLUMNS, lines)


BLOCK_COLUMNS = [
    {"name": "fixture", "label": "fixture", "kind": "link", "sort": False},
    {"name": "block", "label": "block", "kind": "number", "sort": False},
    {"name": "seating", "label": "seating", "kind": "number", "sort": False},
    {"name": "seats", "label": "seats", "kind": "seats", "sort": False},
    {"name": "state", "label": "state", "kind": "chip", "sort": False},
    {"name": "ended", "label": "ended", "kind": "when", "sort": False},
]


def blocks(name: str) -> None:
    """The schedule from the block on that the address names."""
    row = source.tournament(name)
    if row["state"] == "draft":
        return
    st.markdown("##### Schedule, block by block")
    asked = st.query_params.get("block", "1")
    block = int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 10 else 1
    found = source.laid_out(name, max(block, 1))
    total, planned = row["total_fixtures"] or 0, row["planned_fixtures"]
    laid = f"{planned:,} of {counted(total, 'fixture')}" if total > planned else counted(planned, "fixture")
    going = row["state"] in ("running", "paused")
    rest = "are laid out; the others follow as play goes on" if going else "had been laid out when the tournament ended"
    st.caption(
        (f"{laid} {rest}." if going or total > planned else f"{laid}.")
        + " A block is a set of bots on the same deals, each of its fixtures another seating."
    )
    if not found["fixtures"]:
        st.info("No fixture is laid out from this block on." if block > 1 else "Nothing is laid out yet.")
    else:
        component.rows(
            "blocks",
            "Blocks",
            BLOCK_COLUMNS,
            [
                {
                    "_key": fixture["fixture_id"],
                    "fixture": {"text": fixture["fixture_id"], "href": address_of(fixture)},
                    "block": fixture["block"],
                    "seating": fixture["seating"],
                    "seats": frame.seats(fixture),
                    "state": frame.chip(fixture["state"], frame.STATE_TONES.get(fixture["state"], "plain")),
                    "ended": fixture["ended_at"].isoformat() if fixture["ended_at"] else None,
                }
                for fixture in found["fixtures"]
            ],
        )
    pages = [("Earlier blocks", found["earlier"]), ("Later blocks", found["later"])]
    if any(number is not None for _, number in pages):
        component.links(
            "block-pages",
            [
                (label, words.url("tournament", tournament=name, block=number))
                for label, number in pages
                if number is not None
            ],
        )


def address_of(fixture: source.Row) -> str:
    """Where a fixture is best looked at: live, or its first match."""
    if fixture["state"] == "running":
        return words.url("live", fixture=fixture["fixture_id"])
    return words.url("replay", match=f"{fixture['fixture_id']}/1")


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
            language=None,  # the colours of a language are too pale on either ground
            wrap_lines=True,
        )
    with right:
        seeds(row, chain)
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
                    {"text": kind.upper(), "href": f"/data/{what}/{name}.{kind}", "download": True} for kind in kinds
                ],
            }
            for what, label, kinds in (
                ("standings", "Standings and ratings", ("csv", "json")),
                ("crosstable", "Crosstable, pair by pair", ("csv", "json")),
                ("matches", "Matches, newest first, 200 a page", ("json",)),
                ("seeds", "Seeds: what anyone needs to check the deals", ("json",)),
            )
        ],
    )
    st.caption(
        f"Everything at once, all replays included: `ninefold tournament export {name}`. "
        f"`ninefold replay verify FOLDER` then plays every match again from its seed."
    )


def seeds(row: source.Row, chain: source.Row) -> None:
    """What was committed to, what has been revealed, and whether the two agree."""
    st.markdown("##### Seeds")
    if chain["seed_chosen"]:
        st.warning("The master seed of this tournament was chosen by its organiser.")
    st.caption("Committed before entries closed (SHA-256 of the master seed)")
    st.code(chain["commitment"], language=None, wrap_lines=True)
    st.caption("Salt, from the entered bots' digests")
    st.code(chain["salt"] or "fixed at the start", language=None, wrap_lines=True)
    st.caption("Master seed")
    st.code(chain["master_seed"] or "published when the tournament has ended", language=None, wrap_lines=True)
    if chain["master_seed"]:
        if commitment(bytes.fromhex(chain["master_seed"])) == chain["commitment"]:
            st.success("Revealed: its SHA-256 is the commitment.")
        else:
            st.error("Its SHA-256 is not the commitment: these seeds were not the ones committed to.")
    elif row["state"] != "draft":
        st.caption("The seed of a match is in its replay as soon as every match on the same deals is over.")


def page() -> None:
    chosen = frame.the_tournament()
    if chosen:
        running(chosen)
        frame.guarded(lambda: evenness.balance(chosen))
        frame.guarded(lambda: evenness.stopping(chosen, source.tournament(chosen)))
        frame.guarded(lambda: blocks(chosen))
        frame.guarded(lambda: facts(chosen))


frame.guarded(page)
