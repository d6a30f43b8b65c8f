-- name: few_scorer_errors
-- purpose: tell of logs on which a scorer broke
-- parameters: scorer_ids, days, from_at, to_at (not used: the ledger is small)
-- returns: one sentence a day
-- severity: warn, because the night is complete and the logs are named in trace.evaluation with status failed
-- safe to re-run: yes, it only reads
select format('%s, scorer %s: the scorer broke on %s of %s logs.', l.day, s.name, l.failed, l.source_rows) as finding
from trace.ledger as l
inner join trace.scorer as s on l.scorer_id = s.scorer_id
where
    l.scorer_id = any(:scorer_ids) and l.day = any(cast(:days as date[]))
    and cast(:from_at as timestamptz) < cast(:to_at as timestamptz)
    and l.failed > coalesce(cast(l.reasons ->> 'batch_failed' as bigint), 0)
order by l.day
