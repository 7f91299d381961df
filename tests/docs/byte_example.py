"""The example of protos/README.md: three messages of one decision, by the code that sends them."""

from __future__ import annotations

from protos.ninefold.v1 import table_pb2
from referee.games.base import Action
from referee.games.nines.view import Discard, View
from referee.match.seat import Turn
from referee.service.table_codec import encoder_of

VIEW = View(
    seat=0, hand=("AC", "AH", "QH"), upcard="7H", active_suit="H", discards=(Discard("7H", None, ""),), hand_sizes=(3, 7),
    stock_size=34, direction=1, dealer=1, scores=(0, 12), round=2, playoff=False, players=(0, 1), phase="turn", drawn="",
    turns=8, reshuffles=0, forfeited=(),
)  # fmt: skip
LEGAL = (Action("play", ("AH",)), Action("play", ("QH",)))
EVENTS = [{"seat": 1, "do": "draw", "count": 1}]


def legal() -> tuple[Action, ...]:
    """The two actions as the game has them."""
    from referee.games.nines.moves import INTERNED

    return tuple(INTERNED[action] for action in LEGAL)


def messages() -> dict[str, bytes]:
    """By name of the block in the README."""
    turn = Turn(VIEW, legal(), EVENTS, 9_750.0, 2.5)
    return {
        "hello": table_pb2.FromBot(hello=table_pb2.Hello(client="my-bot")).SerializeToString(),
        "turn": encoder_of("nines").turn(7, turn, 10_000, 100, "cpu"),
        "choice": table_pb2.FromBot(choice=table_pb2.Choice(decision=7, index=1, note="queen")).SerializeToString(),
    }


def framed(message: bytes) -> bytes:
    """As gRPC sends it: a byte 0 (not compressed), four bytes of length, the message."""
    return b"\0" + len(message).to_bytes(4, "big") + message
