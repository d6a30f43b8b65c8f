"""A fault of the pages themselves: a sentence for the person, the traceback for the server's log."""

from __future__ import annotations

import asyncio

import httpx
from fastapi import Depends

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
