"""Runs ../0002_watch.sql."""

from alembic import op

from trace_pipeline.migrations import run_file

revision = "0002_watch"
down_revision = "0001_initial"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply the file of the same name."""
    run_file(op.get_bind(), f"migrations/{revision}.sql")
