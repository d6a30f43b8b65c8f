-- name: drift_verdict
-- purpose: what people read of the watch's verdicts: each night's own, and each series that it tested
-- parameters: none
-- returns: one row a night and metric (measure empty), and one a tested series
-- safe to re-run: yes
create or replace view trace.drift_verdict as
select
    d.day,
    d.scorer,
    d.metric,
    d.dimension,
    d.value,
    d.measure,
    d.state,
    d.page,
    d.event,
    d.observed,
    d.expected,
    d.difference,
    d.low,
    d.high,
    d.z,
    d.threshold,
    d.p,
    d.n,
    d.window_nights,
    d.fired,
    d.fingerprint,
    d.incident_id,
    d.evidence,
    d.text
from trace.drift_check as d;

comment on view trace.drift_verdict is 'Verdicts of the drift watch: a night''s own (measure empty), and the series that it tested.';
comment on column trace.drift_verdict.day is 'The night, a day in day_time_zone; a window ends on it.';
comment on column trace.drift_verdict.scorer is 'Name of the scorer.';
comment on column trace.drift_verdict.metric is 'Watched metric, or volume for the number of logs.';
comment on column trace.drift_verdict.dimension is 'Segment name; empty for the whole traffic.';
comment on column trace.drift_verdict.value is 'Segment value; empty for the whole traffic.';
comment on column trace.drift_verdict.measure is 'Empty: the night''s verdict; mean, or the share of scores in a range.';
comment on column trace.drift_verdict.state is 'learning, ok, no_data or incident; of the volume also low.';
comment on column trace.drift_verdict.page is 'A person had to be told that night.';
comment on column trace.drift_verdict.event is 'What happened that night; null on most nights.';
comment on column trace.drift_verdict.observed is 'Mean over the window, as a fraction.';
comment on column trace.drift_verdict.expected is 'What the watch expected of these nights and this traffic.';
comment on column trace.drift_verdict.difference is 'Observed less expected, as a fraction.';
comment on column trace.drift_verdict.low is 'Lower end of the difference''s 95 % interval.';
comment on column trace.drift_verdict.high is 'Upper end of the difference''s 95 % interval.';
comment on column trace.drift_verdict.z is 'The difference as a normal score.';
comment on column trace.drift_verdict.threshold is 'What its size had to reach.';
comment on column trace.drift_verdict.p is 'Two-sided p-value of the window alone.';
comment on column trace.drift_verdict.n is 'Logs with a value in the window.';
comment on column trace.drift_verdict.window_nights is 'Nights of the window.';
comment on column trace.drift_verdict.fired is 'Threshold and floor were both reached.';
comment on column trace.drift_verdict.fingerprint is 'Version of the scorer.';
comment on column trace.drift_verdict.incident_id is 'Incident that the night belongs to.';
comment on column trace.drift_verdict.evidence is 'Everything else the verdict rests on.';
comment on column trace.drift_verdict.text is 'The verdict in one sentence; empty for a tested series.';
