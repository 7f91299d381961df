"""Writes the generated code beside its .proto files; `--check` fails when what is committed differs.

Run from anywhere as `python -m protos.generate [--check]`. The generator is pinned in pyproject.toml (grpcio-tools);
generated code refuses an older runtime, so that version is also the floor of grpcio everywhere.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from importlib import resources
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = Path("protos/ninefold/v1")


def generate(out: Path) -> list[Path]:
    """The generated modules lie under `out`, which then holds exactly one set for each .proto file; returns them."""
    from grpc_tools import protoc

    sources = sorted((ROOT / PACKAGE).glob("*.proto"))
    well_known = str(resources.files("grpc_tools") / "_proto")
    outputs = [f"--{kind}_out={out}" for kind in ("python", "pyi", "grpc_python")]
    if protoc.main(["protoc", f"-I{ROOT}", f"-I{well_known}", *outputs, *map(str, sources)]) != 0:
        raise SystemExit("protoc failed; its message stands above")
    for stub in (out / PACKAGE).glob("*_pb2_grpc.py"):  # a file without a service needs no stub
        source = ROOT / PACKAGE / stub.name.replace("_pb2_grpc.py", ".proto")
        if not any(line.startswith("service ") for line in source.read_text(encoding="utf-8").splitlines()):
            stub.unlink()
    return sorted(p.relative_to(out) for p in (out / PACKAGE).glob("*_pb2*"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when the committed code differs")
    if not parser.parse_args().check:
        for path in generate(ROOT):
            print(path)
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        fresh = generate(Path(scratch))
        stale = [p for p in fresh if _bytes(ROOT / p) != _bytes(Path(scratch) / p)]
        extra = [p.relative_to(ROOT) for p in (ROOT / PACKAGE).glob("*_pb2*") if p.relative_to(ROOT) not in fresh]
    for path in [*stale, *extra]:
        print(f"{path} does not match its .proto: run `python -m protos.generate`", file=sys.stderr)
    return 1 if stale or extra else 0


def _bytes(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


if __name__ == "__main__":
    raise SystemExit(main())
