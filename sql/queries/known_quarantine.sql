-- name: known_quarantine
-- purpose: the quarantined logs between two moments
-- parameters: from_at, to_at (both ends included)
-- returns: logged_at, log_id, occurrence, input_hash
-- safe to re-run: yes, it only reads
select
    logged_at,
    log_id,
    occurrence,
    input_hash
from trace.quarantine
where logged_at >= :from_at and logged_at <= :to_at
