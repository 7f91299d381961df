"""From a folder to an image: dependencies, refusals, line endings, and nothing left behind."""

from __future__ import annotations

import io
import tarfile
import time
from dataclasses import replace

import pytest

from referee.errors import PlatformFault, Refused
from referee.sandbox.build import BotSource, build_bot, unix_script
from referee.sandbox.cage import Room
from referee.sandbox.fetch import beyond_platform, explain, platform_versions
from referee.sandbox.image import load, save
from referee.sandbox.limits import Limits
from referee.sandbox.rootfs import members


@pytest.fixture
def room(engine, base, league):
    return Room.new(engine, base, league, Limits())


@pytest.fixture
def bot(tmp_path):
    def make(files, entry="bot.py", runtime="python", requirements=()):
        for name, data in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return BotSource("mine", tmp_path, tuple(files), runtime, entry, requirements)

    return make


def run(room, image):
    """Exit code and output of the image's own command, locked like a seat."""
    out = io.BytesIO()
    command = room.engine.api.inspect_image(image)["Config"]["Cmd"]
    finished = replace(room, image=image).run(command, out, room.log)
    return finished.code, out.getvalue()


@pytest.mark.docker
def test_a_plain_bot_is_compiled_and_read_only(room, bot):
    code = "import helper, os\nprint(helper.__cached__, os.access('/bot/bot.py', os.W_OK), __name__, __file__, os.getcwd())"
    built = build_bot(room, bot({"bot.py": code, "helper.py": "x = 1\n", "data/table.txt": "1"}))
    assert built.dependencies == {}
    assert run(room, built.image) == (0, b"/bot/__pycache__/helper.cpython-311.pyc False __main__ /bot/bot.py /bot\n")
    labels = room.engine.api.inspect_image(built.image)["Config"]["Labels"]
    assert (labels["ninefold"], labels["ninefold.bot"]) == (room.league, "mine")


@pytest.mark.docker
def test_the_same_files_give_the_same_image_and_others_another(room, bot):
    first = build_bot(room, bot({"bot.py": "print(1)"}))
    again = build_bot(room, bot({"bot.py": "print(1)"}))
    other = build_bot(room, bot({"bot.py": "print(2)"}))
    assert again.image == first.image
    assert again.reused
    assert other.image != first.image


@pytest.mark.docker
def test_windows_line_endings_play(room, bot):
    assert (
        run(room, build_bot(room, bot({"bot.py": b"import sys\r\nif True:\r\n    print('crlf')\r\n"})).image)[1]
        == b"crlf\n"
    )


def test_a_script_for_another_program_gets_unix_line_endings():
    assert unix_script(b"#!/bin/sh\r\necho hi\r\n") == b"#!/bin/sh\necho hi\n"
    assert unix_script(b"print(1)\r\n") == b"print(1)\r\n", "Python reads both"
    assert unix_script(b"#!\r\n\0binary\r\n") == b"#!\r\n\0binary\r\n"


@pytest.mark.docker
def test_a_stdio_entry_can_be_executed_even_if_its_archive_lost_the_bit(room, bot):
    source = bot({"bot": b"#!/bin/sh\r\necho run >&2\r\n", "note.txt": "x"}, entry="bot", runtime="stdio")
    (source.folder / "bot").chmod(0o644)
    image = build_bot(room, source).image
    out = io.BytesIO()
    replace(room, image=image).run(["/bot/bot"], out, room.log)
    assert room.log.text().endswith(b"run\n")
    assert room.engine.api.inspect_image(image)["Config"]["Cmd"][-3:] == ["-m", "botkit.stdio", "/bot/bot"]


@pytest.mark.docker
def test_a_bot_that_does_not_compile_is_refused_with_its_line(room, bot):
    with pytest.raises(Refused) as refused:
        build_bot(room, bot({"bot.py": "x = 1\ndef broken(:\n"}))
    assert refused.value.stage == "build"
    assert refused.value.reason == "bot.py, line 2: invalid syntax: def broken(:"


@pytest.mark.docker
def test_a_file_that_does_not_compile_and_is_not_imported_is_only_logged(room, bot):
    code, _ = run(room, build_bot(room, bot({"bot.py": "pass\n", "template.py": "def broken(:\n"})).image)
    assert code == 0
    log = room.log.text().decode()
    assert "SyntaxError" in log
    assert 'File "/bot/template.py", line 1' in log


@pytest.mark.docker
def test_dependencies_are_fetched_installed_and_found(room, bot):
    code = "import six; print(six.__version__, six.__file__)"
    built = build_bot(room, bot({"bot.py": code}, requirements=("six==1.17.0",)))
    assert {name.split("-")[0] for name in built.dependencies} == {"six"}
    assert all(len(digest) == 64 for digest in built.dependencies.values())
    assert run(room, built.image) == (0, b"1.17.0 /deps/six.py\n")
    assert b"Successfully installed" in room.log.text()


REFUSED = [
    ("another numpy", ("numpy==1.26.4",), "numpy==1.26.4 is asked for.*allowed is numpy=="),
    ("a wrong hash", ("six==1.17.0 --hash=sha256:" + "0" * 64,), "HASHES"),
]


@pytest.mark.docker
@pytest.mark.parametrize(("requirements", "words"), [r[1:] for r in REFUSED], ids=[r[0] for r in REFUSED])
def test_dependencies_are_refused_with_their_reason(room, bot, requirements, words):
    with pytest.raises(Refused, match=words) as refused:
        build_bot(room, bot({"bot.py": ""}, requirements=requirements))
    assert refused.value.stage == "dependencies"


@pytest.mark.docker
def test_dependencies_over_the_limit_are_refused_and_leave_nothing(room, bot, engine, league):
    small = replace(room, limits=Limits(dependencies_mib=1))
    with pytest.raises(Refused, match="the limit is 1 MiB"):
        build_bot(small, bot({"bot.py": ""}, requirements=("pip==26.3",)))
    assert engine.api.containers(all=True, filters={"label": f"ninefold={league}"}) == []


@pytest.mark.docker
def test_a_build_that_never_ends_is_stopped_and_leaves_nothing(room, bot, engine, league):
    late = replace(room, limits=Limits(build_seconds=1), deadline=time.monotonic() + 0.2)
    with pytest.raises(Refused, match="not finished after 1 s") as refused:
        build_bot(late, bot({"bot.py": "x = 1"}))
    assert refused.value.stage == "build"
    assert engine.api.containers(all=True, filters={"label": f"ninefold={league}"}) == []


@pytest.mark.docker
def test_an_image_travels_by_its_digest(room, bot, engine, tmp_path):
    image = build_bot(room, bot({"bot.py": "print('moved')"})).image
    with (tmp_path / "image.tar").open("w+b") as tar:
        save(engine, image, tar)
        engine.api.remove_image(image)
        tar.seek(0)
        assert load(engine, tar, image) == image
        assert run(room, image) == (0, b"moved\n")
        tar.seek(0)
        with pytest.raises(PlatformFault, match="does not hold"):
            load(engine, tar, "sha256:" + "0" * 64)


def test_platform_libraries_of_the_same_version_need_no_fetch():
    have = platform_versions()
    assert set(have) == {"grpcio", "numpy", "protobuf", "typing-extensions"}
    assert beyond_platform([f"numpy=={have['numpy']}", f"Typing_Extensions=={have['typing-extensions']}"]) == []
    assert beyond_platform([f"numpy=={have['numpy']}", "six==1.17.0"]) == [f"numpy=={have['numpy']}", "six==1.17.0"]


def test_a_conflict_deep_down_names_package_and_allowed_range():
    said = """\
ERROR: Cannot install -r /tmp/fetch/requirements.txt (line 1) because these package versions have conflicting dependencies.

The conflict is caused by:
    numba 0.57.0 depends on numpy<1.25 and >=1.21
    The user requested (constraint) numpy==2.4.6
"""
    reason, fix = explain(said, "python")
    assert reason.startswith("numba==0.57.0 needs numpy<1.25, and the platform uses numpy==")
    assert "numba" in fix


def _tar(*entries):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, kind in entries:
            info = tarfile.TarInfo(name)
            info.type = kind
            info.linkname = "/etc/passwd"
            tar.addfile(info, io.BytesIO())
    return out


def test_what_comes_out_of_a_cage_is_judged():
    links = _tar(("deps/a.py", tarfile.REGTYPE), ("deps/link", tarfile.SYMTYPE), ("deps/dev", tarfile.CHRTYPE))
    assert [name for name, _, _ in members(links, "deps/")] == ["deps/a.py"]
    for name in ("deps/../../etc/cron.d/x", "/etc/passwd", "usr/bin/python3.11", "deps//x"):
        with pytest.raises(Refused):
            list(members(_tar((name, tarfile.REGTYPE)), "deps/"))
