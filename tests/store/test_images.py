"""Which images a machine must not throw away: of active versions, and of whatever a tournament under way may start."""

from __future__ import annotations

from referee.store.commands import submissions, tournaments
from referee.store.engine import Store
from referee.store.queries.bots import images_in_use
from tests.store import league as small


def admit(store: Store, name: str, image: str, owner: int) -> None:
    number = submissions.submit(store, owner, "0" * 64, 10)
    claim = submissions.claim_submission(store, number, worker="test")
    assert claim is not None
    submissions.name_submission(store, claim, name=name, digest=image * 64, games=["nines"], runtime="python")
    assert submissions.admit_submission(store, claim, image=image, content_digest=image * 64)


def test_active_versions_and_running_tournaments_keep_their_images(store: Store) -> None:
    owner = small.author(store)
    admit(store, "anna", "1", owner)
    admit(store, "bert", "2", owner)
    assert images_in_use(store) == {"1", "2"}
    small.create(store, ["anna", "bert"])
    admit(store, "anna", "3", owner)
    assert images_in_use(store) == {"1", "2", "3"}, "the tournament still plays the old version"
    submissions.set_retired(store, "bert", True, by="org")
    assert images_in_use(store) == {"1", "2", "3"}, "retired, and still playing"
    tournaments.cancel(store, "cup", by="org")
    assert images_in_use(store) == {"3"}
