-- name: page_corpus_nights
-- purpose: of how many of the chosen nights with scored answers the documents are counted
-- parameters: scorer_id, first_day, last_day
-- returns: one row: scored_nights, counted_nights
-- safe to re-run: yes, it only reads
select
    count(*) filter (where l.scored > 0) as scored_nights,
    count(*) filter (
        where l.scored > 0
        and exists (select from trace.document_use as d
where d.scorer_id = v.scorer_id and d.day = l.day)
    ) as counted_nights
from trace.scorer_version as v
inner join trace.night_ledger as l on v.scorer = l.scorer and v.fingerprint = l.fingerprint
where v.scorer_id = :scorer_id and l.day between :first_day and :last_day
