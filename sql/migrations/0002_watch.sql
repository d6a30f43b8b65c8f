-- name: 0002_watch
-- purpose: the verdicts of the drift watch, the incidents it opens and the messages sent about them
-- parameters: none
-- returns: nothing
-- safe to re-run: no; Alembic runs it once

create table trace.incident (
    incident_id bigint generated always as identity primary key,
    scorer text not null,
    metric text not null,
    opened_day date not null,
    onset_day date not null,
    closed_day date,
    state text not null,
    dimension text not null,
    value text not null,
    size double precision not null,
    evidence jsonb not null default '{}',
    text text not null,
    constraint incident_state check (
        state in (
            'open',
            'closed',
            'withdrawn' -- restated nights no longer show it
        )
    ),
    constraint incident_days check (onset_day <= opened_day and opened_day <= coalesce(closed_day, opened_day))
);
comment on table trace.incident is 'A change of a metric that a person was, or should be, told of.';
comment on column trace.incident.onset_day is 'First night of the change, as estimated when it was found.';
comment on column trace.incident.size is 'Difference to the expected value, as a fraction: -0.05 is 5 points down.';
create index incident_series on trace.incident (scorer, metric, opened_day);

create table trace.drift_check (
    scorer text not null,
    metric text not null,
    day date not null,
    dimension text not null,
    value text not null,
    measure text not null,
    state text not null,
    page boolean not null default false,
    event text,
    observed double precision,
    expected double precision,
    difference double precision,
    low double precision,
    high double precision,
    z double precision,
    threshold double precision,
    p double precision,
    n bigint not null,
    window_nights integer,
    fired boolean not null default false,
    fingerprint text not null,
    incident_id bigint references trace.incident,
    evidence jsonb not null default '{}',
    text text not null,
    primary key (scorer, metric, day, measure, dimension, value)
);
comment on table trace.drift_check is 'One night''s verdict on a metric (the row whose measure is empty), and each series that it tested.';
comment on column trace.drift_check.page is 'A person had to be told that night.';
create index drift_check_day on trace.drift_check (day);

create table trace.alert_delivery (
    event_key text not null,
    channel text not null,
    incident_id bigint references trace.incident,
    state text not null,
    attempts integer not null default 1,
    claimed_at timestamptz not null default now(),
    sent_at timestamptz,
    detail text not null default '',
    primary key (event_key, channel),
    constraint alert_delivery_state check (state in ('claimed', 'sent', 'failed')),
    constraint alert_delivery_sent check ((state = 'sent') = (sent_at is not null))
);
comment on table trace.alert_delivery is 'One message to one channel: claimed before it is sent, so that a retry never pages twice.';
