-- name: remove_evaluations
-- purpose: take out evaluations whose log has left the source or can no longer be read
-- parameters: none (reads the temporary table staged_removal; rows with a scorer_id)
-- returns: nothing
-- safe to re-run: yes
delete from trace.evaluation as e
using staged_removal as r
where e.scorer_id = r.scorer_id and e.logged_at = r.logged_at and e.log_id = r.log_id
