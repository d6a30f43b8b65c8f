-- name: source_indexes
-- purpose: the leading columns of the usable indexes on the source table
-- parameters: table_schema, table
-- returns: leading_column, is_unique (alone on that column), is_table (false for a view, which has no index of its own)
-- safe to re-run: yes, it only reads
select
    a.attname as leading_column,
    c.relkind in ('r', 'p', 'm') as is_table,
    coalesce(i.indisunique and i.indnkeyatts = 1, false) as is_unique
from pg_catalog.pg_class as c
inner join pg_catalog.pg_namespace as n on c.relnamespace = n.oid
left join pg_catalog.pg_index as i on c.oid = i.indrelid and i.indisvalid and i.indpred is null
left join pg_catalog.pg_attribute as a on c.oid = a.attrelid and i.indkey[0] = a.attnum
where n.nspname = :table_schema and c.relname = :table
