-- name: 0008_judge_counts
-- purpose: what became of a night's questions to the judge, in counters that outlive its calls
-- parameters: none
-- returns: nothing
-- safe to re-run: no; Alembic runs it once

alter table trace.judge_budget add column answered bigint not null default 0;
alter table trace.judge_budget add column kept bigint not null default 0;
alter table trace.judge_budget add column refused bigint not null default 0;
alter table trace.judge_budget add constraint judge_budget_counts check (least(answered, kept, refused) >= 0);
comment on column trace.judge_budget.answered is 'Calls that gave an answer.';
comment on column trace.judge_budget.kept is 'Questions answered by a kept answer: no call, no cost.';
comment on column trace.judge_budget.refused is 'Calls for which there was no room any more; none of them was made.';
