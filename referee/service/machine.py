"""Which machine this is: the name and speed that records carry, and the id that marks everything it makes in Docker."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import socket
import time
from dataclasses import dataclass
from pathlib import Path

from referee.settings import Settings

REFERENCE_SECONDS = 0.020
"""What `calibrate`'s work takes on the machine that speed 1.0 means."""
LOCAL = "local"
"""The league whose name the images of `ninefold play --sandbox docker` bear."""
CHECKS = "-check"
"""What follows a league's id in the name of the one that `ninefold bot check` makes images for."""
_NAME = re.compile(r"[^A-Za-z0-9.-]+")


@dataclass(frozen=True, slots=True)
class Identity:
    """`league` is of this data folder alone: two folders on one engine never take each other's containers."""

    league: str
    name: str
    speed: float


def identify(settings: Settings) -> Identity:
    """This machine; its id is made on the first call and kept in the data folder."""
    name = settings.machine or socket.gethostname()
    return Identity(installation(settings.data_dir), _NAME.sub("-", name)[:60] or "machine", calibrate())


def installation(data_dir: Path) -> str:
    """Eight hex digits that name this data folder."""
    path = data_dir / "installation"
    try:
        return path.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        data_dir.mkdir(0o700, parents=True, exist_ok=True)
        try:
            with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644), "w") as file:
                file.write(secrets.token_hex(4))
        except FileExistsError:
            time.sleep(0.05)  # another program of this league is writing it
        return path.read_text(encoding="ascii").strip()


def calibrate() -> float:
    """How fast one core is, 1.0 being the reference: the best of five short runs, so that noise counts little."""
    data = bytes(64)
    best = float("inf")
    for _ in range(5):
        began = time.process_time()
        digest = data
        for _ in range(20_000):
            digest = hashlib.sha256(digest).digest()
        best = min(best, time.process_time() - began)
    return round(REFERENCE_SECONDS / max(best, 1e-6), 2)
