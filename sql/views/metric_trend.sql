-- name: metric_trend
-- purpose: what people and dashboards read of the trend: one row a day, scorer fingerprint, segment and metric
-- parameters: none
-- returns: see the comments on its columns
-- safe to re-run: yes
create or replace view trace.metric_trend as
select
    d.day,
    s.name as scorer,
    s.fingerprint,
    d.dimension,
    d.value,
    d.metric,
    d.n,
    d.undefined,
    d.unscored,
    b.mean,
    case
        when d.weight is null then greatest(0, b.mean - 1.96 * w.standard_error)
        else greatest(0, b.mean - sqrt(power(i.down, 2) + power(1.96 * w.tau, 2)))
    end as low,
    case
        when d.weight is null then least(1, b.mean + 1.96 * w.standard_error)
        else least(1, b.mean + sqrt(power(i.up, 2) + power(1.96 * w.tau, 2)))
    end as high,
    d.published_n,
    cast(d.published_total / nullif(d.published_n, 0) as double precision) as published_mean,
    (d.n, coalesce(round(d.weighted_total / nullif(d.weight, 0) * d.n, 12), d.total))
    <> (d.published_n, d.published_total) as is_restated,
    e.expected,
    b.mean + h.shift as spliced_mean,
    case when d.n = 0 then 'no_data' else coalesce(c.state, 'not_watched') end as state,
    d.updated_at,
    coalesce(i.effective, d.n) as effective_n,
    d.sampled_out,
    d.weight is not null as is_weighted,
    coalesce(cast(d.weight as double precision), d.n) as stands_for
from trace.daily_metric as d
inner join trace.scorer as s on d.scorer_id = s.scorer_id
cross join lateral (
    select
        cast(coalesce(d.weighted_total / nullif(d.weight, 0), d.total / nullif(d.n, 0)) as double precision) as mean,
        cast(sqrt(greatest(0, d.squares / nullif(d.n, 0) - power(d.total / nullif(d.n, 0), 2)) / nullif(d.n, 0)) as double precision)
            as standard_error
) as b
left join trace.drift_check as c
    on
        s.name = c.scorer and d.metric = c.metric and d.day = c.day and s.fingerprint = c.fingerprint
        and c.measure = '' and d.dimension = ''
left join trace.drift_check as e
    on
        s.name = e.scorer and d.metric = e.metric and d.day = e.day
        and e.measure = 'mean' and d.dimension = e.dimension and d.value = e.value
left join trace.bridge_shift as h on d.scorer_id = h.scorer_id and d.metric = h.metric
-- Days differ by more than sampling explains; tau is what the watch has learnt of that.
cross join lateral (
    select
        coalesce(cast(e.evidence ->> 'tau' as double precision), 0) as tau,
        sqrt(power(b.standard_error, 2) + power(coalesce(cast(e.evidence ->> 'tau' as double precision), 0), 2)) as standard_error
) as w
-- The interval of a weighted mean, as trace_core.weighted.WeightedSums computes it: there is the reasoning.
left join lateral (
    with whole as (
        select
            cast(d.weight as double precision) as weight,
            cast(d.design as double precision) as design,
            cast(d.weighted_total / d.weight as double precision) as mean,
            cast(greatest(0, d.weighted_squares / d.weight - power(d.weighted_total / d.weight, 2)) as double precision) as spread,
            d.weight > d.n and d.design > 0 as is_estimated
        where d.weight is not null
    ),

    -- The rows that the judged ones stand for beyond themselves.
    unseen as (
        select
            w.*,
            case when w.is_estimated then 1 - d.n / w.weight else 0 end as moved,
            case when w.is_estimated then power(cast(d.weight - d.n as double precision), 2) / w.design else 1 end as alike,
            case
                when w.is_estimated
                    then least(1, greatest(0, cast((d.weighted_total - d.total) / (d.weight - d.n) as double precision)))
                else w.mean
            end as centre
        from whole as w
    ),

    centred as (
        select
            u.*,
            case
                when u.is_estimated
                    then greatest(0, cast((d.weighted_squares - d.squares) / (d.weight - d.n) as double precision) - power(u.centre, 2))
                else u.spread
            end as centre_spread,
            greatest(
                0,
                cast(d.design_squares as double precision) - 2 * u.centre * cast(d.design_total as double precision)
                + power(u.centre, 2) * u.design
            ) / power(u.weight, 2) as within,
            case when u.is_estimated and d.dimension <> '' then power(u.mean - u.centre, 2) * u.design / power(u.weight, 2) else 0 end as size,
            1 / (u.alike + 2) as rare
        from unseen as u
    ),

    counted as (
        select
            c.*,
            least(
                c.weight,
                case
                    when c.spread <= 0 then power(c.weight, 2) / (c.design + c.weight)
                    else c.spread / (
                        greatest(c.within, least(c.spread, c.rare * (1 - c.rare)) * power(c.moved, 2) / c.alike)
                        + c.size + c.spread / c.weight
                    )
                end
            ) as effective,
            case when c.centre_spread > 0 and c.within > 0 then c.centre_spread * power(c.moved, 2) / c.within else c.alike end as centre_n
        from centred as c
    ),

    -- E. Wilson's interval as distances from the mean: of the estimated rows, of the night, of the effective number.
    reach as (
        select
            c.effective,
            c.moved > 0 as is_estimated,
            sqrt(power(c.moved * e.down, 2) + power(n.down, 2) + 3.841459 * c.size) as down,
            sqrt(power(c.moved * e.up, 2) + power(n.up, 2) + 3.841459 * c.size) as up,
            s.down as simple_down,
            s.up as simple_up
        from counted as c
        cross join lateral (
            select
                greatest(0, c.centre - ((c.centre + q.z / (2 * q.n)) / (1 + q.z / q.n) - h.half)) as down,
                greatest(0, (c.centre + q.z / (2 * q.n)) / (1 + q.z / q.n) + h.half - c.centre) as up
            from (
                select
                    3.841459 * case when c.centre > 0 and c.centre < 1 then c.centre_spread / (c.centre * (1 - c.centre)) else 1 end as z,
                    nullif(c.centre_n, 0) as n
            ) as q
            cross join lateral (
                select sqrt(q.z * c.centre * (1 - c.centre) / q.n + power(q.z / q.n, 2) / 4) / (1 + q.z / q.n) as half
            ) as h
        ) as e
        cross join lateral (
            select
                greatest(0, c.mean - ((c.mean + q.z / (2 * q.n)) / (1 + q.z / q.n) - h.half)) as down,
                greatest(0, (c.mean + q.z / (2 * q.n)) / (1 + q.z / q.n) + h.half - c.mean) as up
            from (
                select
                    3.841459 * case when c.mean > 0 and c.mean < 1 then c.spread / (c.mean * (1 - c.mean)) else 1 end as z,
                    c.weight as n
            ) as q
            cross join lateral (
                select sqrt(q.z * c.mean * (1 - c.mean) / q.n + power(q.z / q.n, 2) / 4) / (1 + q.z / q.n) as half
            ) as h
        ) as n
        cross join lateral (
            select
                greatest(0, c.mean - ((c.mean + q.z / (2 * q.n)) / (1 + q.z / q.n) - h.half)) as down,
                greatest(0, (c.mean + q.z / (2 * q.n)) / (1 + q.z / q.n) + h.half - c.mean) as up
            from (
                select
                    3.841459 * case when c.mean > 0 and c.mean < 1 then c.spread / (c.mean * (1 - c.mean)) else 1 end as z,
                    c.effective as n
            ) as q
            cross join lateral (
                select sqrt(q.z * c.mean * (1 - c.mean) / q.n + power(q.z / q.n, 2) / 4) / (1 + q.z / q.n) as half
            ) as h
        ) as s
    )

    select
        r.effective,
        case
            when r.is_estimated then greatest(r.down, r.simple_down)
            else r.simple_down
        end as down,
        case
            when r.is_estimated then greatest(r.up, r.simple_up)
            else r.simple_up
        end as up
    from reach as r
) as i on true;

comment on view trace.metric_trend is 'The trend: mean of each metric a day, scorer fingerprint and segment, with its sampling interval.';
comment on column trace.metric_trend.dimension is 'Segment name; empty for the whole day.';
comment on column trace.metric_trend.mean is
'Mean over the n rows that have a value, each counted by the rows it stands for; null, never 0, without any.';
comment on column trace.metric_trend.low is 'Lower end of the 95 % interval, from sampling and, where the watch knows it, from day-to-day variation.';
comment on column trace.metric_trend.published_mean is 'The mean as first published, weighted if it was weighted then.';
comment on column trace.metric_trend.is_restated is 'Logs that came, changed or were judged later have changed the value since it was published.';
comment on column trace.metric_trend.expected is 'What the drift watch expected of the window that ends on this day.';
comment on column trace.metric_trend.spliced_mean is
'The mean on the scale of the newest fingerprint, by the bridges between them; null without a bridge.';
comment on column trace.metric_trend.state is 'no_data, not_watched, learning, ok or incident.';
comment on column trace.metric_trend.day is 'Day in day_time_zone.';
comment on column trace.metric_trend.scorer is 'Name of the scorer.';
comment on column trace.metric_trend.fingerprint is 'Version of the scorer; values of two versions are not compared.';
comment on column trace.metric_trend.value is 'Segment value: (missing) without one, other for the tail; empty for the whole day.';
comment on column trace.metric_trend.metric is 'relevance, utilization, adherence, completeness or average.';
comment on column trace.metric_trend.n is 'Rows that have a value. 0 too where the judge decided none of its rows, and these are over 5 % of all: no estimate.';
comment on column trace.metric_trend.undefined is 'Scored rows for which this metric has no value.';
comment on column trace.metric_trend.unscored is 'Rows skipped, quarantined or failed.';
comment on column trace.metric_trend.high is 'Upper end of the same interval.';
comment on column trace.metric_trend.published_n is 'n as first published; published_mean times this is the stored published_total.';
comment on column trace.metric_trend.updated_at is 'When the sums were last written.';
comment on column trace.metric_trend.effective_n is
'Rows of a plain sample that would say as much about the mean; n unless rows are weighted.';
comment on column trace.metric_trend.sampled_out is 'Rows left out on purpose, by the sampling rate or the budget.';
comment on column trace.metric_trend.is_weighted is 'Some rows stand for others that were left out or failed.';
comment on column trace.metric_trend.stands_for is 'Rows that the n rows stand for; n unless rows are weighted.';
