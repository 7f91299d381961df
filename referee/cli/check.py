"""`ninefold bot check`: the judgement of a submission, on this machine, with nothing stored."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from referee.cli import botlog
from referee.cli.output import note, say, told
from referee.errors import UsageError
from referee.sandbox.engine import Engine
from referee.sandbox.limits import Limits
from referee.sandbox.reaper import reap, reap_images
from referee.service.judge import Admitted, Judge, Named, Rejected, Stage, Update
from referee.service.machine import CHECKS, installation
from referee.service.orphans import remember
from referee.settings import load

KEPT_IMAGES = 10
"""Of checked drafts so many images stay, so that checking one again is quick."""
STAGES = ("unpack", "manifest", "dependencies", "build", "trial")


def run(source: Path, show: bool = True) -> dict[str, Any]:
    """The verdict on the folder or archive as a document; `show` prints each stage as it passes."""
    if not source.exists():
        raise UsageError(f"{str(source)!r} does not exist; name a bot's folder, or a zip, tar or tar.gz of it")
    settings = load()
    updates: list[Update] = []
    with told("unpack", show) as tell:

        async def judged() -> None:
            engine = Engine()
            # Drafts are this command's own: a league on the same machine must not count or lose images by them.
            league, limits = installation(settings.data_dir) + CHECKS, Limits.of(settings)
            remember(installation(settings.data_dir), settings.data_dir)
            judge = Judge(engine, league, limits, settings.runtime, settings.fetch_network)
            try:
                await engine.call(reap, engine, league)
                async for update in judge.judge(source, job="check"):
                    updates.append(update)
                    if isinstance(update, Stage) and update.text:
                        tell(f"{update.stage}: {update.text}")
                await engine.call(reap_images, engine, league, (), KEPT_IMAGES)
            finally:
                await engine.close()

        asyncio.run(judged())
    report = _report(updates)
    report["fix"] = report["fix"] and botlog.with_folder(report["fix"], source)
    if show:
        _tell(report)
    return report


def _report(updates: list[Update]) -> dict[str, Any]:
    last = updates[-1]
    named = next((u.manifest for u in updates if isinstance(u, Named)), None)
    report: dict[str, Any] = {
        "admitted": isinstance(last, Admitted),
        "name": named.name if named else None,
        "games": list(named.games) if named else [],
        "stage": None,
        "reason": None,
        "fix": None,
        "digest": last.digest if isinstance(last, Admitted) else None,
        "log": "",
    }
    if isinstance(last, Rejected):
        report |= {"stage": last.refused.stage, "reason": last.refused.reason, "fix": last.refused.fix}
    if isinstance(last, Admitted | Rejected):
        report["log"] = last.log.decode("utf-8", "replace")
    return report


def _tell(report: dict[str, Any]) -> None:
    failed = report["stage"]
    for stage in STAGES[: STAGES.index(failed) if failed else len(STAGES)]:
        say(f"  ok       {stage}")
    if failed:
        say(f"  refused  {failed}: {report['reason']}", style="red")
        if report["fix"]:
            say(f"           {report['fix']}")
        if failed in ("build", "dependencies", "trial"):
            for line in botlog.of_build(report["log"], failed):
                say(f"           {line}")
    else:
        say(f"{report['name']} would be admitted (digest {report['digest'][:16]}…)")
        printed = report["log"].split(botlog.PRINTED)[1:]
        if loud := botlog.loud(report["name"], [text.encode() for text in printed]):
            note(loud)
