-- name: known_hashes
-- purpose: what is already known of the logs between two moments, to leave alone what has not changed
-- parameters: scorer_ids, from_at, to_at (both ends included)
-- returns: scorer_id, logged_at, log_id, input_hash (empty for evaluations to try again: failed, or the budget was spent),
--          owed_hash (the true hash, where the log was drawn for a judge that is to be asked again), inclusion_probability
-- safe to re-run: yes, it only reads
select
    scorer_id,
    logged_at,
    log_id,
    case when status = 'failed' or reason = 'budget' then '' else input_hash end as input_hash,
    case when decided_by = 'judge' and (status = 'failed' or reason = 'budget') then input_hash end as owed_hash,
    inclusion_probability
from trace.evaluation
where scorer_id = any(:scorer_ids) and logged_at >= :from_at and logged_at <= :to_at
