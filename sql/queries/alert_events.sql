-- name: alert_events
-- purpose: the events that people may have to be told of, oldest first, each with its night's numbers and its incident
-- parameters: scorer, metrics, channel, recent_nights
-- returns: one row an event: an open incident's opening; a worsening, a new scorer or missing traffic of the last
--          nights; the end of an incident whose opening this channel was told of
-- safe to re-run: yes, it only reads
with latest as (
    select
        d.metric,
        max(d.day) as day
    from trace.drift_check as d
    where d.scorer = :scorer and d.measure = ''
    group by d.metric
),

told as (
    select a.incident_id
    from trace.alert_delivery as a
    where a.channel = :channel and a.state = 'sent' and a.event_key like '%:opened:%'
)

select
    d.metric,
    d.event,
    d.day,
    d.fingerprint,
    d.observed,
    d.expected,
    d.difference,
    d.low,
    d.high,
    d.window_nights,
    d.text,
    d.evidence as check_evidence,
    d.incident_id,
    l.day as latest_day,
    d.n,
    i.opened_day,
    i.onset_day,
    i.dimension,
    i.value,
    i.evidence as incident_evidence
from trace.drift_check as d
inner join latest as l on d.metric = l.metric
left join trace.incident as i on d.incident_id = i.incident_id
where
    d.scorer = :scorer and d.metric = any(:metrics) and d.measure = '' and d.event is not null
    and (
        (d.event = 'opened' and i.state = 'open')
        or (d.event = 'worsened' and i.state = 'open' and d.day > l.day - cast(:recent_nights as integer))
        or (d.event in ('scorer_changed', 'no_data', 'low_volume') and d.day > l.day - cast(:recent_nights as integer))
        or (d.event in ('recovered', 'rebaselined') and d.incident_id in (select t.incident_id from told as t))
    )
order by d.day, d.metric
