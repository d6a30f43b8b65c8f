-- name: page_log_labels
-- purpose: what people say about one log and its sentences
-- parameters: logged_at, log_id
-- returns: the columns of trace.log_label, those of the whole response first
-- safe to re-run: yes, it only reads
select *
from trace.log_label
where log_id = :log_id and logged_at = :logged_at
order by sentence_key nulls first, labelled_at, label_id
limit 1000
