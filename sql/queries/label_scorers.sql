-- name: label_scorers
-- purpose: the scorer fingerprints that have scored a labelled answer
-- parameters: from_at, to_at (excluded)
-- returns: scorer_id, scorer, fingerprint, is_newest; the newest of each scorer first
-- safe to re-run: yes, it only reads
select
    v.scorer_id,
    v.scorer,
    v.fingerprint,
    v.is_newest
from trace.scorer_version as v
where exists (
    select
    from trace.label as l
    inner join trace.evaluation as e on l.logged_at = e.logged_at and l.log_id = e.log_id
    where
        e.scorer_id = v.scorer_id and l.kind = 'adherence' and e.status = 'scored'
        and l.logged_at >= :from_at and l.logged_at < :to_at
        and e.logged_at >= :from_at and e.logged_at < :to_at
)
order by v.scorer, v.scorer_id desc
