"""The edge between Airflow and trace_pipeline: connections, runs, errors. No DAG is defined here."""
