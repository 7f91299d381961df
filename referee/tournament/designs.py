"""Which sets of k bots meet: all of them, or a balanced choice.

The bots stand on a circle, and sets come in whole orbits: a base set and all its translates around the circle. That
alone makes every bot play equally often, and every two bots at one distance meet equally often; so the choice of sets
is a choice of a few base sets whose distances cover the circle evenly, a (near) difference family: R. C. Bose, "On the
construction of balanced incomplete block designs", Annals of Eugenics 9 (1939). They are found by a seeded search with
a fixed number of steps. Where owners are kept apart the circle's symmetry is lost, and sets are chosen one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, combinations, islice, product
from math import comb, exp, gcd
from random import Random

BotSet = tuple[int, ...]
_STEPS = 60_000
"""Steps of a search: up to a second."""
_TRIES = 6


@dataclass(frozen=True, slots=True)
class Orbit:
    """A base set, and by how much it is moved around the circle: `base[i] + shift` modulo the field, for each shift."""

    base: BotSet
    shifts: range


def count_sets(entries: int, size: int, owners: Sequence[int] | None) -> int:
    """How many sets of `size` entries there are, without two of one owner where owners are given."""
    if owners is None:
        return comb(entries, size)
    ways = [1] + [0] * size
    for group in _groups(owners):
        for k in range(size, 0, -1):
            ways[k] += ways[k - 1] * len(group)
    return ways[size]


def all_orbits(entries: int, size: int) -> list[Orbit]:
    """Every set once; orbits that close early (a set that a part turn maps onto itself) are split into single sets."""
    found = []
    for rest in combinations(range(1, entries), size - 1):
        base = (0, *rest)
        if base != _least_turn(base, entries):
            continue
        length = _orbit_length(base, entries)
        if length == entries:
            found.append(Orbit(base, range(entries)))
        else:
            found.extend(Orbit(base, range(shift, shift + 1)) for shift in range(length))
    return found


def all_apart(owners: Sequence[int], size: int) -> list[Orbit]:
    """Every set of bots with different owners, one by one."""
    chosen = combinations(_groups(owners), size)
    return [Orbit(tuple(sorted(bots)), range(1)) for groups in chosen for bots in product(*groups)]


def choose_orbits(entries: int, size: int, max_sets: int, passes: int) -> list[list[Orbit]]:
    """At most `max_sets` sets for each pass, in whole orbits; over all passes any two bots meet equally often, or once
    more. One list of sets serves every pass where a number of orbits above half the limit lets all pairs meet equally
    often; else each pass has its own.
    """
    most = max_sets // entries
    exact = (m for m in range(most, most // 2, -1) if m * size * (size - 1) % (entries - 1) == 0)
    for m, attempt in product(islice(exact, 2), range(_TRIES)):
        bases, spread = _difference_family(entries, size, m, attempt)
        if spread == 0:
            return [[Orbit(base, range(entries)) for base in bases]]
    orbits = _whole_orbit_count(entries, size)
    most = min(most, max(most // 2, 1, orbits // passes))
    passes = min(passes, orbits // most)
    bases, _ = _difference_family(entries, size, most * passes, 0)
    family = [Orbit(base, range(entries)) for base in bases]
    return [family[turn * most : (turn + 1) * most] for turn in range(passes)]


def choose_apart(owners: Sequence[int], size: int, max_sets: int) -> list[Orbit]:
    """At most `max_sets` sets of bots with different owners; all play about equally often, and meetings are even
    among the pairs that may meet. A bot whose owner has many bots has fewer opponents and meets each more often.
    """
    entries = len(owners)
    step = entries // gcd(entries, size)
    rng = Random(f"{size}/{max_sets}/{'/'.join(map(str, owners))}")  # noqa: S311 - reproducible, not secret
    plays, meets = [0] * entries, [[0] * entries for _ in range(entries)]
    sets: list[list[int]] = []
    for _ in range(max_sets // step * step):
        table: list[int] = []
        free = list(range(entries))
        while len(table) < size:
            bot = min(free, key=lambda e: (plays[e], sum(meets[e][o] for o in table), rng.random()))
            table.append(bot)
            free = [e for e in free if owners[e] != owners[bot]]
        for e in table:
            plays[e] += 1
            for other in table:
                meets[e][other] += e != other
        sets.append(table)
    _even_plays(sets, owners, plays, meets)
    _even_out(sets, owners, meets, rng)
    return [Orbit(tuple(sorted(table)), range(1)) for table in sets]


def _even_plays(sets: list[list[int]], owners: Sequence[int], plays: list[int], meets: list[list[int]]) -> None:
    """Bots that play most give places to bots that play two or more less, as long as their tables allow it."""
    everybody = range(len(owners))
    while True:
        trades = (
            (table, old, new)
            for old in sorted(everybody, key=lambda e: -plays[e])
            for new in sorted(everybody, key=lambda e: plays[e])
            if plays[old] - plays[new] > 1
            for table in sets
            if old in table and all(owners[e] != owners[new] for e in table if e != old)
        )
        trade = next(trades, None)
        if trade is None:
            return
        table, old, new = trade
        for e in table:
            if e != old:
                for bot, by in ((old, -1), (new, 1)):
                    meets[bot][e] += by
                    meets[e][bot] += by
        table[table.index(old)] = new
        plays[old], plays[new] = plays[old] - 1, plays[new] + 1


def _even_out(sets: list[list[int]], owners: Sequence[int], meets: list[list[int]], rng: Random) -> None:
    """Meetings are evened out by exchanging two bots between two sets at a time, which leaves plays as they are."""

    def put(bot: int, rest: list[int], by: int) -> int:
        """The bot joins or leaves the others of its set; the change of the sum of squared meetings."""
        change = 0
        for other in rest:
            change += 2 * by * meets[bot][other] + 1
            meets[bot][other] += by
            meets[other][bot] += by
        return change

    for step in range(_STEPS):
        one, two = rng.sample(sets, 2)
        i, j = rng.randrange(len(one)), rng.randrange(len(two))
        x, y = one[i], two[j]
        rest, others = one[:i] + one[i + 1 :], two[:j] + two[j + 1 :]
        if x == y or any(owners[e] == owners[y] for e in rest) or any(owners[e] == owners[x] for e in others):
            continue
        change = put(x, rest, -1) + put(y, others, -1) + put(y, rest, 1) + put(x, others, 1)
        heat = 1.05 - step / _STEPS
        if change <= 0 or rng.random() < exp(-change / heat):
            one[i], two[j] = y, x
        else:
            for bot, table, by in ((y, rest, -1), (x, others, -1), (x, rest, 1), (y, others, 1)):
                put(bot, table, by)


def _difference_family(n: int, k: int, m: int, attempt: int) -> tuple[list[BotSet], int]:
    """`m` base sets from different whole orbits, and by how much their meeting counts differ over distances."""
    rng = Random(f"{n}/{k}/{m}/{attempt}")  # noqa: S311 - reproducible, not secret
    half = n // 2 if n % 2 == 0 else 0
    met = [2 if d == half else 1 for d in range(n)]  # opposite bots meet twice in an orbit
    bases = _some_orbits(n, k, m, rng)
    seen = {_least_turn(base, n) for base in bases}
    counts = [0] * (n // 2 + 1)  # by distance: how often two bots so far apart meet
    for base in bases:
        for a, b in combinations(base, 2):
            d = min((a - b) % n, (b - a) % n)
            counts[d] += met[d]
    target = 0 if m * k * (k - 1) % (n - 1) == 0 else 1
    for step in range(_STEPS):
        if step % 32 == 0 and max(counts[1:]) - min(counts[1:]) <= target:
            break
        base = rng.choice(bases)
        place, new = rng.randrange(k), rng.randrange(n)
        if new in base:
            continue
        old, rest = base[place], base[:place] + base[place + 1 :]
        moved = [(min((old - o) % n, (o - old) % n), -1) for o in rest]
        moved += [(min((new - o) % n, (o - new) % n), 1) for o in rest]
        change = 0  # of the sum of squares over pairs
        for d, by in moved:
            change += 2 * by * counts[d] + met[d]
            counts[d] += by * met[d]
        heat = 2.5 * (1 - step / _STEPS) + 0.2
        if change <= 0 or rng.random() < exp(-change / heat):
            before, after = _least_turn(base, n), [*rest, new]
            seen.discard(before)
            if _fresh(after, n, seen):
                base[:] = after
                seen.add(_least_turn(base, n))
                continue
            seen.add(before)
        for d, by in moved:
            counts[d] -= by * met[d]
    return [_least_turn(base, n) for base in bases], max(counts[1:]) - min(counts[1:])


def _some_orbits(n: int, k: int, m: int, rng: Random) -> list[list[int]]:
    """`m` base sets of different whole orbits: drawn, or taken in order where orbits are few."""
    bases: list[list[int]] = []
    seen: set[BotSet] = set()
    drawn = (rng.sample(range(n), k) for _ in range(20 * m))
    for base in chain(drawn, ([0, *rest] for rest in combinations(range(1, n), k - 1))):
        if len(bases) == m:
            break
        if _fresh(base, n, seen):
            bases.append(base)
            seen.add(_least_turn(base, n))
    return bases


def _whole_orbit_count(n: int, k: int) -> int:
    """How many orbits of sets have the full length n, by Moebius inversion over the turns a set may be closed under."""
    common = gcd(n, k)
    signs = {1: 1, 2: -1, 3: -1, 4: 0, 5: -1, 6: 1}
    return sum(signs[d] * comb(n // d, k // d) for d in range(1, common + 1) if common % d == 0) // n


def _fresh(base: Sequence[int], n: int, seen: set[BotSet]) -> bool:
    return _orbit_length(base, n) == n and _least_turn(base, n) not in seen


def _least_turn(base: Sequence[int], n: int) -> BotSet:
    """The least of the set's translates that hold 0: the same for all sets of an orbit."""
    return min(tuple(sorted((e - first) % n for e in base)) for first in base)


def _orbit_length(base: Sequence[int], n: int) -> int:
    here = {e % n for e in base}
    turns = [n // d for d in range(2, len(base) + 1) if n % d == 0 and len(base) % d == 0]
    return min((t for t in turns if {(e + t) % n for e in here} == here), default=n)


def _groups(owners: Sequence[int]) -> list[list[int]]:
    groups: dict[int, list[int]] = {}
    for entry, owner in enumerate(owners):
        groups.setdefault(owner, []).append(entry)
    return list(groups.values())
