"""The dashboard's pages and their addresses. Every page has its own; the overview is the one without a name."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

# an icon of our own: Streamlit fetches the pictures of its named icons from another host
st.set_page_config(page_title="Ninefold", page_icon=str(Path(__file__).parent / "icon.svg"), layout="wide")
# Streamlit leaves a hand's breadth above every page; ours begin below the navigation
st.html("<style>.stMainBlockContainer { padding-top: 4.6rem; padding-bottom: 3rem; }</style>")

page = st.navigation(
    [
        st.Page("pages/overview.py", title="Overview", default=True),
        st.Page("pages/standings.py", title="Standings", url_path="standings"),
        st.Page("pages/h2h.py", title="Head to head", url_path="h2h"),
        st.Page("pages/tournament.py", title="Tournament", url_path="tournament"),
        st.Page("pages/matches.py", title="Matches", url_path="matches"),
        st.Page("pages/live.py", title="Live", url_path="live"),
        st.Page("pages/about.py", title="About", url_path="about"),
        st.Page("pages/replay.py", title="Replay", url_path="replay", visibility="hidden"),
        st.Page("pages/bot.py", title="Bot", url_path="bot", visibility="hidden"),
    ],
    position="top",
)
page.run()
