-- name: judged_anchors
-- purpose: the anchors that a night has verdicts on, of all given scorers
-- parameters: scorer_ids, night
-- returns: anchor_id, content_hash
-- safe to re-run: yes, it only reads
select
    anchor_id,
    content_hash
from trace.anchor_verdict
where scorer_id = any(cast(:scorer_ids as integer[])) and night = :night and status = 'scored'
group by anchor_id, content_hash
having count(*) = cardinality(cast(:scorer_ids as integer[]))
