-- name: digest_series
-- purpose: what the watch knew of each series at the end of a digest's days: its state, and how much nights differ
-- parameters: scorer, from_day, last_day
-- returns: metric, dimension, value, measure, state, tau; the latest row of each series
-- safe to re-run: yes, it only reads
select distinct on (d.metric, d.measure, d.dimension, d.value)
    d.metric,
    d.dimension,
    d.value,
    d.measure,
    d.state,
    cast(d.evidence ->> 'tau' as double precision) as tau
from trace.drift_check as d
where
    d.scorer = :scorer and d.measure in ('', 'mean')
    and d.day between :from_day and :last_day
order by d.metric asc, d.measure asc, d.dimension asc, d.value asc, d.day desc
