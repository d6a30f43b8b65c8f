-- name: queue_logs
-- purpose: the unlabelled answers of each stratum that a random order, fixed by id and salt, puts first
-- parameters: scorer_id, from_at, to_at (excluded), sure_bad, sure_good, salt, most (of each stratum)
-- returns: stratum (0 to 3, as trace_core.trust.pooled.STRATA), place (from 1), logged_at, log_id, segments
-- safe to re-run: yes, it only reads
with answer as (
    -- Only columns that the key carries, so that the wide rows are not read before some are chosen.
    select
        e.scorer_id,
        e.logged_at,
        e.log_id,
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
        and (e.logged_at, e.log_id) not in (
            select
                l.logged_at,
                l.log_id
            from trace.log_label as l
            where l.kind = 'adherence' and l.logged_at >= :from_at and l.logged_at < :to_at
        )
),

placed as (
    select
        a.*,
        -- The order of trace_core.trust.sampling_number.
        row_number() over (
            partition by a.stratum
            order by
                sha256(convert_to(:salt, 'UTF8') || cast('\x00' as bytea) || convert_to(a.log_id, 'UTF8')),
                a.logged_at
        ) as place
    from answer as a
)

select
    p.stratum,
    p.place,
    p.logged_at,
    p.log_id,
    e.segments
from placed as p
inner join trace.evaluated_log as e
    on p.scorer_id = e.scorer_id and p.logged_at = e.logged_at and p.log_id = e.log_id
where
    p.place <= :most
    and e.scorer_id = :scorer_id and e.logged_at >= :from_at and e.logged_at < :to_at
order by p.stratum, p.place
