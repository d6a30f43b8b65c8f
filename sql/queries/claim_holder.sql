-- name: claim_holder
-- purpose: another run that works on some of these units (days, months) under some of these scorers at this moment
-- parameters: run (who asks), scorer_ids, units
-- returns: the other run's name, cut to 63 bytes; no row when there is none
-- safe to re-run: yes, it only reads
select a.application_name as run
from pg_locks as l
inner join pg_stat_activity as a on l.pid = a.pid
where
    l.locktype = 'advisory'
    and l.granted
    and l.objsubid = 2
    and l.database = (select d.oid from pg_database as d
where d.datname = current_database())
    and l.objid <> cast(cast(hashtext(:run) as bigint) & 4294967295 as oid)
    and l.classid in (
        select cast(cast(hashtext('trace.claim ' || s.scorer_id || ' ' || u.unit) as bigint) & 4294967295 as oid)
        from unnest(cast(:scorer_ids as integer[])) as s (scorer_id)
        cross join unnest(cast(:units as text[])) as u (unit)
    )
order by a.application_name
limit 1
