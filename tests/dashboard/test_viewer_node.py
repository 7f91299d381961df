"""Runs viewer.test.mjs: the viewer's pure modules in node, on matches of every profile."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from dashboard import assets
from referee.match.steps import steps
from tests.dashboard import samples

HERE = Path(__file__).parent


@pytest.mark.skipif(shutil.which("node") is None, reason="node is missing")
def test_pure_modules(tmp_path: Path) -> None:
    data = tmp_path / "steps.json"
    data.write_text(json.dumps([steps(document) for document in samples.of_every_profile()]), encoding="utf-8")
    # a package.json beside a copy tells node that these files are modules, as a browser takes them
    copy = tmp_path / "viewer"
    shutil.copytree(assets.FOLDER, copy)
    (copy / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    env = {**os.environ, "NINEFOLD_STEPS": str(data), "NINEFOLD_VIEWER": f"{copy.as_uri()}/"}
    done = subprocess.run(
        ["node", "--test", str(HERE / "viewer.test.mjs")], capture_output=True, text=True, env=env, timeout=200
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]


@pytest.mark.skipif(shutil.which("node") is None, reason="node is missing")
def test_packed_viewer_is_one_valid_module(tmp_path: Path) -> None:
    """Every module is packed, none twice, and no two share a top-level name."""
    packed = tmp_path / "viewer.mjs"
    packed.write_text(assets.viewer_js(), encoding="utf-8")
    done = subprocess.run(["node", "--check", str(packed)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert sorted([*assets.MODULES, "streamlit.js"]) == sorted(path.name for path in assets.FOLDER.glob("*.js"))
    assert "import " not in [line[:7] for line in assets.viewer_js().splitlines()]
