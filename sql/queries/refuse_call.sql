-- name: refuse_call
-- purpose: note that a night had no room for a call, and by which limits
-- parameters: night, calls_limit, tokens_limit, money_limit (null: no limit)
-- returns: nothing
-- safe to re-run: no, each run counts one more
insert into trace.judge_budget as b (night, calls_limit, tokens_limit, money_limit, refused)
values (:night, :calls_limit, :tokens_limit, :money_limit, 1)
on conflict (night) do update set
    calls_limit = excluded.calls_limit,
    tokens_limit = excluded.tokens_limit,
    money_limit = excluded.money_limit,
    refused = b.refused + 1
