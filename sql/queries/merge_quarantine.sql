-- name: merge_quarantine
-- purpose: move a batch's staged quarantine rows into place
-- parameters: none (reads the temporary table staged_quarantine)
-- returns: nothing
-- safe to re-run: yes; first_seen stays
insert into trace.quarantine as q (
    log_id, logged_at, occurrence, reason, detail, input_hash, segments, run_id
)
select
    log_id,
    logged_at,
    occurrence,
    reason,
    detail,
    input_hash,
    segments,
    run_id
from staged_quarantine
order by logged_at, log_id, occurrence
on conflict (logged_at, log_id, occurrence) do update set
    reason = excluded.reason,
    detail = excluded.detail,
    input_hash = excluded.input_hash,
    segments = excluded.segments,
    run_id = excluded.run_id,
    last_seen = now()
