-- name: retire_anchors
-- purpose: note that anchors are not in the set any more, or not as they were
-- parameters: anchors (JSON text: objects with anchor_id and content_hash), night
-- returns: nothing
-- safe to re-run: yes
update trace.anchor_log as a set retired_day = :night
where
    a.retired_day is null
    and not exists (
        select from jsonb_to_recordset(cast(:anchors as jsonb)) as n (anchor_id text, content_hash text)
        where n.anchor_id = a.anchor_id and n.content_hash = a.content_hash
    )
