"""What a league's processes use, sampled, and whether it stays flat: the first third of the samples against the last."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

Sample = Mapping[str, float]
"""Values by name; the name's last word says of what kind they are (see `TOLERANCES`)."""

TOLERANCES: Mapping[str, float] = {
    "MiB": 6.0, "handles": 3.0, "sockets": 2.0, "threads": 3.0, "connections": 6.0, "KiB": 256.0, "count": 1.0,
}  # fmt: skip
"""How much more the last third may have than the first. Allocators and pools breathe; a leak does not stop here.

A database connection more is opened whenever a program first does two things at once, in hours if it must be."""


@dataclass
class Record:
    """The samples so far."""

    samples: list[Sample] = field(default_factory=list)

    def rises(self) -> list[str]:
        """One sentence for each value that is not flat; empty when all are."""
        third = max(len(self.samples) // 3, 1)
        first, last = self.samples[:third], self.samples[-third:]
        found = []
        for name in sorted({name for sample in self.samples for name in sample}):
            before, after = _middle(first, name), _middle(last, name)
            if after - before > TOLERANCES[name.rpartition(" ")[2]]:
                found.append(f"{name} rose from {before:,.1f} to {after:,.1f}")
        return found


def _middle(samples: Sequence[Sample], name: str) -> float:
    return median(sample.get(name, 0.0) for sample in samples)


def of_process(pid: int, name: str) -> dict[str, float]:
    """What one process uses now: memory of its own, open files, sockets among them, threads."""
    folder = Path(f"/proc/{pid}")
    lines = (folder / "smaps_rollup").read_text().splitlines()
    private = sum(int(line.split()[1]) for line in lines if line.startswith("Private_"))
    handles = []
    for entry in (folder / "fd").iterdir():
        try:
            handles.append(os.readlink(entry))
        except FileNotFoundError:  # it was open a moment ago
            continue
    return {
        f"{name} memory MiB": private / 1024,
        f"{name} handles": len(handles),
        f"{name} sockets": sum(link.startswith("socket:") for link in handles),
        f"{name} threads": len(list((folder / "task").iterdir())),
    }


def of_folders(folders: Iterable[Path]) -> dict[str, float]:
    """What lies in these folders: how much, and how many files."""
    found: dict[str, float] = {}
    for folder in folders:
        sizes = []
        for path in folder.rglob("*"):
            try:
                if path.is_file():
                    sizes.append(path.stat().st_size)
            except FileNotFoundError:
                continue
        found |= {f"folder {folder.name} KiB": sum(sizes) / 1024, f"folder {folder.name} files count": len(sizes)}
    return found
