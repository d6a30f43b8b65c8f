-- name: source_columns
-- purpose: the columns of the source table or view and their types
-- parameters: table_schema, table
-- returns: column_name, column_type (of a domain the type below it; citext without its schema)
-- safe to re-run: yes, it only reads
select
    a.attname as column_name,
    case
        when t.typname = 'citext' then 'citext'
        when t.typtype = 'd' then format_type(t.typbasetype, null)
        else format_type(a.atttypid, null)
    end as column_type
from pg_catalog.pg_attribute as a
inner join pg_catalog.pg_type as t on a.atttypid = t.oid
inner join pg_catalog.pg_class as c on a.attrelid = c.oid
inner join pg_catalog.pg_namespace as n on c.relnamespace = n.oid
where
    n.nspname = :table_schema
    and c.relname = :table
    and c.relkind in ('r', 'p', 'v', 'm', 'f')
    and a.attnum > 0
    and not a.attisdropped
order by a.attnum
