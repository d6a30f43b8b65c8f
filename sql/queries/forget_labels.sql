-- name: forget_labels
-- purpose: take out labels that are older than the evaluations that are kept: a label holds the id of a log
-- parameters: before (a day, in UTC as the months of trace.evaluation are)
-- returns: nothing
-- safe to re-run: yes
delete from trace.label
where logged_at < timezone('UTC', date_trunc('month', cast(:before as timestamp)))
