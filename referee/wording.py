"""Numbers in sentences."""


def counted(number: int, one: str, many: str = "") -> str:
    """The number with its noun: "1 match", "1,200 matches"; `many` is `one` with an s unless given."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
