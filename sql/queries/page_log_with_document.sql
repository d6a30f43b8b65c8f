-- name: page_log_with_document
-- purpose: one log of a day that retrieved a document, to show some of its text
-- parameters: scorer_id, from_at, to_at (excluded), document
-- returns: logged_at, log_id, input_hash, or no row
-- safe to re-run: yes, it only reads
select
    e.logged_at,
    e.log_id,
    e.input_hash
from trace.evaluated_log as e
where
    e.scorer_id = :scorer_id and e.logged_at >= :from_at and e.logged_at < :to_at
    and e.document_ids @> array[:document]
order by e.logged_at, e.log_id
limit 1
