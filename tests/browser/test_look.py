"""What every page must be: quiet, readable by everybody, in both lights, at all widths; with a picture."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from tests.browser.conftest import SHOTS, Visit, signed_in
from tests.browser.site import Site

PAGES = ("", "incidents", "incident", "logs", "log", "labels", "corpus", "runs", "quarantine", "error")


def address(visit: Visit, name: str) -> str:
    """Return the address of a page that exists: that of a first incident or log is found by its link."""
    if name == "incident":
        visit.open("")
        return visit.site.url + str(
            visit.page.locator("main a[href*='/incidents/']").first.get_attribute("href")
        )
    if name == "log":
        visit.open("logs")
        return visit.site.url + str(visit.page.locator("main a[href*='/log?']").first.get_attribute("href"))
    return {"error": "logs?until=yesterday"}.get(name, name)


@pytest.fixture(params=["light", "dark"])
def seen(browser: Browser, site: Site, request: pytest.FixtureRequest) -> Iterator[tuple[Visit, str]]:
    """A visit in light or dark."""
    context = signed_in(browser, site, color_scheme=request.param)
    yield Visit(site, context.new_page()), request.param
    context.close()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_quiet_and_has_no_serious_barrier(seen: tuple[Visit, str], name: str) -> None:
    """Nothing in the console, no foreign request, no serious finding of axe; a picture is kept."""
    visit, light = seen
    path = address(visit, name)
    visit.complaints.clear()
    status = visit.open(path)
    assert status == (400 if name == "error" else 200)
    visit.page.wait_for_load_state("networkidle")
    if name == "error":
        visit.complaints = [text for text in visit.complaints if "400" not in text]
    visit.quiet()
    found = Axe().run(visit.page).response["violations"]
    serious = [
        (finding["id"], [node["html"][:160] for node in finding["nodes"][:3]])
        for finding in found
        if finding["impact"] in ("serious", "critical")
    ]
    assert serious == []
    SHOTS.mkdir(parents=True, exist_ok=True)
    visit.page.screenshot(path=SHOTS / f"{name or 'overview'}-{light}.png", full_page=True)


@pytest.mark.parametrize("width", [375, 1280, 2560])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_its_window(browser: Browser, site: Site, name: str, width: int) -> None:
    """Wide tables scroll in themselves; the page never does sideways."""
    context = signed_in(browser, site, viewport={"width": width, "height": 900})
    visit = Visit(site, context.new_page())
    visit.open(address(visit, name))
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
    if width != 1280:
        SHOTS.mkdir(parents=True, exist_ok=True)
        visit.page.screenshot(path=SHOTS / f"{name or 'overview'}-{width}.png", full_page=True)
    context.close()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_one_heading_and_landmarks(visit: Visit, name: str) -> None:
    """And a title of its own, so that tabs and screen readers tell pages apart."""
    visit.open(address(visit, name))
    assert visit.page.locator("h1").count() == 1
    for landmark in ("header", "nav[aria-label]", "main#content", "footer"):
        assert visit.page.locator(landmark).count() >= 1
    assert re.search(r"\S - RAG quality$", visit.page.title())


def test_the_keyboard_reaches_everything(visit: Visit) -> None:
    """The first stop skips to the content; each further one is visible and has a name."""
    visit.open("")
    visit.page.keyboard.press("Tab")
    assert visit.page.evaluate("document.activeElement.className") == "skip"
    visit.page.keyboard.press("Enter")
    assert visit.page.evaluate("location.hash") == "#content"
    for _ in range(12):
        visit.page.keyboard.press("Tab")
        named = visit.page.evaluate(
            "(e => e.tagName + ':' + (e.ariaLabel || e.labels?.[0]?.textContent || e.textContent).trim())"
            "(document.activeElement)"
        )
        assert not named.startswith("BODY") and not named.endswith(":"), named


def test_charts_are_drawn_and_told_in_words(visit: Visit) -> None:
    """Each has a drawing, a name, and its numbers in a table."""
    visit.open("")
    visit.page.wait_for_selector(".chart .main-svg")
    charts = visit.page.locator(".chart")
    assert charts.count() >= 4
    for i in range(charts.count()):
        assert charts.nth(i).locator(".main-svg").count() >= 1
        assert len(charts.nth(i).get_attribute("aria-label") or "") > 20
    assert visit.page.locator("table tbody tr").count() >= 20
