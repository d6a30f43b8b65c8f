-- name: stored_incidents
-- purpose: the incidents of a series; withdrawn ones come last, for a change that restated nights show again is the
--          incident that people were told of, not a new one
-- parameters: scorer, metric
-- returns: incident_id, opened_day, onset_day, closed_day
-- safe to re-run: yes, it only reads
select
    incident_id,
    opened_day,
    onset_day,
    closed_day
from trace.incident
where scorer = :scorer and metric = :metric
order by (state = 'withdrawn'), opened_day
