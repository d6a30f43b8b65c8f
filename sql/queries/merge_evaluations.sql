-- name: merge_evaluations
-- purpose: move a batch's staged evaluations into place; the key decides, so running twice changes nothing
-- parameters: none (reads the temporary table staged_evaluation)
-- returns: nothing
-- safe to re-run: yes
insert into trace.evaluation as e (
    scorer_id, logged_at, log_id, input_hash, status, reason, response_kind, relevance, utilization, adherence,
    completeness, average, adherence_probability, undefined, annotation, segments, run_id,
    document_ids, document_uses, inclusion_probability, decided_by, content_hash
)
select
    scorer_id,
    logged_at,
    log_id,
    input_hash,
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
    segments,
    run_id,
    document_ids,
    document_uses,
    inclusion_probability,
    decided_by,
    content_hash
from staged_evaluation
order by scorer_id, logged_at, log_id
on conflict (scorer_id, logged_at, log_id) do update set
    input_hash = excluded.input_hash,
    status = excluded.status,
    reason = excluded.reason,
    response_kind = excluded.response_kind,
    relevance = excluded.relevance,
    utilization = excluded.utilization,
    adherence = excluded.adherence,
    completeness = excluded.completeness,
    average = excluded.average,
    adherence_probability = excluded.adherence_probability,
    undefined = excluded.undefined,
    annotation = excluded.annotation,
    segments = excluded.segments,
    run_id = excluded.run_id,
    document_ids = excluded.document_ids,
    document_uses = excluded.document_uses,
    inclusion_probability = excluded.inclusion_probability,
    decided_by = excluded.decided_by,
    content_hash = excluded.content_hash,
    evaluated_at = now()
