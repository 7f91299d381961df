"""How large the image of a version is."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    with op.batch_alter_table("versions", schema=None) as batch_op:
        batch_op.add_column(sa.Column("image_bytes", BIG, nullable=False, server_default="0"))
