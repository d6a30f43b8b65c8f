"""The steps of the pipeline: one module a task, plain functions that run without Airflow."""
