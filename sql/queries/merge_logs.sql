-- name: merge_logs
-- purpose: move staged logs into trace.rag_log; a log that is there already is replaced
-- parameters: none (reads the temporary table staged_log)
-- returns: nothing
-- safe to re-run: yes
insert into trace.rag_log as r (
    log_id, logged_at, question, documents, response, ground_truth, segments, metadata
)
select
    log_id,
    logged_at,
    question,
    documents,
    response,
    ground_truth,
    segments,
    metadata
from staged_log
on conflict (log_id) do update set
    logged_at = excluded.logged_at,
    question = excluded.question,
    documents = excluded.documents,
    response = excluded.response,
    ground_truth = excluded.ground_truth,
    segments = excluded.segments,
    metadata = excluded.metadata
