-- name: show_headline
-- purpose: the latest sentence of each watched series
-- parameters: scorer
-- returns: metric, text
-- safe to re-run: yes, it only reads
select distinct on (metric)
    metric,
    text
from trace.drift_check
where scorer = :scorer and measure = ''
order by metric, day desc
