-- name: doctor_last_verdict
-- purpose: the newest night of a scorer that the drift watch has judged
-- parameters: scorer
-- returns: day, or null
-- safe to re-run: yes, it only reads
select max(day)
from trace.drift_check
where scorer = :scorer
