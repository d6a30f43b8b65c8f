-- name: doctor_last_night
-- purpose: the newest ledger line of a scorer before today, and its most frequent reason
-- parameters: scorer, today
-- returns: day, fingerprint, source_rows, failed, skipped, quarantined, reason; no row when nothing was scored
-- safe to re-run: yes, it only reads
select
    l.day,
    l.fingerprint,
    l.source_rows,
    l.failed,
    l.skipped,
    l.quarantined,
    (
        select r.key
        from jsonb_each_text(l.reasons) as r
        order by cast(r.value as bigint) desc, r.key
        limit 1
    ) as reason
from trace.night_ledger as l
where l.scorer = :scorer and l.day < :today
order by l.day desc, l.updated_at desc
limit 1
