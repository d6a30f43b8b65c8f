"""# trace_import

Imports files of other tools' logs into `trace.rag_log`, from the one folder that the setting `import_folder`
allows: a local one, or one of object storage.

- `list_files`: names the files at `path`, a file or a folder below `import_folder`.
- `import_file`: upserts one file, mapped over all of them; logs each refused row's reason, and counts them.

Importing a file again changes nothing. A file of which no row can be imported fails its task.
"""

from __future__ import annotations

from datetime import timedelta

from airflow.sdk import Param, dag
from trace_airflow.defaults import DEFAULT_ARGS, START, TAGS
from trace_airflow.failures import tell_failure
from trace_airflow.importing import import_file, list_files


@dag(
    dag_id="trace_import",
    description="Import files of logs from the allowed folder.",
    schedule=None,
    start_date=START,
    catchup=False,
    max_active_runs=1,
    dagrun_timeout=timedelta(hours=12),
    default_args=DEFAULT_ARGS,
    on_failure_callback=tell_failure,
    tags=TAGS,
    doc_md=__doc__,
    params={
        "path": Param("", type="string", description="File or folder below import_folder; empty = itself."),
        "format": Param("auto", type="string", description="Format of the files; auto = guessed for each."),
        "mapping": Param(
            None, type=["null", "string"], description="Mapping file below import_folder; empty = none."
        ),
        "time_zone": Param("UTC", type="string", description="Zone of times without one."),
        "logged_at": Param(
            None, type=["null", "string"], description="Time of rows without one; empty = such are refused."
        ),
    },
)
def trace_import() -> None:
    """Wire the import."""
    import_file.expand(name=list_files())


trace_import()
