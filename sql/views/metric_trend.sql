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
    greatest(0, b.mean - 1.96 * w.standard_error) as low,
    least(1, b.mean + 1.96 * w.standard_error) as high,
    d.published_n,
    cast(d.published_total / nullif(d.published_n, 0) as double precision) as published_mean,
    (d.n, d.total) <> (d.published_n, d.published_total) as is_restated,
    e.expected,
    b.mean + h.shift as spliced_mean,
    case when d.n = 0 then 'no_data' else coalesce(c.state, 'not_watched') end as state,
    d.updated_at
from trace.daily_metric as d
inner join trace.scorer as s on d.scorer_id = s.scorer_id
cross join lateral (
    select
        cast(d.total / nullif(d.n, 0) as double precision) as mean,
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
    select sqrt(power(b.standard_error, 2) + power(coalesce(cast(e.evidence ->> 'tau' as double precision), 0), 2)) as standard_error
) as w;

comment on view trace.metric_trend is 'The trend: mean of each metric a day, scorer fingerprint and segment, with its sampling interval.';
comment on column trace.metric_trend.dimension is 'Segment name; empty for the whole day.';
comment on column trace.metric_trend.mean is 'Mean over the n rows that have a value; null, never 0, without any.';
comment on column trace.metric_trend.low is 'Lower end of the 95 % interval, from sampling and, where the watch knows it, from day-to-day variation.';
comment on column trace.metric_trend.published_mean is 'The mean as first published.';
comment on column trace.metric_trend.is_restated is 'Late or changed logs have changed the value since it was published.';
comment on column trace.metric_trend.expected is 'What the drift watch expected of the window that ends on this day.';
comment on column trace.metric_trend.spliced_mean is
'The mean on the scale of the newest fingerprint, by the bridges between them; null without a bridge.';
comment on column trace.metric_trend.state is 'no_data, not_watched, learning, ok or incident.';
comment on column trace.metric_trend.day is 'Day in day_time_zone.';
comment on column trace.metric_trend.scorer is 'Name of the scorer.';
comment on column trace.metric_trend.fingerprint is 'Version of the scorer; values of two versions are not compared.';
comment on column trace.metric_trend.value is 'Segment value: (missing) without one, other for the tail; empty for the whole day.';
comment on column trace.metric_trend.metric is 'relevance, utilization, adherence, completeness or average.';
comment on column trace.metric_trend.n is 'Rows that have a value.';
comment on column trace.metric_trend.undefined is 'Scored rows for which this metric has no value.';
comment on column trace.metric_trend.unscored is 'Rows skipped, quarantined, sampled out or failed.';
comment on column trace.metric_trend.high is 'Upper end of the same interval.';
comment on column trace.metric_trend.published_n is 'n as first published.';
comment on column trace.metric_trend.updated_at is 'When the sums were last written.';
