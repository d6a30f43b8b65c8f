-- name: forget_documents
-- purpose: take out document counts that are older than the evaluations that are kept
-- parameters: before (a day, in UTC as the months of trace.evaluation are)
-- returns: nothing
-- safe to re-run: yes
delete from trace.daily_document
where day < cast(date_trunc('month', cast(:before as timestamp)) as date)
