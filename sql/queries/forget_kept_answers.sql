-- name: forget_kept_answers
-- purpose: take out the judge's answers about logs that are older than the evaluations that are kept
-- parameters: before (a day, in UTC as the months of trace.evaluation are)
-- returns: nothing
-- safe to re-run: yes
delete from trace.annotation_cache
where logged_at < timezone('UTC', date_trunc('month', cast(:before as timestamp)))
