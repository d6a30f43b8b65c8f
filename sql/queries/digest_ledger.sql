-- name: digest_ledger
-- purpose: the ledger of a digest's days, one row a day
-- parameters: scorer, from_day, last_day
-- returns: day, source_rows, scored, quarantined, sampled_out, reasons (reason -> count)
-- safe to re-run: yes, it only reads
select
    l.day,
    l.source_rows,
    l.scored,
    l.quarantined,
    l.sampled_out,
    l.reasons
from trace.night_ledger as l
inner join trace.night_version as v on l.scorer = v.scorer and l.day = v.day and l.fingerprint = v.fingerprint
where l.scorer = :scorer and l.day between :from_day and :last_day
order by l.day
