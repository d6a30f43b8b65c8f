-- name: page_quarantined
-- purpose: logs that could not be read, the latest first, one page
-- parameters: reason (empty for any), from_at, to_at (excluded), before_at, before_id (null for the first page), most
-- returns: log_id, logged_at, reason, detail, segments, first_seen, last_seen
-- safe to re-run: yes, it only reads
select
    log_id,
    logged_at,
    reason,
    detail,
    segments,
    first_seen,
    last_seen
from trace.quarantined_log
where
    logged_at >= :from_at and logged_at < :to_at
    and (:reason = '' or reason = :reason)
    and (
        cast(:before_at as timestamptz) is null
        or (logged_at, log_id) < (cast(:before_at as timestamptz), cast(:before_id as text))
    )
order by logged_at desc, log_id desc
limit :most
