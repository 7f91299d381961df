"""The league's own leftovers go; what lives, and what is others', stays."""

from __future__ import annotations

import errno
import os
import socket
import subprocess
import sys
import time

import pytest

from referee.sandbox import owner
from referee.sandbox.build import BotSource, build_bot
from referee.sandbox.cage import Room
from referee.sandbox.image import image_id
from referee.sandbox.limits import Limits
from referee.sandbox.reaper import reap, reap_folders, reap_images
from referee.sandbox.rundir import RunDir, run_bases


def ended_process() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_an_owner_is_abandoned_when_its_process_has_ended():
    mine = owner.this_process(os.getpid())
    host, pid, start = mine.split("/")
    assert not owner.abandoned(mine)
    assert owner.abandoned(f"{host}/{pid}/{int(start) + 1}"), "the number was given to another process"
    assert owner.abandoned(f"{host}/{ended_process()}/5")
    assert not owner.abandoned(f"elsewhere/{ended_process()}/5"), "another machine's"
    for odd in ("", "x", "a/b/c", "//"):
        assert not owner.abandoned(odd)


@pytest.mark.docker
def test_containers_of_ended_processes_are_removed_and_no_others(engine, base, league):
    host = socket.gethostname()
    dead = f"{host}/{ended_process()}/1"

    def container(**labels):
        config = {"Image": base, "Cmd": ["sleep", "100"], "Labels": labels, "HostConfig": {"NetworkMode": "none"}}
        made = engine.api.create_container_from_config(config)["Id"]
        engine.api.start(made)
        return made

    leftover = container(ninefold=league, **{"ninefold.owner": dead})
    living = container(ninefold=league, **{"ninefold.owner": owner.this_process(os.getpid())})
    other_league = container(ninefold=league + "x", **{"ninefold.owner": dead})
    stranger = container(app="database")
    try:
        reaped = reap(engine, league)
        left = {c["Id"] for c in engine.api.containers(all=True)}
        assert len(reaped.containers) == 1
        assert leftover not in left
        assert {living, other_league, stranger} <= left
    finally:
        for made in (living, other_league, stranger):
            engine.api.remove_container(made, force=True)


def test_folders_of_ended_processes_are_removed_and_no_others(league):
    base = run_bases()[0]
    start = owner.start_of(os.getpid())
    leftover = base / f"nf-{league}-{ended_process()}-5-abc123"
    mine = base / f"nf-{league}-{os.getpid()}-{start}-abc123"
    other_league = base / f"nf-{league}x-{ended_process()}-5-abc123"
    link = base / f"nf-{league}-{ended_process()}-5-link12"
    reused = base / f"nf-{league}-{os.getpid()}-{start - 1}-older1"  # of the process that had this number before
    for folder in (leftover, mine, other_league, reused):
        (folder / "0").mkdir(parents=True)
    link.symlink_to("/usr")
    try:
        assert set(reap_folders(league)) == {str(leftover), str(reused)}
        assert not leftover.exists()
        assert mine.exists()
        assert other_league.exists()
        assert link.is_symlink()
    finally:
        link.unlink()
        for folder in (mine, other_league):
            (folder / "0").rmdir()
            folder.rmdir()


@pytest.mark.parametrize("step", [-(10**8), 10**8])
def test_a_clock_that_steps_takes_nobody_s_folder_away(league, step):
    """What a step of the machine's clock leaves: folders made long before, or long after, their process started."""
    run_dir = RunDir(league)
    try:
        os.utime(run_dir.path, (time.time() + step,) * 2)
        assert reap_folders(league) == ()
        assert run_dir.path.is_dir()
    finally:
        run_dir.remove()


def test_an_owner_that_cannot_be_looked_up_is_not_taken_for_ended(league, monkeypatch):
    run_dir, mine = RunDir(league), owner.this_process(os.getpid())

    def no_file_left(pid):
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(owner, "start_of", no_file_left)
    try:
        assert reap_folders(league) == ()
        assert not owner.abandoned(mine)
    finally:
        run_dir.remove()


@pytest.mark.docker
def test_old_images_go_unless_they_are_referenced_or_new(engine, base, tmp_path, league):
    own = league + "i"

    def image(text):
        (tmp_path / "bot.py").write_text(text)
        room = Room.new(engine, base, own, Limits())
        return build_bot(room, BotSource("mine", tmp_path, ("bot.py",), "python", "bot.py")).image

    images = [image(f"print({n})") for n in range(4)]
    try:
        gone = reap_images(engine, own, {images[0]}, newest=0)
        assert set(gone) == set(images[1:])
        assert image_id(engine, images[0]) == images[0]
        assert image_id(engine, images[1]) is None
        assert image_id(engine, base) == base
    finally:
        reap_images(engine, own, (), newest=0)
    assert image_id(engine, images[0]) is None
