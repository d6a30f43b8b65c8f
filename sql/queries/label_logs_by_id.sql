-- name: label_logs_by_id
-- purpose: the scored answers that labels speak of, where only their ids are known; reads all evaluations
-- parameters: log_ids
-- returns: as label_logs_at
-- safe to re-run: yes, it only reads
select
    e.log_id,
    e.logged_at,
    e.input_hash,
    e.annotation -> 'response_sentence_keys' as keys
from trace.evaluated_log as e
where e.log_id = any(cast(:log_ids as text[]))
order by e.scorer_id
