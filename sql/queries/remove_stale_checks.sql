-- name: remove_stale_checks
-- purpose: take out verdicts on series that the restated nights no longer have
-- parameters: scorer, metric, first_day
-- returns: nothing
-- safe to re-run: yes
delete from trace.drift_check as d
where
    d.scorer = :scorer and d.metric = :metric and d.day >= :first_day
    and not exists (
        select from staged_check as s
        where
            s.scorer = d.scorer and s.metric = d.metric and s.day = d.day
            and s.measure = d.measure and s.dimension = d.dimension and s.value = d.value
    )
