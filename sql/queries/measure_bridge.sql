-- name: measure_bridge
-- purpose: compare two fingerprints over the logs that both scored with the same content
-- parameters: from_scorer_id, to_scorer_id, from_at, to_at (excluded)
-- returns: metric, old_cell, new_cell, n, difference, square_difference (sums of new - old and new^2 - old^2),
--          squared_difference (sum of (new - old)^2), first_at, last_at
-- safe to re-run: yes, it only reads
select
    m.metric,
    cast(floor(m.old * 20 + 0.5) as integer) as old_cell,
    cast(floor(m.new * 20 + 0.5) as integer) as new_cell,
    count(*) as n,
    sum(m.new - m.old) as difference,
    sum(m.new * m.new - m.old * m.old) as square_difference,
    sum((m.new - m.old) * (m.new - m.old)) as squared_difference,
    min(o.logged_at) as first_at,
    max(o.logged_at) as last_at
from trace.evaluation as o
inner join trace.evaluation as e
    on o.logged_at = e.logged_at and o.log_id = e.log_id and o.input_hash = e.input_hash
cross join lateral (
    values
    ('relevance', o.relevance, e.relevance),
    ('utilization', o.utilization, e.utilization),
    ('adherence', o.adherence, e.adherence),
    ('completeness', o.completeness, e.completeness),
    ('average', o.average, e.average)
) as m (metric, old, new)
where
    o.scorer_id = :from_scorer_id and e.scorer_id = :to_scorer_id
    and o.logged_at >= :from_at and o.logged_at < :to_at
    and e.logged_at >= :from_at and e.logged_at < :to_at
    and o.status = 'scored' and e.status = 'scored'
    and m.old is not null and m.new is not null
group by m.metric, old_cell, new_cell
order by m.metric, old_cell, new_cell
