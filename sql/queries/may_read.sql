-- name: may_read
-- purpose: whether this login may select the used columns of the source table
-- parameters: table_schema, table, columns
-- returns: allowed
-- safe to re-run: yes, it only reads
select
    bool_and(
        has_schema_privilege(n.oid, 'usage') and has_column_privilege(c.oid, a.attnum, 'select')
    ) as allowed
from pg_catalog.pg_class as c
inner join pg_catalog.pg_namespace as n on c.relnamespace = n.oid
inner join pg_catalog.pg_attribute as a on c.oid = a.attrelid
where n.nspname = :table_schema and c.relname = :table and a.attname = any(cast(:columns as text[]))
