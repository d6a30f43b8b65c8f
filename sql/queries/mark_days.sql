-- name: mark_days
-- purpose: note that the evaluations of some days have changed and their sums are due
-- parameters: scorer_ids, days
-- returns: nothing
-- safe to re-run: yes
insert into trace.day_to_restate (scorer_id, day)
select
    s.scorer_id,
    d.day
from unnest(cast(:scorer_ids as integer[])) as s (scorer_id)
cross join unnest(cast(:days as date[])) as d (day)
order by s.scorer_id, d.day
on conflict do nothing
