-- name: 0005_label
-- purpose: what people say about an answer or one of its sentences
-- parameters: none
-- returns: nothing
-- safe to re-run: no; Alembic runs it once

create table trace.label (
    label_id bigint generated always as identity primary key,
    log_id text not null,
    logged_at timestamptz not null,
    level text not null,
    sentence_key text,
    kind text not null default 'adherence',
    verdict text not null,
    note text not null default '',
    labelled_by text not null,
    labelled_at timestamptz not null,
    source text not null,
    input_hash text,
    constraint label_level check (
        level in (
            'response', -- of the whole answer
            'sentence'  -- of one of its sentences
        )
    ),
    constraint label_sentence check ((level = 'sentence') = (sentence_key is not null)),
    constraint label_sentence_key check (sentence_key ~ '^[a-z]{1,8}$'),
    constraint label_kind check (kind ~ '^[a-z][a-z_]{0,39}$'),
    constraint label_verdict check (
        verdict in (
            'supported',   -- the retrieved documents bear it out
            'unsupported', -- they do not
            'unsure'       -- the person cannot tell, or takes an earlier verdict back
        )
    ),
    constraint label_note check (length(note) <= 2000),
    constraint label_labelled_by check (length(labelled_by) between 1 and 200),
    constraint label_source check (source in ('ui', 'csv', 'jsonl'))
);
comment on table trace.label is
'A person''s judgement of an answer or one of its sentences, whatever scorers say. A person''s later verdict on the same thing replaces the earlier one.';
comment on column trace.label.sentence_key is 'Key of the response sentence (a, b, ...); null for the whole response.';
comment on column trace.label.kind is 'What is judged: adherence, unless somebody imports labels of something else.';
comment on column trace.label.input_hash is 'Hash of the log''s content when it was labelled; another one now means that the text has changed.';
-- One current verdict a person, thing and kind; the log comes first, because pages look labels up by log.
create unique index label_is_current on trace.label (log_id, logged_at, kind, labelled_by, coalesce(sentence_key, ''));
create index label_time on trace.label (logged_at, log_id);
