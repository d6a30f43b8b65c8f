-- name: stage_batch
-- purpose: temporary tables that COPY fills before the rows are merged; they go with the transaction
-- parameters: none
-- returns: nothing
-- safe to re-run: once a transaction
create temporary table staged_evaluation (like trace.evaluation including defaults) on commit drop;
create temporary table staged_quarantine (like trace.quarantine including defaults) on commit drop;
create temporary table staged_removal (
    scorer_id integer,
    logged_at timestamptz,
    log_id text,
    occurrence integer
) on commit drop
