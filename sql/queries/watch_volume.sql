-- name: watch_volume
-- purpose: the number of source rows of each night; of a day scored by several fingerprints the newest one's
-- parameters: scorer (name), history_days
-- returns: day, source_rows
-- safe to re-run: yes, it only reads
select distinct on (l.day)
    l.day,
    l.source_rows
from trace.ledger as l
inner join trace.scorer as s on l.scorer_id = s.scorer_id
where
    s.name = :scorer
    and l.day > (
        select max(x.day)
        from trace.ledger as x
        inner join trace.scorer as y on x.scorer_id = y.scorer_id
        where y.name = :scorer
    ) - cast(:history_days as integer)
order by l.day, l.scorer_id desc
