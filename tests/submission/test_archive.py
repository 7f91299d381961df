"""Hostile and odd archives: each refused or accepted as documented, and nothing written when refused."""

from __future__ import annotations

import gzip
import io
import resource
import stat
import struct
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.errors import Refused
from referee.submission import folder
from referee.submission.archive import unpack
from referee.submission.limits import UploadLimits

TOML = b'name = "greedy"\ngames = ["nines"]\nruntime = "python"\nentry = "bot.py"\n'
PLAIN = {"bot.toml": TOML, "bot.py": b"print()\n"}
SMALL = UploadLimits(packed_bytes=200_000, unpacked_bytes=300_000, files=50)


def zipped(files: dict[str, bytes], *, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data, method)
    return out.getvalue()


def tarred(
    files: dict[str, bytes], extra: Callable[[tarfile.TarFile], None] | None = None, form: int = tarfile.PAX_FORMAT
) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        if extra:
            extra(archive)
    return out.getvalue()


def special(kind: bytes, name: str = "odd", link: str = "bot.py") -> bytes:
    def add(archive: tarfile.TarFile) -> None:
        info = tarfile.TarInfo(name)
        info.type, info.linkname = kind, link
        archive.addfile(info)

    return tarred(PLAIN, add)


def zip_link() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        info = zipfile.ZipInfo("link")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "/etc/passwd")
        archive.writestr("bot.toml", TOML)
    return out.getvalue()


def lying_zip() -> bytes:
    """Says 10 bytes of each entry, unpacks to 1 MiB."""
    data = bytearray(zipped({**PLAIN, "big": bytes(1 << 20)}))
    for signature, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = (
            data.rfind(signature)
            if signature == b"PK\x03\x04"
            else data.find(signature, data.find(b"big", data.find(b"PK\x01\x02")) - 46)
        )
        struct.pack_into("<I", data, at + offset, 10)
    return bytes(data)


def overlapping_zip() -> bytes:
    """A thousand directory entries that all point at one compressed megabyte."""
    one = zipped({"a0000": bytes(1 << 20)})
    local, directory = one[: one.find(b"PK\x01\x02")], one[one.find(b"PK\x01\x02") : one.find(b"PK\x05\x06")]
    entries = b"".join(directory.replace(b"a0000", b"a%04d" % n) for n in range(1000))
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1000, 1000, len(entries), len(local), 0)
    return local + entries + end


def encrypted_zip() -> bytes:
    data = bytearray(zipped(PLAIN))
    data[6] |= 1
    data[data.find(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


def pax_bomb() -> bytes:
    """An extended header that says it is 60 MiB long."""
    info = tarfile.TarInfo("././@PaxHeader")
    info.type, info.size = tarfile.XHDTYPE, 60 << 20
    return gzip.compress(info.tobuf(tarfile.USTAR_FORMAT) + bytes(60 << 20))


def pax_chain() -> bytes:
    info = tarfile.TarInfo("././@PaxHeader")
    info.type, info.size = tarfile.XGLTYPE, 0
    return gzip.compress(info.tobuf(tarfile.USTAR_FORMAT) * 100_000)


def raw_name_tar(name: bytes) -> bytes:
    data = bytearray(tarred({"x" * len(name): b"1"}, form=tarfile.USTAR_FORMAT))
    data[: len(name)] = name
    data[148:156] = b" " * 8
    data[148:156] = b"%06o\0 " % sum(data[:512])
    return bytes(data)


def _folder(name: str) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type = tarfile.DIRTYPE
    return info


REFUSED: list[tuple[str, bytes, str]] = [
    ("parent", tarred({**PLAIN, "../evil.py": b"1"}), "'../evil.py' points outside"),
    ("parent inside", zipped({**PLAIN, "a/../../evil.py": b"1"}), "points outside"),
    ("absolute tar", tarred({**PLAIN, "/etc/cron.d/x": b"1"}), "is an absolute path"),
    ("absolute zip", zipped({**PLAIN, "/etc/passwd": b"1"}), "is an absolute path"),
    ("drive", zipped({**PLAIN, "C:/evil.py": b"1"}), "is a drive path"),
    ("drive relative", tarred({**PLAIN, "C:evil.py": b"1"}), "is a drive path"),
    ("backslash", tarred({**PLAIN, "a\\..\\evil.py": b"1"}), "backslash"),
    ("backslash zip", zipped({**PLAIN, "a\\evil.py": b"1"}), "backslash"),
    ("absolute folder", tarred({}, lambda a: a.addfile(_folder("/etc"))), "is an absolute path"),
    ("symbolic link", special(tarfile.SYMTYPE, link="/etc/passwd"), "'odd' is a link"),
    ("hard link", special(tarfile.LNKTYPE), "'odd' is a link"),
    ("hard link out", special(tarfile.LNKTYPE, link="/etc/shadow"), "'odd' is a link"),
    ("character device", special(tarfile.CHRTYPE), "a device"),
    ("block device", special(tarfile.BLKTYPE), "a device"),
    ("fifo", special(tarfile.FIFOTYPE), "a device"),
    ("zip link", zip_link(), "is a link"),
    ("twice", tarred(PLAIN, lambda a: a.addfile(tarfile.TarInfo("bot.py"))), "is there twice"),
    ("case collision", tarred({**PLAIN, "Bot.py": b"1"}), "only by letter case"),
    ("case collision of folders", tarred({**PLAIN, "lib/a.py": b"1", "LIB/b.py": b"1"}), "only by letter case"),
    ("unicode collision", tarred({**PLAIN, "\u212b.py": b"1", "\u00c5.py": b"1"}), "only by letter case"),
    ("file and folder", tarred({**PLAIN, "x": b"1", "x/y.py": b"1"}), "both a file and a folder"),
    ("zip bomb", zipped({**PLAIN, "big": bytes(1 << 20)}), "unpacks to more than 300,000 bytes"),
    ("tar bomb", gzip.compress(tarred({**PLAIN, "big": bytes(8 << 20)})), "unpacks to more than 300,000 bytes"),
    ("lying sizes", lying_zip(), ""),
    ("overlapping entries", overlapping_zip(), "unpacks to more than"),
    ("many files", tarred({f"f{n}": b"" for n in range(51)} | PLAIN), "more than 50 files"),
    ("many files zip", zipped({f"f{n}": b"" for n in range(51)} | PLAIN), "more than 50 files"),
    ("packed too large", zipped({"big": bytes(range(256)) * 1000}, method=zipfile.ZIP_STORED), "the limit is 200,000"),
    ("long name", tarred({**PLAIN, "n" * 300: b"1"}), "a name of 300 bytes"),
    ("deep", tarred({**PLAIN, "/".join("d" * 20) + "/x": b"1"}), "folders deep"),
    ("control character", tarred({**PLAIN, "a\x1b[2J.py": b"1"}), "control character"),
    ("right to left mark", tarred({**PLAIN, "a\u202eyp.exe": b"1"}), "control character"),
    ("name not UTF-8", raw_name_tar(b"\xff\xfe.py"), "not UTF-8"),
    ("zip name not UTF-8", zipped({**PLAIN, "\u00e9.py": b"1"}).replace(b"\xc3\xa9", b"\xe9\xe9").replace(b"\x00\x08\x08", b"\x00\x00\x08"), ""),
    ("encrypted", encrypted_zip(), "encrypted"),
    ("bzip2 inside zip", zipped(PLAIN, method=zipfile.ZIP_BZIP2), "packed by method 12"),
    ("header bomb", pax_bomb(), "header is far too large"),
    ("chain of headers", pax_chain(), ""),
    ("two folders", tarred({"a/bot.toml": TOML, "b/bot.toml": TOML}), "2 top-level folders"),
    ("empty file", b"", "cannot be read"),
    ("empty tar", tarred({}), "holds no files"),
    ("empty zip", zipped({}), "holds no files"),
    ("only ignored", zipped({"__MACOSX/x": b"1"}), "holds no files"),
    ("text", b"hello, this is no archive\n" * 50, "cannot be read"),
    ("truncated gzip", gzip.compress(tarred(PLAIN))[:-30], "cannot be read"),
    ("truncated zip", zipped(PLAIN)[:-30], "cannot be read"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "says"), [r[1:] for r in REFUSED], ids=[r[0] for r in REFUSED])
def test_refused_and_nothing_written(tmp_path: Path, data: bytes, says: str) -> None:
    source, target = tmp_path / "upload", tmp_path / "out"
    source.write_bytes(data)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(Refused) as refused:
        unpack(source, target, SMALL)
    assert refused.value.stage == "unpack"
    assert says in str(refused.value)
    assert str(refused.value).isprintable()
    assert not target.exists()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["upload"]
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 * 1024  # KiB


def test_damage_found_while_judging_writes_nothing(tmp_path: Path) -> None:
    data = bytearray(zipped(PLAIN, method=zipfile.ZIP_STORED))
    data[data.find(b"print")] ^= 1
    (tmp_path / "upload").write_bytes(data)
    with pytest.raises(Refused, match="cannot be read"):
        unpack(tmp_path / "upload", tmp_path / "out", SMALL)
    assert not (tmp_path / "out").exists()


ACCEPTED: list[tuple[str, bytes, list[str]]] = [
    ("plain tar", tarred(PLAIN), ["bot.py", "bot.toml"]),
    ("plain tar.gz", gzip.compress(tarred(PLAIN)), ["bot.py", "bot.toml"]),
    ("plain zip", zipped(PLAIN), ["bot.py", "bot.toml"]),
    ("stored zip", zipped(PLAIN, method=zipfile.ZIP_STORED), ["bot.py", "bot.toml"]),
    ("gnu tar", tarred(PLAIN, form=tarfile.GNU_FORMAT), ["bot.py", "bot.toml"]),
    ("one folder around it", tarred({f"greedy-main/{k}": v for k, v in PLAIN.items()}), ["bot.py", "bot.toml"]),
    ("dot slash", tarred({f"./{k}": v for k, v in PLAIN.items()}), ["bot.py", "bot.toml"]),
    ("leftovers of a Mac", zipped({**PLAIN, "__MACOSX/._bot.py": b"1", ".DS_Store": b"1"}), ["bot.py", "bot.toml"]),
    ("leftovers of Python", tarred({**PLAIN, "__pycache__/bot.pyc": b"1"}), ["bot.py", "bot.toml"]),
    ("folders of its own", tarred({**PLAIN, "data/a.json": b"{}", "lib/b.py": b""}), ["bot.py", "bot.toml", "data/a.json", "lib/b.py"]),
    ("a name in Greek", zipped({**PLAIN, "εννέα.py": b""}), ["bot.py", "bot.toml", "εννέα.py"]),
    ("npm's packages in one folder around it", zipped({f"my-bot/{k}": v for k, v in {**PLAIN, "node_modules/brain.py": b""}.items()}), ["bot.py", "bot.toml"]),
    ("an empty file", tarred({**PLAIN, "lib/__init__.py": b""}), ["bot.py", "bot.toml", "lib/__init__.py"]),
]  # fmt: skip


@pytest.mark.parametrize(("data", "files"), [r[1:] for r in ACCEPTED], ids=[r[0] for r in ACCEPTED])
def test_accepted(tmp_path: Path, data: bytes, files: list[str]) -> None:
    (tmp_path / "upload").write_bytes(data)
    assert unpack(tmp_path / "upload", tmp_path / "out") == files
    assert [name for name, _ in folder.files(tmp_path / "out")] == files, "the digest is over all that is built, and no more"
    assert (tmp_path / "out" / "bot.toml").read_bytes() == TOML


def test_modes_are_ours_not_the_archives(tmp_path: Path) -> None:
    def setuid(archive: tarfile.TarFile) -> None:
        info = tarfile.TarInfo("run")
        info.mode = 0o6777
        archive.addfile(info)

    (tmp_path / "upload").write_bytes(tarred(PLAIN, setuid))
    unpack(tmp_path / "upload", tmp_path / "out")
    assert stat.S_IMODE((tmp_path / "out" / "run").stat().st_mode) == 0o755
    assert stat.S_IMODE((tmp_path / "out" / "bot.py").stat().st_mode) == 0o644
