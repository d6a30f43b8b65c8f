-- name: doctor_missing_nights
-- purpose: days of the last 30, since the first scored one, that have no ledger line of a scorer
-- parameters: scorer, today
-- returns: day
-- safe to re-run: yes, it only reads
with scored as (
    select l.day
    from trace.night_ledger as l
    where l.scorer = :scorer
),

wanted as (
    select cast(generate_series(greatest(cast(:today as date) - 30, min(day)), max(day), interval '1 day') as date) as day
    from scored
)

select w.day
from wanted as w
left join scored as s on w.day = s.day
where s.day is null
order by w.day
