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
comment on column trace.incident_history.incident_id is 'Number of the incident.';
comment on column trace.incident_history.scorer is 'Name of the scorer whose trend changed.';
comment on column trace.incident_history.metric is 'The metric that changed.';
comment on column trace.incident_history.state is 'open or closed.';
comment on column trace.incident_history.onset_day is 'First night of the change, as estimated.';
comment on column trace.incident_history.opened_day is 'Night on which it was found.';
comment on column trace.incident_history.closed_day is 'Night on which it was over; null while it is open.';
comment on column trace.incident_history.dimension is 'Segment name; empty when the whole traffic changed.';
comment on column trace.incident_history.value is 'Segment value; empty when the whole traffic changed.';
comment on column trace.incident_history.size is 'Difference to the expected value, as a fraction: -0.05 is 5 points down.';
comment on column trace.incident_history.text is 'The change in one sentence.';
comment on column trace.incident_history.evidence is 'Contributing segments and releases near the onset.';
comment on column trace.incident_history.messages_sent is 'Messages that channels accepted about it.';
comment on column trace.incident_history.first_sent_at is 'When the first of them was accepted.';
