-- name: 0001_initial
-- purpose: the schema `trace` of release 0.1: source, scorers, evaluations, quarantine, ledger, daily sums
-- parameters: none
-- returns: nothing
-- safe to re-run: no; Alembic runs it once

create table trace.rag_log (
    log_id text primary key,
    logged_at timestamptz not null,
    question text,
    documents jsonb,
    response text,
    ground_truth text,
    segments jsonb not null default '{}',
    metadata jsonb not null default '{}'
);
comment on table trace.rag_log is 'One logged answer of a RAG system: the default source. Nothing but its owner writes it.';
comment on column trace.rag_log.logged_at is 'When the answer was given; its day in day_time_zone decides the night.';
comment on column trace.rag_log.documents is 'Array of strings, or of objects with the text in text, content or page_content.';
comment on column trace.rag_log.segments is 'Object of names and values that get a trend of their own: app_version, tenant, ...';
create index rag_log_logged_at on trace.rag_log (logged_at, log_id collate "C");

create table trace.scorer (
    scorer_id integer generated always as identity primary key,
    name text not null,
    fingerprint text not null,
    parameters jsonb not null,
    first_seen timestamptz not null default now(),
    last_seen timestamptz not null default now(),
    constraint scorer_is_its_fingerprint unique (name, fingerprint)
);
comment on table trace.scorer is 'A scorer with its fingerprint: results of two fingerprints never share a trend line.';
comment on column trace.scorer.fingerprint is 'Hash of code version, sentence splitter, parameters and weights.';

create table trace.evaluation (
    scorer_id integer not null references trace.scorer,
    logged_at timestamptz not null,
    log_id text not null,
    input_hash text not null,
    status text not null,
    reason text,
    response_kind text,
    relevance double precision,
    utilization double precision,
    adherence double precision,
    completeness double precision,
    average double precision,
    adherence_probability double precision,
    undefined jsonb not null default '{}',
    annotation jsonb,
    segments jsonb not null default '{}',
    inclusion_probability double precision not null default 1,
    run_id text not null,
    evaluated_at timestamptz not null default now(),
    primary key (scorer_id, logged_at, log_id),
    constraint evaluation_status check (
        status in (
            'scored',      -- at least one metric has a value
            'skipped',     -- readable, but there is nothing to score: the reason says what
            'sampled_out', -- left out by the sampling rate or the budget of an expensive scorer
            'failed'       -- the scorer broke on it; tried again by the next night
        )
    ),
    constraint evaluation_reason check ((status = 'scored') = (reason is null)),
    constraint evaluation_response_kind check (response_kind in ('answer', 'refusal', 'empty')),
    constraint evaluation_relevance check (relevance between 0 and 1),
    constraint evaluation_utilization check (utilization between 0 and 1),
    constraint evaluation_adherence check (adherence between 0 and 1),
    constraint evaluation_completeness check (completeness between 0 and 1),
    constraint evaluation_average check (average between 0 and 1),
    constraint evaluation_adherence_probability check (adherence_probability between 0 and 1),
    constraint evaluation_inclusion_probability check (
        inclusion_probability > 0 and inclusion_probability <= 1
    )
) partition by range (logged_at);
comment on table trace.evaluation is 'One log scored by one fingerprint. Holds keys, numbers and reasons, never the text of a log.';
comment on column trace.evaluation.input_hash is 'Hash of what was scored; another one in the source means: score again.';
comment on column trace.evaluation.undefined is 'Metric -> reason for each metric without a value.';
comment on column trace.evaluation.annotation is 'RAGBench keys of relevant, utilized and unsupported sentences.';

create table trace.quarantine (
    log_id text not null,
    logged_at timestamptz not null,
    occurrence integer not null default 0,
    reason text not null,
    detail text not null,
    input_hash text not null,
    segments jsonb not null default '{}',
    run_id text not null,
    first_seen timestamptz not null default now(),
    last_seen timestamptz not null default now(),
    primary key (logged_at, log_id, occurrence)
);
comment on table trace.quarantine is 'A log that could not be read, and why. It leaves when a later run can read it.';
comment on column trace.quarantine.occurrence is '0; 1, 2 ... for further rows with the same id and time.';

create table trace.ledger (
    scorer_id integer not null references trace.scorer,
    day date not null,
    interval_start timestamptz not null,
    interval_end timestamptz not null,
    source_rows bigint not null,
    scored bigint not null,
    skipped bigint not null,
    quarantined bigint not null,
    sampled_out bigint not null,
    failed bigint not null,
    reasons jsonb not null default '{}',
    run_id text not null,
    updated_at timestamptz not null default now(),
    primary key (scorer_id, day),
    constraint ledger_balances check (
        source_rows = scored + skipped + quarantined + sampled_out + failed
    ),
    constraint ledger_counts check (
        least(source_rows, scored, skipped, quarantined, sampled_out, failed) >= 0
    ),
    constraint ledger_interval check (interval_start < interval_end)
);
comment on table trace.ledger is 'Where each source row of a day went, for each scorer. The sum is a constraint.';
comment on column trace.ledger.reasons is 'Reason -> count over the rows that were not scored.';

create table trace.daily_metric (
    scorer_id integer not null references trace.scorer,
    day date not null,
    dimension text not null,
    value text not null,
    metric text not null,
    n bigint not null,
    total numeric not null,
    squares numeric not null,
    histogram bigint[] not null,
    undefined bigint not null,
    unscored bigint not null,
    published_n bigint not null,
    published_total numeric not null,
    run_id text not null,
    updated_at timestamptz not null default now(),
    primary key (scorer_id, day, metric, dimension, value),
    constraint daily_metric_total check ((dimension = '') = (value = '')),
    constraint daily_metric_histogram check (cardinality(histogram) = 21),
    constraint daily_metric_counts check (least(n, undefined, unscored, published_n) >= 0)
);
comment on table trace.daily_metric is 'Sums of a metric over a day and segment: they merge exactly, in any order.';
comment on column trace.daily_metric.dimension is 'Segment name; empty for the whole day.';
comment on column trace.daily_metric.histogram is 'Rows per value 0, .05, .. 1, each value rounded half up to the grid.';
comment on column trace.daily_metric.undefined is 'Scored rows for which this metric has no value.';
comment on column trace.daily_metric.unscored is 'Rows skipped, quarantined, sampled out or failed.';
comment on column trace.daily_metric.published_n is 'n as first published; late logs change n, never this.';
comment on column trace.daily_metric.published_total is 'total as first published.';

create table trace.day_to_restate (
    scorer_id integer not null references trace.scorer,
    day date not null,
    primary key (scorer_id, day)
);
comment on table trace.day_to_restate is
'Days whose evaluations changed since their sums were made. Marked with the change, cleared with the sums: a run that dies in between forgets nothing.';
