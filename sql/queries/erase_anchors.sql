-- name: erase_anchors
-- purpose: take anchors that are the collected logs out, with the verdicts on them, and their ids out of the checks
-- parameters: log_ids
-- returns: nothing
-- safe to re-run: yes
with verdicts as (
    delete from trace.anchor_verdict
    where anchor_id = any(cast(:log_ids as text[])) or anchor_id in (select log_id from trace_erased)
),

gone as (
    select anchor_id || ':' || content_hash as anchor
    from trace.anchor_log
    where anchor_id = any(cast(:log_ids as text[])) or anchor_id in (select log_id from trace_erased)
),

checks as (
    update trace.anchor_check as c set changed_anchors = (
        select coalesce(jsonb_agg(a.anchor order by a.place), '[]')
        from jsonb_array_elements_text(c.changed_anchors) with ordinality as a (anchor, place)
        where a.anchor not in (select g.anchor from gone as g)
    )
    where c.changed_anchors ?| array(select g.anchor from gone as g)
)

delete from trace.anchor_log
where anchor_id = any(cast(:log_ids as text[])) or anchor_id in (select log_id from trace_erased)
