"""The rules of the games, how standings and ratings are made, the keys of the viewer, and the version."""

from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path

import streamlit as st

import referee
from referee.games import registry

ROOT = Path(referee.__file__).parent

KEYS = """
| key | what it does |
|---|---|
| `→` `←` | one step on, one back; with `Shift` ten |
| `Home` `End` | start, result |
| `Space` | play, pause |
| `+` `-` | faster, slower |
| `n` `p` | next, previous event |
| `[` `]` | previous, next round |
| `0` | all hands; again: spectator |
| `1` to `6` | what the bot at that seat could see |
| `s` | four-colour suits |
| `l` | copy a link to this step |
| `f` | full screen |
| `Backspace` | back to where you were |
| `?` | the list of keys |

"""
SEATS = (
    "On these pages seats count from 1 (S1 is seat 1), as the keys do that show what a seat saw, where `0` is for all "
    "hands. In rules, replay files, logs, and on the command line they count from 0: S1 here is seat 0 there."
)


LINK = re.compile(r"\[([^\]]+)\]\((?!https?:|#)[^)]*\)")


def read(path: Path) -> str:
    """The text of the file; what it links to beside itself is a file there and no page here, so only its name stays."""
    if not path.exists():
        return "This text is missing from the installation; reinstall Ninefold to have it here."
    return LINK.sub(r"*\1*", path.read_text(encoding="utf-8"))


def version() -> str:
    try:
        return metadata.version("ninefold")
    except metadata.PackageNotFoundError:
        return "from a source tree"


st.title("About")
st.markdown(
    "Ninefold is a league for programs that play cards. Bots are built into locked containers, play every "
    "other bot on the same deals from every seat, and every match can be watched and verified here."
)
names = list(registry.names())
rules = [f"Rules of {name.capitalize()}" for name in names]
*of_games, of_both, standings, keys, about = st.tabs(
    [*rules, "Rules of both games", "Standings and ratings", "Keys", "Version"]
)
for tab, name in zip(of_games, names, strict=True):
    with tab:
        st.markdown(read(ROOT / "games" / name / "RULES.md"))
with of_both:
    st.markdown(read(ROOT / "games" / "RULES.md"))
with standings:
    st.markdown(read(ROOT / "tournament" / "README.md"))
with keys:
    st.markdown(KEYS)
    st.markdown(SEATS)
with about:
    st.markdown(f"Ninefold {version()}, Streamlit {st.__version__}.")
    st.caption(
        "Matches are read from the league's database and change nothing in it. Pages refresh by themselves "
        "every few seconds."
    )
