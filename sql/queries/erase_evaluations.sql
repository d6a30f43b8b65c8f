-- name: erase_evaluations
-- purpose: take the collected logs out of trace.evaluation
-- parameters: none
-- returns: nothing
-- safe to re-run: yes
delete from trace.evaluation as t
using trace_erased as e
where t.log_id = e.log_id and t.logged_at = e.logged_at
