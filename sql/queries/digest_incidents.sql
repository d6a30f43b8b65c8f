-- name: digest_incidents
-- purpose: the incidents of which a digest speaks
-- parameters: scorer, first_day, last_day
-- returns: incident_id, metric, onset_day, opened_day, closed_day, dimension, value; those that are open at the end of
--          the days, opened in them or closed in them
-- safe to re-run: yes, it only reads
select
    i.incident_id,
    i.metric,
    i.onset_day,
    i.opened_day,
    i.closed_day,
    i.dimension,
    i.value
from trace.incident_history as i
where
    i.scorer = :scorer and i.opened_day <= :last_day
    and coalesce(i.closed_day, 'infinity') >= :first_day
order by i.opened_day, i.incident_id
