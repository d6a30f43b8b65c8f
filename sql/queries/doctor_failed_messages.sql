-- name: doctor_failed_messages
-- purpose: messages of the last week that no retry has brought to their channel
-- parameters: none
-- returns: messages, detail (of the newest)
-- safe to re-run: yes, it only reads
select
    count(*) as messages,
    (array_agg(detail order by claimed_at desc))[1] as detail
from trace.alert_delivery
where state = 'failed' and claimed_at > now() - interval '7 days'
