-- name: anchor_states
-- purpose: the stored verdicts on a scorer, by night and metric
-- parameters: scorer (name)
-- returns: night, fingerprint, metric, state
-- safe to re-run: yes, it only reads
select
    night,
    fingerprint,
    metric,
    state
from trace.anchor_check
where scorer = :scorer
order by night, metric
