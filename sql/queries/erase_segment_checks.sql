-- name: erase_segment_checks
-- purpose: take a segment value out of the verdicts: its own rows go, others lose their evidence and keep their numbers
-- parameters: dimension, value, named (the value as a JSON text)
-- returns: nothing
-- safe to re-run: yes
with gone as (
    delete from trace.drift_check
    where dimension = :dimension and value = :value and measure <> ''
)

update trace.drift_check
set
    dimension = '',
    value = '',
    evidence = '{}',
    text = 'A segment named here was erased.'
where
    measure = ''
    and ((dimension = :dimension and value = :value) or position(:named in cast(evidence as text)) > 0)
