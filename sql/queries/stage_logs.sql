-- name: stage_logs
-- purpose: a temporary table like trace.rag_log that COPY fills
-- parameters: none
-- returns: nothing
-- safe to re-run: once a transaction
create temporary table staged_log (like trace.rag_log) on commit drop
