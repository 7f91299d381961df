"""Indexes that both databases use.

SQLite uses a partial index only where the query repeats its condition word for word, which states given as values
never do: live fixtures are found by whole indexes now.
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
FAULT = sa.text("cause <> 'completed'")


def upgrade() -> None:
    op.drop_index("ix_fixtures_live", "fixtures")
    op.drop_index("ix_fixtures_state", "fixtures")
    op.create_index("ix_fixtures_live", "fixtures", ["tournament_id", "state", "id"])
    op.create_index("ix_fixtures_state", "fixtures", ["state", "id"])
    op.drop_index("ix_matches_cause", "matches")
    op.create_index("ix_matches_faults", "matches", ["id"], sqlite_where=FAULT, postgresql_where=FAULT)
