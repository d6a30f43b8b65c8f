-- name: scorer_version
-- purpose: what people read of scorers: each fingerprint with the nights it has counted
-- parameters: none
-- returns: one row a scorer fingerprint
-- safe to re-run: yes
create or replace view trace.scorer_version as
select
    s.scorer_id,
    s.name as scorer,
    s.fingerprint,
    s.first_seen,
    s.last_seen,
    s.scorer_id = max(s.scorer_id) over (partition by s.name) as is_newest,
    (select min(l.day) from trace.ledger as l
where l.scorer_id = s.scorer_id) as first_day,
    (select max(l.day) from trace.ledger as l
where l.scorer_id = s.scorer_id) as last_day
from trace.scorer as s;

comment on view trace.scorer_version is 'Scorers: each fingerprint with the first and last night of its ledger.';
comment on column trace.scorer_version.scorer_id is 'Number of the scorer fingerprint.';
comment on column trace.scorer_version.scorer is 'Name of the scorer.';
comment on column trace.scorer_version.fingerprint is 'Version of the scorer: code, splitter, parameters, weights.';
comment on column trace.scorer_version.first_seen is 'When a run first used it.';
comment on column trace.scorer_version.last_seen is 'When a run last used it.';
comment on column trace.scorer_version.is_newest is 'Whether it is the newest fingerprint of its name.';
comment on column trace.scorer_version.first_day is 'First night of its ledger; null without any.';
comment on column trace.scorer_version.last_day is 'Last night of its ledger; null without any.';
