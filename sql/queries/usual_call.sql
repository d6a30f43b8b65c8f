-- name: usual_call
-- purpose: what an answered call of a judge took on average in the two weeks before a night, to plan that night with
-- parameters: fingerprint (of the judge), night
-- returns: one row: calls, input_tokens, output_tokens (means; null without calls)
-- safe to re-run: yes, it only reads; the nights before do not change while a night runs
select
    count(*) as calls,
    cast(avg(input_tokens) as double precision) as input_tokens,
    cast(avg(output_tokens) as double precision) as output_tokens
from trace.judge_call
where
    fingerprint = :fingerprint and outcome = 'answered'
    and night >= cast(:night as date) - 14 and night < :night
