"""Real fixtures of bot folders as plain processes, by the referee itself; every replay is verified."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import CI
from tests.table.conftest import House

BOTKIT_NODE = Path(__file__).resolve().parents[2] / "sample_bots" / "botkit_node"


@pytest.fixture
def house(tmp_path):
    return House("process", tmp_path)


@pytest.fixture(scope="session")
def node() -> str:
    """Node.js, and what the Node module needs, fetched by npm from its lock file if it is not there yet."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        if CI:
            pytest.fail("Node.js with npm is missing; CI must have it", pytrace=False)
        pytest.skip("Node.js with npm is missing")
    if not (BOTKIT_NODE / "node_modules" / "@grpc").is_dir():
        subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=BOTKIT_NODE, check=True)
    return "node"
