-- name: page_evaluation_sample
-- purpose: the worst evaluations of a day for the evaluation log
-- parameters: scorer_id, from_at, to_at (excluded), most
-- returns: the columns of trace.evaluated_log that an evaluation is made of
-- safe to re-run: yes, it only reads
select
    log_id,
    status,
    reason,
    response_kind,
    relevance,
    utilization,
    adherence,
    completeness,
    average,
    adherence_probability,
    undefined,
    annotation,
    fingerprint
from trace.evaluated_log
where scorer_id = :scorer_id and logged_at >= :from_at and logged_at < :to_at
order by adherence asc nulls last, adherence_probability asc nulls last, logged_at asc, log_id asc
limit :most
