"""Runs ../${up_revision}.sql."""

from alembic import op

from trace_pipeline.migrations import run_file

revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply the file of the same name."""
    run_file(op.get_bind(), f"migrations/{revision}.sql")
