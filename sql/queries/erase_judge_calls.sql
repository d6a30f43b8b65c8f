-- name: erase_judge_calls
-- purpose: take the collected logs, and anchors of their ids, out of trace.judge_call; the sums of nights stay
-- parameters: log_ids
-- returns: nothing
-- safe to re-run: yes
delete from trace.judge_call as t
where
    t.log_id = any(cast(:log_ids as text[]))
    or exists (select from trace_erased as e
    where t.log_id = e.log_id and t.logged_at = e.logged_at)
    or t.log_id in (select e.log_id from trace_erased as e
    inner join trace.anchor_log as a on e.log_id = a.anchor_id)
