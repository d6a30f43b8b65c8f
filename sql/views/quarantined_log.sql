-- name: quarantined_log
-- purpose: what people read of the quarantine
-- parameters: none
-- returns: one row a log that cannot be read
-- safe to re-run: yes
create or replace view trace.quarantined_log as
select
    q.log_id,
    q.logged_at,
    q.reason,
    q.detail,
    q.segments,
    q.first_seen,
    q.last_seen
from trace.quarantine as q;

comment on view trace.quarantined_log is 'Logs that could not be read, and why.';
comment on column trace.quarantined_log.log_id is 'Id of the log; empty where it has none.';
comment on column trace.quarantined_log.logged_at is 'When the answer was given.';
comment on column trace.quarantined_log.reason is 'Reason code; the glossary has a sentence for each.';
comment on column trace.quarantined_log.detail is 'Where in the log, and what was found there.';
comment on column trace.quarantined_log.segments is 'Segments of the log as far as they can be read.';
comment on column trace.quarantined_log.first_seen is 'When a run first met it.';
comment on column trace.quarantined_log.last_seen is 'When a run last read its content.';
