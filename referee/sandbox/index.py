"""How the container that fetches dependencies reaches the package indexes: as this machine does, by its own settings.

Nothing here is kept: settings are read when a fetch begins and go into that one container's environment.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from shutil import which
from typing import Any

CERTIFICATES = "/run/certificates.pem"
_PIP = ("index-url", "extra-index-url", "trusted-host", "proxy", "default-timeout", "timeout", "retries")
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy")
_BUNDLES = ("PIP_CERT", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")


def environment(runtime: str) -> dict[str, str]:
    """Environment variables that make pip or npm in the fetching container use this machine's indexes and proxies."""
    found = {name: os.environ[name] for name in _PROXIES if name in os.environ}
    found |= _npm() if runtime == "node" else _pip()
    if bundle() is not None:
        found |= dict.fromkeys((*_BUNDLES, "npm_config_cafile"), CERTIFICATES)
    return found


def bundle() -> Path | None:
    """The certificate bundle this machine names for its tools, None where it uses the usual one."""
    named = [Path(os.environ[name]) for name in _BUNDLES if os.environ.get(name)]
    usual = Path("/etc/ssl/certs/ca-certificates.crt")  # the image has none of its own
    return next((path.resolve() for path in [*named, usual] if path.is_file()), None)


def mounts() -> list[dict[str, Any]]:
    """That bundle, read-only; the only mount of a fetching container."""
    path = bundle()
    if path is None:
        return []
    return [{"Type": "bind", "Source": str(path), "Target": CERTIFICATES, "ReadOnly": True}]


def _pip() -> dict[str, str]:
    listed = subprocess.run([sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True)
    values: dict[str, str] = {}
    for line in sorted(listed.stdout.splitlines(), key=lambda line: line.startswith(":env:")):  # environment wins
        key, _, value = line.partition("=")
        name = key.rpartition(".")[2]
        if name in _PIP:
            words = [word for word in value.strip("'\"").split() if not word.startswith(("file:", "/"))]
            if words:  # indexes on this machine's own disk cannot be reached from a container
                values["PIP_" + name.upper().replace("-", "_")] = " ".join(words)
    return values


def _npm() -> dict[str, str]:
    values = {name: value for name, value in os.environ.items() if name.lower() == "npm_config_registry"}
    if not values and which("npm"):
        asked = subprocess.run(["npm", "config", "get", "registry"], capture_output=True, text=True)
        if asked.returncode == 0 and asked.stdout.strip().startswith("http"):
            values["npm_config_registry"] = asked.stdout.strip()
    return values
