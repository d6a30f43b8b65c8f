"""A good and a wrong value of each setting."""

from __future__ import annotations

from typing import Any

from trace_pipeline.settings import Settings

# Setting -> (as an environment variable, as TOML, the value of both).
VALUES: dict[str, tuple[str, str, Any]] = {
    "source.table_schema": ("app", '"app"', "app"),
    "source.table": ('we"ird; drop table x', "'we\"ird; drop table x'", 'we"ird; drop table x'),
    "source.columns.log_id": ("Id", '"Id"', "Id"),
    "source.columns.logged_at": ("at", '"at"', "at"),
    "source.columns.question": ("q", '"q"', "q"),
    "source.columns.documents": ("docs", '"docs"', "docs"),
    "source.columns.response": ("r", '"r"', "r"),
    "source.columns.ground_truth": ("", '""', None),
    "source.columns.segments": ("labels", '"labels"', "labels"),
    "source.segment_columns": (
        "tenant=Tenant, plan=Plan Name",
        '{tenant="Tenant", plan="Plan Name"}',
        {"tenant": "Tenant", "plan": "Plan Name"},
    ),
    "source.document_text_fields": ("body, text", '["body", "text"]', ("body", "text")),
    "source.time_zone": ("Europe/Berlin", '"Europe/Berlin"', "Europe/Berlin"),
    "source.statement_timeout_seconds": ("60", "60", 60),
    "segments": ("tenant,model", '["tenant", "model"]', ("tenant", "model")),
    "segment_values": ("10", "10", 10),
    "scorers": ("heuristic,other", '["heuristic", "other"]', ("heuristic", "other")),
    "day_time_zone": ("Asia/Tokyo", '"Asia/Tokyo"', "Asia/Tokyo"),
    "schedule": ("30 3 * * *", '"30 3 * * *"', "30 3 * * *"),
    "late_days": ("0", "0", 0),
    "batch_rows": ("10", "10", 10),
    "max_batches": ("2", "2", 2),
    "max_log_bytes": ("1000", "1000", 1_000),
    "max_documents": ("5", "5", 5),
    "import_folder": ("s3://c@b/x", '"s3://c@b/x"', "s3://c@b/x"),
    "import_refused_folder": ("/srv/x", '"/srv/x"', "/srv/x"),
    "store_annotations": ("false", "false", False),
    "watch_metrics": ("average", '["average"]', ("average",)),
    "watch_history_days": ("90", "90", 90),
    "retention_days": ("365", "365", 365),
    "drift": ('{"threshold": 4.5}', "{threshold = 4.5}", {"threshold": 4.5}),
    "alerts.quiet_hours": ("22:00-07:00", '"22:00-07:00"', "22:00-07:00"),
    "alerts.remind_days": ("7", "7", 7),
    "alerts.weekly_digest": ("true", "true", True),
    "telemetry.otlp_endpoint": ("http://127.0.0.1:4318", '"http://127.0.0.1:4318"', "http://127.0.0.1:4318"),
    "telemetry.events": ("all", '"all"', "all"),
    "telemetry.max_events": ("5", "5", 5),
    "lineage.results": (
        "db.example.org:5432/trace",
        '"db.example.org:5432/trace"',
        "db.example.org:5432/trace",
    ),
    "lineage.source": ("logs.example.org/app", '"logs.example.org/app"', "logs.example.org/app"),
    "alerts.channels": (
        "log, mailto://a:b@c?to=x,y",
        '["log", "mailto://a:b@c?to=x,y"]',
        ("log", "mailto://a:b@c?to=x,y"),
    ),
    "air_gap": ("true", "true", True),
    "allowed_hosts": (
        "127.0.0.1, judge.example.org",
        '["127.0.0.1", "judge.example.org"]',
        ("127.0.0.1", "judge.example.org"),
    ),
    "label_days": ("7", "7", 7),
    "judge.endpoint": ("http://127.0.0.1:8000/v1", '"http://127.0.0.1:8000/v1"', "http://127.0.0.1:8000/v1"),
    "judge.model": ("m-1", '"m-1"', "m-1"),
    "judge.answering_model": ("m-1-2026", '"m-1-2026"', "m-1-2026"),
    "judge.structured_output": ("none", '"none"', "none"),
    "judge.temperature": ("0.5", "0.5", 0.5),
    "judge.seed": ("", '""', None),
    "judge.context_tokens": ("8000", "8000", 8_000),
    "judge.answer_tokens": ("500", "500", 500),
    "judge.timeout_seconds": ("5", "5", 5.0),
    "judge.attempts": ("2", "2", 2),
    "judge.concurrency": ("8", "8", 8),
    "judge.calls_per_night": ("", '""', None),
    "judge.tokens_per_night": ("1000", "1000", 1_000),
    "judge.money_per_night": ("2.5", "2.5", 2.5),
    "judge.price_per_million_input_tokens": ("0.15", "0.15", 0.15),
    "judge.price_per_million_output_tokens": ("0.6", "0.6", 0.6),
    "judge.sampling_rate": ("0.5", "0.5", 0.5),
    "judge.sampling_segment": ("model", '"model"', "model"),
    "judge.sampling_least": ("0", "0", 0),
    "judge.doubt_low": ("0.3", "0.3", 0.3),
    "judge.doubt_high": ("0.7", "0.7", 0.7),
    "judge.settle_refusals": ("false", "false", False),
    "judge.store_explanations": ("false", "false", False),
    "judge.redact": ("email,card", '["email", "card"]', ("email", "card")),
    "judge.redaction_hook": ("our.privacy:find", '"our.privacy:find"', "our.privacy:find"),
    "judge.anchor": ("false", "false", False),
    "nli.model_folder": ("/srv/nli", '"/srv/nli"', "/srv/nli"),
    "nli.threshold": ("0.7", "0.7", 0.7),
    "nli.sentence_pairs": ("3", "3", 3),
    "nli.batch_pairs": ("8", "8", 8),
    "nli.max_tokens": ("256", "256", 256),
    "nli.threads": ("2", "2", 2),
    "alerts.link_base_url": ("https://airflow", '"https://airflow"', "https://airflow"),
}
WRONG: dict[str, str] = {
    "source.table_schema": "",
    "source.table": "x" * 64,
    "source.columns.log_id": "",
    "source.columns.logged_at": "",
    "source.columns.question": "",
    "source.columns.documents": "",
    "source.columns.response": "",
    "source.columns.ground_truth": "x" * 64,
    "source.columns.segments": "x" * 64,
    "source.segment_columns": "tenant",
    "source.document_text_fields": ",",
    "source.time_zone": "Mars/Olympus",
    "source.statement_timeout_seconds": "0",
    "segments": "a,a",
    "segment_values": "0",
    "scorers": "",
    "day_time_zone": "../../etc/passwd",
    "schedule": "at night",
    "late_days": "-1",
    "batch_rows": "0",
    "max_batches": "501",
    "max_log_bytes": "many",
    "max_documents": "1.5",
    "import_folder": "logs",
    "import_refused_folder": "logs",
    "air_gap": "perhaps",
    "allowed_hosts": "a,a",
    "label_days": "0",
    "judge.endpoint": "judge.example.org",
    "judge.model": "x" * 201,
    "judge.answering_model": "x" * 201,
    "judge.structured_output": "yaml",
    "judge.temperature": "3",
    "judge.seed": "-1",
    "judge.context_tokens": "10",
    "judge.answer_tokens": "0",
    "judge.timeout_seconds": "0",
    "judge.attempts": "0",
    "judge.concurrency": "0",
    "judge.calls_per_night": "-1",
    "judge.tokens_per_night": "-1",
    "judge.money_per_night": "-1",
    "judge.price_per_million_input_tokens": "-1",
    "judge.price_per_million_output_tokens": "free",
    "judge.sampling_rate": "0",
    "judge.sampling_segment": "x" * 201,
    "judge.sampling_least": "-1",
    "judge.doubt_low": "1.5",
    "judge.doubt_high": "-1",
    "judge.settle_refusals": "perhaps",
    "judge.store_explanations": "perhaps",
    "judge.redact": "faces",
    "judge.redaction_hook": "our privacy",
    "judge.anchor": "perhaps",
    "nli.model_folder": "models",
    "nli.threshold": "2",
    "nli.sentence_pairs": "0",
    "nli.batch_pairs": "0",
    "nli.max_tokens": "1",
    "nli.threads": "0",
    "store_annotations": "perhaps",
    "watch_metrics": "kindness",
    "watch_history_days": "10",
    "retention_days": "never",
    "drift": '{"patience": 3}',
    "alerts.quiet_hours": "at night",
    "alerts.remind_days": "0",
    "alerts.weekly_digest": "sometimes",
    "telemetry.otlp_endpoint": "grpc://user:secret@host",
    "telemetry.events": "some",
    "lineage.results": "user:secret@host/trace",
    "lineage.source": "host",
    "telemetry.max_events": "-1",
}


def variable(name: str) -> str:
    """Return the environment variable of a setting."""
    return "TRACE_" + name.replace(".", "__").upper()


def value_of(settings: Settings, name: str) -> Any:
    """Return a setting by its dotted name."""
    found: Any = settings
    for part in name.split("."):
        found = getattr(found, part)
    return found


def names(model: Any = Settings, before: str = "") -> list[str]:
    """Return the dotted name of every setting there is."""
    found = []
    for name, field in model.model_fields.items():
        nested = hasattr(field.annotation, "model_fields")
        found += names(field.annotation, f"{before}{name}.") if nested else [f"{before}{name}"]
    return found
