-- name: incident_history
-- purpose: what people read of incidents: each with the messages sent about it
-- parameters: none
-- returns: one row an incident, withdrawn ones left out
-- safe to re-run: yes
create or replace view trace.incident_history as
select
    i.incident_id,
    i.scorer,
    i.metric,
    i.state,
    i.onset_day,
    i.opened_day,
    i.closed_day,
    i.dimension,
    i.value,
    i.size,
    i.text,
    i.evidence,
    count(a.event_key) filter (where a.state = 'sent') as messages_sent,
    min(a.sent_at) as first_sent_at
from trace.incident as i
left join trace.alert_delivery as a on i.incident_id = a.incident_id
where i.state <> 'withdrawn'
group by i.incident_id;

comment on view trace.incident_history is 'Changes of a metric that people were, or should be, told of.';
