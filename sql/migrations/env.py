"""Alembic's entry: runs the revisions on the connection that `trace_pipeline.migrations` hands over."""

from alembic import context

connection = context.config.attributes["connection"]
context.configure(connection=connection, version_table_schema="trace", transaction_per_migration=False)
with context.begin_transaction():
    context.run_migrations()
