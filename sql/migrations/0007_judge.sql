-- name: 0007_judge
-- purpose: scorers that cost: who decided a log, weighted sums, the budget, its calls, kept answers, the anchor set
-- parameters: none
-- returns: nothing
-- safe to re-run: no; Alembic runs it once

alter table trace.evaluation add column decided_by text;
alter table trace.evaluation add constraint evaluation_decided_by check (
    decided_by in (
        'lexical', -- the cheap scorer was sure
        'judge',   -- the language model, or its turn: it may not have been asked yet
        'rule'     -- nothing to judge: a refusal, an empty context
    )
);
alter table trace.evaluation add column content_hash text;
comment on column trace.evaluation.decided_by is
'For scorers that ask a judge about some logs only: who decided, or would have to; null for all others.';
comment on column trace.evaluation.content_hash is 'For scorers that ask a judge: the key of the kept answer, a hash of the texts.';
comment on column trace.evaluation.inclusion_probability is
'Chance that a log like this one was picked for the judge; 1 where nothing was sampled.';
-- What the budget could not pay for, oldest first: later nights pay it off.
create index evaluation_owed on trace.evaluation (scorer_id, logged_at, log_id) where reason = 'budget';

alter table trace.daily_metric add column sampled_out bigint not null default 0;
alter table trace.daily_metric add column weight numeric;
alter table trace.daily_metric add column weighted_total numeric;
alter table trace.daily_metric add column weighted_squares numeric;
alter table trace.daily_metric add column design numeric;
alter table trace.daily_metric add column design_total numeric;
alter table trace.daily_metric add column design_squares numeric;
alter table trace.daily_metric add column weighted_histogram numeric[];
alter table trace.daily_metric add constraint daily_metric_sampled_out check (sampled_out >= 0);
alter table trace.daily_metric add constraint daily_metric_weights check (
    num_nulls(weight, weighted_total, weighted_squares, design, design_total, design_squares, weighted_histogram) in (0, 7)
    and cardinality(weighted_histogram) = 21
);
comment on column trace.daily_metric.unscored is 'Rows skipped, quarantined or failed.';
comment on column trace.daily_metric.sampled_out is 'Rows left out on purpose, by the sampling rate or the budget.';
comment on column trace.daily_metric.weight is 'Rows the n rows stand for; null when each stands for itself.';
comment on column trace.daily_metric.weighted_total is 'Sum of weight times value.';
comment on column trace.daily_metric.weighted_squares is 'Sum of weight times squared value.';
comment on column trace.daily_metric.design is 'Sum of weight times (weight - 1): what sampling adds to the variance.';
comment on column trace.daily_metric.design_total is 'Sum of weight times (weight - 1) times value.';
comment on column trace.daily_metric.design_squares is 'Sum of weight times (weight - 1) times squared value.';
comment on column trace.daily_metric.weighted_histogram is 'The histogram with each row counted by its weight.';

create table trace.judge_budget (
    night date primary key,
    calls_limit bigint,
    tokens_limit bigint,
    money_limit numeric,
    calls bigint not null default 0,
    tokens bigint not null default 0,
    money numeric not null default 0,
    constraint judge_budget_spent check (least(calls, tokens, money) >= 0)
);
comment on table trace.judge_budget is
'What the judge may cost a night, and what is spent or promised of it. One row a night: all tasks take from it.';
comment on column trace.judge_budget.night is 'Last day of the run that spends.';
comment on column trace.judge_budget.calls_limit is 'Null: no limit.';
comment on column trace.judge_budget.calls is 'Calls made or under way.';
comment on column trace.judge_budget.tokens is 'Tokens spent; of calls under way the most they can take.';
comment on column trace.judge_budget.money is 'Money spent; of calls under way the most they can cost.';

create table trace.judge_call (
    call_id bigint generated always as identity primary key,
    night date not null references trace.judge_budget,
    fingerprint text not null,
    content_hash text not null,
    log_id text not null,
    logged_at timestamptz not null,
    attempt smallint not null,
    outcome text not null default 'under_way',
    input_tokens bigint not null,
    output_tokens bigint not null,
    money numeric not null,
    run_id text not null,
    reserved_at timestamptz not null default now(),
    settled_at timestamptz,
    constraint judge_call_outcome check (outcome ~ '^[a-z][a-z_]{0,39}$'),
    constraint judge_call_settled check ((outcome = 'under_way') = (settled_at is null))
);
comment on table trace.judge_call is
'One call of the judge: reserved before, settled after. One that stays under way belongs to a task that died; it counts as paid.';
comment on column trace.judge_call.outcome is 'under_way, answered, or the reason why there is no answer.';
comment on column trace.judge_call.input_tokens is 'Reserved, once settled as the endpoint counted them.';
comment on column trace.judge_call.attempt is '1, 2 ...: repeated calls for one answer.';
create index judge_call_night on trace.judge_call (night, fingerprint);
create index judge_call_log on trace.judge_call (log_id, logged_at);

create table trace.annotation_cache (
    fingerprint text not null,
    content_hash text not null,
    answer jsonb not null,
    log_id text not null,
    logged_at timestamptz not null,
    kept_at timestamptz not null default now(),
    primary key (fingerprint, content_hash)
);
comment on table trace.annotation_cache is
'Answers of the judge by what was asked, so that nothing is paid twice. Keys, verdicts and, if wanted, redacted explanations.';
comment on column trace.annotation_cache.fingerprint is 'Of everything that shapes the answer: prompt, model, temperature, redaction.';
comment on column trace.annotation_cache.content_hash is 'Of question, documents and response, and of the part asked about.';
comment on column trace.annotation_cache.log_id is 'The log for which it was asked; erasing that log erases the answer.';
create index annotation_cache_log on trace.annotation_cache (log_id, logged_at);
create index annotation_cache_kept_at on trace.annotation_cache (kept_at);

create table trace.anchor_log (
    anchor_id text primary key,
    question text not null,
    documents jsonb not null,
    response text not null,
    language text,
    added_at timestamptz not null default now(),
    retired_day date
);
comment on table trace.anchor_log is
'Frozen logs, text and all: judged each night, so that a judge that changes is told apart from answers that do.';
comment on column trace.anchor_log.retired_day is 'From this day on it is not asked about any more.';

create table trace.anchor_verdict (
    scorer_id integer not null references trace.scorer,
    night date not null,
    anchor_id text not null,
    status text not null,
    reason text,
    relevance double precision,
    utilization double precision,
    adherence double precision,
    completeness double precision,
    adherence_probability double precision,
    run_id text not null,
    primary key (scorer_id, night, anchor_id)
);
comment on table trace.anchor_verdict is 'What a scorer said of an anchor on a night.';

create table trace.anchor_check (
    scorer text not null,
    fingerprint text not null,
    night date not null,
    metric text not null,
    n integer not null,
    nights integer not null,
    observed double precision,
    expected double precision,
    difference double precision,
    z double precision,
    changed integer not null,
    state text not null,
    text text not null,
    primary key (scorer, night, metric),
    constraint anchor_check_state check (
        state in (
            'learning', -- too few nights to know how much the scorer varies by itself
            'ok',       -- as before
            'suspect',  -- hardly by chance: pages about quality wait for the next night
            'shifted',  -- the scorer judges the same logs otherwise: an alert of its own
            'no_data'   -- the anchors were not judged
        )
    )
);
comment on table trace.anchor_check is 'The nightly verdict on a scorer: does it still judge the frozen logs as before?';
comment on column trace.anchor_check.changed is 'Anchors whose verdict differs from their usual one.';
comment on column trace.anchor_check.nights is 'Nights of the baseline.';

alter table trace.label add column drawn boolean not null default false;
comment on column trace.label.drawn is 'The log was drawn at random by the labelling queue, so the label may correct a rate.';
