"""A replay as the steps a person watches: `steps(document)` is everything the viewer needs, as JSON.

The viewer never knows a rule. It shows step after step; what lies on the table is folded from the steps themselves.

Format `ninefold-steps/1`::

    { "format": "ninefold-steps/1",
      "game": "nines" | "nine" | …,  "match_id": "…",  "profile": "nines/strict" | null,  "rules": {option: value},
      "clock": {"bank_ms", "increment_ms", "charged"} | null,  "played": {"at", "attempt", "machine", "speed"} | null,
      "seats": [ {"bot": "greedy", "version": 3, "digest": "…"} ],      index = seat
      "players": 2,  "teams": [[0, 2], [1, 3]] | null,                  null: everyone for himself
      "first_dealer": 0,  "cuts": [ {"0": "7H", "1": "KC"} ],           as in the replay
      "result": {"totals": [0, 105], "places": [1, 2], "forfeited": [1]},
      "faults": [ FAULT ],  "notes": [ NOTE ],                          as in the replay, each with its "step"
      "rounds": [ {"step": 1, "last": 40, "round": 1, "kind": "round" | "playoff", "dealer": 0, "seats": [0, 1],
                   "reason": "out", "by": 0} ],                         steps[step] its deal, steps[last] its round_end
      "actions": [ ACTION ],                                            every action some `legal` names, once
      "faces": {"X1": FACE} | null,                                     Nine's skins; null: ordinary cards
      "has_table": true,                                                false: no `table` and no `set` in any step
      "secret_phases": ["drawn", "answer"],                             see "A closed view"
      "problem": null | "…",                                            why it does not verify; no `legal` from there on
      "steps": [ STEP ] }

    FAULT  {"seat", "round", "event", "kind", "detail", "ms", "cpu_ms", "limit_ms", "step"}
    NOTE   {"seat", "round", "event", "text", "step"}
    ACTION {"do": "play", "cards": ["9H"], "suit": "D"}                 cards and suit only where they belong to it
    FACE   {"corner": "13", "suit": "H" | "", "kind": "number" | "court" | "joker" | "trump" | "excuse", "name": "13"}

STEP. Every step has these four; all other keys stand only where they say something::

    "kind"    "start"      the first step: who sits where, cuts; nothing is dealt
              "deal"       a round was dealt; has "table"
              "event"      one EVENT of the replay
              "fault"      a seat forfeits the match here (F1)
              "round_end"  all hands are shown and counted
              "result"     the last step: totals and places
    "round"   index in `rounds`, from 0; null in "start" and "result". A "fault" between two rounds has the index of the
              round that would follow, and may be one beyond the last
    "event"   "event": its index in the round's events; "deal": -1; "round_end": "end"; "fault": how many events the
              round had; "start" and "result": null
    "seat"    who acts, or whom it befalls; "round_end": who went out or called; else null

    "do"             the EVENT's verb: name_suit play draw keep pass forced_draw skip accept reshuffle (Nines);
                     call draw_pile take_discard discard reshuffle (Nine)
    "cards"          the cards of the event, always a list (also of one)
    "suit"           the suit it named: C D H S
    "total"          call: the caller's own total
    "count"          draw, forced_draw, draw_pile: cards drawn; reshuffle: size of the new stock
    "private": true  `cards` may be shown to `seat` alone: a spectator and the other seats see `count`
    "secret": true   nobody but `seat` may know that this happened: a closed view shows the step before instead
    "text_parts"     a sentence about `seat` without subject: a list of strings, {"card": "9H"} and {"suit": "D"}:
                     ["plays ", {"card": "9H"}, ", naming ", {"suit": "D"}]. Whole sentences for start, deal, round_end,
                     result
    "closed_text_parts"   the same for those who may not see the private part: ["draws a card"]. Only where it differs;
                     [] with "secret"
    "ms", "cpu_ms"   wall and processor time of the decision, null if unknown; keys absent where nobody decided
    "standin": true  the referee played for a bot that had forfeited
    "legal"          the decision's whole legal list as indices into `actions`, in the order the bot got it. It belongs
                     to the moment before the event: outline it on the previous step's table, or beside this step. It
                     tells the actor's hand, so show it only where that hand is open
    "chosen"         index into `actions` of what was chosen; absent when equal cards were chosen other than as listed
    "reason"         round_end: out deadlock max_turns call max_goarounds forfeit
    "penalties"      round_end: {"0": 0, "1": 25}, by seat
    "totals"         round_end, result: match totals by seat
    "places"         result: by seat, 1 = best
    "fault"          fault: its index in `faults`
    "notes"          indices in `notes` of what bots said at this step
    "table"          TABLE, whole; in every "deal" step
    "set"            what changed on the table since the step before; see below

TABLE, what lies open to someone who sees everything. `hands` and `hand_values` hold the seats that play this round, by
seat as text; lists by seat cover every seat of the match::

    "hands": {"0": ["3H", "9S"], "1": []}     sorted for reading
    "hand_values": {"0": 18, "1": 0}          what the hand would count if the round ended now
    "top": "7H"                               the top discard (the upcard); null if there is none
    "discards": 12                            how many lie on the discard pile
    "stock": 23                               how many lie in the stock
    "dealer": 0,  "seats": [0, 1],  "totals": [0, 80],  "forfeited": [1]
    "turn": 1 | null                          who decides next; null where what follows is nobody's choice
    "phase": "turn"                           of the next decision: name_suit turn drawn answer (Nines),
                                              draw discard (Nine); "forced" where nobody decides, "over" at the end
    "drawn": "9S" | null                      the card the seat of `turn` has just drawn or taken (phase drawn, discard)
    "reshuffles": 0
    Nines: "active_suit": "D" | null,  "named": true      the suit was named with a nine, not printed on the upcard
           "direction": 1 | -1
    Nine:  "go_around": 1,  "turns_taken": [1, 0]

`set` has the same keys: the value replaces the old one, except in `hands` and `hand_values`, whose entries replace seat
by seat. The table of step n is the `table` of the last deal at or before n, with the `set` of every step after it up to
n applied in order. "start" has no table; "result" keeps the last one. "round_end" sets `totals`, `turn` null, and
`phase` "over".

A closed view. Spectator: all `hands` face down, sizes are public. Seat s: only `hands[s]` open; `drawn` shown if `turn`
is s. Both: `cards` of "private" steps hidden unless `seat` is s, "secret" steps passed over unless `seat` is s, `legal`
and `hand_values` hidden with the hand; `turn` and `phase` hidden where `phase` is one of `secret_phases` and `turn` is
not s. At "round_end" all hands are shown to everyone. The table says nothing else that is not public.

What bot s could see, as the bot got it: `views(document, step)` gives {"0": VIEW}, asked for one step at a time.

Example, two steps of a match of Nines::

    {"kind": "deal", "round": 0, "event": -1, "seat": null, "text_parts": ["Round 1: seat 1 deals"],
     "table": {"hands": {"0": ["AC", "9S"], "1": ["9D", "QH", "KC"]}, "hand_values": {"0": 16, "1": 35}, "top": "7H",
               "discards": 1, "stock": 30, "dealer": 1, "seats": [0, 1], "totals": [0, 80], "forfeited": [], "turn": 0,
               "phase": "turn", "drawn": null, "reshuffles": 0, "active_suit": "H", "named": false, "direction": 1}}
    {"kind": "event", "round": 0, "event": 0, "seat": 0, "do": "play", "cards": ["9S"], "suit": "C",
     "text_parts": ["plays ", {"card": "9S"}, ", naming ", {"suit": "C"}], "ms": 2.3, "cpu_ms": 1.9,
     "legal": [0, 1, 2, 3], "chosen": 0,
     "set": {"hands": {"0": ["AC"]}, "hand_values": {"0": 1}, "top": "9S", "discards": 2, "active_suit": "C",
             "named": true, "turn": 1}}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from types import ModuleType
from typing import Any

from referee.errors import ReplayError
from referee.games import registry
from referee.games.base import Action, Json
from referee.games.match import Match
from referee.match.replay import check
from referee.match.verify import Discrepancy, action_of, follow, game_and_rules

FORMAT = "ninefold-steps/1"
AS_THEY_STAND = ("match_id", "profile", "clock", "played", "seats", "first_dealer")


@dataclass(slots=True)
class _Moment:
    """A decision: who, in which phase, having drawn what; what was legal and what was chosen, by index of actions."""

    seat: int
    phase: str
    drawn: str | None
    legal: list[int]
    chosen: int | None
    event: int


@dataclass(slots=True)
class _Decisions:
    """All decisions of a match, gathered while it is played again: by round and by how many events came before."""

    document: Mapping[str, Json]
    moments: dict[tuple[int, int], _Moment] = field(default_factory=dict)
    actions: dict[Action, int] = field(default_factory=dict)

    def watch(self, match: Match) -> None:
        """Called by `follow` wherever somebody is about to choose."""
        in_play, index = match.round, match.rounds_finished
        assert in_play is not None
        assert in_play.turn is not None
        before = in_play.event_count()
        choice = action_of(self.document["rounds"][index]["events"], before)
        if choice is None:
            return
        view = in_play.view(in_play.turn)
        self.moments[index, before] = _Moment(
            in_play.turn,
            getattr(view, "phase", "turn"),
            getattr(view, "drawn", "") or None,
            [self.actions.setdefault(action, len(self.actions)) for action in in_play.legal()],
            self.actions.get(choice[1]),
            choice[0],
        )


def steps(document: Mapping[str, Json]) -> dict[str, Json]:
    """The match as a JSON document of format `ninefold-steps/1`, described above.

    A replay that does not verify is shown all the same, with its `problem`; `ReplayError` where it is no replay.
    """
    check(document)
    decisions, problem = _Decisions(document), None
    try:
        follow(document, decisions.watch)
    except Discrepancy as error:
        problem = str(error)
    return _Story(document, decisions, problem).tell()


def views(document: Mapping[str, Json], step: int) -> dict[str, Json]:
    """What each seat that plays could see at this step, as its bot would get it; by seat as text.

    Between decisions views are those of the last decision before; before the first decision of a round there are none.
    """
    told = steps(document)["steps"]
    at = told[max(0, min(step, len(told) - 1))]
    if at["kind"] not in ("deal", "event"):
        return {}
    found: dict[str, Json] = {}

    class _Enough(Exception):
        """The step is reached; the rest of the match need not be played."""

    def watch(match: Match) -> None:
        in_play = match.round
        assert in_play is not None
        if match.rounds_finished > at["round"] or in_play.event_count() > at["event"] + 1:
            raise _Enough
        if match.rounds_finished == at["round"]:
            seats = document["rounds"][at["round"]]["seats"]
            found.update({str(seat): in_play.view(seat).to_json() for seat in seats})

    with suppress(_Enough, Discrepancy):
        follow(document, watch)
    return found


def table_of(game: str) -> ModuleType | None:
    """The game's module `table`, which folds its events into an open table; None if it has none."""
    name = f"{registry.GAMES[game]}.table"
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        return None


class _Story:
    """The steps of one match, told in order."""

    def __init__(self, document: Mapping[str, Json], decisions: _Decisions, problem: str | None) -> None:
        self.document, self.moments, self.problem = document, decisions.moments, problem
        self.actions = decisions.actions
        self.game, self.rules = game_and_rules(document)
        self.players = len(document["seats"])
        self.module = table_of(document["game"])
        self.steps: list[dict[str, Json]] = []
        self.rounds: list[dict[str, Json]] = []
        self.faults = [dict(fault) for fault in document["faults"]]
        self.notes = [dict(note) for note in document["notes"]]
        self.forfeited: list[int] = []
        self.totals = [0] * self.players
        self.table: Any = None

    def tell(self) -> dict[str, Json]:
        document = self.document
        sides = self.game.sides(self.rules, self.players)
        self.add("start", None, None, text=[f"{self.players} players; seat {document['first_dealer']} deals first"])
        self.add_faults(0, 0, started=False)
        for index, played in enumerate(document["rounds"]):
            self.tell_round(index, played)
        self.add_faults(len(document["rounds"]), 0)
        result = document["result"]
        winners = [f"seat {seat}" for seat, place in enumerate(result["places"]) if place == 1]
        self.add(
            "result",
            None,
            None,
            text=[f"First: {', '.join(winners)}"],
            totals=result["totals"],
            places=result["places"],
        )
        for fault in self.faults:
            fault.setdefault("step", len(self.steps) - 1)
        self.place_notes()
        return {
            "format": FORMAT,
            "game": document["game"],
            **{name: document[name] for name in AS_THEY_STAND},
            "rules": dict(self.rules),
            "players": self.players,
            "teams": [list(side) for side in sides] if any(len(side) > 1 for side in sides) else None,
            "cuts": document.get("cuts") or [],
            "result": {**result, "forfeited": sorted(self.forfeited)},
            "faults": self.faults,
            "notes": self.notes,
            "rounds": self.rounds,
            "actions": [action.to_json() for action in self.actions],
            "faces": self.module.faces(self.rules) if self.module else None,
            "has_table": self.module is not None,
            "secret_phases": list(self.module.SECRET_PHASES) if self.module else [],
            "problem": self.problem,
            "steps": self.steps,
        }

    def add(
        self,
        kind: str,
        round: int | None,
        event: int | str | None,
        seat: int | None = None,
        *,
        text: list[Json],
        **more: Json,
    ) -> dict[str, Json]:
        step = {"kind": kind, "round": round, "event": event, "seat": seat, "text_parts": text, **more}
        self.steps.append(step)
        return step

    def add_faults(self, round: int, events: int, *, started: bool = True) -> None:
        """The forfeits at this moment; those of bots that never started come before the first deal."""
        for number, fault in enumerate(self.faults):
            if (fault["round"], fault["event"]) != (round, events) or "step" in fault:
                continue
            if not started and fault["kind"] != "start":
                continue
            self.forfeited.append(fault["seat"])
            fault["step"] = len(self.steps)
            step = self.add(
                "fault", round, events, fault["seat"], text=[f"forfeits the match: {fault['kind']}"], fault=number
            )
            self.change(step, lambda now: now.update(forfeited=sorted(self.forfeited)))

    def change(self, step: dict[str, Json], make: Any) -> None:
        """The table has changed by `make`, and the step says in what."""
        if self.table is None:
            return
        now = self.table.now
        before = {**now, "hands": dict(now["hands"]), "hand_values": dict(now["hand_values"])}
        make(now)
        changed = {name: value for name, value in now.items() if value != before[name]}
        for name in ("hands", "hand_values"):
            if name in changed:
                changed[name] = {seat: value for seat, value in now[name].items() if before[name].get(seat) != value}
        if changed:
            step["set"] = changed

    def await_choice(self, round: int, events: int) -> None:
        """The table says who is to choose after so many events of the round."""
        moment = self.moments.get((round, events))
        if self.table is not None:
            self.table.now.update(
                turn=moment.seat if moment else None,
                phase=moment.phase if moment else "forced",
                drawn=moment.drawn if moment else None,
            )

    def tell_round(self, index: int, played: Mapping[str, Json]) -> None:
        entry = {name: played[name] for name in ("round", "kind", "dealer", "seats")}
        self.rounds.append({"step": len(self.steps), **entry})
        if self.module is not None:
            self.table = self.module.Table(self.rules, played, self.totals, sorted(self.forfeited))
        self.await_choice(index, 0)
        name = "Playoff" if played["kind"] == "playoff" else "Round"
        step = self.add("deal", index, -1, text=[f"{name} {played['round']}: seat {played['dealer']} deals"])
        if self.table is not None:
            now = self.table.now
            step["table"] = {**now, "hands": dict(now["hands"]), "hand_values": dict(now["hand_values"])}
        self.add_faults(index, 0)
        chosen = {(moment.event): moment for (at, _), moment in self.moments.items() if at == index}
        for at, event in enumerate(played["events"]):
            self.tell_event(index, at, event, chosen.get(at))
            self.add_faults(index, at + 1)
        end = played["end"]
        by = "" if end["by"] is None else f" by seat {end['by']}"
        step = self.add(
            "round_end",
            index,
            "end",
            end["by"],
            text=[f"{name} {played['round']} ends: {end['reason'].replace('_', ' ')}{by}"],
            reason=end["reason"],
            penalties=end["penalties"],
            totals=end["totals"],
        )
        self.totals = end["totals"]
        self.change(step, lambda now: now.update(totals=self.totals, turn=None, phase="over", drawn=None))
        self.rounds[-1].update(last=len(self.steps) - 1, reason=end["reason"], by=end["by"])

    def tell_event(self, index: int, at: int, event: Mapping[str, Json], moment: _Moment | None) -> None:
        do = event["do"]
        text, closed = self.describe(event)
        step = self.add("event", index, at, event["seat"], text=text, do=do)
        if closed is not None:
            step["closed_text_parts"] = closed
        cards = event.get("cards", [event["card"]] if "card" in event else [])
        if cards or "cards" in event:
            step["cards"] = list(cards)
        for name in ("suit", "total", "ms", "cpu_ms"):
            if name in event:
                step[name] = event[name]
        if event.get("standin"):
            step["standin"] = True
        if "stock" in event:
            step["count"] = len(event["stock"])
        if self.module is not None and do in self.module.PRIVATE:
            step.update(private=True, count=len(cards))
        if self.module is not None and do in self.module.SECRET:
            step["secret"] = True
        if moment is not None:
            step["legal"] = moment.legal
            if moment.chosen is not None and moment.chosen in moment.legal:
                step["chosen"] = moment.chosen

        def happen(now: dict[str, Json]) -> None:
            try:
                self.table.happen(event)
            except (KeyError, IndexError, AttributeError):
                if self.problem is None:
                    raise
            self.await_choice(index, at + 1)

        self.change(step, happen)

    def describe(self, event: Mapping[str, Json]) -> tuple[list[Json], list[Json] | None]:
        try:
            if self.module is not None:
                told: tuple[list[Json], list[Json] | None] = self.module.describe(event)
                return told
        except (KeyError, IndexError):
            if self.problem is None:
                raise
        cards: Sequence[str] = event.get("cards", [event["card"]] if "card" in event else [])
        return [event["do"].replace("_", " ") + " " * bool(cards), *({"card": card} for card in cards)], None

    def place_notes(self) -> None:
        """Each note belongs to the event of its moment, or to the end of the round where none followed."""
        by_place = {
            (step["round"], step["event"]): number for number, step in enumerate(self.steps) if step["kind"] != "fault"
        }
        for number, note in enumerate(self.notes):
            end = by_place.get((note["round"], "end"), len(self.steps) - 1)
            note["step"] = by_place.get((note["round"], note["event"]), end)
            self.steps[note["step"]].setdefault("notes", []).append(number)


__all__ = ["FORMAT", "ReplayError", "steps", "table_of", "views"]
