-- name: page_releases
-- purpose: values of a segment dimension that were first seen within a range of nights, and not on its first one
-- parameters: scorer, dimension, from_day, to_day (both included)
-- returns: value, first_day
-- safe to re-run: yes, it only reads
select
    t.value,
    min(t.day) as first_day
from trace.metric_trend as t
where
    t.scorer = :scorer and t.metric = 'adherence' and t.dimension = :dimension
    and t.value not in ('(missing)', 'other') and t.n > 0 and t.day between :from_day and :to_day
group by t.value
having min(t.day) > (
    select min(l.day)
    from trace.night_ledger as l
    where l.scorer = :scorer and l.day >= :from_day
)
order by first_day, t.value
