"""What stands between a person and a page: a fault, which is a sentence, and a missing session."""

from __future__ import annotations

import asyncio

import httpx
import pytest
from fastapi import Depends, FastAPI, HTTPException

from rag_quality.app import create_app
from rag_quality.viewer import Viewer
from trace_pipeline.pages.database import PageUrls


def _broken() -> PageUrls:
    raise RuntimeError("secret of the machine")


def test_a_fault_is_a_sentence_with_the_same_headers() -> None:
    """The person reads no detail of the fault, and the policy of the other pages holds."""
    app = create_app(_broken, Depends(lambda: None), lambda: Viewer("ada", may_label=False))

    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://pages.test") as client:
            return await client.get("/runs")

    answer = asyncio.run(ask())
    assert answer.status_code == 500
    assert "The fault is on this side" in answer.text and "secret" not in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["cache-control"] == "no-store"


def _nobody() -> None:
    raise HTTPException(401)


@pytest.mark.parametrize("prefix", ["", "/airflow"])
def test_a_link_without_a_session_leads_through_the_sign_in_and_back(prefix: str) -> None:
    """The whole address is kept; what changes something, or stands in no Airflow, is refused as before."""
    pages = create_app(_broken, Depends(_nobody), lambda: Viewer("ada", may_label=False))
    airflow = FastAPI()
    airflow.mount(f"{prefix}/rag-quality", pages)

    async def ask(method: str) -> httpx.Response:
        transport = httpx.ASGITransport(airflow)
        async with httpx.AsyncClient(transport=transport, base_url="http://pages.test") as client:
            return await client.request(method, f"{prefix}/rag-quality/logs?value=a%26b&nights=7")

    assert asyncio.run(ask("GET")).status_code == 401
    pages.state.sign_in = "/sign-in"
    answer = asyncio.run(ask("GET"))
    assert answer.status_code == 303
    way_back = f"{prefix}/rag-quality/logs?value=a%26b&nights=7"
    assert httpx.URL(answer.headers["location"]).path == f"{prefix}/sign-in"
    assert httpx.URL(answer.headers["location"]).params["next"] == way_back
    assert asyncio.run(ask("POST")).status_code in (401, 405)
