-- name: erase_segment_incidents
-- purpose: take a segment value out of the incidents; an incident stays, with its days and size
-- parameters: dimension, value, named (the value as a JSON text)
-- returns: nothing
-- safe to re-run: yes
update trace.incident
set
    dimension = case when dimension = :dimension and value = :value then '' else dimension end,
    value = case when dimension = :dimension and value = :value then '' else value end,
    evidence = '{}',
    text = 'A segment named here was erased.'
where (dimension = :dimension and value = :value) or position(:named in cast(evidence as text)) > 0
