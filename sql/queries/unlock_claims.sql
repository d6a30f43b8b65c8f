-- name: unlock_claims
-- purpose: the next run may look (see lock_claims)
-- parameters: none
-- returns: one row
-- safe to re-run: no; it takes back one lock_claims
select pg_advisory_unlock(hashtext('trace.claims'), 0)
