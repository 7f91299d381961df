"""Makes empty files until no more can be made, and plays on."""

from _deed import at_third_decision, reached


def deed():
    made = 0
    try:
        while made < 20_000:
            open(f"/tmp/{made}", "w").close()
            made += 1
    except OSError:
        pass
    reached(made)


at_third_decision(deed)
