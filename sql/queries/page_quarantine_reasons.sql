-- name: page_quarantine_reasons
-- purpose: how many logs of a range of days could not be read, by reason
-- parameters: from_at, to_at (excluded)
-- returns: reason, logs, first_seen, last_seen
-- safe to re-run: yes, it only reads
select
    reason,
    count(*) as logs,
    min(first_seen) as first_seen,
    max(last_seen) as last_seen
from trace.quarantined_log
where logged_at >= :from_at and logged_at < :to_at
group by reason
order by logs desc, reason
