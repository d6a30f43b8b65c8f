-- name: kept_answer
-- purpose: the kept answer to a question, and one more in the night's count of those
-- parameters: night, calls_limit, tokens_limit, money_limit (null: no limit), fingerprint, content_hash
-- returns: answer; no row when there is none
-- safe to re-run: yes; each run with an answer counts one more
with found as (
    select answer
    from trace.annotation_cache
    where fingerprint = :fingerprint and content_hash = :content_hash
),

counted as (
    insert into trace.judge_budget as b (night, calls_limit, tokens_limit, money_limit, kept)
    select
        cast(:night as date),
        cast(:calls_limit as bigint),
        cast(:tokens_limit as bigint),
        cast(:money_limit as numeric),
        1
    from found
    -- A count is not worth waiting for the disk, with the night's row locked meanwhile.
    where set_config('synchronous_commit', 'off', true) = 'off'
    on conflict (night) do update set kept = b.kept + 1
)

select answer
from found
