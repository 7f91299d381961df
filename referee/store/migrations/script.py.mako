"""${message}."""

import sqlalchemy as sa
from alembic import op

revision = "${up_revision}"
down_revision = ${'"' + down_revision + '"' if down_revision else None}


def upgrade() -> None:
    ${upgrades if upgrades else "pass"}
