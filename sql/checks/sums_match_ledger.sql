-- name: sums_match_ledger
-- purpose: the day's total of each metric accounts for each row that is in the ledger and has an outcome
-- parameters: scorer_ids, days, from_at, to_at (not used: the sums are small)
-- returns: one sentence a line that differs
-- severity: fail, because a trend over other rows than the ledger's would be a trend of something else
-- safe to re-run: yes, it only reads
select format(
    'Sums of %s on %s, scorer %s: %s rows; the ledger accounts for %s.',
    d.metric, d.day, s.name, d.n + d.undefined + d.unscored + d.sampled_out, l.source_rows - coalesce(cast(l.reasons ->> 'batch_failed' as bigint), 0)
) as finding
from trace.daily_metric as d
inner join trace.ledger as l on d.scorer_id = l.scorer_id and d.day = l.day
inner join trace.scorer as s on d.scorer_id = s.scorer_id
where
    d.dimension = ''
    and d.scorer_id = any(:scorer_ids) and d.day = any(cast(:days as date[]))
    and cast(:from_at as timestamptz) < cast(:to_at as timestamptz)
    and d.n + d.undefined + d.unscored + d.sampled_out <> l.source_rows - coalesce(cast(l.reasons ->> 'batch_failed' as bigint), 0)
order by d.day, d.metric
