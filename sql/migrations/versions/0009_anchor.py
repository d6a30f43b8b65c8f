"""Runs ../0009_anchor.sql."""

from alembic import op

from trace_pipeline.migrations import run_file

revision = "0009_anchor"
down_revision = "0008_judge_counts"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply the file of the same name."""
    run_file(op.get_bind(), f"migrations/{revision}.sql")
