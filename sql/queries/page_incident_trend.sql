-- name: page_incident_trend
-- purpose: the nights around an incident of its own series, each with the band in which the watch expected it
-- parameters: scorer, metric, dimension, value, from_day, to_day (both included)
-- returns: the columns of trace.metric_trend, expected_low, expected_high (95 %, null where there is no verdict)
-- safe to re-run: yes, it only reads
with newest as (
    select distinct on (day)
        day,
        fingerprint
    from trace.night_ledger
    where scorer = :scorer and day between :from_day and :to_day
    order by day asc, source_rows > 0 desc, updated_at desc
)

select
    t.*,
    t.expected - (v.high - v.low) / 2 as expected_low,
    t.expected + (v.high - v.low) / 2 as expected_high
from newest as n
inner join trace.metric_trend as t on n.day = t.day and n.fingerprint = t.fingerprint
left join trace.drift_verdict as v
    on
        t.day = v.day and t.scorer = v.scorer and t.metric = v.metric and t.fingerprint = v.fingerprint
        and v.measure = 'mean' and t.dimension = v.dimension and t.value = v.value
where
    t.scorer = :scorer and t.metric = :metric and t.dimension = :dimension and t.value = :value
    and t.day between :from_day and :to_day
order by t.day
