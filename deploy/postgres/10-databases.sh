#!/bin/sh
# Runs once, when the volume of the postgres service is empty: two databases and the logins that may enter them.
# The rights inside the schema trace are laid later, by `trace-pipeline migrate` (sql/roles.sql).
# psql reads the passwords from the environment, so they stand in no command line.
set -eu

psql --no-psqlrc --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres <<'SQL'
\getenv airflow_password AIRFLOW_DATABASE_PASSWORD
\getenv owner_password OWNER_DATABASE_PASSWORD
\getenv pipeline_password PIPELINE_DATABASE_PASSWORD
\getenv reader_password READER_DATABASE_PASSWORD
\getenv pages_password PAGES_DATABASE_PASSWORD

-- airflow: Airflow's own metadata, nothing of ours. The others: see sql/roles.sql.
create role airflow login password :'airflow_password';
create role trace_owner login password :'owner_password';
create role trace_pipeline login password :'pipeline_password';
create role trace_reader login password :'reader_password';
create role trace_labeller nologin;  -- writes labels
-- The pages read as the one and label as the other; by itself this login is no more than both.
create role trace_pages login password :'pages_password';
grant trace_reader, trace_labeller to trace_pages;

create database airflow owner airflow;
create database trace owner trace_owner;

-- By default everybody may connect to every database; here each login enters its own only.
revoke all on database postgres, airflow, trace from public;
grant connect, temporary on database trace to trace_pipeline;  -- temporary: batches are staged before the merge
grant connect on database trace to trace_reader, trace_pages;

alter role trace_pages set statement_timeout = '30s';
alter role trace_reader set default_transaction_read_only = on;
alter role trace_reader set statement_timeout = '30s';  -- pages and dashboards

\connect trace
revoke all on schema public from public;
\connect airflow
revoke all on schema public from public;
grant all on schema public to airflow;
SQL
