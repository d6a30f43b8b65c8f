-- name: erase_segment_sums
-- purpose: take the sums of a segment value out of trace.daily_metric; totals hold no segment
-- parameters: dimension, value
-- returns: nothing
-- safe to re-run: yes
delete from trace.daily_metric
where dimension = :dimension and value = :value
