"""How much must have been played before a rating says something; free of numpy, for whoever only tells."""

PROVISIONAL_BLOCKS = 30
"""A bot with fewer blocks has a provisional rating."""
INTERVAL_BLOCKS = 6
"""With fewer a rating has no interval: five blocks that all went one way happen by chance in 2 * 0.5 ** 5 = 6%."""
NO_INTERVAL = f"no 95% interval under {INTERVAL_BLOCKS} blocks: too few deals to tell how far chance reaches"
