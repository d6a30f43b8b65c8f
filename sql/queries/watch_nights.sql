-- name: watch_nights
-- purpose: the sums of a scorer over the last nights; of a day scored by several fingerprints the newest one's
-- parameters: scorer (name), metric, history_days
-- returns: day, fingerprint, dimension, value, n, total, squares, histogram, undefined, unscored, refused, sampled_out,
--          weight, weighted_total, weighted_squares, design, design_total, design_squares, weighted_histogram (null
--          where each row stands for itself)
-- safe to re-run: yes, it only reads
with versions as (
    select
        s.scorer_id,
        s.fingerprint
    from trace.scorer as s
    where s.name = :scorer
),

-- A fingerprint that found no logs of a day, because the source has forgotten them, says nothing of that day.
days as (
    select distinct on (l.day)
        l.day,
        l.scorer_id
    from trace.ledger as l
    inner join versions as v on l.scorer_id = v.scorer_id
    order by l.day asc, l.source_rows > 0 desc, l.scorer_id desc
)

select
    d.day,
    v.fingerprint,
    m.dimension,
    m.value,
    m.n,
    cast(m.total as double precision) as total,
    cast(m.squares as double precision) as squares,
    m.histogram,
    m.undefined,
    m.unscored,
    m.refused,
    m.sampled_out,
    cast(m.weight as double precision) as weight,
    cast(m.weighted_total as double precision) as weighted_total,
    cast(m.weighted_squares as double precision) as weighted_squares,
    cast(m.design as double precision) as design,
    cast(m.design_total as double precision) as design_total,
    cast(m.design_squares as double precision) as design_squares,
    cast(m.weighted_histogram as double precision[]) as weighted_histogram
from days as d
inner join versions as v on d.scorer_id = v.scorer_id
inner join trace.daily_metric as m on d.scorer_id = m.scorer_id and d.day = m.day
where m.metric = :metric and d.day > (select max(day) from days) - cast(:history_days as integer)
order by d.day, m.dimension, m.value collate "C"
