"""The certificate and its key, looked at before they are used: what gRPC says of bad ones names no file."""

from __future__ import annotations

import ssl
from pathlib import Path

from referee.errors import UsageError


def key_and_chain(key: str, cert: str) -> tuple[bytes, bytes]:
    """What the files of a private key and its certificate chain hold; `UsageError` names the one that is bad."""
    found = _read("tls_key", key), _read("tls_cert", cert)
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_verify_locations(cert)
    except (ssl.SSLError, ValueError):
        raise UsageError(
            f"the file {cert} of tls_cert is no certificate (PEM); name the chain, the league's own first"
        ) from None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.set_ciphers("DEFAULT:@SECLEVEL=0")  # how long a key must be is not asked here
    try:
        context.load_cert_chain(cert, key, password=lambda: b"")
    except (ssl.SSLError, ValueError) as error:
        if getattr(error, "reason", "") == "KEY_VALUES_MISMATCH":
            why = f"is not the key of the certificate {cert}; name the one it was made with"
        else:
            why = "is no private key (PEM) without a password; name one, or remove the password with `openssl pkey`"
        raise UsageError(f"the file {key} of tls_key {why}") from None
    return found


def _read(name: str, file: str) -> bytes:
    try:
        return Path(file).read_bytes()
    except OSError as error:
        raise UsageError(f"the file {file} of {name} cannot be read: {error.strerror}") from None
