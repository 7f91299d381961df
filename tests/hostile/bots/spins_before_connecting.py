"""Computes for ever before it dials."""

while True:
    pass
