"""The viewer as one script: its modules packed in order of need, under a name that holds their content's hash.

The modules are plain ES modules, so node can test each alone. Packing joins them and drops `import` and `export`; their
top-level names must therefore differ (a clash is a syntax error, and every browser test would show it).
"""

from __future__ import annotations

import hashlib
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "viewer"
MODULES = (
    "dom.js",
    "cards.js",
    "state.js",
    "words.js",
    "pile.js",
    "centre_nines.js",
    "centre_nine.js",
    "seat.js",
    "result.js",
    "table.js",
    "list.js",
    "series.js",
    "strip.js",
    "address.js",
    "controls.js",
    "flight.js",
    "live.js",
    "rows.js",
    "viewer.js",
)
"""In order of need; `streamlit.js` or the offline page's own lines come last."""

_IMPORT = re.compile(r"^import [^;]*;\n", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=class|const|function|async)", re.MULTILINE)


@cache
def css() -> str:
    """The viewer's style sheet."""
    return (FOLDER / "viewer.css").read_text(encoding="utf-8")


@cache
def _modules() -> str:
    texts = [(FOLDER / name).read_text(encoding="utf-8") for name in MODULES]
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", text)) for text in texts)


@cache
def viewer_js() -> str:
    """The whole viewer as one ES module; its default export is what Streamlit's components call."""
    last = _IMPORT.sub("", (FOLDER / "streamlit.js").read_text(encoding="utf-8"))
    return f"{_modules()}\nconst css = {json.dumps(css())};\n{last}"


@cache
def viewer_name() -> str:
    """File name of the viewer; another content has another name, so it may be cached for ever."""
    return f"viewer-{hashlib.sha256(viewer_js().encode()).hexdigest()[:16]}.js"


def inline_json(value: Any) -> str:
    """JSON that may stand inside a <script>: nothing in it can end the element or start a comment."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


PAGE_CSS = """
:root { color-scheme: light dark; }
:root { --st-background-color: #ffffff; --st-secondary-background-color: #f4f5f4; --st-text-color: #20242a; }
@media (prefers-color-scheme: dark) {
  :root { --st-background-color: #14171a; --st-secondary-background-color: #1e2327; --st-text-color: #eceef0; }
}
body { margin: 0; background: var(--st-background-color); color: var(--st-text-color); }
main { max-width: 1240px; margin: 0 auto; padding: 16px; }
h1 { font: 600 20px/1.3 system-ui, sans-serif; overflow-wrap: anywhere; margin: 0 0 8px; }
"""

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<title>Ninefold replay</title>
<style>{page_css}</style>
</head>
<body>
<main><h1></h1><div id="viewer"></div>
<noscript>This page plays a match with JavaScript; switch it on to watch.</noscript></main>
<script type="application/json" id="steps">{steps}</script>
<script type="module">
{modules}
const steps = JSON.parse(document.getElementById("steps").textContent);
document.querySelector("h1").textContent = "Match " + steps.match_id;
document.title = "Match " + steps.match_id;
mount(document.getElementById("viewer"), {{ steps }}, {{ css: {css}, useHash: true }});
</script>
</body>
</html>
"""


def offline_page(steps: dict[str, Any]) -> str:
    """One HTML file that plays the match of `steps` (referee.match.steps) without any server or network."""
    return PAGE.format(page_css=PAGE_CSS, steps=inline_json(steps), modules=_modules(), css=inline_json(css()))
