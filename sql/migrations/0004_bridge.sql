-- name: 0004_bridge
-- purpose: refusals in the daily sums, and bridges: what a change of the scorer alone did to the scores
-- parameters: none
-- returns: nothing
-- safe to re-run: no; Alembic runs it once

alter table trace.daily_metric add column refused bigint not null default 0;
alter table trace.daily_metric add constraint daily_metric_refused check (refused >= 0);
comment on column trace.daily_metric.refused is 'Scored rows whose response is a refusal, whatever the metric.';

create table trace.scorer_bridge (
    from_scorer_id integer not null references trace.scorer,
    to_scorer_id integer not null references trace.scorer,
    metric text not null,
    n bigint not null,
    shift double precision not null,
    low double precision not null,
    high double precision not null,
    first_day date not null,
    last_day date not null,
    cells jsonb not null,
    run_id text not null,
    measured_at timestamptz not null default now(),
    primary key (from_scorer_id, to_scorer_id, metric),
    constraint scorer_bridge_n check (n > 0),
    constraint scorer_bridge_interval check (low <= shift and shift <= high),
    constraint scorer_bridge_days check (first_day <= last_day),
    constraint scorer_bridge_order check (from_scorer_id < to_scorer_id)
);
comment on table trace.scorer_bridge is
'Mean difference of a metric between two fingerprints over logs scored by both: the part of a change that is the scorer.';
comment on column trace.scorer_bridge.cells is
'By old histogram cell: logs, sums of the differences, and where the logs went; it carries old nights over to the new scale.';
comment on column trace.scorer_bridge.shift is 'New minus old, as a fraction; low and high are its 95 % interval.';
