"""Who may see and do what: asked of every route there is, so that a new one cannot be forgotten."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest
from fastapi import Depends
from playwright.sync_api import Browser
from starlette.routing import Route

from rag_quality.app import create_app
from rag_quality.viewer import who
from tests.browser.site import Site
from trace_pipeline.pages.database import PageUrls

#: Every route of the app itself, whoever laid it; the mounts beside them serve static files.
ROUTES = sorted(
    {
        (method, route.path)
        for route in create_app(urls=lambda: PageUrls("", ""), guard=Depends(who), viewer=who).routes
        if isinstance(route, Route)
        for method in (route.methods or ()) - {"HEAD"}
    }
)


def filled(path: str) -> str:
    """Return a path with its parameters filled."""
    return re.sub(r"\{[^}]*\}", "1", path)


@pytest.fixture
def anonymous(site: Site) -> Iterator[httpx.Client]:
    """Somebody without a session."""
    with httpx.Client(base_url=site.url, trust_env=False, follow_redirects=False) as client:
        yield client


@contextmanager
def session(site: Site, user: str) -> Iterator[httpx.Client]:
    """Open a client with a user's session cookie."""
    with httpx.Client(base_url=site.url, trust_env=False, follow_redirects=False) as client:
        answer = client.post("/auth/token", json={"username": user, "password": site.passwords[user]})
        client.cookies.set("_token", answer.json()["access_token"])
        yield client


def test_there_are_routes_to_ask() -> None:
    """Pages and the one that writes."""
    assert len(ROUTES) >= 8
    assert ("POST", "/label") in ROUTES


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_nobody_enters_without_signing_in(anonymous: httpx.Client, method: str, path: str) -> None:
    """Refused or sent to the sign-in, whatever the route, without a word of its content."""
    answer = anonymous.request(method, f"/rag-quality{filled(path)}")
    assert answer.status_code in (401, 302, 303, 307), answer.text[:200]
    assert "RAG quality" not in answer.text


@pytest.mark.parametrize(
    "path", ["docs", "redoc", "openapi.json", "static/../app.py", "static/plotly/plotly.json"]
)
def test_nothing_tells_how_the_app_is_made(site: Site, path: str) -> None:
    """Neither to strangers nor to those who signed in."""
    with httpx.Client(base_url=site.url, trust_env=False) as client:
        assert client.get(f"/rag-quality/{path}").status_code in (401, 404)
    with session(site, "admin") as client:
        assert client.get(f"/rag-quality/{path}").status_code == 404


@pytest.mark.parametrize("path", ["static/app.css", "static/app.js", "static/plotly/plotly.min.js"])
def test_static_files_need_no_session(anonymous: httpx.Client, path: str) -> None:
    """They hold nothing of the user's."""
    answer = anonymous.get(f"/rag-quality/{path}")
    assert answer.status_code == 200 and answer.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(("method", "path"), [route for route in ROUTES if route[0] == "GET"])
def test_every_page_forbids_what_is_foreign(site: Site, method: str, path: str) -> None:
    """Scripts from this site's files only, nothing from other hosts, not kept by caches."""
    with session(site, "viewer") as client:
        answer = client.request(method, f"/rag-quality{filled(path)}")
    policy = dict(part.strip().split(" ", 1) for part in answer.headers["Content-Security-Policy"].split(";"))
    assert policy["default-src"] == "'none'" and policy["script-src"] == "'self'"
    assert not any("http" in value or "*" in value for value in policy.values())
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.status_code in (200, 400, 404)


def test_a_link_opened_without_a_session_leads_back_after_the_sign_in(browser: Browser, site: Site) -> None:
    """From an alert, at night, on a phone: sign in, and the page of the link is there."""
    context = browser.new_context(viewport={"width": 375, "height": 812})
    page = context.new_page()
    page.goto(f"{site.pages}/incidents?state=open&nights=90")
    page.locator("input[name=username]").fill("viewer")
    page.locator("input[type=password]").fill(site.passwords["viewer"])
    page.keyboard.press("Enter")
    page.wait_for_url("**/rag-quality/incidents?state=open&nights=90")
    assert page.locator("h1").text_content() == "Incidents"
    context.close()


def test_a_viewer_may_look_but_not_label(site: Site) -> None:
    """Even with a form of its own: 403 and a sentence."""
    with session(site, "viewer") as client:
        assert client.get("/rag-quality/").status_code == 200
        answer = client.post(
            "/rag-quality/label",
            data={"log": "x", "at": "2026-11-03T12:00:00+00:00", "verdict": "supported"},
            headers={"Origin": site.url},
        )
    assert answer.status_code == 403


@pytest.mark.parametrize(
    "headers", [{}, {"Origin": "http://evil.example"}, {"Referer": "http://evil.example/x"}]
)
def test_a_form_of_another_site_is_refused(site: Site, headers: dict[str, str]) -> None:
    """Whoever's session it carries."""
    with session(site, "admin") as client:
        answer = client.post(
            "/rag-quality/label",
            data={"log": "x", "at": "2026-11-03T12:00:00+00:00", "verdict": "supported", "token": "1.a"},
            headers=headers,
        )
    assert answer.status_code == 403
