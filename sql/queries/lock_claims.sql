-- name: lock_claims
-- purpose: let one run at a time look whether another one works on its days, and say that it does itself
-- parameters: none
-- returns: one row
-- safe to re-run: yes, if each is followed by unlock_claims; the lock goes with the connection at the latest
select pg_advisory_lock(hashtext('trace.claims'), 0)
