-- name: owing_days
-- purpose: the days that hold logs which were drawn for a judge but which its budget did not reach
-- parameters: scorer_ids, zone (whose midnight parts the days), before (a moment)
-- returns: day, owed (logs), oldest first
-- safe to re-run: yes, it only reads
select
    cast(timezone(:zone, e.logged_at) as date) as day,
    count(*) as owed
from trace.evaluation as e
where e.scorer_id = any(:scorer_ids) and e.reason = 'budget' and e.logged_at < :before
group by day
order by day
