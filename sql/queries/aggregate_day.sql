-- name: aggregate_day
-- purpose: restate the sums of one day and scorer, in total and for each segment value, from the rows themselves
-- parameters: scorer_id, day, from_at, to_at (excluded), dimensions, keep (values kept per dimension), run_id
-- returns: nothing
-- safe to re-run: yes; the same rows give the same sums (they are exact decimals, so their order does not matter)
with outcome as (
    select
        e.segments,
        e.relevance,
        e.utilization,
        e.adherence,
        e.completeness,
        e.average,
        e.status = 'scored' as is_scored,
        e.status = 'scored' and e.response_kind = 'refusal' as is_refused
    from trace.evaluation as e
    where e.scorer_id = :scorer_id and e.logged_at >= :from_at and e.logged_at < :to_at
    union all
    select
        q.segments,
        null,
        null,
        null,
        null,
        null,
        false,
        false
    from trace.quarantine as q
    where q.logged_at >= :from_at and q.logged_at < :to_at
),

labelled as (
    select
        o.*,
        d.dimension,
        coalesce(nullif(o.segments ->> d.dimension, ''), '(missing)') as value
    from outcome as o
    cross join unnest(cast(:dimensions as text[])) as d (dimension)
),

ranked as (
    select
        dimension,
        value,
        row_number() over (partition by dimension order by count(*) desc, value collate "C") as place
    from labelled
    group by dimension, value
),

placed as (
    select
        '' as dimension,
        '' as value,
        o.*
    from outcome as o
    union all
    select
        l.dimension,
        case when r.place <= :keep then l.value else 'other' end as value,
        l.segments,
        l.relevance,
        l.utilization,
        l.adherence,
        l.completeness,
        l.average,
        l.is_scored,
        l.is_refused
    from labelled as l
    inner join ranked as r on l.dimension = r.dimension and l.value = r.value
),

celled as (
    select
        p.dimension,
        p.value,
        m.metric,
        p.is_scored,
        cast(floor(m.score * 20 + 0.5) as integer) as cell,
        count(*) as row_count,
        count(*) filter (where p.is_refused) as refused,
        count(m.score) as n,
        coalesce(sum(cast(m.score as numeric)), 0) as total,
        coalesce(sum(cast(m.score as numeric) * cast(m.score as numeric)), 0) as squares
    from placed as p
    cross join lateral (
        values
        ('relevance', p.relevance),
        ('utilization', p.utilization),
        ('adherence', p.adherence),
        ('completeness', p.completeness),
        ('average', p.average)
    ) as m (metric, score)
    group by p.dimension, p.value, m.metric, p.is_scored, cell
),

cells as (
    select
        k.dimension,
        k.value,
        k.metric,
        array_agg(coalesce(c.n, 0) order by g.cell) as histogram
    from (select distinct
dimension,
value,
metric
from celled) as k
    cross join generate_series(0, 20) as g (cell)
    left join celled as c
        on k.dimension = c.dimension and k.value = c.value and k.metric = c.metric and g.cell = c.cell and c.is_scored
    group by k.dimension, k.value, k.metric
),

summed as (
    select
        c.dimension,
        c.value,
        c.metric,
        sum(c.n) as n,
        sum(c.total) as total,
        sum(c.squares) as squares,
        coalesce(sum(c.row_count) filter (where c.is_scored and c.cell is null), 0) as undefined,
        coalesce(sum(c.row_count) filter (where not c.is_scored), 0) as unscored,
        sum(c.refused) as refused
    from celled as c
    group by c.dimension, c.value, c.metric
),

-- A day without logs has a total of zero rows, and values that are gone keep what was published of them.
complete as (
    select
        s.dimension,
        s.value,
        s.metric,
        s.n,
        s.total,
        s.squares,
        c.histogram,
        s.undefined,
        s.unscored,
        s.refused
    from summed as s
    inner join cells as c on s.dimension = c.dimension and s.value = c.value and s.metric = c.metric
    union all
    select
        gone.dimension,
        gone.value,
        gone.metric,
        0,
        0,
        0,
        array_fill(cast(0 as bigint), array[21]),
        0,
        0,
        0
    from (
        select
            '' as dimension,
            '' as value,
            m.metric
        from unnest(array['relevance', 'utilization', 'adherence', 'completeness', 'average']) as m (metric)
        union
        select
            d.dimension,
            d.value,
            d.metric
        from trace.daily_metric as d
        where d.scorer_id = :scorer_id and d.day = :day
    ) as gone
    where not exists (
        select from summed as s
        where s.dimension = gone.dimension and s.value = gone.value and s.metric = gone.metric
    )
),

earlier as (
    select exists(
        select from trace.daily_metric as d
        where d.scorer_id = :scorer_id and d.day = :day
    ) as was_published
)

insert into trace.daily_metric as d (
    scorer_id, day, dimension, value, metric, n, total, squares, histogram, undefined, unscored, refused,
    published_n, published_total, run_id
)
select
    :scorer_id,
    :day,
    c.dimension,
    c.value,
    c.metric,
    c.n,
    c.total,
    c.squares,
    c.histogram,
    c.undefined,
    c.unscored,
    c.refused,
    case when e.was_published then 0 else c.n end,
    case when e.was_published then 0 else c.total end,
    :run_id
from complete as c
cross join earlier as e
on conflict (scorer_id, day, metric, dimension, value) do update set
    n = excluded.n,
    total = excluded.total,
    squares = excluded.squares,
    histogram = excluded.histogram,
    undefined = excluded.undefined,
    unscored = excluded.unscored,
    refused = excluded.refused,
    run_id = excluded.run_id,
    updated_at = now()
where
    (d.n, d.total, d.squares, d.histogram, d.undefined, d.unscored, d.refused)
    is distinct from
    (
        excluded.n, excluded.total, excluded.squares, excluded.histogram, excluded.undefined, excluded.unscored,
        excluded.refused
    )
