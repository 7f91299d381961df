"""Runs a migration inside the connection and transaction that `referee.store.schema` opened; nothing else calls it."""

from alembic import context

from referee.store.models import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
    compare_type=True,
    user_module_prefix="columns.",
)
with context.begin_transaction():
    context.run_migrations()
