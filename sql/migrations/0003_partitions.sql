-- name: 0003_partitions
-- purpose: functions that let the pipeline role add and drop months of trace.evaluation without owning the table
-- parameters: none
-- returns: nothing
-- safe to re-run: yes

create or replace function trace.ensure_evaluation_partitions(first_day date, last_day date)
returns integer
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    month_start date := date_trunc('month', first_day);
    made integer := 0;
    child text;
begin
    if last_day - first_day > 36600 then
        raise exception 'trace.ensure_evaluation_partitions: more than a hundred years between % and %', first_day, last_day;
    end if;
    -- Two runs may want the same month at once.
    perform pg_advisory_xact_lock(hashtext('trace.ensure_evaluation_partitions'));
    while month_start <= last_day loop
        child := 'evaluation_' || to_char(month_start, 'YYYY_MM');
        if to_regclass(format('trace.%I', child)) is null then
            execute format(
                'create table trace.%I partition of trace.evaluation for values from (%L) to (%L)',
                child,
                to_char(month_start, 'YYYY-MM-DD') || ' 00:00:00+00',
                to_char(month_start + interval '1 month', 'YYYY-MM-DD') || ' 00:00:00+00'
            );
            made := made + 1;
        end if;
        month_start := month_start + interval '1 month';
    end loop;
    return made;
end
$$;
comment on function trace.ensure_evaluation_partitions is 'Adds the missing months of trace.evaluation from first_day to last_day; returns how many.';
revoke all on function trace.ensure_evaluation_partitions from public;

create or replace function trace.drop_evaluation_partitions(before date)
returns text[]
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    child text;
    dropped text[] := '{}';
begin
    for child in
        select c.relname
        from pg_inherits i
        join pg_class c on c.oid = i.inhrelid
        where i.inhparent = 'trace.evaluation'::regclass
          and c.relname ~ '^evaluation_\d{4}_\d{2}$'
          and to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month' <= before
        order by c.relname
    loop
        execute format('drop table trace.%I', child);
        dropped := dropped || child;
    end loop;
    return dropped;
end
$$;
comment on function trace.drop_evaluation_partitions is 'Drops the months of trace.evaluation that ended before the given day; returns their names.';
revoke all on function trace.drop_evaluation_partitions from public;
