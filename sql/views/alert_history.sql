-- name: alert_history
-- purpose: what people read of the messages: which went where, when, and how far they have come
-- parameters: none
-- returns: one row a message and channel
-- safe to re-run: yes
create or replace view trace.alert_history as
select
    a.event_key,
    a.channel,
    a.incident_id,
    a.state,
    a.attempts,
    a.claimed_at,
    a.sent_at,
    a.detail
from trace.alert_delivery as a;

comment on view trace.alert_history is 'Messages to channels. Addresses of channels are not in it, only their labels.';
comment on column trace.alert_history.event_key is 'What was told: metric, event and incident.';
comment on column trace.alert_history.channel is 'Label of the channel.';
comment on column trace.alert_history.incident_id is 'The incident it is about; null for messages about the traffic or a failed run.';
comment on column trace.alert_history.state is 'claimed: being sent; sent; failed: tried again by the next run.';
comment on column trace.alert_history.attempts is 'How often it was tried.';
comment on column trace.alert_history.claimed_at is 'When the latest attempt began.';
comment on column trace.alert_history.sent_at is 'When the channel accepted it.';
comment on column trace.alert_history.detail is 'Why it failed.';
