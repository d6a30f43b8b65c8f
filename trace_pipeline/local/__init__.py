"""The local stack of the demo and the tests: an embedded Postgres and a real Airflow on loopback."""
