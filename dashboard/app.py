"""The dashboard's pages and their addresses. Every page has its own; the overview is the one without a name."""

from __future__ import annotations

import streamlit as st

st.set_page_config(page_title="Ninefold", layout="wide")
# Streamlit leaves a hand's breadth above every page; ours begin below the navigation
st.html("<style>.stMainBlockContainer { padding-top: 4.6rem; padding-bottom: 3rem; }</style>")

page = st.navigation(
    [
        st.Page("pages/overview.py", title="Overview", icon=":material/home:", default=True),
        st.Page("pages/standings.py", title="Standings", icon=":material/leaderboard:", url_path="standings"),
        st.Page("pages/h2h.py", title="Head to head", icon=":material/grid_on:", url_path="h2h"),
        st.Page("pages/tournament.py", title="Tournament", icon=":material/trophy:", url_path="tournament"),
        st.Page("pages/matches.py", title="Matches", icon=":material/list:", url_path="matches"),
        st.Page("pages/live.py", title="Live", icon=":material/sensors:", url_path="live"),
        st.Page("pages/about.py", title="About", icon=":material/info:", url_path="about"),
        st.Page("pages/replay.py", title="Replay", url_path="replay", visibility="hidden"),
        st.Page("pages/bot.py", title="Bot", url_path="bot", visibility="hidden"),
    ],
    position="top",
)
page.run()
