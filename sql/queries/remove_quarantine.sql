-- name: remove_quarantine
-- purpose: take out quarantine rows whose log has left the source or can now be read
-- parameters: none (reads the temporary table staged_removal; rows without a scorer_id)
-- returns: nothing
-- safe to re-run: yes
delete from trace.quarantine as q
using staged_removal as r
where
    r.scorer_id is null
    and q.logged_at = r.logged_at and q.log_id = r.log_id and q.occurrence = r.occurrence
