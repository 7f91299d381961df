"""Nine as the oracle imagines it: a world is one guess at the hidden cards, played out by a fast policy."""

from botkit.cards import CARDS, PACK_ORDER
from botkit.knowledge import NineKnowledge
from nines_table import Chance

from referee.games.base import Action
from referee.games.nine.position import from_position

MOST = 8  # discards looked at
DEARER = [sum(1 << PACK_ORDER[card] for card in CARDS.values() if card.value > value) for value in range(14)]
KEPT = 30_000
LOW = 3


class Reader(NineKnowledge):
    """Reads discards too: who sheds as much as it can keeps no dearer group than the one it put down."""

    def observe(self, event):
        super().observe(event)
        if event.do == "discard" and event.seat != self.seat:
            shed = min(13, sum(card.value for card in event.cards))
            self._hidden[event.seat] = [mask | DEARER[shed] for mask in self._hidden[event.seat]]

    def guess(self, rng):
        try:
            return super().guess(rng)
        except ValueError:  # they play otherwise: believe only what is certain
            self._hidden = {seat: [0] * len(masks) for seat, masks in self._hidden.items()}
            return super().guess(rng)


class Table:
    def __init__(self, seat, rules, rng):
        self.seat, self.rules, self.rng, self.chance = seat, rules, rng, Chance(rng)
        self.best = {}

    def round_start(self, start):
        self.reader = Reader(start, self.seat, self.rules)
        teams = self.rules["teams"] or len(start.players)
        self.side = [seat for seat in start.players if (seat - self.seat) % teams == 0]

    def observe(self, event):
        self.reader.observe(event)

    def candidates(self, view, legal):
        """The actions worth looking at, the policy's choice first."""
        if view.phase == "draw":
            return list(legal)
        dearest = sorted(legal, key=lambda action: action.penalty_shed, reverse=True)
        return dearest[:MOST]

    def world(self, view, known):
        """One guess, as a round to be played on."""
        guess = self.reader.guess(self.rng)
        position = {
            "hands": guess.hands, "stock": guess.stock, "discards": known.pile, "dealer": view.dealer,
            "totals": view.scores, "turns_taken": {str(s): n for s, n in enumerate(view.turns_taken)},
            "reshuffles": view.reshuffles, "phase": view.phase, "drawn": view.drawn, "seat": self.seat,
        }  # fmt: skip
        return from_position(self.rules, position, self.chance)

    def play_out(self, world, action):
        """What the seat gains on the others, on average, when it does that now and everyone follows the policy."""
        world.apply(Action(action.do, action.cards))
        best = self.best
        while world.end is None:
            legal = world.legal()
            if world.phase == "draw":
                world.apply(self.draw(world, legal))
                continue
            known = best.get(id(legal))
            if known is None:
                if len(best) > KEPT:
                    best.clear()
                dearest = max(legal, key=lambda a: sum(CARDS[card].value for card in a.cards))
                known = best[id(legal)] = (legal, dearest)  # holding `legal` keeps its id its own
            world.apply(known[1])
        penalties = world.end.penalties
        side = [penalties[seat] for seat in self.side]
        return (sum(penalties.values()) - sum(side)) / (len(penalties) - len(side)) - sum(side) / len(side)

    def draw(self, world, legal):
        """Call as soon as one may; take a low card; else draw."""
        if legal[0].do == "call" and self.rules["overcall"] == "forbidden":
            return legal[0]
        take = legal[-1]
        if take.do == "take_discard" and CARDS[world.top].value <= LOW:
            return take
        return next(action for action in legal if action.do != "call")
