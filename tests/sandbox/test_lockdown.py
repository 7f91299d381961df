"""Every guarantee of the sandbox, tried from inside; and each is missed when the one setting behind it is taken away."""

from __future__ import annotations

import asyncio

import pytest

from referee.errors import PlatformFault
from referee.sandbox.container import ContainerSandbox
from referee.sandbox.limits import MIB, Limits
from referee.sandbox.probe import CHECKS, Guarantee, demand, probe

pytestmark = pytest.mark.docker


def test_this_machine_gives_every_guarantee(sandbox, base, engine, league):
    guarantees = probe(sandbox, base)
    assert [g for g in guarantees if not g.held] == []
    assert {g.name for g in guarantees} == {"runtime", "log size", *CHECKS}
    demand(guarantees)
    assert engine.api.containers(all=True, filters={"label": f"ninefold={league}"}) == []


def _weaker_seccomp(host):
    return {"SecurityOpt": ["no-new-privileges:true", "seccomp=unconfined"]}


TAKEN_AWAY = [  # the guarantee that must be reported missing, what is taken away
    ("network", lambda host: {"NetworkMode": "bridge"}),
    ("read-only root", lambda host: {"ReadonlyRootfs": False}),
    ("scratch space", lambda host: {"Tmpfs": {"/tmp": "rw,exec,size=64m,nr_inodes=4096,mode=1777"}}),
    ("scratch space", lambda host: {"Tmpfs": {"/tmp": "rw,noexec,size=128m,nr_inodes=4096,mode=1777"}}),
    ("shared memory", lambda host: {"ShmSize": 64 * MIB}),
    ("memory", lambda host: {"Memory": 1024 * MIB, "MemorySwap": 1024 * MIB}),
    ("processes", lambda host: {"PidsLimit": 500}),
    ("cpus", lambda host: {"CpuQuota": 0}),
    ("files", lambda host: {"Ulimits": [{"Name": "nofile", "Soft": 4096, "Hard": 4096}]}),
    ("files", lambda host: {"Ulimits": [{"Name": "nofile", "Soft": 256, "Hard": 256}]}),  # core files again
    ("capabilities", lambda host: {"CapDrop": []}),
    ("no-new-privileges", lambda host: {"SecurityOpt": [o for o in host["SecurityOpt"] if o.startswith("seccomp")]}),
    ("seccomp", _weaker_seccomp),
    ("mounts", lambda host: {"Mounts": [{"Type": "bind", "Source": "/usr/share", "Target": "/mnt", "ReadOnly": True}]}),
    ("process namespace", lambda host: {"PidMode": "host"}),
    ("log size", lambda host: {"LogConfig": {"Type": "json-file", "Config": {}}}),
]


@pytest.mark.parametrize(("name", "change"), TAKEN_AWAY)
def test_a_guarantee_that_is_taken_away_is_missed(engine, league, base, name, change, monkeypatch):
    weak = ContainerSandbox(engine, league)
    if name == "cpus":  # this machine may have fewer processors than would show it
        weak.limits = Limits(cpus=0.05)
    changed = change(weak.host)
    if "Mounts" in changed:
        real = weak.config
        monkeypatch.setattr(
            weak,
            "config",
            lambda seat: (
                (c := real(seat))
                | {"HostConfig": c["HostConfig"] | {"Mounts": c["HostConfig"]["Mounts"] + changed["Mounts"]}}
            ),
        )
    else:
        weak.host = weak.host | changed
    missing = {g.name: g.evidence for g in probe(weak, base) if not g.held}
    assert name in missing
    with pytest.raises(PlatformFault, match="does not give") as fault:
        demand([Guarantee(name, False, missing[name])])
    assert fault.value.cause == "guarantee"
    assert name in str(fault.value)


def test_an_unknown_runtime_is_a_missing_guarantee(engine, league, base):
    (guarantee,) = probe(ContainerSandbox(engine, league, runtime="nosuch"), base)
    assert (guarantee.name, guarantee.held) == ("runtime", False)
    assert "nosuch" in guarantee.evidence


HOSTILE = [  # what is tried, the script, what must come back
    ("the Docker socket", "import os; answer = [p for p in ('/var/run/docker.sock', '/run/docker.sock') if os.path.exists(p)]", []),
    ("other processes", "import os; answer = [p for p in os.listdir('/proc') if p.isdigit()]", ["1"]),
    ("anything of /sys", "import os; answer = os.listdir('/sys')", []),
    ("its own cgroup's path", "answer = sorted({l.split(':')[2].strip() for l in open('/proc/self/cgroup')})", ["/"]),
    ("environment of the host", "import os; answer = [k for k in os.environ if 'TOKEN' in k or 'KEY' in k or 'PIP' in k]", []),
    ("a second seat's socket", "import os; answer = os.listdir('/run/ninefold')", ["seat.sock"]),
    ("replacing its socket", "import os\ntry: os.unlink('/run/ninefold/seat.sock')\nexcept OSError as e: answer = e.strerror", "Read-only file system"),
    ("names", "import socket\ntry: socket.getaddrinfo('example.org', 80)\nexcept OSError as e: answer = 'none'", "none"),
    ("raising a limit", "import resource\ntry: resource.setrlimit(resource.RLIMIT_NOFILE, (999, 999))\nexcept ValueError as e: answer = 'no'", "no"),
    ("becoming root", "import os\ntry: os.setuid(0)\nexcept OSError as e: answer = e.strerror", "Operation not permitted"),
    ("a device", "import os\ntry: os.mknod('/tmp/d', 0o60600, os.makedev(254, 0))\nexcept OSError as e: answer = e.strerror", "Operation not permitted"),
    ("home, temp and cache folders", "import os, tempfile, pathlib\nopen(os.path.expanduser('~/.cache'), 'w').close(); tempfile.mkdtemp(); answer = str(pathlib.Path.home())", "/tmp"),
    ("more than fits into /tmp", "import errno\ntry:\n    with open('/tmp/f', 'wb') as f:\n        while True: f.write(bytes(1 << 20))\nexcept OSError as e: answer = errno.errorcode[e.errno]", "ENOSPC"),
    ("more files than fit into /tmp", "import errno\ntry:\n    for n in range(100000): open(f'/tmp/{n}', 'w').close()\nexcept OSError as e: answer = errno.errorcode[e.errno]", "ENOSPC"),
    ("a fork bomb", "import os, time\nn = 0\ntry:\n    while True:\n        if os.fork() == 0: time.sleep(30); os._exit(0)\n        n += 1\nexcept OSError: answer = n < 64", True),
]  # fmt: skip


@pytest.mark.parametrize(("script", "expected"), [h[1:] for h in HOSTILE], ids=[h[0] for h in HOSTILE])
def test_a_bot_that_tries(seat, script, expected):
    async def play():
        async with seat() as bot:
            return await bot.ask(script)

    assert asyncio.run(play()) == expected


def test_a_fork_bomb_does_not_outlive_its_seat_and_does_not_slow_the_engine(seat):
    async def play():
        async with seat() as bomb:
            await bomb.tell("import os\nwhile True:\n    try: os.fork()\n    except OSError: pass")
            async with seat() as other:
                assert await other.ask("answer = 1") == 1
            return bomb.handle._readings.where.cpuacct

    assert not asyncio.run(play()).exists()
