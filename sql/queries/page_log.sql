-- name: page_log
-- purpose: what every scorer fingerprint says about one log
-- parameters: logged_at, log_id
-- returns: the columns of trace.evaluated_log, the newest fingerprint of each scorer first
-- safe to re-run: yes, it only reads
select
    e.*,
    v.is_newest
from trace.scorer_version as v
inner join trace.evaluated_log as e on v.scorer_id = e.scorer_id
where e.logged_at = :logged_at and e.log_id = :log_id
order by v.is_newest desc, v.scorer, v.scorer_id desc
