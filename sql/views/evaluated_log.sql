-- name: evaluated_log
-- purpose: what people read of evaluations: one log scored by one fingerprint, without its text
-- parameters: none
-- returns: one row a log and scorer fingerprint; ask for a scorer_id and a range of logged_at, or it reads everything
-- safe to re-run: yes
create or replace view trace.evaluated_log as
select
    e.scorer_id,
    s.name as scorer,
    s.fingerprint,
    e.logged_at,
    e.log_id,
    e.input_hash,
    e.status,
    e.reason,
    e.response_kind,
    e.relevance,
    e.utilization,
    e.adherence,
    e.completeness,
    e.average,
    e.adherence_probability,
    e.undefined,
    e.annotation,
    e.segments,
    e.document_ids,
    e.inclusion_probability,
    e.run_id,
    e.evaluated_at
from trace.evaluation as e
-- A left join: where neither name nor fingerprint is asked for, the planner leaves it out.
left join trace.scorer as s on e.scorer_id = s.scorer_id;

comment on view trace.evaluated_log is 'Evaluations: one log scored by one fingerprint. Holds keys, numbers and reasons, never the text of a log.';
comment on column trace.evaluated_log.scorer_id is 'Number of the scorer fingerprint.';
comment on column trace.evaluated_log.scorer is 'Name of the scorer.';
comment on column trace.evaluated_log.fingerprint is 'Version of the scorer; values of two versions are not compared.';
comment on column trace.evaluated_log.logged_at is 'When the answer was given.';
comment on column trace.evaluated_log.log_id is 'Id of the log.';
comment on column trace.evaluated_log.input_hash is 'Hash of what was scored; another one in the source means that the log has changed since.';
comment on column trace.evaluated_log.status is 'scored, skipped, sampled_out or failed.';
comment on column trace.evaluated_log.reason is 'Why it was not scored; null when it was.';
comment on column trace.evaluated_log.response_kind is 'answer, refusal or empty.';
comment on column trace.evaluated_log.relevance is 'Share of the document sentences that bear on the question.';
comment on column trace.evaluated_log.utilization is 'Share of the document sentences that the response uses.';
comment on column trace.evaluated_log.adherence is '1 when every response sentence is supported, else 0.';
comment on column trace.evaluated_log.completeness is 'Share of the relevant sentences that the response uses.';
comment on column trace.evaluated_log.average is 'Mean of the metrics that have a value.';
comment on column trace.evaluated_log.adherence_probability is 'Probability that every sentence is supported; null where the scorer gives none.';
comment on column trace.evaluated_log.undefined is 'Metric -> reason for each metric without a value.';
comment on column trace.evaluated_log.annotation is 'RAGBench keys of relevant, utilized and unsupported sentences, with the reason for each.';
comment on column trace.evaluated_log.segments is 'Names and values of the log''s segments.';
comment on column trace.evaluated_log.document_ids is 'Retrieved documents, each once; null where the scorer marks no sentences.';
comment on column trace.evaluated_log.inclusion_probability is 'Probability with which the log was chosen to be scored.';
comment on column trace.evaluated_log.run_id is 'The run that wrote it.';
comment on column trace.evaluated_log.evaluated_at is 'When it was written.';
