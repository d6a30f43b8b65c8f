-- name: merge_checks
-- purpose: store verdicts; those that say the same as before are not written again
-- parameters: none (reads the temporary table staged_check)
-- returns: nothing
-- safe to re-run: yes
insert into trace.drift_check as d
select * from staged_check
on conflict (scorer, metric, day, measure, dimension, value) do update set
    state = excluded.state,
    page = excluded.page,
    event = excluded.event,
    observed = excluded.observed,
    expected = excluded.expected,
    difference = excluded.difference,
    low = excluded.low,
    high = excluded.high,
    z = excluded.z,
    threshold = excluded.threshold,
    p = excluded.p,
    n = excluded.n,
    window_nights = excluded.window_nights,
    fired = excluded.fired,
    fingerprint = excluded.fingerprint,
    incident_id = excluded.incident_id,
    evidence = excluded.evidence,
    text = excluded.text
where d.* is distinct from excluded.*
