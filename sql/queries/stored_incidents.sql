-- name: stored_incidents
-- purpose: the incidents of a series that are still believed in
-- parameters: scorer, metric
-- returns: incident_id, opened_day, onset_day, closed_day
-- safe to re-run: yes, it only reads
select
    incident_id,
    opened_day,
    onset_day,
    closed_day
from trace.incident
where scorer = :scorer and metric = :metric and state <> 'withdrawn'
order by opened_day
