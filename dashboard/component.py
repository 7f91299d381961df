"""The one Streamlit component of the dashboard: the viewer, and tables of rows. Its script is fetched once.

The lines below are all that Streamlit sends with every change of data; they import the script from our own server.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from dashboard import assets

LOADER = f"""
const script = import(new URL("/assets/{assets.viewer_name()}", document.baseURI).href);
export default function component(args) {{
  let undo = null, gone = false;
  script.then((module) => {{ if (!gone) undo = module.default(args); }}).catch(() => {{
    const note = document.createElement("p");
    note.textContent = "The viewer cannot be loaded. Reload the page.";
    if (!gone) args.parentElement.append(note);
  }});
  return () => {{ gone = true; if (undo) undo(); }};
}}
"""

_component = st.components.v2.component("ninefold.viewer", js=LOADER)


def viewer(key: str, data: Mapping[str, Any]) -> None:
    """A match on the page: `url` of its steps, or `live` for its events; `links` for downloads; or a `message`."""
    _component(key=key, data=dict(data), height="content")


def rows(
    key: str, label: str, columns: Sequence[Mapping[str, Any]], lines: Sequence[Mapping[str, Any]], *, header: int = -1
) -> None:
    """A table of rows; sorting and scrolling survive a refresh. `header` is the column that names a row."""
    table = {
        "label": label,
        "columns": [dict(c) for c in columns],
        "rows": [dict(line) for line in lines],
        "header": header,
    }
    _component(key=key, data={"table": table}, height="content")


def links(key: str, found: Sequence[tuple[str, str]]) -> None:
    """Links as buttons in a row: text and address of each. For going on within a page."""
    _component(
        key=key, data={"links_only": True, "links": [{"text": t, "href": h} for t, h in found]}, height="content"
    )
