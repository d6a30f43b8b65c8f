-- name: night_version
-- purpose: which version of a scorer speaks for a day: of several that scored it, the newest one that found logs
-- parameters: none
-- returns: one row a day and scorer
-- safe to re-run: yes
create or replace view trace.night_version as
select distinct on (s.name, l.day)
    s.name as scorer,
    l.day,
    s.fingerprint
from trace.ledger as l
inner join trace.scorer as s on l.scorer_id = s.scorer_id
order by s.name asc, l.day asc, l.source_rows > 0 desc, l.scorer_id desc;

comment on view trace.night_version is 'Which version of a scorer speaks for a day; join it to a view to get one row a day.';
comment on column trace.night_version.scorer is 'Name of the scorer.';
comment on column trace.night_version.day is 'Day in day_time_zone.';
comment on column trace.night_version.fingerprint is 'The newest version that found logs of the day; the newest of all when none did.';
