-- name: take_marked_days
-- purpose: take the days whose sums are due off the list, in the transaction that makes the sums
-- parameters: scorer_id, days (those that the run has read)
-- returns: day
-- safe to re-run: yes; a day taken by a transaction that fails is back on the list
delete from trace.day_to_restate
where scorer_id = :scorer_id and day = any(cast(:days as date[]))
returning day
