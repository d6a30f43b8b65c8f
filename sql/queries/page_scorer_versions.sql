-- name: page_scorer_versions
-- purpose: the versions of one scorer, so that a page shows one of them
-- parameters: scorer
-- returns: the columns of trace.scorer_version, the newest with a night first
-- safe to re-run: yes, it only reads
select *
from trace.scorer_version
where scorer = :scorer
order by first_day is null, scorer_id desc
