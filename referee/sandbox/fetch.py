"""A bot's dependencies, fetched in a container of their own that has a network and runs none of them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import IO, Any

from referee.errors import Refused
from referee.sandbox import cage, index
from referee.sandbox.image import ENV
from referee.sandbox.limits import MIB
from referee.sandbox.lockdown import host_config
from referee.sandbox.logs import CappedLog
from referee.sandbox.rootfs import HOME, Recipe


def platform_versions() -> dict[str, str]:
    """The libraries in the base image and their versions, by canonical name."""
    pins = re.findall(r"^([A-Za-z0-9_.-]+)==([^\s\\]+)", Recipe.load().files["requirements.txt"].decode(), re.MULTILINE)
    return {canonical(name): version for name, version in pins}


def canonical(name: str) -> str:
    """A Python package's name as an index compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def beyond_platform(requirements: Sequence[str]) -> list[str]:
    """The Python requirements, or none if the base meets all of them; `Refused` for another version of what it has."""
    have, beyond = platform_versions(), False
    for line in requirements:
        name, _, rest = line.partition("==")
        name, version = name.strip(), (rest.split() or [""])[0]
        ours = have.get(canonical(name))
        if ours is not None and version != ours:
            raise Refused(
                "dependencies",
                f"{name}=={version} is asked for, and the platform uses {name}=={ours}",
                f"allowed is {name}=={ours}: leave {name} out of requirements.txt, it is installed",
            )
        beyond = beyond or ours is None
    return list(requirements) if beyond else []


def python_job(requirements: Sequence[str]) -> dict[str, Any]:
    """What fetch.py is told for a Python bot: the platform's own versions bind every dependency of a dependency too."""
    constraints = [f"{name}=={version}" for name, version in platform_versions().items()]
    return {"runtime": "python", "requirements": list(requirements), "constraints": constraints}


def node_job(requirements: Sequence[str]) -> dict[str, Any]:
    """The same for a Node bot, from `name@range` texts."""
    pairs = {name: version for name, _, version in (text.rpartition("@") for text in requirements)}
    return {"runtime": "node", "package": {"name": "bot", "version": "0.0.0", "private": True, "dependencies": pairs}}


def fetch(room: cage.Room, job: Mapping[str, Any], network: str, out: IO[bytes]) -> None:
    """`out` holds a tar of the wheels (`wheels/…`) or of `node_modules/…`; `Refused` at stage `dependencies` else."""
    text = json.dumps(job).encode()
    limits = room.limits
    printed = CappedLog(limits.build_log_bytes)
    too_large = Refused(
        "dependencies",
        f"the dependencies hold more than {limits.dependencies_mib} MiB",
        "use fewer or smaller dependencies",
    )
    try:
        finished = room.run(
            ["python3.11", f"/{HOME}/fetch.py", str(len(text))],
            out,
            printed,
            host=host_config(cage.build_limits(limits), room.runtime)
            | {"NetworkMode": network, "Mounts": index.mounts()},
            env=ENV | index.environment(job["runtime"]),
            stdin=text,
            out_limit=limits.dependencies_bytes + 4 * MIB,
            purpose="fetch",
        )
    except cage.CageFlood:
        raise too_large from None
    finally:
        room.log.add(printed.text())
    if finished.code:
        said = printed.text().decode("utf-8", "replace")
        if "No space left on device" in said or finished.out_of_memory:
            raise too_large
        raise Refused("dependencies", *explain(said, job["runtime"]))


def explain(said: str, runtime: str) -> tuple[str, str]:
    """What went wrong, out of what pip or npm printed, and what to do about it."""
    if "The conflict is caused by" in said:
        for name, version in platform_versions().items():
            spelled = re.escape(name).replace(r"\-", "[-_.]")
            pattern = rf"^\s*(\S+) (\S+) depends on {spelled}((?:[<>=!~][^\s;]*)?)"
            if match := re.search(pattern, said, re.MULTILINE | re.IGNORECASE):
                return (
                    f"{match[1]}=={match[2]} needs {name}{match[3]}, and the platform uses {name}=={version}",
                    f"allowed is {name}=={version}: use a release of {match[1]} that goes with it",
                )
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line.partition("ERROR: ")[2] for line in lines if line.startswith("ERROR: ")]
    if runtime == "node":  # the first line that says more than a code
        errors = [line for line in lines if line.startswith("npm error") and " code " not in line][:1]
    reason = (errors[-1] if errors else lines[-1] if lines else "it said nothing")[:300]
    if runtime == "node":
        return f"npm could not fetch them: {reason}", "use versions that are on the registry"
    return f"pip could not fetch them: {reason}", "use versions that have a wheel for CPython 3.11 on Linux"
