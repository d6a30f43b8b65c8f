-- name: page_ledger
-- purpose: where the logs of each night went, for one scorer
-- parameters: scorer, from_day, to_day (both included)
-- returns: the columns of trace.night_ledger
-- safe to re-run: yes, it only reads
select l.*
from trace.night_version as n
inner join trace.night_ledger as l on n.scorer = l.scorer and n.day = l.day and n.fingerprint = l.fingerprint
where n.scorer = :scorer and n.day between :from_day and :to_day
order by l.day
