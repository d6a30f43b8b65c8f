-- name: lock_days
-- purpose: let the merges of two runs into one day wait for each other, so that they never lock rows crosswise
-- parameters: days (sorted, so that two runs also lock days in one order)
-- returns: one row a day
-- safe to re-run: yes; the locks go with the transaction
select pg_advisory_xact_lock(hashtext('trace.merge'), d.day - date '2000-01-01')
from unnest(cast(:days as date[])) with ordinality as d (day, place)
order by d.place
