-- name: show_trend
-- purpose: the last nights' trend of a scorer, of a day scored by several fingerprints the newest one's
-- parameters: scorer, dimension, value, nights
-- returns: the columns of trace.metric_trend
-- safe to re-run: yes, it only reads
with newest as (
    select distinct on (l.day)
        l.day,
        l.scorer_id
    from trace.ledger as l
    inner join trace.scorer as s on l.scorer_id = s.scorer_id
    where s.name = :scorer
    order by l.day desc, l.source_rows > 0 desc, l.scorer_id desc
    limit :nights
)

select t.*
from newest as n
inner join trace.scorer as s on n.scorer_id = s.scorer_id
inner join trace.metric_trend as t on s.name = t.scorer and s.fingerprint = t.fingerprint and n.day = t.day
where t.dimension = :dimension and t.value = :value
order by t.day, t.metric
