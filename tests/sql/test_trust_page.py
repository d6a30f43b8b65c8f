"""The page Labels: the queue leads from log to log, labels count as drawn only when the server drew them."""

from __future__ import annotations

import csv
import html
import io
import re

import pytest
from sqlalchemy import Engine

from tests.sql.pages import HOST, Client, site
from tests.sql.tools import MakePipeline, a_log, execute, insert, login, night, noon, rows

DRAWN = "select log_id, verdict, drawn from trace.label order by label_id"
HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture
def scored(engine: Engine, make_pipeline: MakePipeline) -> Engine:
    """A night of thirty answers, ten of which nothing supports; one question and segment are hostile."""
    insert(
        engine,
        *(a_log(f"good-{at}", noon(seconds=at)) for at in range(19)),
        *(a_log(f"bad-{at}", noon(minutes=at), response="Bananas cost seven zlotys.") for at in range(10)),
        a_log("=odd", noon(hours=1), question=f"=1+1 {HOSTILE}?", segments={"tenant": HOSTILE}),
    )
    night(make_pipeline())
    return engine


def first_form(client: Client, address: str) -> dict[str, str]:
    """Return the hidden fields of the form for the whole response."""
    page = client.get(address).text
    form = re.findall(r"<form method=\"post\".*?</form>", page, re.DOTALL)[-1]
    return {
        k: html.unescape(v) for k, v in re.findall(r'name="(\w+)" value="([^"]*)"', form) if k != "verdict"
    }


def keep(client: Client, address: str, **changes: str) -> str:
    """Give the log of an address a verdict; returns where the page leads."""
    form = first_form(client, address) | {"verdict": "supported", "note": ""} | changes
    done = client.post("/label", data=form, headers={"origin": HOST})
    assert done.status_code == 303, done.text
    return done.headers["location"]


def test_the_queue_leads_from_log_to_log_until_a_rate_stands(scored: Engine, database: str) -> None:
    """Every label is drawn, none is asked for twice; afterwards rate, figure and agreement are shown."""
    with site(database) as client:
        page = client.get("/labels").text
        assert "has not been checked by people yet" in page and "Label the first one" in page
        assert "<img" not in page
        address = html.unescape(re.findall(r'href="([^"]*)">Label the first one', page)[0])
        for at in range(30):
            address = keep(client, address, verdict="unsupported" if at % 3 == 0 else "supported")
        assert address == "/labels?saved=yes"
        found = rows(scored, DRAWN)
        assert len({name for name, _, _ in found}) == 30 and all(drawn for _, _, drawn in found)
        page = client.get(address).text
        assert "asks for no further one" in page and "by people&#39;s labels" in page.replace("'", "&#39;")
        assert "corrected by 30 labelled answers" in page and "chosen by people" not in page
        assert "chart-corrected" in page and "30 labelled answers of the last 28 nights" in page
        overview = client.get("/").text
        assert "By 30 labelled answers" in overview


def test_a_label_is_drawn_only_when_the_server_drew_it(scored: Engine, database: str) -> None:
    """Not because a form says so, not when it was chosen from a list, not a second time."""
    with site(database) as client:
        queue = re.findall(r'href="(/log\?[^"]*queue=yes)"', client.get("/labels").text)
        address = html.unescape(queue[1])
        keep(client, address.replace("&queue=yes", ""))
        assert rows(scored, DRAWN)[-1][2] is False
        assert "queue=yes" in keep(client, address)
        assert rows(scored, DRAWN)[-1][2] is False
        execute(scored, "update trace.evaluation set status = 'failed', reason = 'x' where log_id = 'good-1'")
        keep(client, f"/log?log=good-1&at={noon(seconds=1).isoformat().replace('+', '%2B')}&queue=yes")
        assert {name: drawn for name, _, drawn in rows(scored, DRAWN)}["good-1"] is False
        first = html.unescape(re.findall(r'href="(/log\?[^"]*queue=yes)"', client.get("/labels").text)[0])
        assert "queue=yes" in keep(client, first, key="a") and rows(scored, DRAWN)[-1][2] is True


def test_the_queue_can_be_taken_as_csv_and_is_safe(scored: Engine, database: str) -> None:
    """With the columns that the import reads; a formula in a question stays a text."""
    with site(database) as client:
        answer = client.get("/labels", params={"table": "queue", "format": "csv"})
        table = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))
        assert len(table) >= 20 and table[0]["verdict"] == "" and table[0]["drawn"] == "true"
        assert not any(re.match(r"[=+@-]", cell) for row in table for cell in row.values())
        for name in ("nights", "agreement"):
            assert client.get("/labels", params={"table": name, "format": "csv"}).status_code == 200
        assert client.get("/labels", params={"table": "x"}).status_code == 400
        assert client.get("/labels", params={"until": "2020-01-01"}).status_code == 200
        assert client.get("/labels", params={"scorer": "nobody"}).status_code == 200


def test_a_viewer_sees_the_queue_and_no_form(scored: Engine, database: str) -> None:
    """And a mere reader's login is enough; a source that is gone leaves the page."""
    execute(scored, "alter table trace.rag_log rename to gone")
    with login(scored, "trace_reader") as member, site(member.url.render_as_string(False)) as client:
        page = client.get("/labels", headers={"x-person": "viewer"}).text
        assert "Your role only looks" in page and "Label the first one" not in page
        assert "does not answer" in page


def test_without_a_night_there_is_nothing_to_label(database: str) -> None:
    """It says so."""
    with site(database) as client:
        assert "there is nothing to label" in client.get("/labels").text
