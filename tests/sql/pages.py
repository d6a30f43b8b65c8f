"""The pages without Airflow: the app on the test's database, and a browser's requests to it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
from fastapi import Depends, Request

from rag_quality.app import create_app
from rag_quality.viewer import Viewer
from trace_pipeline.pages.database import PageUrls

HOST = "http://pages.test"


class Client:
    """Sends requests to an app in this process."""

    def __init__(self, app: Any) -> None:
        self.app = app

    def get(self, address: str, **options: Any) -> httpx.Response:
        """Ask for a page."""
        return self._send("GET", address, **options)

    def post(self, address: str, **options: Any) -> httpx.Response:
        """Send a form."""
        return self._send("POST", address, **options)

    def _send(self, method: str, address: str, **options: Any) -> httpx.Response:
        async def send() -> httpx.Response:
            async with httpx.AsyncClient(transport=httpx.ASGITransport(self.app), base_url=HOST) as client:
                return await client.request(method, address, **options)

        return asyncio.run(send())


def _viewer(request: Request) -> Viewer:
    name = request.headers.get("x-person", "ada")
    return Viewer(name, may_label=name != "viewer")


@contextmanager
def site(url: str, source: str | None = None) -> Iterator[Client]:
    """Give a client of the pages; the header x-person says who asks, and `viewer` may only look."""
    app: Any = create_app(lambda: PageUrls(url, source or url), Depends(lambda: None), _viewer)
    yield Client(app)
    app.state.database.close()
