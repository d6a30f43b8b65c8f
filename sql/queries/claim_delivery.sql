-- name: claim_delivery
-- purpose: take the right to send a message to a channel
-- parameters: event_key, channel, incident_id, stale_seconds
-- returns: one row when granted: no row was there, it is failed, or its claim is stale; none when it is sent or being sent
-- safe to re-run: yes, that is its purpose
insert into trace.alert_delivery as d (event_key, channel, incident_id, state)
values (:event_key, :channel, :incident_id, 'claimed')
on conflict (event_key, channel) do update set
    state = 'claimed',
    attempts = d.attempts + 1,
    claimed_at = now()
where
    d.state = 'failed'
    or (d.state = 'claimed' and d.claimed_at < now() - make_interval(secs => :stale_seconds))
returning d.attempts
