"""One site and one browser for the tests of this folder."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.browser.hostile import hostile_logs
from tests.browser.site import Site, start_site, stop_site

ROOT = Path(__file__).parents[2]
#: Screenshots of the last run, to be looked at; git ignores them.
SHOTS = ROOT / ".local" / "screenshots"
_CHROMIUM = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")


def executable() -> str | None:
    """Return the browser: the one TRACE_TEST_BROWSER names, else one on the path."""
    return os.environ.get("TRACE_TEST_BROWSER") or next(filter(None, map(shutil.which, _CHROMIUM)), None)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A headless Chromium. Under CI its absence is a failure, elsewhere a skip that says so."""
    found = executable()
    if found is None:
        if os.environ.get("CI"):
            pytest.fail("There is no Chromium, so the pages are not tested: install it.")
        pytest.skip("There is no Chromium, so the pages are not tested; TRACE_TEST_BROWSER may name one.")
    with sync_playwright() as playwright:
        # The sandbox needs rights that a container's root has not; only this project's pages are opened.
        opened = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def site(browser: Browser) -> Iterator[Site]:
    """Sample nights with a planted release, hostile logs among them, and a real api-server."""
    folder = Path(tempfile.mkdtemp(prefix="trace-site-"))
    folder.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(("TRACE_", "AIRFLOW"))]:
            patch.delenv(name)
        try:
            yield start_site(folder, hostile_logs)
        finally:
            stop_site(folder)
            shutil.rmtree(folder, ignore_errors=True)


class Visit:
    """A page of a signed-in person, and everything it complained about or asked of others."""

    def __init__(self, site: Site, page: Page) -> None:
        self.site = site
        self.page = page
        self.complaints: list[str] = []
        self.foreign: list[str] = []
        page.on("console", lambda message: self._heard(message.type, message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on(
            "dialog", lambda dialog: self.complaints.append(f"dialog {dialog.message}") or dialog.dismiss()
        )
        page.on("request", lambda request: self._asked(request.url))

    def _heard(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.complaints.append(f"{kind}: {text}")

    def _asked(self, url: str) -> None:
        if not url.startswith((self.site.url, "data:", "blob:", "about:")):
            self.foreign.append(url)

    def open(self, path: str = "") -> int:
        """Open a page of the site by its path below /rag-quality/; returns its status."""
        answer = self.page.goto(path if path.startswith("http") else f"{self.site.pages}/{path}")
        assert answer is not None
        return answer.status

    def quiet(self) -> None:
        """Assert that nothing was complained about and nobody else was asked."""
        assert (self.complaints, self.foreign) == ([], [])


def signed_in(browser: Browser, site: Site, user: str = "admin", **options: object) -> BrowserContext:
    """Return a context with the session of a user."""
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})  # type: ignore[arg-type]
    answer = context.request.post(
        f"{site.url}/auth/token", data={"username": user, "password": site.passwords[user]}
    )
    assert answer.ok, answer.text()
    context.add_cookies([{"name": "_token", "value": answer.json()["access_token"], "url": site.url}])
    return context


@pytest.fixture
def visit(browser: Browser, site: Site) -> Iterator[Visit]:
    """An administrator's visit."""
    context = signed_in(browser, site)
    yield Visit(site, context.new_page())
    context.close()
