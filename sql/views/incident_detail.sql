-- name: incident_detail
-- purpose: what a page about one incident reads: every incident, withdrawn ones too, with the verdict its size is from
-- parameters: none
-- returns: one row an incident
-- safe to re-run: yes
create or replace view trace.incident_detail as
select
    i.incident_id,
    i.scorer,
    i.metric,
    i.state,
    i.onset_day,
    i.opened_day,
    i.closed_day,
    i.dimension,
    i.value,
    i.size,
    i.text,
    i.evidence,
    c.day as size_day,
    c.fingerprint,
    c.observed,
    c.expected,
    c.low,
    c.high,
    s.n,
    c.window_nights,
    m.messages_sent
from trace.incident as i
left join lateral (
    select
        d.day,
        d.fingerprint,
        d.observed,
        d.expected,
        d.low,
        d.high,
        d.window_nights
    from trace.drift_check as d
    where
        d.scorer = i.scorer and d.metric = i.metric and d.incident_id = i.incident_id
        and d.day >= i.opened_day and d.measure = '' and d.event in ('opened', 'worsened')
    order by d.day desc
    limit 1
) as c on true
left join trace.drift_check as s
    on
        i.scorer = s.scorer and i.metric = s.metric and c.day = s.day
        and s.measure = coalesce(i.evidence ->> 'measure', 'mean')
        and i.dimension = s.dimension and i.value = s.value
cross join lateral (
    select count(*) as messages_sent
    from trace.alert_delivery as a
    where a.incident_id = i.incident_id and a.state = 'sent'
) as m;

comment on view trace.incident_detail is 'Every incident, withdrawn ones among them, with the verdict that its size is from.';
comment on column trace.incident_detail.incident_id is 'Number of the incident.';
comment on column trace.incident_detail.scorer is 'Name of the scorer whose trend changed.';
comment on column trace.incident_detail.metric is 'The metric that changed.';
comment on column trace.incident_detail.state is 'open, closed, or withdrawn: restated nights no longer show it.';
comment on column trace.incident_detail.onset_day is 'First night of the change, as estimated.';
comment on column trace.incident_detail.opened_day is 'Night on which it was found.';
comment on column trace.incident_detail.closed_day is 'Night on which it was over; null while it is open.';
comment on column trace.incident_detail.dimension is 'Segment name; empty when the whole traffic changed.';
comment on column trace.incident_detail.value is 'Segment value; empty when the whole traffic changed.';
comment on column trace.incident_detail.size is 'Difference to the expected value, as a fraction: -0.05 is 5 points down.';
comment on column trace.incident_detail.text is 'The change in one sentence.';
comment on column trace.incident_detail.evidence is 'Measure, contributing segments, releases near the onset, and the change report.';
comment on column trace.incident_detail.size_day is 'Night whose verdict the size is from; null when that verdict is gone.';
comment on column trace.incident_detail.fingerprint is 'Version of the scorer on that night.';
comment on column trace.incident_detail.observed is 'Mean over the window of nights that ends on size_day.';
comment on column trace.incident_detail.expected is 'What the drift watch expected of these nights.';
comment on column trace.incident_detail.low is 'Lower end of the 95 % interval of the size.';
comment on column trace.incident_detail.high is 'Upper end of the 95 % interval of the size.';
comment on column trace.incident_detail.n is 'Logs with a value in that window.';
comment on column trace.incident_detail.window_nights is 'Nights of that window.';
comment on column trace.incident_detail.messages_sent is 'Messages that channels accepted about it.';
