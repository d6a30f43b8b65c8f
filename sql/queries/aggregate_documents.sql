-- name: aggregate_documents
-- purpose: restate what became of each retrieved document on one day, from the rows themselves
-- parameters: scorer_id, day, from_at, to_at (excluded), run_id
-- returns: nothing
-- safe to re-run: yes; the same rows give the same counts
with answer as materialized (
    select
        e.document_ids,
        e.document_uses,
        e.adherence < 1 as is_unsupported
    from trace.evaluation as e
    where
        e.scorer_id = :scorer_id and e.logged_at >= :from_at and e.logged_at < :to_at and e.status = 'scored'
),

-- A day of which some answers do not name their documents is no data: half of it would pass for the whole.
used as materialized (
    select
        d.document_id,
        count(*) as retrieved,
        count(*) filter (where d.uses & 1 <> 0) as relevant,
        count(*) filter (where d.uses & 2 <> 0) as utilized,
        count(*) filter (where a.is_unsupported) as beside_unsupported
    from answer as a
    cross join unnest(a.document_ids, a.document_uses) as d (document_id, uses)
    where not exists (select from answer as other
where other.document_ids is null)
    group by d.document_id
),

-- Not in, not an anti-join: it is hashed whatever the planner believes of the table's size.
gone as (
    delete from trace.daily_document as t
    where
        t.scorer_id = :scorer_id and t.day = :day
        and t.document_id not in (select u.document_id from used as u)
)

insert into trace.daily_document as t (
    scorer_id, day, document_id, retrieved, relevant, utilized, beside_unsupported, run_id
)
select
    :scorer_id,
    :day,
    u.document_id,
    u.retrieved,
    u.relevant,
    u.utilized,
    u.beside_unsupported,
    :run_id
from used as u
on conflict (scorer_id, day, document_id) do update set
    retrieved = excluded.retrieved,
    relevant = excluded.relevant,
    utilized = excluded.utilized,
    beside_unsupported = excluded.beside_unsupported,
    run_id = excluded.run_id
where
    (t.retrieved, t.relevant, t.utilized, t.beside_unsupported)
    is distinct from (excluded.retrieved, excluded.relevant, excluded.utilized, excluded.beside_unsupported)
