"""`ninefold doctor`: what this machine lacks to run a league, each line with what to do."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.output import JSON_OPTION, NEGATIVE, NO_GUARANTEE, command, print_json, say, told
from referee.errors import NinefoldError, PlatformFault
from referee.settings import Settings, load
from referee.wording import counted, masked

if TYPE_CHECKING:
    from referee.sandbox.engine import Engine

app = typer.Typer(add_completion=False)
FREE_GIB = 2.0
Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing a league needs, whether it is there, and what to do if not. `guarantee`: of the sandbox."""

    what: str
    ok: bool
    found: str
    fix: str = ""
    guarantee: bool = False


@app.command()
@command
def doctor(
    data: Annotated[Path | None, typer.Option("--data", help="Data folder of the league.")] = None,
    as_json: Annotated[bool, JSON_OPTION] = False,
) -> None:
    """Say what is missing on this machine; exit 1, or 4 if a sandbox guarantee cannot be given."""
    settings = load(data)
    with told("looking", not as_json) as tell:
        findings = [*_machine(settings), *_store(settings), *_broker(settings), *_sandbox(settings, tell)]
    if as_json:
        print_json([{s: getattr(f, s) for s in Finding.__slots__} for f in findings])
    else:
        for finding in findings:
            say(
                f"{'ok      ' if finding.ok else 'MISSING '} {finding.what}: {finding.found}",
                "" if finding.ok else "red",
            )
            if not finding.ok and finding.fix:
                say(f"         {finding.fix}")
    if any(f.guarantee and not f.ok for f in findings):
        raise typer.Exit(NO_GUARANTEE)
    if not all(f.ok for f in findings):
        raise typer.Exit(NEGATIVE)


def _machine(settings: Settings) -> list[Finding]:
    folder = settings.data_dir
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free / 2**30
    version = platform.python_version()
    return [
        Finding("Python", sys.version_info >= (3, 11), version, "install Python 3.11 or newer"),
        Finding(
            "system", sys.platform == "linux", platform.platform(), "bots run on Linux; elsewhere use the compose file"
        ),
        Finding(
            "data folder",
            os.access(folder, os.W_OK),
            str(settings.data_dir),
            "name a folder you may write to with --data",
        ),
        Finding("disk", free >= FREE_GIB, f"{free:.1f} GiB free", f"free at least {FREE_GIB:.0f} GiB"),
    ]


def _store(settings: Settings) -> list[Finding]:
    from referee.store import schema
    from referee.store.engine import Store, database_url

    url = database_url(settings)
    if url.startswith("sqlite") and not (settings.data_dir / "ninefold.db").exists():
        return [Finding("store", True, "none yet; `ninefold up` makes it")]
    store = Store(url)
    try:
        found = schema.current(store)
        ok = found in (schema.head(), "")
        return [Finding("store", ok, f"{store.place}, schema {found or 'none'}", "run `ninefold store upgrade`")]
    except NinefoldError as error:
        return [Finding("store", False, str(error), "see that the database runs and its URL is right")]
    finally:
        store.close()


def _broker(settings: Settings) -> list[Finding]:
    if not settings.broker_url:
        return [Finding("broker", True, "embedded, in the data folder")]
    from kombu.connection import Connection

    place = masked(settings.broker_url)
    try:
        with Connection(settings.broker_url, connect_timeout=5) as connection:  # type: ignore[no-untyped-call]
            connection.ensure_connection(max_retries=1)
    except Exception as error:
        return [Finding("broker", False, f"{place}: {masked(str(error))}", "start it, or correct NINEFOLD_BROKER_URL")]
    return [Finding("broker", True, place)]


def _sandbox(settings: Settings, tell: Tell) -> list[Finding]:
    from referee.sandbox.clocks import FIX, clocks
    from referee.sandbox.container import ContainerSandbox
    from referee.sandbox.engine import Engine
    from referee.sandbox.image import ensure_base
    from referee.sandbox.limits import Limits
    from referee.sandbox.probe import probe
    from referee.service.machine import installation

    try:
        engine = Engine()
    except PlatformFault as fault:
        return [Finding("Docker engine", False, fault.reason, "install docker.io and start it, or set DOCKER_HOST")]
    try:
        version = engine.api.version()["Version"]
        findings = [Finding("Docker engine", True, version)]
        base = ensure_base(engine, tell, settings.pull_base)
        findings.append(Finding("base image", True, base[:19]))
        tell("the sandbox is checked from inside")
        sandbox = ContainerSandbox(engine, installation(settings.data_dir), Limits.of(settings), settings.runtime)
        fix = "no bot of others is played on this machine until it holds"
        findings += [Finding(f"sandbox: {g.name}", g.held, g.evidence, fix, True) for g in probe(sandbox, base)]
        findings.append(Finding("clocks", *clocks(sandbox, base), FIX))
        findings.append(_images(engine))
    except PlatformFault as fault:
        findings = [Finding("sandbox", False, str(fault), "see the engine's own log")]
    finally:
        engine.api.close()
    return findings


def _images(engine: Engine) -> Finding:
    """How many images of bots there are, and what to do about those of leagues that are no more."""
    from referee.service.orphans import State, holdings

    found = holdings(engine)
    told = [f"{counted(sum(len(one.images) for one in found), 'bot')} in {counted(len(found), 'league')}"]
    if gone := [one for one in found if one.state is State.GONE]:
        where = ", ".join(f"{one.league} ({one.folder})" for one in gone[:5])
        more = f" and {len(gone) - 5} more" if len(gone) > 5 else ""
        count = sum(len(one.images) for one in gone)
        told.append(f"{count} of leagues that are gone: {where}{more}; `ninefold images --gone` removes them")
    if unknown := [one for one in found if one.state is State.UNKNOWN]:
        count = sum(len(one.images) for one in unknown)
        told.append(f"{count} of {counted(len(unknown), 'league')} unknown to this user: see `ninefold images`")
    return Finding("images", True, "; ".join(told))
