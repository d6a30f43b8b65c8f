-- name: page_segments
-- purpose: segment values that a scorer has counted lately, the largest first
-- parameters: scorer, from_day, to_day, most (values a dimension)
-- returns: dimension, value, n
-- safe to re-run: yes, it only reads
with counted as (
    select
        t.dimension,
        t.value,
        sum(t.n + t.undefined + t.unscored + t.sampled_out) as n
    from trace.metric_trend as t
    where t.scorer = :scorer and t.metric = 'adherence' and t.dimension <> '' and t.day between :from_day and :to_day
    group by t.dimension, t.value
),

ranked as (
    select
        c.*,
        row_number() over (partition by c.dimension order by c.n desc, c.value) as place
    from counted as c
)

select
    dimension,
    value,
    n
from ranked
where place <= :most
order by dimension, place
