-- name: page_scorer_id
-- purpose: the number of a scorer's version, by which evaluations are kept
-- parameters: scorer, fingerprint
-- returns: scorer_id, or no row
-- safe to re-run: yes, it only reads
select scorer_id
from trace.scorer_version
where scorer = :scorer and fingerprint = :fingerprint
