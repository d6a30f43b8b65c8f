-- name: estimate_budget
-- purpose: what is spent of a night's budget so far
-- parameters: night
-- returns: calls, tokens, money; no row when nothing is
-- safe to re-run: yes, it only reads
select
    calls,
    tokens,
    money
from trace.judge_budget
where night = :night
