-- name: page_scorers
-- purpose: the scorers that have results, with their newest night
-- parameters: none
-- returns: scorer, last_day
-- safe to re-run: yes, it only reads
select
    scorer,
    max(last_day) as last_day
from trace.scorer_version
where last_day is not null
group by scorer
order by scorer
