"""Lays the pages "RAG quality" into the Airflow UI: a navigation entry and a tab on DAGs."""

from __future__ import annotations

from airflow.plugins_manager import AirflowPlugin

from rag_quality.airflow_app import airflow_app
from rag_quality.app import MOUNT


class RagQualityPlugin(AirflowPlugin):
    """The pages, mounted at /rag-quality of the api-server."""

    name = "rag_quality"
    fastapi_apps = [{"app": airflow_app(), "url_prefix": MOUNT, "name": "RAG quality"}]
    external_views = [
        {"name": "RAG quality", "href": f"{MOUNT}/", "destination": "nav", "url_route": "rag-quality"},
        {
            "name": "RAG quality",
            "href": f"{MOUNT}/?dag_id={{DAG_ID}}",
            "destination": "dag",
            "url_route": "rag-quality-dag",
        },
    ]
