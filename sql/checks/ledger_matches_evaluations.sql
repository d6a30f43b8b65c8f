-- name: ledger_matches_evaluations
-- purpose: each ledger line says what the rows of evaluation and quarantine say
-- parameters: scorer_ids, days, from_at, to_at (the days' first and last moment, so that only their months are read)
-- returns: one sentence a line that differs
-- severity: fail, because a count that is not the rows' would hide lost logs
-- safe to re-run: yes, it only reads
with evaluated as (
    select
        e.scorer_id,
        l.day,
        count(*) filter (where e.status = 'scored') as scored,
        count(*) filter (where e.status = 'skipped') as skipped,
        count(*) filter (where e.status = 'sampled_out') as sampled_out
    from trace.evaluation as e
    inner join trace.ledger as l
        on e.scorer_id = l.scorer_id and e.logged_at >= l.interval_start and e.logged_at < l.interval_end
    where
        e.scorer_id = any(:scorer_ids) and l.day = any(cast(:days as date[]))
        and e.logged_at >= :from_at and e.logged_at < :to_at
    group by e.scorer_id, l.day
),

quarantined as (
    select
        l.scorer_id,
        l.day,
        count(*) as quarantined
    from trace.quarantine as q
    inner join trace.ledger as l on q.logged_at >= l.interval_start and q.logged_at < l.interval_end
    where
        l.scorer_id = any(:scorer_ids) and l.day = any(cast(:days as date[]))
        and q.logged_at >= :from_at and q.logged_at < :to_at
    group by l.scorer_id, l.day
)

select format(
    'Ledger of %s, scorer %s: %s scored, %s skipped, %s quarantined; the rows say %s, %s and %s.',
    l.day, s.name, l.scored, l.skipped, l.quarantined,
    coalesce(e.scored, 0), coalesce(e.skipped, 0), coalesce(q.quarantined, 0)
) as finding
from trace.ledger as l
inner join trace.scorer as s on l.scorer_id = s.scorer_id
left join evaluated as e on l.scorer_id = e.scorer_id and l.day = e.day
left join quarantined as q on l.scorer_id = q.scorer_id and l.day = q.day
where
    l.scorer_id = any(:scorer_ids) and l.day = any(cast(:days as date[]))
    and (l.scored, l.skipped, l.sampled_out, l.quarantined)
    is distinct from
    (coalesce(e.scored, 0), coalesce(e.skipped, 0), coalesce(e.sampled_out, 0), coalesce(q.quarantined, 0))
order by l.day
