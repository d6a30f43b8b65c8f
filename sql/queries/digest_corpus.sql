-- name: digest_corpus
-- purpose: how many of the documents retrieved in a digest's days were used by no answer
-- parameters: scorer, first_day, last_day
-- returns: one row: documents (retrieved at all), unused (of these, those that no answer used)
-- safe to re-run: yes, it only reads
with used as (
    select
        d.document_id,
        sum(d.utilized) as utilized
    from trace.document_use as d
    inner join trace.night_version as v on d.scorer = v.scorer and d.day = v.day and d.fingerprint = v.fingerprint
    where d.scorer = :scorer and d.day between :first_day and :last_day and d.retrieved > 0
    group by d.document_id
)

select
    count(*) as documents,
    count(*) filter (where u.utilized = 0) as unused
from used as u
