-- name: document_use
-- purpose: what people read of the corpus: what became of each retrieved document, day by day
-- parameters: none
-- returns: one row a day, scorer fingerprint and document
-- safe to re-run: yes
create or replace view trace.document_use as
select
    d.scorer_id,
    s.name as scorer,
    s.fingerprint,
    d.day,
    d.document_id,
    d.retrieved,
    d.relevant,
    d.utilized,
    d.beside_unsupported
from trace.daily_document as d
left join trace.scorer as s on d.scorer_id = s.scorer_id;

comment on view trace.document_use is 'What became of each retrieved document. Counts may be added over days, not over scorers.';
comment on column trace.document_use.scorer_id is 'Number of the scorer fingerprint.';
comment on column trace.document_use.scorer is 'Name of the scorer.';
comment on column trace.document_use.fingerprint is 'Version of the scorer.';
comment on column trace.document_use.day is 'Day in day_time_zone.';
comment on column trace.document_use.document_id is 'The document''s own id; text-, id- and a short hash where it has none or a very long one.';
comment on column trace.document_use.retrieved is 'Scored answers for which it was retrieved.';
comment on column trace.document_use.relevant is 'Of these, answers to whose question a sentence of it is relevant.';
comment on column trace.document_use.utilized is 'Of these, answers that use a sentence of it.';
comment on column trace.document_use.beside_unsupported is 'Of these, answers with an unsupported sentence: not a proof that the document is at fault.';
