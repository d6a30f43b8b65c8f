-- name: may_read
-- purpose: whether this login may select from the source table
-- parameters: table_schema, table
-- returns: allowed
-- safe to re-run: yes, it only reads
select has_schema_privilege(n.oid, 'usage') and has_any_column_privilege(c.oid, 'select') as allowed
from pg_catalog.pg_class as c
inner join pg_catalog.pg_namespace as n on c.relnamespace = n.oid
where n.nspname = :table_schema and c.relname = :table
