-- name: strata_weights
-- purpose: how many answers the scored ones of each night stand for in each stratum; of a scorer that sees a sample
-- parameters: scorer_id, from_at, to_at (excluded), zone, sure_bad, sure_good
-- returns: day, stratum (as strata_sizes), answers (sum of weights), squares (sum of squared weights); no row for a night
--     of which the judge, whose turn more than 5 % of the answers are, has judged none
-- safe to re-run: yes, it only reads
with answer as (
    select
        cast(timezone(:zone, e.logged_at) as date) as day,
        coalesce(e.decided_by = 'judge', false) as is_of_judge,
        e.status = 'scored' as is_scored,
        e.inclusion_probability,
        e.adherence,
        case
            when e.adherence >= 1 and coalesce(e.adherence_probability, 1) >= :sure_good then 3
            when e.adherence >= 1 then 2
            when coalesce(e.adherence_probability, 0) < :sure_bad then 0
            else 1
        end as stratum
    from trace.evaluation as e
    where
        e.scorer_id = :scorer_id and e.logged_at >= :from_at and e.logged_at < :to_at and e.status <> 'skipped'
),

-- The answers that are the judge's turn, and those that the judged ones would stand for by their chances alone.
night as (
    select
        a.day,
        count(*) as answers,
        count(*) filter (where a.is_of_judge) as of_judge,
        sum(1 / a.inclusion_probability) filter (where a.is_of_judge and a.is_scored) as stood_for
    from answer as a
    group by a.day
),

weighted as (
    select
        a.day,
        a.stratum,
        case when a.is_of_judge then n.of_judge / n.stood_for / a.inclusion_probability else 1 end as weight
    from answer as a
    inner join night as n on a.day = n.day
    where
        a.is_scored and a.adherence is not null
        and (n.stood_for is not null or n.of_judge <= 0.05 * n.answers)
)

select
    w.day,
    w.stratum,
    cast(sum(w.weight) as double precision) as answers,
    cast(sum(w.weight * w.weight) as double precision) as squares
from weighted as w
group by w.day, w.stratum
order by w.day, w.stratum
