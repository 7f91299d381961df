'''A replay as the steps a person watches: `steps(document)` is everything the viewer needs, as JSON.

The viewer never knows a rule. It shows step after step; what lies on the table is folded from the steps themselves.

Format `ninefold-steps/1`::

    { "format": "ninefold-steps/1",
      "game": "nines" | "nine" | …,  "match_id": "…",  "profile": "nines/strict" | null,  "rules": {option: value},
      "clock": {"bank_ms", "increment_ms", "charged"} | null,  "played": {"at", "attempt", "machine", "speed"} | null,
      "seats": [ {"bot": "greedy", "version": 3, "digest": "…"} ],      index = seat
      "players": 2,  "teams": [[0, 2], [1, 3]] | null,                  null: everyone for himself
      "first_dealer": 0,  "cuts": [ {"0": "7H", "1": "KC"} ],           as in the replay
      "result": {"totals": [0, 105], "places": [1, 2], "forfeited": [1]},
      "faults": [ FAULT ],  "notes": [ NOTE ],                          as in the replay, each with "step": index in steps
      "rounds": [ {"step": 1, "last": 40, "round": 1, "kind": "round" | "playoff", "dealer": 0, "seats": [0, 1],
                   "reason": "out", "by": 0} ],                         steps[step] is its deal, steps[last] its round_end
      "actions": [ ACTION ],                                            every action some `legal` names, once
      "faces": {"X1": FACE} | null,                                     how cards are drawn (Nine's skins); null: French suits
      "has_table": true,                                                false: no `table` and no `set` in any step
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
    "round"   index in `rounds`, from 0; in "start" null, in "result" null. A "fault" between two rounds has the index of the
              round that would follow, and may be one beyond the last
    "event"   "event": its index in the round's events; "deal": -1; "round_end": "end"; "fault": how many events the round
              had; "start" and "result": null
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
                     ["plays ", {"card": "9H"}, ", naming ", {"suit": "D"}]. For start, deal, round_end, result whole sentences
    "closed_text_parts"   the same for those who may not see the private part: ["draws a card"]. Only where it differs;
                     [] with "secret"
    "ms", "cpu_ms"   wall and processor time of the decision, null if unknown; keys absent where nobody decided
    "standin": true  the referee played for a bot that had forfeited
    "legal"          the decision's whole legal list as indices into `actions`, in the order the bot got it. It belongs to the
                     moment before the event: outline it on the previous step's table, or beside this step. It tells the
                     actor's hand, so show it only where that hand is open
    "chosen"         index into `actions` of what was chosen. Absent when equal cards were chosen in another order than listed
    "reason"         round_end: out deadlock max_turns call max_goarounds forfeit
    "penalties"      round_end: {"0": 0, "1": 25}, by seat
    "totals"         round_end, result: match totals by seat
    "places"         result: by seat, 1 = best
    "fault"          fault: its index in `faults`
    "notes"          indices in `notes` of what bots said at this step
    "table"          TABLE, whole; in every "deal" step
    "set"            what changed on the table since the step before; see below

TABLE, what lies open to someone who sees everything. `hands` and `hand_values` hold the seats that play this round, by seat
as text; lists by seat cover every seat of the match::

    "hands": {"0": ["3H", "9S"], "1": []}     sorted for reading
    "hand_values": {"0": 18, "1": 0}          what the hand would count if the round ended now
    "top": "7H"                               the top discard (the upcard); null if there is none
    "discards": 12                            how many lie on the discard pile
    "stock": 23                               how many lie in the stock
    "dealer": 0,  "seats": [0, 1],  "totals": [0, 80],  "forfeited": [1]
    "turn": 1 | null                          who decides next; null where what follows is nobody's choice
    "phase": "turn"                           of the next decision: name_suit turn drawn answer (Nines), draw discard (Nine);
                                              "forced" where nobody decides, "over" at the end
    "drawn": "9S" | null                      the card the seat of `turn` has just drawn or taken (phase drawn, discard)
    "reshuffles": 0
    Nines: "active_suit": "D" | null,  "named": true      the suit was named with a nine, not printed on the upcard
           "direction": 1 | -1
    Nine:  "go_around": 1,  "turns_taken": [1, 0]

`set` has the same keys: the value replaces the old one, except `hands` and `hand_values`, whose entries replace seat by seat.
The table of step n is the `table` of the last deal at or before n, with the `set` of every step after it up to n applied in order.
"start" has no table; "result" keeps the last one. "round_end" sets `totals`, `turn` null, `phase` "over".

A closed view: spectator: all `hands` face down, sizes are public. Seat s: only `hands[s]` open; `drawn` shown if `turn` is s.
Both: `cards` of "private" steps hidden unless `seat` is s, "secret" steps passed over unless `seat` is s, `legal` and
`hand_values` hidden with the hand. At "round_end" all hands are shown to everyone. The table says nothing else that is not public.

What bot s could see, as the bot got it: `views(document, step)` gives {"0": VIEW}, asked for one step at a time.

Example, two steps of a match of Nines::

    {"kind": "deal", "round": 0, "event": -1, "seat": null, "text_parts": ["Round 1: seat 0 deals"],
     "table": {"hands": {"0": ["AC", "9S"], "1": ["9D", "QH", "KC"]}, "hand_values": {"0": 16, "1": 35}, "top": "7H",
               "discards": 1, "stock": 30, "dealer": 1, "seats": [0, 1], "totals": [0, 80], "forfeited": [], "turn": 0,
               "phase": "turn", "drawn": null, "reshuffles": 0, "active_suit": "H", "named": false, "direction": 1}}
    {"kind": "event", "round": 0, "event": 0, "seat": 0, "do": "play", "cards": ["9S"], "suit": "C",
     "text_parts": ["plays ", {"card": "9S"}, ", naming ", {"suit": "C"}], "ms": 2.3, "cpu_ms": 1.9,
     "legal": [0, 1, 2, 3], "chosen": 0,
     "set": {"hands": {"0": ["AC"]}, "hand_values": {"0": 1}, "top": "9S", "discards": 2, "active_suit": "C", "named": true,
             "turn": 1}}
'''

from __future__ import annotations
