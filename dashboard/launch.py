"""How the dashboard is started: a `streamlit run` with every setting spelled out, wherever the package is installed.

Flags win over any config file or environment of the machine, so what is safe here is safe everywhere. `ninefold up`
runs `command(settings)` with `environment(settings)` as a subprocess.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from referee.settings import Settings

HERE = Path(__file__).resolve().parent
LOCAL_HOSTS = ("localhost", "127.0.0.1")


def options(settings: Settings) -> dict[str, str | tuple[str, ...]]:
    """Every Streamlit option the dashboard relies on, by name. A test compares them with what the server runs with."""
    hosts = list(dict.fromkeys([*LOCAL_HOSTS, settings.host]))
    everywhere = settings.host in {"0.0.0.0", "::"}  # noqa: S104 an organiser asked for it
    return {
        "server.headless": "true",
        "server.address": settings.host,
        "server.port": str(settings.port),
        "server.fileWatcherType": "none",
        "server.runOnSave": "false",
        "server.allowRunOnSave": "false",
        "server.enableStaticServing": "false",
        "server.enableXsrfProtection": "true",
        "server.enableCORS": "true",
        "server.allowedHosts": ("*",) if everywhere else tuple(hosts),
        "server.maxMessageSize": "20",
        "server.maxUploadSize": "1",
        "server.enableAgentApi": "false",
        "server.showEmailPrompt": "false",
        "browser.gatherUsageStats": "false",
        "client.toolbarMode": "viewer",
        "client.showErrorDetails": "none",
        "client.showErrorLinks": "false",
        "runner.magicEnabled": "false",
        # a full collection after every script run was four fifths of the server's time; reference counts free the rest
        "runner.postScriptGC": "false",
        "logger.level": "warning",
        "logger.hideWelcomeMessage": "true",
        "theme.light.primaryColor": "#1c6b50",
        "theme.dark.primaryColor": "#3fb489",
        "theme.dark.backgroundColor": "#14171a",
        "theme.dark.secondaryBackgroundColor": "#1e2327",
        "theme.baseRadius": "10px",
    }


def command(settings: Settings) -> list[str]:
    """The command that serves the dashboard of this league until it gets SIGTERM or SIGINT."""
    flags = []
    for name, value in options(settings).items():
        flags += [f"--{name}={one}" for one in ((value,) if isinstance(value, str) else value)]
    return [sys.executable, "-m", "streamlit", "run", str(HERE / "server.py"), *flags]


def environment(settings: Settings) -> dict[str, str]:
    """The environment for `command`: this one, with the league's data folder and its database named."""
    path = [str(HERE.parent), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    env = {name: value for name, value in os.environ.items() if not name.startswith("STREAMLIT_")}
    env |= {
        "NINEFOLD_DATA": str(settings.data_dir),
        "NINEFOLD_DATABASE_URL": settings.database_url,
        "NINEFOLD_HOST": settings.host,
        "NINEFOLD_PORT": str(settings.port),
        "NINEFOLD_GRPC_PORT": str(settings.grpc_port),
        "NINEFOLD_TLS_CERT": settings.tls_cert,
        "NINEFOLD_TLS_CA": settings.tls_ca,
        "NINEFOLD_REFEREE_ADDRESS": settings.referee_address,
        "PYTHONPATH": os.pathsep.join(dict.fromkeys(path)),
        "PYTHONUNBUFFERED": "1",
    }
    return env
