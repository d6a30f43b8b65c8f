-- name: forget_judge_calls
-- purpose: take out calls of the judge about logs that are older than the evaluations that are kept; sums of nights stay
-- parameters: before (a day, in UTC as the months of trace.evaluation are)
-- returns: nothing
-- safe to re-run: yes
delete from trace.judge_call
where logged_at < timezone('UTC', date_trunc('month', cast(:before as timestamp)))
