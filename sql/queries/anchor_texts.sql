-- name: anchor_texts
-- purpose: question and response of anchors
-- parameters: anchors (ids and content hashes)
-- returns: anchor, anchor_id, question, response
-- safe to re-run: yes, it only reads
select
    anchor_id || ':' || content_hash as anchor,
    anchor_id,
    question,
    response
from trace.anchor_log
where anchor_id || ':' || content_hash = any(cast(:anchors as text[]))
