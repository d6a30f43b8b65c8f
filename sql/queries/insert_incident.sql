-- name: insert_incident
-- purpose: enter a new incident
-- parameters: scorer, metric, opened_day, onset_day, closed_day, state, dimension, value, size, evidence (JSON text), text
-- returns: incident_id
-- safe to re-run: no; the caller looks for the incident first
insert into trace.incident (
    scorer, metric, opened_day, onset_day, closed_day, state, dimension, value, size, evidence, text
)
values (
    :scorer, :metric, :opened_day, :onset_day, :closed_day, :state, :dimension, :value, :size,
    cast(:evidence as jsonb), :text
)
returning incident_id
