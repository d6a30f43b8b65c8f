-- name: lock_series
-- purpose: let two runs restate the sums, or the verdicts, of one scorer one after the other: the later one then
--          sees all that the earlier one saw, and never overwrites newer sums with older ones
-- parameters: series (any text that names what is restated)
-- returns: one row
-- safe to re-run: yes; the lock goes with the transaction
select pg_advisory_xact_lock(hashtext('trace.series'), hashtext(:series))
