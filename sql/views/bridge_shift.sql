-- name: bridge_shift
-- purpose: what must be added to a metric of an earlier fingerprint to put it on the scale of the newest one
-- parameters: none
-- returns: one row a fingerprint from which bridges lead to the newest, and metric; its own shift is 0
-- safe to re-run: yes
create or replace view trace.bridge_shift as
with recursive newest as (
    select max(scorer_id) as scorer_id
    from trace.scorer
    group by name
),

step as (
    select
        n.scorer_id,
        m.metric,
        cast(0 as double precision) as shift
    from newest as n
    cross join unnest(array['relevance', 'utilization', 'adherence', 'completeness', 'average']) as m (metric)
    union all
    select
        b.from_scorer_id,
        t.metric,
        t.shift + b.shift
    from step as t
    inner join trace.scorer_bridge as b on t.scorer_id = b.to_scorer_id and t.metric = b.metric
)

select distinct on (scorer_id, metric)
    scorer_id,
    metric,
    shift
from step
order by scorer_id, metric, abs(shift);

comment on view trace.bridge_shift is 'Shifts of metrics between scorer fingerprints, chained over bridges.';
comment on column trace.bridge_shift.scorer_id is 'An earlier (or the newest) fingerprint of a scorer.';
comment on column trace.bridge_shift.metric is 'Metric that is shifted.';
comment on column trace.bridge_shift.shift is 'To be added to a mean of this fingerprint, as a fraction.';
