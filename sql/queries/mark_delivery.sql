-- name: mark_delivery
-- purpose: record how a delivery ended; only a claimed one changes
-- parameters: event_key, channel, state (sent or failed), detail
-- returns: nothing
-- safe to re-run: yes
update trace.alert_delivery set
    state = :state,
    detail = :detail,
    sent_at = case when :state = 'sent' then now() end
where event_key = :event_key and channel = :channel and state = 'claimed'
