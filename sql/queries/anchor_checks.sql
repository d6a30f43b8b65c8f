-- name: anchor_checks
-- purpose: the verdicts on a scorer of one night; without a night of its last one
-- parameters: scorer (name), night (or null)
-- returns: night, fingerprint, metric, state, text, n, nights, due, judged, observed, expected, difference, low, high,
--   changed_anchors
-- safe to re-run: yes, it only reads
select
    night,
    fingerprint,
    metric,
    state,
    text,
    n,
    nights,
    due,
    judged,
    observed,
    expected,
    difference,
    low,
    high,
    changed_anchors
from trace.anchor_check
where
    scorer = :scorer
    and night = coalesce(
        cast(:night as date),
        (
            select max(l.night) from trace.anchor_check as l
            where l.scorer = :scorer
        )
    )
order by metric
