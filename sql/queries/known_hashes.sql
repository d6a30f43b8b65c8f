-- name: known_hashes
-- purpose: what is already known of the logs between two moments, to leave alone what has not changed
-- parameters: scorer_ids, from_at, to_at (both ends included)
-- returns: scorer_id, logged_at, log_id, input_hash; failed evaluations are left out, so that they are tried again
-- safe to re-run: yes, it only reads
select
    scorer_id,
    logged_at,
    log_id,
    case when status = 'failed' then '' else input_hash end as input_hash
from trace.evaluation
where scorer_id = any(:scorer_ids) and logged_at >= :from_at and logged_at <= :to_at
