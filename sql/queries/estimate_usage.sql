-- name: estimate_usage
-- purpose: what a call of the judge took on average of late, where it was answered; not about anchors
-- parameters: fingerprint (of the judge), since (a night)
-- returns: one row: calls, input_tokens, output_tokens (means; null without calls)
-- safe to re-run: yes, it only reads
select
    count(*) as calls,
    cast(avg(j.input_tokens) as double precision) as input_tokens,
    cast(avg(j.output_tokens) as double precision) as output_tokens
from trace.judge_call as j
where
    j.fingerprint = :fingerprint and j.night >= :since and j.outcome = 'answered'
    and not exists (
        select from trace.anchor_log as a
        where a.anchor_id = j.log_id
    )
