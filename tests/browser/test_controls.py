"""Every control: the address follows it, and the view follows the address."""

from __future__ import annotations

import csv
import io
import re

import pytest
from sqlalchemy import create_engine, text

from tests.browser.conftest import Visit
from tests.browser.hostile import HOSTILE_ID, IMAGE, hostile_names
from tests.browser.test_look import address


def test_the_bad_release_s_three_worst_sentences_are_four_clicks_away(visit: Visit) -> None:
    """From the navigation entry: the open incident on the overview shows them."""
    visit.open(f"{visit.site.url}/")
    page = visit.page
    page.get_by_role("link", name="RAG quality").or_(
        page.get_by_role("button", name="RAG quality")
    ).first.click()
    clicks = 1
    frame = page.frame_locator("iframe")
    frame.get_by_role("link", name=re.compile("tenant.*acme|Adherence .*points")).first.click()
    clicks += 1
    frame.locator(".sentence.unsupported, .unsupported").nth(2).wait_for()
    assert clicks <= 4
    assert frame.locator(".sentence.unsupported, .unsupported").count() >= 3


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [("metric", "completeness", "Completeness"), ("nights", "7", "7"), ("scorer", "heuristic", "heuristic")],
)
def test_a_choice_changes_address_and_view(visit: Visit, name: str, value: str, shown: str) -> None:
    """At once, and back again by the browser's button."""
    visit.open("")
    with visit.page.expect_navigation():
        visit.page.select_option(f"select[name={name}]", value)
    assert f"{name}={value}" in visit.page.url
    assert visit.page.locator(f"select[name={name}]").input_value() == value
    assert shown in visit.page.locator("main").inner_text()
    visit.page.go_back()
    assert f"{name}={value}" not in visit.page.url
    visit.quiet()


def test_a_segment_is_chosen_and_stays_chosen_on_other_pages(visit: Visit) -> None:
    """Its name and value go along in every link."""
    visit.open("")
    with visit.page.expect_navigation():
        visit.page.select_option("select[name=segment]", label="acme")
    assert "tenant = acme" in visit.page.locator("main").inner_text()
    visit.page.get_by_role("navigation").get_by_role("link", name="Logs").click()
    assert "dimension=tenant" in visit.page.url and "value=acme" in visit.page.url


def test_the_same_address_opens_the_same_view(visit: Visit) -> None:
    """As a link in an alert does."""
    visit.open("?metric=completeness&dimension=tenant&value=acme&nights=7")
    first = visit.page.locator("main").inner_text()
    visit.open("?metric=completeness&dimension=tenant&value=acme&nights=7")
    assert visit.page.locator("main").inner_text() == first
    assert "tenant = acme" in first


@pytest.mark.parametrize("name", ["", "incidents", "logs", "log", "labels", "corpus", "runs", "quarantine"])
def test_a_table_can_be_taken_as_csv(visit: Visit, name: str) -> None:
    """A header and rows that a reader of CSV reads; no cell is a formula."""
    visit.open(address(visit, name))
    href = visit.page.locator("a[href*='format=csv']").first.get_attribute("href")
    answer = visit.page.request.get(visit.site.url + str(href))
    assert answer.ok and "attachment" in answer.headers["content-disposition"]
    rows = list(csv.reader(io.StringIO(answer.body().decode("utf-8-sig"))))
    assert len(rows) >= 2 and all(len(row) == len(rows[0]) for row in rows)
    assert not any(re.match(r"[=+@]", cell) for row in rows for cell in row)


def test_a_label_is_kept_with_the_name_of_its_person(visit: Visit) -> None:
    """By one button; a second verdict replaces the first."""
    path = address(visit, "log")
    for verdict in ("supported", "unsupported"):
        visit.open(path)
        visit.page.get_by_role("button", name=re.compile(f": {verdict}$")).first.click()
        visit.page.wait_for_load_state()
        assert "admin" in visit.page.locator("main").inner_text()
    engine = create_engine(visit.site.database_url)
    with engine.connect() as connection:
        found = connection.execute(text("select labelled_by, verdict, source from trace.log_label")).all()
    engine.dispose()
    assert [tuple(row) for row in found] == [("admin", "unsupported", "ui")]
    visit.quiet()


def test_pages_work_without_scripts(visit: Visit) -> None:
    """Words, tables and the button of the choices need none."""
    context = visit.page.context.browser.new_context(java_script_enabled=False)  # type: ignore[union-attr]
    context.add_cookies(visit.page.context.cookies())  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(f"{visit.site.pages}/")
    page.select_option("select[name=nights]", "7")
    page.get_by_role("button", name="Show").click()
    assert "nights=7" in page.url and page.locator("table tbody tr").count() >= 5
    context.close()


def test_hostile_texts_are_shown_as_texts(visit: Visit) -> None:
    """In every page that shows a log, a segment, a document or a scorer: nothing runs, nothing leaves."""
    engine = create_engine(visit.site.database_url)
    hostile_names(engine)
    engine.dispose()
    visit.page.goto(f"{visit.site.pages}/logs?nights=7")
    for path in ("", "incidents", "logs?nights=7", "labels", "corpus?nights=7", "runs", "quarantine"):
        assert visit.open(path) == 200
        visit.page.wait_for_load_state("networkidle")
        assert visit.page.evaluate("window.broken") is None, path
        assert visit.page.locator("img").count() == 0, path
        assert visit.page.locator("a[href^='javascript']").count() == 0, path
    visit.open(
        "logs?nights=7&dimension=tenant&value="
        + "%3Cimg%20src%3Dx%20onerror%3D%22window.broken%3D1%3Balert(%27x%27)%22%3E"
    )
    links = visit.page.locator("main a[href*='/log?']")
    seen = {links.nth(i).get_attribute("href") for i in range(links.count())}
    assert len(seen) >= 3
    for href in sorted(filter(None, seen)):
        assert visit.open(visit.site.url + href) == 200
        assert visit.page.evaluate("window.broken") is None
        assert visit.page.locator("main img").count() == 0
        assert IMAGE in visit.page.locator("main").inner_text()
    assert any("a%2Fb" in str(href) for href in seen), HOSTILE_ID
    visit.quiet()


def test_right_to_left_texts_run_right_to_left(visit: Visit) -> None:
    """By their own direction, on a page that runs the other way."""
    visit.open(
        "logs?nights=7&dimension=tenant&value="
        + "%3Cimg%20src%3Dx%20onerror%3D%22window.broken%3D1%3Balert(%27x%27)%22%3E"
    )
    href = visit.page.locator("main a[href*='hostile-right-to-left']").first.get_attribute("href")
    visit.open(visit.site.url + str(href))
    shown = visit.page.locator("[dir=auto]", has_text="\u0627\u0644\u0636\u0645\u0627\u0646").first
    assert shown.evaluate("e => getComputedStyle(e).direction") == "rtl"
