-- name: bridges
-- purpose: the bridges between the fingerprints of a scorer
-- parameters: scorer (name), metric
-- returns: from_fingerprint, to_fingerprint, cells, shift, newest last
-- safe to re-run: yes, it only reads
select
    f.fingerprint as from_fingerprint,
    t.fingerprint as to_fingerprint,
    b.cells,
    b.shift
from trace.scorer_bridge as b
inner join trace.scorer as f on b.from_scorer_id = f.scorer_id
inner join trace.scorer as t on b.to_scorer_id = t.scorer_id
where t.name = :scorer and b.metric = :metric
order by b.to_scorer_id, b.from_scorer_id
