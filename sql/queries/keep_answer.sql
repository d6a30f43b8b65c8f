-- name: keep_answer
-- purpose: keep the answer to a call of the judge; the first one stays, and none is kept for a call that was erased
-- parameters: call_id, answer
-- returns: nothing
-- safe to re-run: yes
insert into trace.annotation_cache (fingerprint, content_hash, answer, log_id, logged_at)
select
    fingerprint,
    content_hash,
    cast(:answer as jsonb),
    log_id,
    logged_at
from trace.judge_call
where call_id = :call_id
for update
on conflict do nothing
