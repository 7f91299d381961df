"""Sockets get a short folder of their own, wherever the data folder lies; a path that is too long is refused."""

from __future__ import annotations

import os
import socket

import pytest

from referee.errors import PlatformFault
from referee.sandbox.handle import SOCKET_NAME
from referee.sandbox.rundir import SOCKET_PATH_BYTES, RunDir, check_socket_path


def test_a_socket_can_be_bound_in_every_seat_folder():
    run_dir = RunDir("league")
    try:
        folders = [run_dir.seat_folder() for _ in range(3)]
        assert len(set(folders)) == 3
        for folder in folders:
            with socket.socket(socket.AF_UNIX) as listener:
                listener.bind(str(folder / SOCKET_NAME))
            assert folder.stat().st_mode & 0o777 == 0o755
        assert run_dir.path.stat().st_mode & 0o777 == 0o700, "other users cannot reach the sockets"
    finally:
        run_dir.remove()
    assert not run_dir.path.exists()


def test_seats_have_folders_after_somebody_tidied_up():
    run_dir = RunDir("league")
    first = run_dir.path
    run_dir.remove()
    try:
        folder = run_dir.seat_folder()
        assert folder.is_dir()
        assert folder.parent == run_dir.path != first
    finally:
        run_dir.remove()


def test_a_long_temporary_folder_is_passed_over(tmp_path, monkeypatch):
    deep = tmp_path / ("x" * 100)
    deep.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(deep))
    run_dir = RunDir("league")
    try:
        assert deep not in run_dir.path.parents
        assert len(os.fsencode(run_dir.seat_folder() / SOCKET_NAME)) <= SOCKET_PATH_BYTES
    finally:
        run_dir.remove()


def test_the_limit_counts_bytes_and_is_said_plainly(tmp_path):
    fits = tmp_path / ("x" * (SOCKET_PATH_BYTES - len(str(tmp_path)) - 1))
    assert check_socket_path(fits) == fits
    with pytest.raises(PlatformFault, match=r"has 108 bytes and a Unix socket may have 107"):
        check_socket_path(fits.with_name(fits.name + "y"))
    with pytest.raises(PlatformFault, match="XDG_RUNTIME_DIR"):
        check_socket_path(tmp_path / ("ä" * 60))
