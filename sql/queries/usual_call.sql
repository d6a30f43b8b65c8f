-- name: usual_call
-- purpose: what an answered call of a judge took on average in the two weeks before a night, to plan that night with;
--   calls about anchors are left out, they are shorter
-- parameters: fingerprint (of the judge), night
-- returns: one row: calls, input_tokens, output_tokens (means; null without calls)
-- safe to re-run: yes, it only reads; the nights before do not change while a night runs
select
    count(*) as calls,
    cast(avg(j.input_tokens) as double precision) as input_tokens,
    cast(avg(j.output_tokens) as double precision) as output_tokens
from trace.judge_call as j
where
    j.fingerprint = :fingerprint and j.outcome = 'answered'
    and j.night >= cast(:night as date) - 14 and j.night < :night
    and not exists (
        select from trace.anchor_log as a
        where a.anchor_id = j.log_id
    )
