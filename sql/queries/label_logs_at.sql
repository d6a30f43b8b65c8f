-- name: label_logs_at
-- purpose: the scored answers that labels speak of, by id and time
-- parameters: log_ids, moments (in the same order)
-- returns: log_id, logged_at (within a second of the one asked for: files often hold whole seconds), input_hash,
--     keys (of the response's sentences; null where none are stored), the newest scorer last
-- safe to re-run: yes, it only reads
select
    e.log_id,
    e.logged_at,
    e.input_hash,
    e.annotation -> 'response_sentence_keys' as keys
from unnest(cast(:log_ids as text[]), cast(:moments as timestamptz[])) as w (log_id, moment)
cross join trace.scorer_version as v
inner join trace.evaluated_log as e
    on
        v.scorer_id = e.scorer_id and w.log_id = e.log_id
        and e.logged_at between w.moment - interval '1 second' and w.moment + interval '1 second'
order by v.scorer_id
