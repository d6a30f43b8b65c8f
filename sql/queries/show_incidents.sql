-- name: show_incidents
-- purpose: the incidents that touch the last nights
-- parameters: scorer, nights
-- returns: the columns of trace.incident_history
-- safe to re-run: yes, it only reads
select i.*
from trace.incident_history as i
where
    i.scorer = :scorer
    and coalesce(i.closed_day, 'infinity') > (
        select max(n.day) from trace.night_ledger as n
        where n.scorer = :scorer
    ) - cast(:nights as integer)
order by i.opened_day desc
