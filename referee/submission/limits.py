"""How much an upload may hold."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class UploadLimits:
    """Caps on an archive and on what it really unpacks to; the defaults are those of the documentation."""

    packed_bytes: int = 20 * MIB
    unpacked_bytes: int = 100 * MIB
    files: int = 2_000
    path_bytes: int = 240
    depth: int = 16


DEFAULT = UploadLimits()
