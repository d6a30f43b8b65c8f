-- name: doctor_rights
-- purpose: what the pipeline needs of the results and this login may not do
-- parameters: none
-- returns: login, is_superuser, missing_tables, missing_roles (arrays, null when nothing is missing)
-- safe to re-run: yes, it only reads
select
    current_user as login,
    (
        select r.rolsuper
        from pg_catalog.pg_roles as r
        where r.rolname = current_user
    ) as is_superuser,
    (
        select array_agg(t.name order by t.name)
        from unnest(array[
            'scorer', 'evaluation', 'quarantine', 'ledger', 'daily_metric', 'day_to_restate', 'incident', 'drift_check',
            'alert_delivery', 'scorer_bridge'
        ]) as t (name)
        where not has_table_privilege('trace.' || t.name, 'insert')
        or not has_table_privilege('trace.' || t.name, 'update')
        or not has_table_privilege('trace.' || t.name, 'delete')
    ) as missing_tables,
    (
        select array_agg(w.name order by w.name)
        from unnest(array['trace_owner', 'trace_pipeline', 'trace_reader']) as w (name)
        left join pg_catalog.pg_roles as r on w.name = r.rolname
        where r.rolname is null
    ) as missing_roles
