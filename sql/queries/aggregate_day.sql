-- name: aggregate_day
-- purpose: restate the sums of one day and scorer, in total and for each segment value, from the rows themselves
-- parameters: scorer_id, day, from_at, to_at (excluded), dimensions, keep (values kept per dimension), run_id
-- returns: nothing
-- safe to re-run: yes; the same rows give the same sums (they are exact decimals, so their order does not matter)
-- Rows that are the judge's to decide form a class. Those it has decided stand for the others: each weighs
-- (1 / inclusion_probability) x rows of the class / sum of 1 / inclusion_probability (J. Hajek's weights), all others
-- weigh 1. The weighted columns are null where every row weighs 1.
with outcome as (
    select
        -- Its values of the dimensions, in their order.
        array(
            select coalesce(nullif(e.segments ->> d.dimension, ''), '(missing)')
            from unnest(cast(:dimensions as text[])) as d (dimension)
        ) as labels,
        e.relevance,
        e.utilization,
        e.adherence,
        e.completeness,
        e.average,
        e.status = 'scored' as is_scored,
        -- Whether an answer is a refusal is known without the judge.
        e.status in ('scored', 'sampled_out') and e.response_kind = 'refusal' as is_refused,
        e.status = 'sampled_out' as is_sampled_out,
        e.decided_by = 'judge' and e.status <> 'skipped' as is_judges,
        cast(e.inclusion_probability as numeric) as inclusion
    from trace.evaluation as e
    where e.scorer_id = :scorer_id and e.logged_at >= :from_at and e.logged_at < :to_at
    union all
    select
        array(
            select coalesce(nullif(q.segments ->> d.dimension, ''), '(missing)')
            from unnest(cast(:dimensions as text[])) as d (dimension)
        ),
        null,
        null,
        null,
        null,
        null,
        false,
        false,
        false,
        false,
        null
    from trace.quarantine as q
    where q.logged_at >= :from_at and q.logged_at < :to_at
),

judged as (
    select
        count(*) as members,
        count(*) filter (where is_scored) as scored,
        sum(1 / inclusion) filter (where is_scored) as stands_for
    from outcome
    where is_judges
),

-- A class that was judged to the last row is known, whatever its rates were.
weighed as (
    select
        o.*,
        case
            when o.is_judges and o.is_scored and j.scored < j.members
                then nullif(round(j.members / (o.inclusion * j.stands_for), 15), 1)
        end as weight
    from outcome as o
    cross join judged as j
),

-- Rows of the same labels are added up once, and not anew in each dimension: the values are exact decimals.
counted as (
    select
        w.labels,
        m.metric,
        w.is_scored,
        cast(floor(m.score * 20 + 0.5) as integer) as cell,
        count(*) as row_count,
        count(*) filter (where w.is_refused) as refused,
        count(*) filter (where w.is_sampled_out) as sampled_out,
        count(m.score) as n,
        coalesce(sum(m.exact), 0) as total,
        coalesce(sum(m.exact * m.exact), 0) as squares
    from weighed as w
    cross join lateral (
        values
        ('relevance', w.relevance, cast(w.relevance as numeric)),
        ('utilization', w.utilization, cast(w.utilization as numeric)),
        ('adherence', w.adherence, cast(w.adherence as numeric)),
        ('completeness', w.completeness, cast(w.completeness as numeric)),
        ('average', w.average, cast(w.average as numeric))
    ) as m (metric, score, exact)
    group by w.labels, m.metric, w.is_scored, cell
),

sized as (
    select
        d.dimension,
        d.value,
        c.row_count
    from counted as c
    cross join unnest(cast(:dimensions as text[]), c.labels) as d (dimension, value)
    where c.metric = 'average'
),

ranked as (
    select
        dimension,
        value,
        row_number() over (partition by dimension order by sum(row_count) desc, value collate "C") as place
    from sized
    group by dimension, value
),

-- The series that each combination of labels belongs to: the total, and one a dimension.
member as (
    select
        l.labels,
        '' as dimension,
        '' as value
    from (select distinct labels from counted) as l
    union all
    select
        l.labels,
        d.dimension,
        case when r.place <= :keep then d.value else 'other' end as value
    from (select distinct labels from counted) as l
    cross join unnest(cast(:dimensions as text[]), l.labels) as d (dimension, value)
    inner join ranked as r on d.dimension = r.dimension and d.value = r.value
),

-- The rows that are the judge's, in each of their series.
placed as (
    select
        m.dimension,
        m.value,
        w.relevance,
        w.utilization,
        w.adherence,
        w.completeness,
        w.average,
        w.is_scored,
        w.is_judges,
        w.weight
    from weighed as w
    inner join member as m on w.labels = m.labels
    where w.is_judges
),

celled as (
    select
        m.dimension,
        m.value,
        c.metric,
        c.is_scored,
        c.cell,
        sum(c.row_count) as row_count,
        sum(c.refused) as refused,
        sum(c.sampled_out) as sampled_out,
        cast(sum(c.n) as bigint) as n,
        sum(c.total) as total,
        sum(c.squares) as squares
    from counted as c
    inner join member as m on c.labels = m.labels
    group by m.dimension, m.value, c.metric, c.is_scored, c.cell
),

-- What the weights add to the sums, by histogram cell.
beyond as (
    select
        p.dimension,
        p.value,
        m.metric,
        m.cell,
        sum(p.weight - 1) as weight,
        sum((p.weight - 1) * m.score) as total,
        sum((p.weight - 1) * m.score * m.score) as squares,
        sum(p.weight * greatest(p.weight - 1, 0)) as design,
        sum(p.weight * greatest(p.weight - 1, 0) * m.score) as design_total,
        sum(p.weight * greatest(p.weight - 1, 0) * m.score * m.score) as design_squares
    from placed as p
    cross join lateral (
        values
        ('relevance', cast(p.relevance as numeric), cast(floor(p.relevance * 20 + 0.5) as integer)),
        ('utilization', cast(p.utilization as numeric), cast(floor(p.utilization * 20 + 0.5) as integer)),
        ('adherence', cast(p.adherence as numeric), cast(floor(p.adherence * 20 + 0.5) as integer)),
        ('completeness', cast(p.completeness as numeric), cast(floor(p.completeness * 20 + 0.5) as integer)),
        ('average', cast(p.average as numeric), cast(floor(p.average * 20 + 0.5) as integer))
    ) as m (metric, score, cell)
    where p.weight is not null and m.score is not null
    group by p.dimension, p.value, m.metric, m.cell
),

-- Where the judge had its say on none of more than a twentieth of the rows, the rest is no estimate of all.
silent as (
    select
        p.dimension,
        p.value,
        count(*) as members
    from placed as p
    group by p.dimension, p.value
    having not bool_or(p.is_scored)
),

keys as (
    select
        k.*,
        exists(
            select from beyond as b
            where b.dimension = k.dimension and b.value = k.value and b.metric = k.metric
        ) as is_weighted
    from (
        select distinct
            dimension,
            value,
            metric
        from celled
    ) as k
),

cells as (
    select
        k.dimension,
        k.value,
        k.metric,
        array_agg(coalesce(c.n, 0) order by g.cell) as histogram,
        array_agg(coalesce(c.n, 0) + coalesce(b.weight, 0) order by g.cell) filter (where k.is_weighted) as weighted_histogram
    from keys as k
    cross join generate_series(0, 20) as g (cell)
    left join celled as c
        on k.dimension = c.dimension and k.value = c.value and k.metric = c.metric and g.cell = c.cell and c.is_scored
    left join beyond as b
        on k.is_weighted and k.dimension = b.dimension and k.value = b.value and k.metric = b.metric and g.cell = b.cell
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
        coalesce(sum(c.row_count - c.sampled_out) filter (where not c.is_scored), 0) as unscored,
        sum(c.refused) as refused,
        sum(c.sampled_out) as sampled_out,
        sum(c.row_count) as row_count
    from celled as c
    group by c.dimension, c.value, c.metric
),

added as (
    select
        b.dimension,
        b.value,
        b.metric,
        sum(b.weight) as weight,
        sum(b.total) as total,
        sum(b.squares) as squares,
        sum(b.design) as design,
        sum(b.design_total) as design_total,
        sum(b.design_squares) as design_squares
    from beyond as b
    group by b.dimension, b.value, b.metric
),

-- Values of a cell without an estimate count as undefined: every row stays accounted for.
estimated as (
    select
        s.dimension,
        s.value,
        s.metric,
        case when k.is_known then s.n else 0 end as n,
        case when k.is_known then s.total else 0 end as total,
        case when k.is_known then s.squares else 0 end as squares,
        case when k.is_known then c.histogram else array_fill(cast(0 as bigint), array[21]) end as histogram,
        s.undefined + case when k.is_known then 0 else s.n end as undefined,
        s.unscored,
        s.refused,
        s.sampled_out,
        s.n + a.weight as weight,
        s.total + a.total as weighted_total,
        s.squares + a.squares as weighted_squares,
        a.design,
        a.design_total,
        a.design_squares,
        c.weighted_histogram
    from summed as s
    inner join cells as c on s.dimension = c.dimension and s.value = c.value and s.metric = c.metric
    left join added as a on s.dimension = a.dimension and s.value = a.value and s.metric = a.metric
    left join silent as q on s.dimension = q.dimension and s.value = q.value
    cross join lateral (select coalesce(q.members, 0) <= 0.05 * s.row_count as is_known) as k
),

-- A day without logs has a total of zero rows, and values that are gone keep what was published of them.
complete as (
    select
        e.dimension,
        e.value,
        e.metric,
        e.n,
        e.total,
        e.squares,
        e.histogram,
        e.undefined,
        e.unscored,
        e.refused,
        e.sampled_out,
        e.weight,
        e.weighted_total,
        e.weighted_squares,
        e.design,
        e.design_total,
        e.design_squares,
        e.weighted_histogram
    from estimated as e
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
        0,
        0,
        null,
        null,
        null,
        null,
        null,
        null,
        null
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
    scorer_id, day, dimension, value, metric, n, total, squares, histogram, undefined, unscored, refused, sampled_out,
    weight, weighted_total, weighted_squares, design, design_total, design_squares, weighted_histogram,
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
    c.sampled_out,
    c.weight,
    c.weighted_total,
    c.weighted_squares,
    c.design,
    c.design_total,
    c.design_squares,
    c.weighted_histogram,
    case when e.was_published then 0 else c.n end,
    -- Of a weighted mean too, published_total / published_n is the mean as published; the view rounds alike.
    case when e.was_published then 0 else coalesce(round(c.weighted_total / nullif(c.weight, 0) * c.n, 12), c.total) end,
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
    sampled_out = excluded.sampled_out,
    weight = excluded.weight,
    weighted_total = excluded.weighted_total,
    weighted_squares = excluded.weighted_squares,
    design = excluded.design,
    design_total = excluded.design_total,
    design_squares = excluded.design_squares,
    weighted_histogram = excluded.weighted_histogram,
    run_id = excluded.run_id,
    updated_at = now()
where
    (
        d.n, d.total, d.squares, d.histogram, d.undefined, d.unscored, d.refused, d.sampled_out,
        d.weight, d.weighted_total, d.weighted_squares, d.design, d.design_total, d.design_squares, d.weighted_histogram
    )
    is distinct from
    (
        excluded.n, excluded.total, excluded.squares, excluded.histogram, excluded.undefined, excluded.unscored,
        excluded.refused, excluded.sampled_out, excluded.weight, excluded.weighted_total, excluded.weighted_squares,
        excluded.design, excluded.design_total, excluded.design_squares, excluded.weighted_histogram
    )
