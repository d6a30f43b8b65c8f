-- name: page_find_log
-- purpose: when a log was given of which a page knows only the id and the nights
-- parameters: scorer_id, from_at, to_at (excluded), log_id
-- returns: logged_at, of the newest
-- safe to re-run: yes, it only reads
select e.logged_at
from trace.evaluated_log as e
where e.scorer_id = :scorer_id and e.logged_at >= :from_at and e.logged_at < :to_at and e.log_id = :log_id
order by e.logged_at desc
limit 1
