"""A child takes and gives back a hundred megabytes without end, while the bot plays on."""

from _deed import beside_its_play

beside_its_play(lambda: b"x" * (100 << 20))
