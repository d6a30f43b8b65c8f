-- name: withdraw_incidents
-- purpose: mark incidents that restated nights no longer show
-- parameters: incident_ids
-- returns: nothing
-- safe to re-run: yes
update trace.incident set state = 'withdrawn', closed_day = coalesce(closed_day, opened_day)
where incident_id = any(:incident_ids) and state <> 'withdrawn'
