-- name: night_ledger
-- purpose: what people read of the ledger
-- parameters: none
-- returns: one row a day and scorer fingerprint
-- safe to re-run: yes
create or replace view trace.night_ledger as
select
    l.day,
    s.name as scorer,
    s.fingerprint,
    l.source_rows,
    l.scored,
    l.skipped,
    l.quarantined,
    l.sampled_out,
    l.failed,
    l.reasons,
    l.interval_start,
    l.interval_end,
    l.updated_at,
    l.run_id
from trace.ledger as l
inner join trace.scorer as s on l.scorer_id = s.scorer_id;

comment on view trace.night_ledger is 'Where each source row of a day went: the counts sum to source_rows.';
comment on column trace.night_ledger.day is 'Day in day_time_zone.';
comment on column trace.night_ledger.scorer is 'Name of the scorer.';
comment on column trace.night_ledger.fingerprint is 'Version of the scorer: code, splitter, parameters, weights.';
comment on column trace.night_ledger.source_rows is 'Rows of the source in the day when its run read it.';
comment on column trace.night_ledger.scored is 'Rows with at least one metric.';
comment on column trace.night_ledger.skipped is 'Readable rows with nothing to score, such as an empty response.';
comment on column trace.night_ledger.quarantined is 'Rows that could not be read; see trace.quarantined_log.';
comment on column trace.night_ledger.sampled_out is 'Rows left out by the sampling rate or budget of a scorer.';
comment on column trace.night_ledger.failed is 'Rows on which the scorer broke, or that no batch reached.';
comment on column trace.night_ledger.reasons is 'Reason -> count over the rows that were not scored.';
comment on column trace.night_ledger.interval_start is 'First moment of the day.';
comment on column trace.night_ledger.interval_end is 'First moment of the next day.';
comment on column trace.night_ledger.updated_at is 'When the line was last written.';
comment on column trace.night_ledger.run_id is 'Run that wrote the line last: a DAG run, or the command line.';
