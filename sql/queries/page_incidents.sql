-- name: page_incidents
-- purpose: one page of the list of incidents, the latest first
-- parameters: scorer, metric, states, dimension, value, before_day, before_id, most (texts are empty and before_* null for any)
-- returns: the columns of trace.incident_detail but evidence
-- safe to re-run: yes, it only reads
select
    incident_id,
    scorer,
    metric,
    state,
    onset_day,
    opened_day,
    closed_day,
    dimension,
    value,
    size,
    text,
    observed,
    expected,
    low,
    high,
    n,
    window_nights,
    messages_sent
from trace.incident_detail
where
    scorer = :scorer
    and (:metric = '' or metric = :metric)
    and state = any(cast(:states as text[]))
    and (:dimension = '' or (dimension = :dimension and (:value = '' or value = :value)))
    and (
        cast(:before_day as date) is null
        or (opened_day, incident_id) < (cast(:before_day as date), cast(:before_id as bigint))
    )
order by opened_day desc, incident_id desc
limit :most
