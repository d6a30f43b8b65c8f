-- name: erase_find
-- purpose: collect the logs to be erased, by id or by a segment value, in a temporary table that goes with the transaction
-- parameters: log_ids, dimension, value (dimension is empty when only ids are meant)
-- returns: nothing; trace_erased holds log_id and logged_at
-- safe to re-run: once a transaction
create temporary table trace_erased on commit drop as
select
    e.log_id,
    e.logged_at
from trace.evaluation as e
where e.log_id = any(cast(:log_ids as text[])) or (:dimension <> '' and e.segments ->> :dimension = :value)
union
select
    q.log_id,
    q.logged_at
from trace.quarantine as q
where q.log_id = any(cast(:log_ids as text[])) or (:dimension <> '' and q.segments ->> :dimension = :value)
union
select
    l.log_id,
    l.logged_at
from trace.label as l
where l.log_id = any(cast(:log_ids as text[]))
