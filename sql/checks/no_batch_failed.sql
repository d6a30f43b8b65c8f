-- name: no_batch_failed
-- purpose: every log of the days was reached by a batch
-- parameters: scorer_ids, days, from_at, to_at (not used: the ledger is small)
-- returns: one sentence a day with logs that no batch reached
-- severity: fail, because such a night is not complete; the next night takes its logs up again
-- safe to re-run: yes, it only reads
select format(
    '%s, scorer %s: %s of %s logs were not reached, because their batch failed. Clear the failed tasks, or let the next night take them up.',
    l.day, s.name, l.reasons ->> 'batch_failed', l.source_rows
) as finding
from trace.ledger as l
inner join trace.scorer as s on l.scorer_id = s.scorer_id
where
    l.scorer_id = any(:scorer_ids) and l.day = any(cast(:days as date[]))
    and cast(:from_at as timestamptz) < cast(:to_at as timestamptz)
    and l.reasons ? 'batch_failed'
order by l.day
