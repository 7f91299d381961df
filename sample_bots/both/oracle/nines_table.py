"""Nines as the oracle imagines it: a world is one guess at the hidden cards, played out by a fast policy."""

from referee.games.base import Action
from referee.games.nines.position import from_position

COST = {rank: cost for cost, ranks in ((10, "TJQK"), (1, "A")) for rank in ranks} | {str(n): n for n in range(2, 9)}
KEPT = 30_000


class Chance:
    """Reshuffles of an imagined round."""

    def __init__(self, rng):
        self.rng = rng

    def shuffle(self, label, cards):
        cards = list(cards)
        self.rng.shuffle(cards)
        return cards

    def below(self, label, n):
        return self.rng.randrange(n)


class Table:
    def __init__(self, seat, rules, rng):
        self.seat, self.rules, self.rng, self.chance = seat, rules, rng, Chance(rng)
        self.best = {}

    def round_start(self, start):
        pass

    def observe(self, event):
        pass

    def candidates(self, view, legal):
        """The actions worth looking at, the policy's choice first: a nine names a suit still held, if any."""
        held = {card.suit for card in view.hand if card.rank != "9"}
        nines = {action.cards[-1] for action in legal if action.do == "play" and action.suit}
        first = min(nines, default=None)
        worth = []
        for action in legal:
            if action.suit and held and action.suit not in held:
                continue
            if action.do == "play" and action.suit and len(action.cards) == 1 and action.cards[0] != first:
                continue  # nines differ only in the suit they lose
            worth.append(action)
        worth = worth or list(legal)
        length = {suit: sum(card.suit == suit for card in view.hand if card.rank != "9") for suit in "CDHS"}
        worth.sort(
            key=lambda a: (a.do != "keep", not a.suit, a.penalty_shed if not a.suit else length[a.suit]), reverse=True
        )
        return worth

    def world(self, view, known):
        """One guess, as a round to be played on."""
        guess = known.guess(self.rng)
        position = {
            "hands": guess.hands,
            "stock": guess.stock,
            "discards": known.pile,
            "upcard": view.upcard,
            "active_suit": view.active_suit or None,
            "direction": view.direction,
            "dealer": view.dealer,
            "seats": view.players,
            "totals": view.scores,
            "reshuffles": view.reshuffles,
            "passes": known.passes,
            "turns": view.turns,
            "phase": view.phase,
            "drawn": view.drawn,
            "seat": self.seat,
        }
        return from_position(self.rules, position, self.chance)

    def play_out(self, world, action):
        """What the seat gains on the others, on average, when it does that now and everyone follows the policy."""
        world.apply(world.resolve(Action(action.do, action.cards, action.suit)))
        best = self.best
        while world.end is None:
            legal = world.legal()
            known = best.get(id(legal))
            if known is None:
                if len(best) > KEPT:
                    best.clear()
                known = best[id(legal)] = (legal, self.policy(legal))  # holding `legal` keeps its id its own
            choice = known[1]
            if choice is None:
                choice = self.name_suit(world, legal)
            world.apply(choice)
        penalties = world.end.penalties
        mine = penalties[self.seat]
        return (sum(penalties.values()) - mine) / (len(penalties) - 1) - mine

    def policy(self, legal):
        """The dearest card that is no nine; None where a suit must be named first."""
        plain = [action for action in legal if action.do == "play" and not action.suit]
        if plain:
            return max(plain, key=lambda action: COST[action.cards[-1][0]])
        return None

    def name_suit(self, world, legal):
        """Among nines (and naming): the suit most held."""
        hand = world.hand(world.turn)
        length = dict.fromkeys("CDHS", 0)
        for card in hand:
            if card[0] != "9":
                length[card[1]] += 1
        return max((action for action in legal if action.suit), key=lambda action: length[action.suit])
