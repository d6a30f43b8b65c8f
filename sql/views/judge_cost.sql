-- name: judge_cost
-- purpose: what people read of the judge's budget: each night's calls, tokens and money beside its limits
-- parameters: none
-- returns: one row a night in which a judge was, or would have been, asked
-- safe to re-run: yes
create or replace view trace.judge_cost as
select
    b.night,
    b.calls,
    b.answered,
    c.under_way,
    b.refused,
    b.kept,
    cast(b.kept as double precision) / nullif(b.kept + b.answered, 0) as kept_share,
    b.tokens,
    b.money,
    b.calls_limit,
    b.tokens_limit,
    b.money_limit,
    coalesce(o.owed, 0) as owed,
    c.judges
from trace.judge_budget as b
left join lateral (
    select
        count(*) filter (where j.outcome = 'under_way') as under_way,
        string_agg(distinct j.fingerprint, ', ') as judges
    from trace.judge_call as j
    where j.night = b.night
) as c on true
left join lateral (
    select sum(cast(l.reasons ->> 'budget' as bigint)) as owed
    from trace.ledger as l
    where
        l.day = b.night
        -- What an earlier version of a scorer owed nobody pays any more.
        and l.scorer_id in (select max(s.scorer_id) as newest from trace.scorer as s
group by s.name)
) as o on true;

comment on view trace.judge_cost is 'What the judge cost a night, beside what it may cost.';
comment on column trace.judge_cost.night is 'Last day of the run that spent.';
comment on column trace.judge_cost.calls is 'Calls made, repeated ones included.';
comment on column trace.judge_cost.answered is 'Calls that gave an answer.';
comment on column trace.judge_cost.under_way is 'Calls not settled: of a task at work, or of one that died; they count as paid.';
comment on column trace.judge_cost.refused is 'Calls for which there was no room any more. Above 0: the budget was spent.';
comment on column trace.judge_cost.kept is 'Questions answered by a kept answer, at no cost.';
comment on column trace.judge_cost.kept_share is 'Hit rate: kept answers among all answers; null without any.';
comment on column trace.judge_cost.tokens is 'Tokens sent and answered; of calls under way the most they can take.';
comment on column trace.judge_cost.money is 'Money, in the unit of the prices in the settings.';
comment on column trace.judge_cost.calls_limit is 'Calls allowed; null: no limit.';
comment on column trace.judge_cost.tokens_limit is 'Tokens allowed; null: no limit.';
comment on column trace.judge_cost.money_limit is 'Money allowed; null: no limit.';
comment on column trace.judge_cost.owed is 'Logs of this day that were drawn and still wait for a later night''s budget.';
comment on column trace.judge_cost.judges is 'Fingerprints of the judges that were asked; null once their calls are forgotten.';
