-- name: anchor_nights
-- purpose: what a scorer said of the anchors, night by night; of a night with several versions the newest one's
-- parameters: scorer (name)
-- returns: night, fingerprint, anchor (id and content hash), status, adherence, completeness, relevance, utilization
-- safe to re-run: yes, it only reads
with versions as (
    select
        v.night,
        max(v.scorer_id) as scorer_id
    from trace.anchor_verdict as v
    inner join trace.scorer as s on v.scorer_id = s.scorer_id
    where s.name = :scorer
    group by v.night
)

select
    v.night,
    s.fingerprint,
    v.anchor_id || ':' || v.content_hash as anchor,
    v.status,
    v.adherence,
    v.completeness,
    v.relevance,
    v.utilization
from versions as w
inner join trace.scorer as s on w.scorer_id = s.scorer_id
inner join trace.anchor_verdict as v on w.scorer_id = v.scorer_id and w.night = v.night
order by v.night
