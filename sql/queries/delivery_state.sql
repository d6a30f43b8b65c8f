-- name: delivery_state
-- purpose: how far a message to a channel has come
-- parameters: event_key, channel
-- returns: state, or no row
-- safe to re-run: yes, it only reads
select state from trace.alert_delivery
where event_key = :event_key and channel = :channel
