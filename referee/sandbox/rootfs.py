"""The files of the base image as one tar stream: Debian packages, pinned wheels, and our own sources on top.

Nothing of it runs on this machine: packages are extracted and not installed, wheels are unzipped and not imported.
"""

from __future__ import annotations

import importlib.util
import io
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from typing import IO, Any

from referee.errors import PlatformFault, Refused

Progress = Callable[[str], None]

HOME = "opt/ninefold"
"""Our folder in the image; its `lib` and the bot's own dependencies are on sys.path."""
FOLDERS = ("proc", "sys", "dev", "run/ninefold", "tmp", "bot", "deps", "etc", "root", f"{HOME}/lib", f"{HOME}/tools")
OURS = {
    *("etc/hosts", "etc/hostname", "etc/resolv.conf", "etc/passwd", "etc/group", "etc/nsswitch.conf"),
    *("usr/bin/python3", "usr/bin/python", "usr/bin/sh", "bin", "lib", "lib64", "usr/bin", "usr/lib", "usr/lib64"),
}
"""What we make ourselves, whatever the packages hold."""
ENGINE_PARTS = ("__init__.py", "cards.py", "errors.py", "wording.py", "games")
"""What of `referee` a bot gets: the pure rules engine, nothing that knows of seats, stores or containers."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """`deploy/images/base.toml` and its neighbours, as installed with this package."""

    suite: str
    python: str
    pulled: str
    packages: tuple[str, ...]
    drop: tuple[str, ...]
    files: dict[str, bytes]

    @classmethod
    def load(cls) -> Recipe:
        folder = package_folder("deploy", "images/base.toml") / "images"
        files = {entry.name: entry.read_bytes() for entry in folder.iterdir() if entry.is_file()}
        values = tomllib.loads(files["base.toml"].decode())
        return cls(
            values["suite"],
            values["python"],
            values["pulled"],
            tuple(values["packages"]),
            tuple(values["drop"]),
            files,
        )


def sources() -> dict[str, bytes]:
    """Our own files in the image, by path below `opt/ninefold`: botkit, protos, the rules engine, start.py."""
    found: dict[str, bytes] = {}
    for part in ENGINE_PARTS:
        found |= _tree(package_folder("referee") / part, f"lib/referee/{part}")
    found |= _tree(package_folder("protos"), "lib/protos")
    found |= _tree(package_folder("botkit"), "lib/botkit")
    for name, data in Recipe.load().files.items():
        if name.endswith(".py"):
            found[name] = data
    return found


def package_folder(name: str, holding: str = "__init__.py") -> Path:
    """The folder of an installed package, or of the checkout this runs from; `holding` tells it from others' folders.

    Not `importlib.resources`: it cannot read a namespace package that is installed in editable mode.
    """
    spec = importlib.util.find_spec(name)
    places = [Path(place) for place in (spec.submodule_search_locations or [])] if spec is not None else []
    places.append(Path(__file__).parents[2] / "sample_bots" / name)  # botkit, in a checkout that is not installed
    for place in places:
        if (place / holding).is_file():
            return place
    raise PlatformFault("internal", f"package {name!r} is not installed whole; install Ninefold (pip install .)")


def _tree(root: Path, name: str) -> dict[str, bytes]:
    if root.is_file():
        return {name: root.read_bytes()}
    return {
        f"{name}/{path.relative_to(root).as_posix()}": path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and path.suffix in {".py", ".pyi", ".typed", ".proto"} and "__pycache__" not in path.parts
    }


def debian(recipe: Recipe, packages: tuple[str, ...], progress: Progress, into: Path) -> Path:
    """A tar of those packages and what they depend on, extracted; signatures are checked by apt."""
    if which("mmdebstrap") is None:
        raise PlatformFault(
            "docker",
            "the base image is made from Debian packages and mmdebstrap is missing; run `apt-get install mmdebstrap`, "
            "or set base_image = \"pull\" where the engine can reach a registry",
        )
    progress(f"base image: fetching Debian {recipe.suite} packages {' '.join(packages)}")
    target = into / "debian.tar"
    run = subprocess.run(
        ["mmdebstrap", "--variant=extract", f"--include={','.join(packages)}", recipe.suite, str(target)],
        capture_output=True,
        text=True,
        errors="replace",
    )
    if run.returncode:
        raise PlatformFault("docker", f"mmdebstrap failed with code {run.returncode}: {_last(run.stderr)}")
    return target


def wheels(recipe: Recipe, name: str, machine: str, progress: Progress, into: Path) -> list[Path]:
    """The wheels that `name` pins by hash, for the image's Python; fetched by pip with this machine's settings."""
    folder = into / Path(name).stem
    (folder / "wheels").mkdir(parents=True)
    (folder / name).write_bytes(recipe.files[name])
    progress(f"base image: fetching the wheels of {name}")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
    command += ["--require-hashes", "--implementation=cp", f"--python-version={recipe.python}"]
    for level in ("manylinux_2_34", "manylinux_2_28", "manylinux_2_17", "manylinux2014"):
        command += ["--platform", f"{level}_{machine}"]
    run = subprocess.run(
        [*command, "--dest", str(folder / "wheels"), "-r", str(folder / name)],
        capture_output=True,
        text=True,
        errors="replace",
    )
    if run.returncode:
        raise PlatformFault("docker", f"pip could not fetch the wheels of {name}: {_last(run.stderr)}")
    return sorted((folder / "wheels").glob("*.whl"))


def _last(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return " / ".join(lines[-3:]) or "no message"


class TarWriter:
    """Adds files, folders and links to a tar stream: owned by root, dated 0, never set-user-id."""

    def __init__(self, out: IO[bytes]) -> None:
        self._tar = tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT)  # noqa: SIM115
        self._folders: set[str] = set()

    def folder(self, name: str, mode: int = 0o755) -> None:
        name = name.strip("/")
        if not name or name in self._folders:
            return
        self.folder(_parent(name))
        self._folders.add(name)
        self._add(name, tarfile.DIRTYPE, mode)

    def file(self, name: str, data: bytes, mode: int = 0o644) -> None:
        self.folder(_parent(name))
        info = tarfile.TarInfo(name)
        info.size, info.mode = len(data), mode & 0o755
        self._tar.addfile(info, io.BytesIO(data))

    def link(self, name: str, target: str, hard: bool = False) -> None:
        self.folder(_parent(name))
        self._add(name, tarfile.LNKTYPE if hard else tarfile.SYMTYPE, 0o777, target)

    def _add(self, name: str, kind: bytes, mode: int, target: str = "") -> None:
        info = tarfile.TarInfo(name)
        info.type, info.mode, info.linkname = kind, mode, target
        self._tar.addfile(info)

    def close(self) -> None:
        self._tar.close()


Member = tuple[str, bytes, int]


def members(tar: IO[bytes], *prefixes: str) -> Iterator[Member]:
    """The plain files of a tar from a cage with name, content and mode: links are left out, odd names refused."""
    tar.seek(0)
    if not tar.read(1):
        return
    tar.seek(0)
    try:
        with tarfile.open(fileobj=tar) as archive:
            for info in archive:
                if not info.isreg():
                    continue
                parts = info.name.split("/")
                if not info.name.startswith(prefixes) or ".." in parts or "" in parts or len(info.name) > 1000:
                    raise Refused("build", f"the build made a file with the name {info.name[:100]!r}", "remove it")
                data = archive.extractfile(info)
                assert data is not None
                yield info.name, data.read(), info.mode
    except tarfile.TarError as error:
        raise Refused("build", f"the build's output cannot be read ({error})", "see the build log") from None


def _parent(name: str) -> str:
    return name.rpartition("/")[0]


def write_rootfs(recipe: Recipe, packages: Path, out: IO[bytes]) -> None:
    """`out` holds the packages' files without those nobody reads, /bin and /lib merged into /usr, and our folders."""
    tar = TarWriter(out)
    for folder in FOLDERS:
        tar.folder(folder, 0o1777 if folder == "tmp" else 0o755)
    for name in ("bin", "lib", "lib64"):  # extraction skips the package that makes these links
        tar.folder(f"usr/{name}")
        tar.link(name, f"usr/{name}")
    tar.file("etc/passwd", b"root:x:0:0:root:/root:/usr/sbin/nologin\nbot:x:65534:65534:bot:/tmp:/usr/sbin/nologin\n")
    tar.file("etc/group", b"root:x:0:\nbot:x:65534:\n")
    tar.file("etc/nsswitch.conf", b"passwd: files\ngroup: files\nhosts: files dns\n")
    for name in ("etc/hosts", "etc/hostname", "etc/resolv.conf"):  # Docker puts its own over these
        tar.file(name, b"")
    with tarfile.open(packages) as source:
        for member, name in _kept(source, recipe.drop):
            if member.isreg():
                data = source.extractfile(member)
                assert data is not None
                tar.file(name, data.read(), member.mode)
            elif member.issym():
                tar.link(name, member.linkname)
            elif member.islnk():
                tar.link(name, _merged(member.linkname), hard=True)
            elif member.isdir():
                tar.folder(name)
    tar.link("usr/bin/python3", f"python{recipe.python}")
    tar.link("usr/bin/python", f"python{recipe.python}")
    tar.link("usr/bin/sh", "dash")
    tar.close()


def _kept(source: tarfile.TarFile, drop: tuple[str, ...]) -> Iterator[tuple[tarfile.TarInfo, str]]:
    for member in source:
        name = _merged(member.name)
        if name in OURS or any(name == gone or name.startswith(gone + "/") for gone in drop):
            continue
        yield member, name


def _merged(name: str) -> str:
    name = name.removeprefix("./").strip("/")
    if name.split("/")[0] in {"bin", "sbin", "lib", "lib64"}:
        return "usr/" + name
    return name


def write_wheels(recipe: Recipe, unzipped: dict[str, list[Path]], out: IO[bytes]) -> None:
    """`out` holds the wheels' files in /opt/ninefold (`lib`, `tools`), and the script that compiles them."""
    tar = TarWriter(out)
    for folder, files in unzipped.items():
        for wheel in files:
            with zipfile.ZipFile(wheel) as archive:
                for entry in archive.infolist():
                    if not entry.is_dir() and "/tests/" not in entry.filename:
                        name = _in_library(entry.filename)
                        tar.file(f"{HOME}/{folder}/{name}", archive.read(entry), entry.external_attr >> 16 or 0o644)
    tar.file(f"{HOME}/compile.py", recipe.files["compile.py"])
    tar.close()


def write_sources(out: IO[bytes]) -> None:
    """`out` holds our own sources in /opt/ninefold."""
    tar = TarWriter(out)
    for name, data in sorted(sources().items()):
        tar.file(f"{HOME}/{name}", data)
    tar.close()


def _in_library(name: str) -> str:
    head, _, rest = name.partition("/")
    if head.endswith(".data"):
        return rest.partition("/")[2]
    return name


def inspect_value(image: dict[str, Any], label: str) -> str:
    """The value of a label in what the engine says of an image; empty if it has none."""
    return str(((image.get("Config") or {}).get("Labels") or {}).get(label, ""))
