-- name: ensure_partitions
-- purpose: make the months of trace.evaluation that a run writes to
-- parameters: first_day, last_day
-- returns: how many were made
-- safe to re-run: yes
select trace.ensure_evaluation_partitions(:first_day, :last_day) as made
