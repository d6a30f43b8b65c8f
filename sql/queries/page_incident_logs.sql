-- name: page_incident_logs
-- purpose: the logs that show an incident best: of its nights and segment, the lowest in its metric first
-- parameters: scorer_id, metric, dimension, value, from_at, to_at (excluded), most
-- returns: scorer_id, logged_at, log_id, input_hash, score, reason, annotation, segments
-- safe to re-run: yes, it only reads
select
    e.scorer_id,
    e.logged_at,
    e.log_id,
    e.input_hash,
    case :metric
        when 'adherence' then e.adherence
        when 'completeness' then e.completeness
        when 'relevance' then e.relevance
        when 'utilization' then e.utilization
        when 'average' then e.average
    end as score,
    e.reason,
    e.annotation,
    e.segments
from trace.evaluated_log as e
where
    e.scorer_id = :scorer_id
    and e.logged_at >= :from_at and e.logged_at < :to_at
    and case :metric
        when 'unscored_share' then e.status <> 'scored'
        when 'refusal_rate' then e.response_kind = 'refusal'
        else e.status = 'scored'
    end
    and (:dimension = '' or coalesce(nullif(e.segments ->> :dimension, ''), '(missing)') = :value)
order by
    case :metric
        when 'adherence' then e.adherence
        when 'completeness' then e.completeness
        when 'relevance' then e.relevance
        when 'utilization' then e.utilization
        when 'average' then e.average
    end asc nulls last,
    e.adherence_probability asc nulls last,
    jsonb_array_length(coalesce(e.annotation -> 'unsupported_response_sentence_keys', '[]')) desc,
    e.logged_at desc,
    e.log_id
limit :most
