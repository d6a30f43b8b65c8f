-- name: worst_logs
-- purpose: logs that show an incident best: of its segment and nights, the least adherent first
-- parameters: scorer, fingerprint, metric, dimension, value, from_at, to_at (excluded), most
-- returns: log_id, sentence_keys (of the unsupported sentences)
-- safe to re-run: yes, it only reads
select
    e.log_id,
    coalesce(e.annotation -> 'unsupported_response_sentence_keys', '[]') as sentence_keys
from trace.evaluation as e
inner join trace.scorer as s on e.scorer_id = s.scorer_id
where
    s.name = :scorer and s.fingerprint = :fingerprint
    and e.logged_at >= :from_at and e.logged_at < :to_at
    and e.status = 'scored'
    and (:dimension = '' or coalesce(nullif(e.segments ->> :dimension, ''), '(missing)') = :value)
order by
    case :metric
        when 'adherence' then e.adherence
        when 'completeness' then e.completeness
        when 'relevance' then e.relevance
        when 'utilization' then e.utilization
        else e.average
    end asc nulls last,
    e.adherence_probability asc nulls last,
    jsonb_array_length(coalesce(e.annotation -> 'unsupported_response_sentence_keys', '[]')) desc,
    e.logged_at desc,
    e.log_id
limit :most
