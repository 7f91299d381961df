"""The tables, by topic. A table class is the one description of its columns; a test compares the migrations with it."""

from sqlmodel import SQLModel

from referee.store.models.accounts import AuditRecord, Request, Setting, Token, User
from referee.store.models.bots import Bot, Submission, Version
from referee.store.models.fixtures import Block, Entry, Fixture, Tournament, VoidRecord
from referee.store.models.results import (
    BlockPair,
    Match,
    MatchLog,
    Pair,
    PairSum,
    RatingSnapshot,
    Replay,
    Seat,
    SeatSum,
)
from referee.store.models.services import Lease, Machine, Service

metadata = SQLModel.metadata

__all__ = [
    "AuditRecord",
    "Block",
    "BlockPair",
    "Bot",
    "Entry",
    "Fixture",
    "Lease",
    "Machine",
    "Match",
    "MatchLog",
    "Pair",
    "PairSum",
    "RatingSnapshot",
    "Replay",
    "Request",
    "Seat",
    "SeatSum",
    "Service",
    "Setting",
    "Submission",
    "Token",
    "Tournament",
    "User",
    "Version",
    "VoidRecord",
    "metadata",
]
