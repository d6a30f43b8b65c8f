-- name: page_incident_deliveries
-- purpose: the messages about an incident, the earliest first
-- parameters: incident_id
-- returns: event_key, channel, state, attempts, claimed_at, sent_at, detail
-- safe to re-run: yes, it only reads
select
    event_key,
    channel,
    state,
    attempts,
    claimed_at,
    sent_at,
    detail
from trace.alert_history
where incident_id = :incident_id
order by coalesce(sent_at, claimed_at), event_key, channel
limit 200
