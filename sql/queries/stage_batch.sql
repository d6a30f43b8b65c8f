-- name: stage_batch
-- purpose: temporary tables that COPY fills before the rows are merged; they go with the transaction
-- parameters: none
-- returns: nothing
-- safe to re-run: once a transaction
create temporary table staged_evaluation (
    scorer_id integer,
    logged_at timestamptz,
    log_id text,
    input_hash text,
    status text,
    reason text,
    response_kind text,
    relevance double precision,
    utilization double precision,
    adherence double precision,
    completeness double precision,
    average double precision,
    adherence_probability double precision,
    undefined jsonb,
    annotation jsonb,
    segments jsonb,
    run_id text
) on commit drop;
create temporary table staged_quarantine (
    log_id text,
    logged_at timestamptz,
    occurrence integer,
    reason text,
    detail text,
    input_hash text,
    segments jsonb,
    run_id text
) on commit drop;
create temporary table staged_removal (
    scorer_id integer,
    logged_at timestamptz,
    log_id text,
    occurrence integer
) on commit drop
