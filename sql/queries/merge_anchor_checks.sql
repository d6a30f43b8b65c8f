-- name: merge_anchor_checks
-- purpose: store the verdicts on a scorer; those that say the same as before are not written again
-- parameters: scorer, checks (JSON text: objects with the other columns)
-- returns: nothing
-- safe to re-run: yes
insert into trace.anchor_check as c (
    scorer, fingerprint, night, metric, n, nights, observed, expected, difference, z, changed, state, text, due, judged, low,
    high, changed_anchors
)
select
    :scorer,
    n.fingerprint,
    n.night,
    n.metric,
    n.n,
    n.nights,
    n.observed,
    n.expected,
    n.difference,
    n.z,
    jsonb_array_length(n.changed_anchors),
    n.state,
    n.text,
    n.due,
    n.judged,
    n.low,
    n.high,
    n.changed_anchors
from jsonb_to_recordset(cast(:checks as jsonb)) as n (
    fingerprint text, night date, metric text, n integer, nights integer, observed double precision,
    expected double precision, difference double precision, z double precision, state text, text text, due integer,
    judged integer, low double precision, high double precision, changed_anchors jsonb
)
on conflict (scorer, night, metric) do update set
    fingerprint = excluded.fingerprint,
    n = excluded.n,
    nights = excluded.nights,
    observed = excluded.observed,
    expected = excluded.expected,
    difference = excluded.difference,
    z = excluded.z,
    changed = excluded.changed,
    state = excluded.state,
    text = excluded.text,
    due = excluded.due,
    judged = excluded.judged,
    low = excluded.low,
    high = excluded.high,
    changed_anchors = excluded.changed_anchors
where c.* is distinct from excluded.*
