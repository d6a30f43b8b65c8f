-- name: enter_anchors
-- purpose: enter the anchors of a set; those that are known stay as they are, those that had been retired are back
-- parameters: anchors (JSON text: objects with anchor_id, content_hash, question, documents, response, language)
-- returns: nothing
-- safe to re-run: yes
insert into trace.anchor_log as a (anchor_id, content_hash, question, documents, response, language)
select
    n.anchor_id,
    n.content_hash,
    n.question,
    n.documents,
    n.response,
    n.language
from jsonb_to_recordset(cast(:anchors as jsonb)) as n (
    anchor_id text, content_hash text, question text, documents jsonb, response text, language text
)
on conflict (anchor_id, content_hash) do update set retired_day = null
where a.retired_day is not null
