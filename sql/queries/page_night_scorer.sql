-- name: page_night_scorer
-- purpose: the scorer version that speaks for a night
-- parameters: scorer, day
-- returns: scorer_id
-- safe to re-run: yes, it only reads
select s.scorer_id
from trace.night_version as n
inner join trace.scorer_version as s on n.scorer = s.scorer and n.fingerprint = s.fingerprint
where n.scorer = :scorer and n.day = :day
