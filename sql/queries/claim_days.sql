-- name: claim_days
-- purpose: say that this run works on these units (days, or months of a long range) under these scorers
-- parameters: run, scorer_ids, units
-- returns: one row, the name by which other runs know this one while the transaction lasts
-- safe to re-run: yes; the claim goes with the transaction, and so with a process that is killed, or, within 90 s
--          instead of the system's hours, with its machine; the transaction may be idle as long as it takes
select
    set_config('application_name', :run, true) as run,
    set_config('idle_in_transaction_session_timeout', '0', true) as idle,
    set_config('tcp_keepalives_idle', '60', true) as keepalive_idle,
    set_config('tcp_keepalives_interval', '10', true) as keepalive_interval,
    set_config('tcp_keepalives_count', '3', true) as keepalive_count,
    count(pg_advisory_xact_lock_shared(hashtext('trace.claim ' || s.scorer_id || ' ' || u.unit), hashtext(:run)))
        as claims
from unnest(cast(:scorer_ids as integer[])) as s (scorer_id)
cross join unnest(cast(:units as text[])) as u (unit)
