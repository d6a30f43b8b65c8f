-- name: headline_figures
-- purpose: the figures of one night that an asset event carries, for DAGs that wait for it
-- parameters: scorer, day
-- returns: source_rows, scored, metric, mean, low, high, n; one row a metric
-- safe to re-run: yes, it only reads
select
    l.source_rows,
    l.scored,
    t.metric,
    t.mean,
    t.low,
    t.high,
    t.n
from trace.night_ledger as l
inner join trace.night_version as v on l.scorer = v.scorer and l.day = v.day and l.fingerprint = v.fingerprint
inner join trace.metric_trend as t on l.scorer = t.scorer and l.day = t.day and l.fingerprint = t.fingerprint
where l.scorer = :scorer and l.day = :day and t.dimension = ''
order by t.metric
