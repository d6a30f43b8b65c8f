-- name: erase_anchors
-- purpose: take anchors that are the collected logs out, with the verdicts on them
-- parameters: log_ids
-- returns: nothing
-- safe to re-run: yes
with verdicts as (
    delete from trace.anchor_verdict
    where anchor_id = any(cast(:log_ids as text[])) or anchor_id in (select log_id from trace_erased)
)

delete from trace.anchor_log
where anchor_id = any(cast(:log_ids as text[])) or anchor_id in (select log_id from trace_erased)
