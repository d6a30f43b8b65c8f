-- name: telemetry_night
-- purpose: the figures of the newest night, if it is among the days a run has restated
-- parameters: scorers (names), days
-- returns: scorer, source_rows, scored, skipped, quarantined, sampled_out, failed, reasons, metric, n, mean; one row a
--          scorer and metric
-- safe to re-run: yes, it only reads
select
    l.scorer,
    l.source_rows,
    l.scored,
    l.skipped,
    l.quarantined,
    l.sampled_out,
    l.failed,
    l.reasons,
    t.metric,
    t.n,
    t.mean
from trace.night_ledger as l
inner join trace.night_version as v on l.scorer = v.scorer and l.day = v.day and l.fingerprint = v.fingerprint
inner join trace.metric_trend as t on l.scorer = t.scorer and l.day = t.day and l.fingerprint = t.fingerprint
where
    l.scorer = any(:scorers) and l.day = any(:days) and t.dimension = ''
    and l.day = (
        select max(o.day) from trace.night_ledger as o
        where o.scorer = l.scorer
    )
order by l.scorer, t.metric
