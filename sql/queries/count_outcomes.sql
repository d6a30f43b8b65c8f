-- name: count_outcomes
-- purpose: where the logs of one day went under one scorer, counted from the rows
-- parameters: scorer_id, from_at, to_at (excluded)
-- returns: outcome (scored, skipped, sampled_out, failed, quarantined), reason (null when scored), n
-- safe to re-run: yes, it only reads
select
    status as outcome,
    reason,
    count(*) as n
from trace.evaluation
where scorer_id = :scorer_id and logged_at >= :from_at and logged_at < :to_at
group by status, reason
union all
select
    'quarantined' as outcome,
    reason,
    count(*) as n
from trace.quarantine
where logged_at >= :from_at and logged_at < :to_at
group by reason
