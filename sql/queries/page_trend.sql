-- name: page_trend
-- purpose: the nights of one series: one row a night and metric, with the band in which the watch expected it
-- parameters: scorer, metrics, dimension, value, from_day, to_day (both included)
-- returns: the columns of trace.metric_trend, expected_low, expected_high (95 %, null where there is no verdict)
-- safe to re-run: yes, it only reads
select
    t.*,
    t.expected - (v.high - v.low) / 2 as expected_low,
    t.expected + (v.high - v.low) / 2 as expected_high
from trace.night_version as n
inner join trace.metric_trend as t on n.scorer = t.scorer and n.day = t.day and n.fingerprint = t.fingerprint
left join trace.drift_verdict as v
    on
        t.day = v.day and t.scorer = v.scorer and t.metric = v.metric and t.fingerprint = v.fingerprint
        and v.measure = 'mean' and t.dimension = v.dimension and t.value = v.value
where
    n.scorer = :scorer and n.day between :from_day and :to_day
    and t.dimension = :dimension and t.value = :value
    and t.metric = any(cast(:metrics as text[]))
order by t.day, t.metric
