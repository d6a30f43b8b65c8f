-- name: strata_sizes
-- purpose: how many scored answers each night has in each stratum; of a scorer that sees every log
-- parameters: scorer_id, from_at, to_at (excluded), zone, sure_bad, sure_good
-- returns: day, stratum (0 to 3, as trace_core.trust.pooled.STRATA), answers, squares (the same: each counts for one)
-- safe to re-run: yes, it only reads
with answer as (
    -- Only columns that the key carries, so that the wide rows are not read.
    select
        cast(timezone(:zone, e.logged_at) as date) as day,
        case
            when e.adherence >= 1 and coalesce(e.adherence_probability, 1) >= :sure_good then 3
            when e.adherence >= 1 then 2
            when coalesce(e.adherence_probability, 0) < :sure_bad then 0
            else 1
        end as stratum
    from trace.evaluated_log as e
    where
        e.scorer_id = :scorer_id and e.logged_at >= :from_at and e.logged_at < :to_at
        and e.status = 'scored' and e.adherence is not null
)

select
    a.day,
    a.stratum,
    cast(count(*) as double precision) as answers,
    cast(count(*) as double precision) as squares
from answer as a
group by a.day, a.stratum
order by a.day, a.stratum
