-- name: page_may_be
-- purpose: whether this login may act as a role with fewer rights than its own
-- parameters: role
-- returns: allowed (false also when there is no such role)
-- safe to re-run: yes, it only reads
select coalesce(bool_or(pg_has_role(r.oid, 'member')), false) as allowed
from pg_catalog.pg_roles as r
where r.rolname = :role
