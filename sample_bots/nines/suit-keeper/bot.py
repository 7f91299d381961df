"""Keeps to the suit it holds most of, saves its nines for when nothing else goes, sheds high cards first."""

from botkit import Bot, run


class SuitKeeper(Bot):
    def act(self, view, legal):
        length = {suit: sum(card.suit == suit for card in view.hand if card.rank != "9") for suit in "CDHS"}

        def worth(action):
            if action.do != "play":  # name_suit, keep, accept
                return (0, length.get(action.suit, 0), 0)
            if action.card.rank == "9":
                saved = len(view.hand) > 2 and min(view.hand_sizes[seat] for seat in view.players) > 1
                return (-1 if saved else 1, length[action.suit], 0)
            return (1, action.penalty_shed, length[action.card.suit])

        return max(legal, key=worth)


run(SuitKeeper())
