-- name: show_ledger
-- purpose: the last nights' ledger
-- parameters: scorer, nights
-- returns: the columns of trace.night_ledger
-- safe to re-run: yes, it only reads
select *
from trace.night_ledger
where scorer = :scorer and day > (select max(day) from trace.night_ledger
where scorer = :scorer) - cast(:nights as integer)
order by day, fingerprint
