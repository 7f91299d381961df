"""Where seats' sockets lie: a short folder of its own, because a Unix socket's path may have 107 bytes at most."""

from __future__ import annotations

import os
import shutil
import tempfile
from itertools import count
from pathlib import Path

from referee.errors import PlatformFault
from referee.sandbox.handle import SOCKET_NAME
from referee.sandbox.owner import folder_prefix

SOCKET_PATH_BYTES = 107
"""What `sockaddr_un` holds on Linux, less its closing zero byte."""


def check_socket_path(path: Path) -> Path:
    """`path`, if a socket can be bound there; else `PlatformFault("internal")` with its length and the way out."""
    if (size := len(os.fsencode(path))) > SOCKET_PATH_BYTES:
        raise PlatformFault(
            "internal",
            f"the socket path {path} has {size} bytes and a Unix socket may have {SOCKET_PATH_BYTES}; "
            "set XDG_RUNTIME_DIR or TMPDIR to a shorter folder",
        )
    return path


class RunDir:
    """A folder `nf-<league>-<pid>-<start>-…` for this process's sockets, closed to other users.

    It is independent of the data folder: it lies in `$XDG_RUNTIME_DIR`, else in the temporary folder, else (both too
    long or missing) in /tmp.
    """

    def __init__(self, league: str) -> None:
        self._league, self._numbers = league, count()
        self.path = self._made()

    def _made(self) -> Path:
        prefix = folder_prefix(self._league)
        for base in run_bases():
            longest = base / f"{prefix}12345678" / "1234567" / SOCKET_NAME
            if len(os.fsencode(longest)) <= SOCKET_PATH_BYTES:
                return Path(tempfile.mkdtemp(prefix=prefix, dir=base))
        return check_socket_path(longest)

    def seat_folder(self) -> Path:
        """A new empty folder for one seat's socket; a container can look into it and its user cannot write to it."""
        if not self.path.is_dir():  # somebody tidied up; seats to come need not suffer from it
            self.path = self._made()
        folder = self.path / str(next(self._numbers))
        folder.mkdir(mode=0o755)
        folder.chmod(0o755)  # whatever the umask: the container's user must reach the socket
        check_socket_path(folder / SOCKET_NAME)
        return folder

    def remove(self) -> None:
        """The folder and every socket in it are gone."""
        shutil.rmtree(self.path, ignore_errors=True)


def run_bases() -> list[Path]:
    """Folders in which run folders may lie, best first; only those that exist and can be written to."""
    named = [os.environ.get("XDG_RUNTIME_DIR", ""), tempfile.gettempdir(), "/tmp"]  # noqa: S108
    bases = [Path(name).absolute() for name in dict.fromkeys(named) if name]
    return [base for base in bases if base.is_dir() and os.access(base, os.W_OK | os.X_OK)] or [Path("/tmp")]  # noqa: S108
