"""The dashboard as one ASGI application: Streamlit's pages, our own data routes beside them, and headers on all of it.

Run by `streamlit run server.py`; `dashboard.launch` has the command.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

from dashboard.routes import ROUTES
from dashboard.security import Guard
from referee import logs

logs.configure()
app = st.App(Path(__file__).parent / "app.py", routes=ROUTES, middleware=[Middleware(Guard)])
