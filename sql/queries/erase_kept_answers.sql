-- name: erase_kept_answers
-- purpose: take the judge's answers about the collected logs out: asked for them, or for others of the same text
-- parameters: log_ids
-- returns: nothing
-- safe to re-run: yes
delete from trace.annotation_cache as t
where
    t.log_id = any(cast(:log_ids as text[]))
    or exists (select from trace_erased as e
    where t.log_id = e.log_id and t.logged_at = e.logged_at)
    or t.log_id in (select e.log_id from trace_erased as e
    inner join trace.anchor_log as a on e.log_id = a.anchor_id)
    or t.content_hash in (
        select v.content_hash
        from trace.evaluation as v
        inner join trace_erased as e on v.log_id = e.log_id and v.logged_at = e.logged_at
        where v.content_hash is not null
    )
