-- name: erase_days
-- purpose: the days of the collected logs
-- parameters: zone
-- returns: day
-- safe to re-run: yes, it only reads
select distinct cast(timezone(:zone, logged_at) as date) as day
from trace_erased
order by day
