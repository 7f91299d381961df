"""{{name}}: plays Nines. Start here: change `worth` and see what wins more."""

from botkit import Bot, run


class MyBot(Bot):
    def act(self, view, legal):
        length = {suit: sum(card.suit == suit for card in view.hand if card.rank != "9") for suit in "CDHS"}

        def worth(action):
            if action.do in ("keep", "accept"):
                return -5
            if action.do == "name_suit":
                return length[action.suit]
            worth = action.penalty_shed + length[action.suit or action.card.suit]
            if action.card.rank == "9" and len(view.hand) > 3:
                worth -= 12  # a nine goes on anything: keep it while the hand is long
            return worth

        return max(legal, key=worth)


if __name__ == "__main__":
    run(MyBot())
