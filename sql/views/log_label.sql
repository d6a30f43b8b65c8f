-- name: log_label
-- purpose: what people read of labels
-- parameters: none
-- returns: one row a person's verdict on an answer or one of its sentences
-- safe to re-run: yes
create or replace view trace.log_label as
select
    l.label_id,
    l.log_id,
    l.logged_at,
    l.level,
    l.sentence_key,
    l.kind,
    l.verdict,
    l.note,
    l.labelled_by,
    l.labelled_at,
    l.source,
    l.input_hash
from trace.label as l;

comment on view trace.log_label is 'What people say about answers and their sentences; the current verdict of each person.';
comment on column trace.log_label.label_id is 'Number of the label.';
comment on column trace.log_label.log_id is 'Id of the log.';
comment on column trace.log_label.logged_at is 'When the answer was given.';
comment on column trace.log_label.level is 'response or sentence.';
comment on column trace.log_label.sentence_key is 'Key of the response sentence; null for the whole response.';
comment on column trace.log_label.kind is 'What is judged: adherence, or what an import names.';
comment on column trace.log_label.verdict is 'supported, unsupported or unsure.';
comment on column trace.log_label.note is 'What the person wrote beside it.';
comment on column trace.log_label.labelled_by is 'Name of the person.';
comment on column trace.log_label.labelled_at is 'When the verdict was last given.';
comment on column trace.log_label.source is 'ui (the pages), csv or jsonl (an import).';
comment on column trace.log_label.input_hash is 'Hash of the content that was labelled; null where an import does not know it.';
