-- name: settle_call
-- purpose: put what a call took in the place of what it was promised, in the call and in its night's sums
-- parameters: call_id, outcome, input_tokens, output_tokens, money
-- returns: nothing
-- safe to re-run: yes, a settled call stays as it is
with promised as (
    select
        call_id,
        night,
        input_tokens,
        output_tokens,
        money
    from trace.judge_call
    where call_id = :call_id and outcome = 'under_way'
    for update
),

settled as (
    update trace.judge_call as c
    set
        outcome = :outcome,
        input_tokens = :input_tokens,
        output_tokens = :output_tokens,
        money = :money,
        settled_at = now()
    from promised as p
    where c.call_id = p.call_id
    returning
        p.night,
        c.outcome,
        c.input_tokens + c.output_tokens - p.input_tokens - p.output_tokens as more_tokens,
        c.money - p.money as more_money
)

update trace.judge_budget as b
set
    tokens = b.tokens + s.more_tokens,
    money = b.money + s.more_money,
    answered = b.answered + cast(s.outcome = 'answered' as integer)
from settled as s
where b.night = s.night
