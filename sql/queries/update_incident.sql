-- name: update_incident
-- purpose: bring a stored incident up to what the nights say now; one that says it already is not written
-- parameters: incident_id, opened_day, onset_day, closed_day, state, dimension, value, size, evidence (JSON text), text
-- returns: nothing
-- safe to re-run: yes
update trace.incident set
    opened_day = :opened_day,
    onset_day = :onset_day,
    closed_day = :closed_day,
    state = :state,
    dimension = :dimension,
    value = :value,
    size = :size,
    evidence = cast(:evidence as jsonb),
    text = :text
where
    incident_id = :incident_id
    and (opened_day, onset_day, closed_day, state, dimension, value, size, evidence, text)
    is distinct from (
        cast(:opened_day as date), cast(:onset_day as date), cast(:closed_day as date), :state, :dimension, :value,
        :size, cast(:evidence as jsonb), :text
    )
