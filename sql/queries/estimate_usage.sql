-- name: estimate_usage
-- purpose: what a call of the judge took on average of late, where it was answered
-- parameters: fingerprint (of the judge), since (a night)
-- returns: one row: calls, input_tokens, output_tokens (means; null without calls)
-- safe to re-run: yes, it only reads
select
    count(*) as calls,
    cast(avg(input_tokens) as double precision) as input_tokens,
    cast(avg(output_tokens) as double precision) as output_tokens
from trace.judge_call
where fingerprint = :fingerprint and night >= :since and outcome = 'answered'
