"""Fails while loading."""

import no_such_module  # noqa: F401
