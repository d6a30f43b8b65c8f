-- name: reserve_call
-- purpose: promise a call of the judge the most it can take, if the night's limits have room: one statement, so that
--   no interleaving of tasks passes a limit
-- parameters: night, calls_limit, tokens_limit, money_limit (null: no limit), fingerprint, content_hash, log_id, logged_at,
--   attempt, input_tokens, output_tokens, money, run_id
-- returns: call_id; no row when there is no room
-- safe to re-run: no, each run is a call
with asked as (
    select
        cast(:night as date) as night,
        cast(:calls_limit as bigint) as calls_limit,
        cast(:tokens_limit as bigint) as tokens_limit,
        cast(:money_limit as numeric) as money_limit,
        cast(:input_tokens as bigint) as input_tokens,
        cast(:output_tokens as bigint) as output_tokens,
        cast(:money as numeric) as money
),

-- The row of the night is locked before its sums are compared: they are the latest, whoever changed them last.
room as (
    insert into trace.judge_budget as b (night, calls_limit, tokens_limit, money_limit, calls, tokens, money)
    select
        night,
        calls_limit,
        tokens_limit,
        money_limit,
        1,
        input_tokens + output_tokens,
        money
    from asked
    where
        (calls_limit is null or calls_limit >= 1)
        and (tokens_limit is null or tokens_limit >= input_tokens + output_tokens)
        and (money_limit is null or money_limit >= money)
    on conflict (night) do update set
        calls_limit = excluded.calls_limit,
        tokens_limit = excluded.tokens_limit,
        money_limit = excluded.money_limit,
        calls = b.calls + excluded.calls,
        tokens = b.tokens + excluded.tokens,
        money = b.money + excluded.money
    where
        (excluded.calls_limit is null or b.calls + excluded.calls <= excluded.calls_limit)
        and (excluded.tokens_limit is null or b.tokens + excluded.tokens <= excluded.tokens_limit)
        and (excluded.money_limit is null or b.money + excluded.money <= excluded.money_limit)
    returning b.night
)

insert into trace.judge_call (
    night, fingerprint, content_hash, log_id, logged_at, attempt, input_tokens, output_tokens, money, run_id
)
select
    r.night,
    :fingerprint,
    :content_hash,
    :log_id,
    :logged_at,
    :attempt,
    a.input_tokens,
    a.output_tokens,
    a.money,
    :run_id
from room as r
cross join asked as a
returning call_id
