-- name: write_ledger
-- purpose: one day's line of the ledger of a scorer
-- parameters: scorer_id, day, interval_start, interval_end, source_rows, scored, skipped, quarantined, sampled_out, failed,
--             reasons (JSON text), run_id
-- returns: nothing
-- safe to re-run: yes
insert into trace.ledger as l (
    scorer_id, day, interval_start, interval_end, source_rows, scored, skipped, quarantined, sampled_out, failed,
    reasons, run_id
)
values (
    :scorer_id, :day, :interval_start, :interval_end, :source_rows, :scored, :skipped, :quarantined, :sampled_out,
    :failed, cast(:reasons as jsonb), :run_id
)
on conflict (scorer_id, day) do update set
    interval_start = excluded.interval_start,
    interval_end = excluded.interval_end,
    source_rows = excluded.source_rows,
    scored = excluded.scored,
    skipped = excluded.skipped,
    quarantined = excluded.quarantined,
    sampled_out = excluded.sampled_out,
    failed = excluded.failed,
    reasons = excluded.reasons,
    run_id = excluded.run_id,
    updated_at = now()
