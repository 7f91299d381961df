"""Opens a stream whose headers go on and on in continuation frames."""

from _wire import CONTINUATION, HEADERS, at_third_decision, frame, headers, text


def deed(table, turn):
    table.raw(frame(HEADERS, 0, 3, headers()))
    more = b"".join(b"\0" + text(f"x-{number}") + text("v" * 100) for number in range(100))
    while True:
        table.raw(frame(CONTINUATION, 0, 3, more))


at_third_decision(deed)
