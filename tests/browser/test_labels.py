"""The page Labels in a browser: from one log to the next without scripts, and what labels then show."""

from __future__ import annotations

import re

from sqlalchemy import create_engine, text

from tests.browser.conftest import Visit
from tests.browser.hostile import IMAGE

#: Labels of some answers of the last nights; one in ten contradicts the scorer.
FILLED = """
insert into trace.label (
    log_id, logged_at, level, verdict, labelled_by, labelled_at, source, input_hash, drawn
)
select e.log_id, e.logged_at, 'response',
    case when (e.adherence = 1) = (mod(hashtext(e.log_id), 10) <> 0) then 'supported' else 'unsupported' end,
    'bob', e.logged_at, 'ui', e.input_hash, true
from trace.evaluation as e
inner join trace.scorer as s on e.scorer_id = s.scorer_id
where s.name = 'lexical' and e.status = 'scored' and e.adherence is not null
    and e.logged_at > (select max(logged_at) from trace.evaluation) - interval '20 days'
    and mod(abs(hashtext(e.log_id || 'x')), case when e.adherence = 1 then 50 else 10 end) = 0
on conflict do nothing
"""


def test_the_queue_leads_on_without_scripts(visit: Visit) -> None:
    """Two verdicts, two logs, both drawn by the server; a hostile note stays a text."""
    context = visit.page.context.browser.new_context(java_script_enabled=False)  # type: ignore[union-attr]
    context.add_cookies(visit.page.context.cookies())  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(f"{visit.site.pages}/labels")
    page.get_by_role("link", name="Label the first one").click()
    seen = []
    for verdict in ("supported", "unsupported"):
        assert "labelling queue" in page.locator("main").inner_text()
        seen.append(page.locator("h1").inner_text())
        page.get_by_role("textbox", name="Note on The whole response").fill(IMAGE)
        page.get_by_role("button", name=f"The whole response: {verdict}").click()
        assert "Your label is kept." in page.locator("main").inner_text()
    assert len({*seen, page.locator("h1").inner_text()}) == 3
    context.close()
    engine = create_engine(visit.site.database_url)
    with engine.connect() as connection:
        drawn = connection.execute(text("select verdict from trace.label where drawn order by label_id"))
        assert drawn.scalars().all() == ["supported", "unsupported"]
    engine.dispose()


def test_labels_show_the_corrected_rate_beside_the_raw_one(visit: Visit) -> None:
    """On the overview in a line, on their page as a figure with a table; the agreement in words."""
    engine = create_engine(visit.site.database_url)
    with engine.begin() as connection:
        connection.execute(text(FILLED))
    engine.dispose()
    visit.open("")
    visit.page.get_by_role("main").get_by_role("link", name="Labels").click()
    said = visit.page.locator("h1").inner_text()
    assert re.search(r"Adherence [\d.]+ % by people.s labels .*the scorer says [\d.]+ %", said), said
    visit.page.wait_for_selector("#chart-corrected .main-svg")
    assert visit.page.locator("section[aria-labelledby=agreement] table").count() == 3
    assert "language = " in visit.page.locator("main").inner_text()
    visit.quiet()
