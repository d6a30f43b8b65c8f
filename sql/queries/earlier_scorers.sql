-- name: earlier_scorers
-- purpose: the earlier fingerprints of a scorer that have evaluations in a range, newest first
-- parameters: scorer_id, from_at, to_at (excluded)
-- returns: scorer_id, fingerprint
-- safe to re-run: yes, it only reads
select
    s.scorer_id,
    s.fingerprint
from trace.scorer as s
inner join trace.scorer as c on s.name = c.name
where
    c.scorer_id = :scorer_id and s.scorer_id < c.scorer_id
    and exists (
        select from trace.evaluation as e
        where e.scorer_id = s.scorer_id and e.logged_at >= :from_at and e.logged_at < :to_at
    )
order by s.scorer_id desc
