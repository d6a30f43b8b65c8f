-- name: page_logs_after
-- purpose: a page of evaluations of one scorer and range of time, lowest key first, after one place
-- parameters: scorer_id, from_at, to_at (excluded), sort (worst, time or a metric), status, kind, reason, unsupported,
--     metric, low, high, segment (JSON object of one), missing (name of a segment that must be absent), document,
--     labelled (yes, no; an empty text filters nothing, here as above), key, at, log_id (the place), most
-- returns: key (what is sorted by; 2 where the log has no value), logged_at, log_id, and the rest of
--     trace.evaluated_log that a list shows
-- safe to re-run: yes, it only reads
with found as (
    -- Only columns that the key carries, so that the wide rows are not read before the page is chosen.
    select
        case :sort
            when 'worst' then coalesce(e.adherence_probability, e.adherence, 2)
            when 'adherence' then coalesce(e.adherence, 2)
            when 'relevance' then coalesce(e.relevance, 2)
            when 'utilization' then coalesce(e.utilization, 2)
            when 'completeness' then coalesce(e.completeness, 2)
            when 'average' then coalesce(e.average, 2)
            else cast(0 as double precision)
        end as key,
        e.scorer_id,
        e.logged_at,
        e.log_id
    from trace.evaluated_log as e
    where
        e.scorer_id = :scorer_id and e.logged_at >= :from_at and e.logged_at < :to_at
        and (:status = '' or e.status = :status)
        and (:kind = '' or e.response_kind = :kind)
        and (
            :reason = '' or e.reason = :reason
            or exists (select from jsonb_each_text(e.undefined) as u
where u.value = :reason)
        )
        and (:unsupported = '' or e.adherence < 1)
        and (
            :metric = ''
            or case :metric
                when 'adherence' then e.adherence
                when 'relevance' then e.relevance
                when 'utilization' then e.utilization
                when 'completeness' then e.completeness
                when 'average' then e.average
                else e.adherence_probability
            end between :low and :high
        )
        and (:segment = '' or e.segments @> cast(nullif(:segment, '') as jsonb))
        and (:missing = '' or coalesce(e.segments ->> :missing, '') = '')
        and (:document = '' or e.document_ids @> array[:document])
        -- The first condition leads the planner from the labels, which are few, to the logs.
        and (
            :labelled <> 'yes'
            or e.logged_at = any(array(
                select l.logged_at
                from trace.log_label as l
                where l.logged_at >= :from_at and l.logged_at < :to_at
            ))
        )
        and (
            :labelled = ''
            or (:labelled = 'yes') = (
                (e.logged_at, e.log_id) in (
                    select
                        l.logged_at,
                        l.log_id
                    from trace.log_label as l
                    where l.logged_at >= :from_at and l.logged_at < :to_at
                )
            )
        )
        and (
            case :sort
                when 'worst' then coalesce(e.adherence_probability, e.adherence, 2)
                when 'adherence' then coalesce(e.adherence, 2)
                when 'relevance' then coalesce(e.relevance, 2)
                when 'utilization' then coalesce(e.utilization, 2)
                when 'completeness' then coalesce(e.completeness, 2)
                when 'average' then coalesce(e.average, 2)
                else cast(0 as double precision)
            end,
            e.logged_at,
            e.log_id
        ) > (cast(:key as double precision), cast(:at as timestamptz), :log_id)
    order by key, e.logged_at, e.log_id
    limit :most
)

select
    f.key,
    e.logged_at,
    e.log_id,
    e.input_hash,
    e.status,
    e.reason,
    e.response_kind,
    e.relevance,
    e.utilization,
    e.adherence,
    e.completeness,
    e.average,
    e.adherence_probability,
    e.undefined,
    e.segments,
    e.annotation -> 'unsupported_response_sentence_keys' as unsupported_keys,
    (
        select count(*)
        from trace.log_label as l
        where l.log_id = e.log_id and l.logged_at = e.logged_at
    ) as labels
from found as f
inner join trace.evaluated_log as e
    on f.scorer_id = e.scorer_id and f.logged_at = e.logged_at and f.log_id = e.log_id
order by f.key, e.logged_at, e.log_id
