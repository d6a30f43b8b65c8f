-- name: drop_partitions
-- purpose: drop the months of trace.evaluation that ended before a day
-- parameters: before
-- returns: dropped (names of the tables)
-- safe to re-run: yes
select trace.drop_evaluation_partitions(:before) as dropped
