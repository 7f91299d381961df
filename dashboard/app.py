"""The dashboard's pages and their addresses. Every page has its own; the overview is the one without a name."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

# an icon of our own: Streamlit fetches the pictures of its named icons from another host
st.set_page_config(page_title="Ninefold", page_icon=str(Path(__file__).parent / "icon.svg"), layout="wide")
# Streamlit leaves a hand's breadth above every page; ours begin below the navigation. Its captions and code are pale,
# 3.0 to 3.9 to 1, where 4.5 is the least that everyone can read.
st.html(
    """<style>
    .stMainBlockContainer { padding-top: 4.6rem; padding-bottom: 3rem; }
    [data-testid="stCaptionContainer"] { color: inherit; opacity: 0.8; }
    [data-testid="stMarkdownContainer"] code { color: inherit; font-size: 0.92em; }
    [data-testid="stMarkdownContainer"] table { display: block; max-width: 100%; overflow-x: auto; }
    [data-testid="stMarkdownContainer"] :is(p, li, td) { overflow-wrap: anywhere; }
    </style>"""
)

page = st.navigation(
    [
        st.Page("views/overview.py", title="Overview", default=True),
        st.Page("views/standings.py", title="Standings", url_path="standings"),
        st.Page("views/h2h.py", title="Head to head", url_path="h2h"),
        st.Page("views/tournament.py", title="Tournament", url_path="tournament"),
        st.Page("views/matches.py", title="Matches", url_path="matches"),
        st.Page("views/live.py", title="Live", url_path="live"),
        st.Page("views/about.py", title="About", url_path="about"),
        st.Page("views/replay.py", title="Replay", url_path="replay", visibility="hidden"),
        st.Page("views/bot.py", title="Bot", url_path="bot", visibility="hidden"),
    ],
    position="top",
)
page.run()
