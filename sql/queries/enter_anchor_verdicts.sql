-- name: enter_anchor_verdicts
-- purpose: note before the first question which anchors a night owes, so that a night that breaks off is not taken for whole
-- parameters: anchors (JSON text: objects with anchor_id and content_hash), scorer_id, night, run_id
-- returns: nothing
-- safe to re-run: yes
insert into trace.anchor_verdict (scorer_id, night, anchor_id, content_hash, status, run_id)
select
    cast(:scorer_id as integer),
    cast(:night as date),
    n.anchor_id,
    n.content_hash,
    'due',
    :run_id
from jsonb_to_recordset(cast(:anchors as jsonb)) as n (anchor_id text, content_hash text)
on conflict do nothing
