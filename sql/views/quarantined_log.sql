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
