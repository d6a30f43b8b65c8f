-- name: 0009_anchor
-- purpose: the frozen logs by their content, so that a changed one is a new one; what a check of the scorer rests on
-- parameters: none
-- returns: nothing
-- safe to re-run: no; Alembic runs it once

alter table trace.anchor_log add column content_hash text not null default '';
alter table trace.anchor_log drop constraint anchor_log_pkey;
alter table trace.anchor_log add primary key (anchor_id, content_hash);
comment on column trace.anchor_log.content_hash is 'Of question, documents and response: a changed anchor is another one.';

alter table trace.anchor_verdict add column content_hash text not null default '';
alter table trace.anchor_verdict drop constraint anchor_verdict_pkey;
alter table trace.anchor_verdict add primary key (scorer_id, night, anchor_id, content_hash);
comment on column trace.anchor_verdict.status is 'due: not asked about yet; else as of an evaluation.';

alter table trace.anchor_check add column due integer not null default 0;
alter table trace.anchor_check add column judged integer not null default 0;
alter table trace.anchor_check add column low double precision;
alter table trace.anchor_check add column high double precision;
alter table trace.anchor_check add column changed_anchors jsonb not null default '[]';
comment on column trace.anchor_check.due is 'Anchors that were to be judged.';
comment on column trace.anchor_check.n is 'Anchors compared.';
comment on column trace.anchor_check.difference is 'Mean tonight less the usual one, as a fraction: -0.05 is 5 points down.';
comment on column trace.anchor_check.low is 'Lower end of the difference''s 95 % interval, for logs like the anchors.';
comment on column trace.anchor_check.high is 'Upper end of the difference''s 95 % interval.';
comment on column trace.anchor_check.changed_anchors is
'Ids and content hashes, joined by a colon, of the changed anchors, the largest change first.';
