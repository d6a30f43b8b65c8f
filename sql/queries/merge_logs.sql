-- name: merge_logs
-- purpose: move staged logs into trace.rag_log; a log that is there with another content is replaced
-- parameters: none (reads the temporary table staged_log)
-- returns: one row: new, changed
-- safe to re-run: yes
with merged as (
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
    where
        (r.logged_at, r.question, r.documents, r.response, r.ground_truth, r.segments, r.metadata)
        is distinct from (
            excluded.logged_at,
            excluded.question,
            excluded.documents,
            excluded.response,
            excluded.ground_truth,
            excluded.segments,
            excluded.metadata
        )
    returning (xmax = 0) as fresh
)

select
    count(*) filter (where fresh) as new,
    count(*) filter (where not fresh) as changed
from merged
