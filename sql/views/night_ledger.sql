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
    l.updated_at
from trace.ledger as l
inner join trace.scorer as s on l.scorer_id = s.scorer_id;

comment on view trace.night_ledger is 'Where each source row of a day went: the counts sum to source_rows.';
