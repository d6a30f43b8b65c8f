-- name: doctor_marked_days
-- purpose: days whose sums wait to be restated
-- parameters: none
-- returns: the count
-- safe to re-run: yes, it only reads
select count(distinct day)
from trace.day_to_restate
