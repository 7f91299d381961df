"""Sends half a million bytes as one message, and fails when it is refused."""

from _ordinary import at_third_decision

at_third_decision(lambda send: send(bytes(500_000)))
