-- name: source_columns
-- purpose: the columns of the source table or view and their types
-- parameters: table_schema, table
-- returns: name, type, not_null
-- safe to re-run: yes, it only reads
select
    a.attname as name,
    a.attnotnull as not_null,
    format_type(a.atttypid, null) as type
from pg_catalog.pg_attribute as a
inner join pg_catalog.pg_class as c on a.attrelid = c.oid
inner join pg_catalog.pg_namespace as n on c.relnamespace = n.oid
where
    n.nspname = :table_schema
    and c.relname = :table
    and a.attnum > 0
    and not a.attisdropped
order by a.attnum
