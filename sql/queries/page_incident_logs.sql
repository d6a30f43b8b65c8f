-- name: page_incident_logs
-- purpose: the logs that show an incident best: of its nights and segment, the lowest in its metric first
-- parameters: scorer_id, metric, segment (JSON object of one), missing (name of a segment that must be absent; both
--     empty for all traffic), from_at, to_at (excluded), most
-- returns: scorer_id, logged_at, log_id, input_hash, score, reason, annotation, segments
-- safe to re-run: yes, it only reads
with lowest as (
    -- Only columns that the key carries, so that the wide rows are read of a few logs.
    select
        e.logged_at,
        e.log_id,
        case :metric
            when 'adherence' then e.adherence
            when 'completeness' then e.completeness
            when 'relevance' then e.relevance
            when 'utilization' then e.utilization
            when 'average' then e.average
        end as score,
        e.adherence_probability
    from trace.evaluated_log as e
    where
        e.scorer_id = :scorer_id
        and e.logged_at >= :from_at and e.logged_at < :to_at
        and case :metric
            when 'unscored_share' then e.status not in ('scored', 'sampled_out')
            when 'refusal_rate' then e.response_kind = 'refusal'
            else e.status = 'scored'
        end
        and (:segment = '' or e.segments @> cast(nullif(:segment, '') as jsonb))
        and (:missing = '' or coalesce(e.segments ->> :missing, '') = '')
    order by score asc nulls last, e.adherence_probability asc nulls last, e.logged_at desc, e.log_id asc
    limit 200
)

select
    e.scorer_id,
    e.logged_at,
    e.log_id,
    e.input_hash,
    l.score,
    e.reason,
    e.annotation,
    e.segments
from lowest as l
inner join trace.evaluated_log as e on l.logged_at = e.logged_at and l.log_id = e.log_id
where e.scorer_id = :scorer_id and e.logged_at >= :from_at and e.logged_at < :to_at
order by
    l.score asc nulls last,
    l.adherence_probability asc nulls last,
    jsonb_array_length(coalesce(e.annotation -> 'unsupported_response_sentence_keys', '[]')) desc,
    e.logged_at desc,
    e.log_id asc
limit :most
