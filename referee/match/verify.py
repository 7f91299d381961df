"""Whether a replay follows from its seed, decisions and faults: the match is played again and every field compared.

Nothing that can be recomputed is taken on trust. The first thing that does not follow is a `Discrepancy`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest
from typing import Any, NoReturn

from referee.errors import IllegalAction, InvalidRules, ReplayError, UsageError
from referee.games import registry
from referee.games.base import Action, Game, Json, Rules
from referee.games.match import Fault, Match
from referee.games.shuffler import commitment
from referee.match.recorded import NotRecordedError, RecordedShuffler
from referee.match.replay import TIMES, check, pack_order
from referee.wording import counted

BELONGINGS = frozenset({"cards", "card", "suit", "total", "stock", "standin"})
"""Fields that belong to some events: where one stands on an event that has no such thing, it is wrong."""
OUTCOMES = frozenset({"draw", "forced_draw"})
"""Events whose cards are what came of them, not what anybody chose."""
Watch = Callable[[Match], None]
FORMAT_RULE = "REPLAY"
"""Cited where no rule of a game speaks, but the description of the replay file."""
WITHOUT_SEED = (
    "that the commitment is the seed's (S1)",
    "that deals, cuts, reshuffles and stand-ins follow from the seed (S2-S6)",
)


class Discrepancy(ReplayError):
    """A replay says something that does not follow: where (round and event from 0, None where it is no single one), by
    which rule, what stands there and what was expected."""

    def __init__(
        self,
        match_id: str,
        round: int | None,
        event: int | None,
        rule: str,
        found: str,
        expected: str,
        field: str = "",
    ) -> None:
        super().__init__(match_id, round, event, rule, found, expected, field)
        self.match_id, self.round, self.event, self.rule = match_id, round, event, rule
        self.found, self.expected, self.field = found, expected, field

    def __str__(self) -> str:
        places = [f"match {_shown(self.match_id)[1:-1]}"]
        places += [f"round {self.round}"] if self.round is not None else []
        places += [f"event {self.event}"] if self.event is not None else []
        what = f"{self.field} is " if self.field else ""
        return f"{', '.join(places)}: {self.rule}: {what}{self.found}, expected {self.expected}"

    def to_json(self) -> dict[str, Json]:
        """The same as JSON values."""
        names = ("match_id", "round", "event", "rule", "field", "found", "expected")
        return {name: getattr(self, name) for name in names}


def verify(document: Mapping[str, Json]) -> tuple[str, ...]:
    """What could not be checked, in words: nothing, or what needs the seed while it is null.

    Raises `Discrepancy` at the first thing that does not follow, `ReplayError` where the document is no replay.
    """
    return follow(document, None)


def follow(document: Mapping[str, Json], watch: Watch | None, step: Watch | None = None) -> tuple[str, ...]:
    """As `verify`, with `watch` called wherever a bot or a stand-in is about to choose, and may look at the match.

    `step` is called before every step, also before a deal or a forfeit, and once after the last.
    """
    check(document)
    return _Verifier(document, watch, step).run()


def game_and_rules(document: Mapping[str, Json]) -> tuple[Game, Rules]:
    """The game of a checked document and its rules, complete; `ReplayError` if there is no such game or option."""
    try:
        game = registry.get(document["game"])
        return game, game.complete(document["rules"], len(document["seats"]))
    except InvalidRules as error:
        raise ReplayError(f"match {_shown(document['match_id'])}: {error}") from None
    except UsageError as error:
        raise ReplayError(f"match {_shown(document['match_id'])}: this release knows no such game: {error}") from None


def action_of(events: Sequence[Mapping[str, Json]], index: int) -> tuple[int, Action] | None:
    """The choice recorded at `index`: the index of its own event, which a reshuffle may precede, and the action."""
    if index < len(events) and events[index]["do"] == "reshuffle":
        index += 1
    if index >= len(events):
        return None
    event = events[index]
    cards = () if event["do"] in OUTCOMES else event.get("cards", ())
    return index, Action(event["do"], tuple(cards), event.get("suit"))


class _Verifier:
    def __init__(self, document: Mapping[str, Json], watch: Watch | None, step: Watch | None) -> None:
        self.document, self.watch, self.step = document, watch, step
        self.rounds: Sequence[Mapping[str, Any]] = document["rounds"]
        self.game, self.rules = game_and_rules(document)
        self.players = len(document["seats"])
        self.rule_of = self.game.citations
        self.pending = sorted(document["faults"], key=lambda fault: (fault["round"], fault["event"], fault["seat"]))

    def fail(
        self, round: int | None, event: int | None, rule: str, found: Any, expected: Any, field: str = ""
    ) -> NoReturn:
        raise Discrepancy(
            self.document["match_id"], round, event, rule, _shown(found), _shown(expected), field
        ) from None

    def cite(self, topic: str) -> str:
        return self.rule_of.get(topic, FORMAT_RULE)

    def run(self) -> tuple[str, ...]:
        self.check_head()
        match = self.open()
        self.check_cuts(match)
        try:
            while not match.finished:
                if self.step is not None:
                    self.step(match)
                self.go_on(match)
            if self.step is not None:
                self.step(match)
        except NotRecordedError as error:
            self.check_round_in_play(match)
            self.fail(match.rounds_finished, None, "S4", _Words(str(error)), _Words("a shuffle of the right cards"))
        self.check_result(match)
        self.check_notes()
        return () if self.document["seed"] is not None else WITHOUT_SEED

    # ------------------------------------------------------------ the head

    def check_head(self) -> None:
        document = self.document
        if dict(self.rules) != document["rules"]:
            missing = [name for name in self.rules if name not in document["rules"]]
            self.fail(None, None, FORMAT_RULE, _Words("without " + ", ".join(missing)), _Words("every option"), "rules")
        profile = document["profile"]
        if profile is not None:
            if profile not in self.game.profiles:
                known = ", ".join(self.game.profiles)
                self.fail(None, None, self.cite("profile"), profile, _Words(f"null or one of {known}"), "profile")
            try:
                named: Rules | None = self.game.complete(self.game.profile(profile, self.players), self.players)
            except InvalidRules:
                named = None
            if named != self.rules:
                self.fail(None, None, self.cite("profile"), profile, _Words("null: its rules are others"), "profile")
        if document["seed"] is not None:
            expected = commitment(bytes.fromhex(document["seed"]))
            if document["commitment"] != expected:
                self.fail(None, None, "S1", document["commitment"], expected, "commitment")
        self.check_faults()

    def check_faults(self) -> None:
        seats = [fault["seat"] for fault in self.pending]
        for fault in self.pending:
            if fault["seat"] >= self.players:
                self.fail(
                    None, None, "F1", fault["seat"], _Words(f"a seat below {self.players}"), "the seat of a fault"
                )
            if seats.count(fault["seat"]) > 1:
                self.fail(None, None, "F1", _Words("two faults of one seat"), _Words("one, for each forfeit"), "faults")
            if fault["kind"] == "start" and (fault["round"], fault["event"]) != (0, 0):
                place = fault["round"], fault["event"]
                self.fail(*place, "F1", _Words("a bot that never started"), _Words("round 0, event 0"), "its place")

    def open(self) -> Match:
        seed = self.document["seed"]
        start = [fault for fault in self.pending if fault["kind"] == "start"]
        self.pending = [fault for fault in self.pending if fault["kind"] != "start"]
        recorded = None
        if seed is None:
            recorded = RecordedShuffler(self.document, self.game.codes)
        try:
            match = Match(
                self.game,
                self.rules,
                self.players,
                bytes.fromhex(seed or ""),
                start_faults=_as_faults(start),
                pausing=True,
                shuffler=recorded,
            )
        except NotRecordedError as error:
            self.fail(None, None, "N1.4", _Words(str(error)), _Words("cuts until one seat is lowest"), "cuts")
        if recorded is not None:
            recorded.match, recorded.decision = match, lambda: self.recorded_choice(match)
        return match

    def check_cuts(self, match: Match) -> None:
        found = self.document["first_dealer"]
        head = match.document()
        if head.get("cuts") != self.document.get("cuts"):
            for number, (cut, expected) in enumerate(
                zip_longest(self.document.get("cuts") or (), head.get("cuts") or ()), 1
            ):
                if cut != expected:
                    self.fail(None, None, "N1.4", cut, expected, f"cut {number}")
            expected_field = _Words("no field, as nobody cuts") if "cuts" not in head else head["cuts"]
            self.fail(None, None, "N1.4", self.document.get("cuts"), expected_field, "cuts")
        if found != match.first_dealer:
            self.fail(None, None, "N1.4", found, match.first_dealer, "first_dealer")

    # ------------------------------------------------------------ play

    def go_on(self, match: Match) -> None:
        """One step further: a forfeit, a deal or a decision, as the replay has it."""
        index = match.rounds_finished
        if match.round is None:
            waiting = self.faults_at(index, 0)
            if waiting and (index >= len(self.rounds) or not self.would_end(match, waiting)):
                self.forfeit(match, waiting)
                return
            if index >= len(self.rounds):
                self.fail(index, None, self.cite("over"), _Words("no further round"), _Words("one: the match goes on"))
            match.proceed()
            self.check_round_head(match, index)
        elif waiting := self.faults_at(index, match.round.event_count()):
            self.forfeit(match, waiting)
        else:
            if self.watch is not None:
                self.watch(match)
            if match.turn is None:
                match.proceed()  # a stand-in chooses, by the seed
            else:
                match.choose(self.recorded_choice(match))
        if match.rounds_finished > index:
            self.check_round(index, match.rounds[index])

    def faults_at(self, round: int, event: int) -> list[Mapping[str, Any]]:
        return [fault for fault in self.pending if fault["round"] == round and fault["event"] == event]

    def would_end(self, match: Match, faults: Sequence[Mapping[str, Any]]) -> bool:
        out = match.forfeited | {fault["seat"] for fault in faults}
        return sum(out.isdisjoint(side) for side in self.game.sides(self.rules, self.players)) < 2

    def forfeit(self, match: Match, faults: Sequence[Mapping[str, Any]]) -> None:
        index = match.rounds_finished
        self.pending = [fault for fault in self.pending if fault not in faults]
        match.forfeit(_as_faults(faults))
        if match.rounds_finished > index and index < len(self.rounds):
            self.check_round(index, match.rounds[index])

    def recorded_choice(self, match: Match) -> Action:
        """What the seat to act chose, by the replay, in the words of the rules; `Discrepancy` if it could not."""
        in_play = match.round
        assert in_play is not None
        index, at = match.rounds_finished, in_play.event_count()
        events = self.rounds[index]["events"]
        choice = action_of(events, at)
        legal = _Words("one of: " + ", ".join(map(str, in_play.legal())))
        if choice is None:
            self.check_round_in_play(match)
            expected = _Words(f"seat {in_play.turn} to choose {legal}")
            self.fail(index, len(events), self.game.turn_rule, _Words("no further event"), expected)
        at, action = choice
        if events[at]["seat"] != in_play.turn:
            self.check_round_in_play(match)
            self.fail(index, at, self.game.turn_rule, events[at]["seat"], in_play.turn, "seat")
        try:
            return in_play.resolve(action)
        except IllegalAction as error:
            self.check_round_in_play(match)
            self.fail(index, at, error.rule, _Words(f"{action} ({error.reason})"), legal)

    # ------------------------------------------------------------ rounds

    def check_round_head(self, match: Match, index: int) -> None:
        """The round that was just dealt is the recorded one: who plays, who deals, which cards."""
        if match.round is None:  # it was over without a decision, and is compared whole
            return
        found, dealt = self.rounds[index], match.dealt
        expected = {
            "kind": dealt.kind,
            "round": dealt.number,
            "seats": list(dealt.seats),
            "dealer": dealt.dealer,
            "deal": match.round.deal(),
        }
        self.compare_head(index, found, expected)

    def compare_head(self, index: int, found: Mapping[str, Any], expected: Mapping[str, Any]) -> None:
        topic = "playoff" if "playoff" in (found["kind"], expected["kind"]) else "round"
        for field in ("kind", "round", "seats"):
            if found[field] != expected[field]:
                self.fail(index, None, self.cite(topic), found[field], expected[field], field)
        if found["dealer"] != expected["dealer"]:
            rule = "N1.4" if index == 0 else self.cite("playoff" if topic == "playoff" else "dealer")
            self.fail(index, None, rule, found["dealer"], expected["dealer"], "dealer")
        for field in expected["deal"]:
            value = found["deal"].get(field)
            if value != expected["deal"][field]:
                where, value, wanted = _first_difference(value, expected["deal"][field])
                self.fail(index, None, "S4", value, wanted, f"deal.{field}{where}")

    def check_round_in_play(self, match: Match) -> None:
        """Everything recorded of the round in play up to now, so that the first difference is what is reported."""
        if match.round is None or match.rounds_finished >= len(self.rounds):
            return
        index = match.rounds_finished
        events = self.rounds[index]["events"]
        for at, expected in enumerate(match.round.events()):
            found = events[at] if at < len(events) else None
            self.check_event(index, at, found, expected, flags=False)

    def check_round(self, index: int, expected: Mapping[str, Any]) -> None:
        """The recorded round is the one that was played again, field by field."""
        found = self.rounds[index]
        self.compare_head(index, found, expected)
        for at, (event, wanted) in enumerate(zip_longest(found["events"], expected["events"])):
            self.check_event(index, at, event, wanted)
        end, wanted_end = found["end"], expected["end"]
        over = "F2" if "forfeit" in (end["reason"], wanted_end["reason"]) else self.cite("end")
        for field, rule in (("reason", over), ("by", over), ("penalties", self.cite("penalties"))):
            if end[field] != wanted_end[field]:
                self.fail(index, None, rule, end[field], wanted_end[field], f"end.{field}")
        for seat, hand in wanted_end["hands"].items():
            if pack_order(end["hands"].get(seat, ["?"])) != pack_order(hand):
                self.fail(index, None, self.cite("hands"), end["hands"].get(seat), hand, f"end.hands of seat {seat}")
        if len(end["hands"]) != len(wanted_end["hands"]):
            self.fail(index, None, self.cite("hands"), sorted(end["hands"]), sorted(wanted_end["hands"]), "end.hands")
        if end["totals"] != wanted_end["totals"]:
            self.fail(index, None, self.cite("totals"), end["totals"], wanted_end["totals"], "end.totals")

    def check_event(
        self,
        index: int,
        at: int,
        found: Mapping[str, Any] | None,
        expected: Mapping[str, Any] | None,
        flags: bool = True,
    ) -> None:
        if found is None or expected is None:
            rule = self.cite((expected or found or {}).get("do", ""))
            self.fail(index, at, rule, found or _Words("no event"), expected or _Words("none: the round is over"))
        for field, value in expected.items():
            if field in TIMES or (field == "standin" and not flags):
                continue
            if field not in found or type(found[field]) is not type(value) or found[field] != value:
                general = {"standin": "S6", "seat": self.game.turn_rule, "stock": "S4"}
                rule = general.get(field) or self.cite(expected["do"])
                where, mine, wanted = _first_difference(found.get(field), value)
                self.fail(index, at, rule, mine, wanted, field + where)
        for field in BELONGINGS.intersection(found).difference(expected):
            if field != "standin":
                self.fail(index, at, FORMAT_RULE, found[field], _Words(f"none with {expected['do']}"), field)
            if flags and found[field]:
                self.fail(index, at, "S6", True, _Words("none: a bot, or nobody, decided"), field)
        if flags and "ms" in expected and not expected.get("standin"):
            for field in ("ms", "cpu_ms"):
                if field not in found:
                    expected_time = _Words("a number or null: a bot decided")
                    self.fail(index, at, FORMAT_RULE, _Words("missing"), expected_time, field)

    # ------------------------------------------------------------ the end

    def check_result(self, match: Match) -> None:
        if match.rounds_finished != len(self.rounds):
            ended = "F2" if self.would_end(match, ()) else self.cite("over")
            found, expected = counted(len(self.rounds), "round"), f"{match.rounds_finished}: the match is over"
            self.fail(match.rounds_finished, None, ended, _Words(found), _Words(expected))
        for fault in self.pending:
            place = fault["round"], fault["event"]
            expected = "a moment when somebody was asked, or the time between two rounds"
            self.fail(*place, "F1", _Words(f"a fault of seat {fault['seat']}"), _Words(expected))
        result = self.document["result"]
        if result["totals"] != match.totals:
            self.fail(None, None, self.cite("totals"), result["totals"], match.totals, "result.totals")
        if result["places"] != match.places:
            rule = "F3" if match.forfeited else self.cite("places")
            self.fail(None, None, rule, result["places"], match.places, "result.places")

    def check_notes(self) -> None:
        for number, note in enumerate(self.document["notes"]):
            last = len(self.rounds[note["round"]]["events"]) if note["round"] < len(self.rounds) else 0
            if note["seat"] >= self.players or note["round"] > len(self.rounds) or note["event"] > last:
                place = {name: note[name] for name in ("seat", "round", "event")}
                self.fail(None, None, FORMAT_RULE, place, _Words("a moment of this match"), f"note {number}")


def _as_faults(faults: Sequence[Mapping[str, Any]]) -> list[Fault]:
    names = ("seat", "kind", "detail", "ms", "cpu_ms", "limit_ms")
    return [Fault(**{name: fault[name] for name in names}) for fault in faults]


class _Words(str):
    """A description, shown as it is; everything else is shown as the JSON that stands there."""

    __slots__ = ()


def _shown(value: Any) -> str:
    """The value on one line, in printable ASCII, cut at 160 characters: it may come from a stranger's file."""
    if isinstance(value, _Words):
        text = value.encode("ascii", "backslashreplace").decode()
        text = "".join(sign if sign.isprintable() else f"\\x{ord(sign):02x}" for sign in text)
    else:
        text = json.dumps(value, default=str)
    return text if len(text) <= 160 else text[:157] + "..."


def _first_difference(found: Any, expected: Any) -> tuple[str, Any, Any]:
    """Where two values differ first, and what stands there: an entry of a list or of an object, or the whole."""
    if isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        for index, (mine, wanted) in enumerate(zip(found, expected, strict=True)):
            if mine != wanted:
                return f"[{index}]", mine, wanted
    if isinstance(found, dict) and isinstance(expected, dict) and found.keys() == expected.keys():
        for key, wanted in expected.items():
            if found[key] != wanted:
                inner, mine, other = _first_difference(found[key], wanted)
                return f"[{key}]{inner}", mine, other
    return "", found, expected
