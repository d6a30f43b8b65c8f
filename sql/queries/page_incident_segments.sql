-- name: page_incident_segments
-- purpose: the segments that were tested on one night, those that fired and the furthest from their level first
-- parameters: scorer, metric, day, measure, most
-- returns: dimension, value, observed, expected, difference, low, high, n, window_nights, fired
-- safe to re-run: yes, it only reads
select
    dimension,
    value,
    observed,
    expected,
    difference,
    low,
    high,
    n,
    window_nights,
    fired
from trace.drift_verdict
where scorer = :scorer and metric = :metric and day = :day and measure = :measure and dimension <> ''
order by fired desc, abs(z) desc, dimension, value
limit :most
