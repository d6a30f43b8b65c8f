-- name: 0006_corpus
-- purpose: which documents an answer was given, what became of each, and what makes long ranges of logs quick to search
-- parameters: none
-- returns: nothing
-- safe to re-run: no; Alembic runs it once

alter table trace.evaluation add column document_ids text[];
alter table trace.evaluation add column document_uses smallint[];
alter table trace.evaluation add constraint evaluation_document_uses check (
    cardinality(document_uses) = cardinality(document_ids)
);
comment on column trace.evaluation.document_ids is
'The retrieved documents, each once: its own id, or a short hash of its text; null where the scorer marks no sentences.';
comment on column trace.evaluation.document_uses is
'For each of document_ids: 1 when a sentence of it is relevant, plus 2 when one is utilized.';

-- What pages filter and sort by rides in the key, so that a month is searched without reading its wide rows.
alter table trace.evaluation drop constraint evaluation_pkey;
alter table trace.evaluation add primary key (scorer_id, logged_at, log_id) include (
    status, response_kind, relevance, utilization, adherence, completeness, average, adherence_probability
);
-- Worst answers first, whatever the range: the first page is read off the front of the index.
create index evaluation_worst on trace.evaluation (
    scorer_id, (coalesce(adherence_probability, adherence, 2)), logged_at, log_id
) where status = 'scored';
create index evaluation_unscored on trace.evaluation (scorer_id, logged_at, log_id) where status <> 'scored';
create index evaluation_segments on trace.evaluation using gin (segments jsonb_path_ops);

create table trace.daily_document (
    scorer_id integer not null references trace.scorer,
    day date not null,
    document_id text not null,
    retrieved bigint not null,
    relevant bigint not null,
    utilized bigint not null,
    beside_unsupported bigint not null,
    run_id text not null,
    primary key (scorer_id, day, document_id),
    constraint daily_document_counts check (
        retrieved > 0 and least(relevant, utilized, beside_unsupported) >= 0
        and greatest(relevant, utilized, beside_unsupported) <= retrieved
    )
);
comment on table trace.daily_document is
'A day, scorer and document: in how many scored answers it was retrieved, and what became of it. Counts of days merge by addition.';
comment on column trace.daily_document.document_id is 'The document''s own id, or a short hash of its text.';
comment on column trace.daily_document.retrieved is 'Scored answers for which it was retrieved.';
comment on column trace.daily_document.relevant is 'Of these, answers to whose question a sentence of it is relevant.';
comment on column trace.daily_document.utilized is 'Of these, answers that use a sentence of it.';
comment on column trace.daily_document.beside_unsupported is 'Of these, answers with an unsupported sentence.';
create index daily_document_id on trace.daily_document (scorer_id, document_id, day);
