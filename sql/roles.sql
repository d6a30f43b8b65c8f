-- name: roles
-- purpose: the four roles of the product and exactly the rights each needs; grant one to a login of your own
-- parameters: none
-- returns: nothing
-- safe to re-run: yes

do $$
declare
    wanted text;
begin
    foreach wanted in array array['trace_owner', 'trace_pipeline', 'trace_reader', 'trace_labeller'] loop
        if not exists (select from pg_roles where rolname = wanted) then
            begin
                execute format('create role %I nologin', wanted);
            exception when duplicate_object or unique_violation then
                null; -- another database of this server has just made it
            end;
        end if;
    end loop;
end
$$;

-- trace_owner: owns nothing by itself, may change everything in the schema; for people who maintain it.
grant all on schema trace to trace_owner;
grant all on all tables in schema trace to trace_owner;
grant all on all sequences in schema trace to trace_owner;
grant execute on all functions in schema trace to trace_owner;

-- trace_pipeline: reads the source, writes results; cannot change the source, the schema or its record of revisions.
revoke all on all tables in schema trace from trace_pipeline;
grant usage on schema trace to trace_pipeline;
grant select on all tables in schema trace to trace_pipeline;
grant insert, update, delete on
trace.scorer, trace.evaluation, trace.quarantine, trace.ledger, trace.daily_metric,
trace.day_to_restate, trace.incident, trace.drift_check, trace.alert_delivery, trace.scorer_bridge, trace.daily_document,
trace.judge_budget, trace.judge_call, trace.annotation_cache, trace.anchor_log, trace.anchor_verdict, trace.anchor_check
to trace_pipeline;
grant delete on trace.label to trace_pipeline; -- retention: a label holds the id of a log
grant usage on all sequences in schema trace to trace_pipeline;
grant execute on function trace.ensure_evaluation_partitions(date, date) to trace_pipeline;
grant execute on function trace.drop_evaluation_partitions(date) to trace_pipeline;

-- trace_reader: reads results, for the pages and dashboards; the source only through what the log pages show.
revoke all on all tables in schema trace from trace_reader;
grant usage on schema trace to trace_reader;
grant select on all tables in schema trace to trace_reader;

-- trace_labeller: writes labels and nothing else; a label is replaced by its person, never removed.
revoke all on all tables in schema trace from trace_labeller;
grant usage on schema trace to trace_labeller;
grant select on trace.log_label, trace.evaluated_log, trace.scorer_version to trace_labeller;
grant select, insert, update on trace.label to trace_labeller;
