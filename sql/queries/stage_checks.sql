-- name: stage_checks
-- purpose: a temporary table like trace.drift_check that COPY fills
-- parameters: none
-- returns: nothing
-- safe to re-run: once a transaction
create temporary table staged_check (like trace.drift_check including defaults) on commit drop
