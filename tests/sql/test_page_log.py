"""One log's page: marks at their place, what is missing said, and labels by those who may."""

from __future__ import annotations

import re
from typing import Any

import pytest
from sqlalchemy import Engine

from tests.sql.pages import HOST, Client, site
from tests.sql.tools import MakePipeline, a_log, execute, insert, login, night, noon, rows
from trace_pipeline.pages.marked import Mark, Window, mark_text
from trace_pipeline.pages.versions import versions_of

AT = noon().isoformat()
SAID = "The warranty lasts two years.\n\nBananas cost seven zlotys on Tuesdays."
LABELS = (
    "select log_id, level, sentence_key, kind, verdict, note, labelled_by, source, input_hash is not null"
    " from trace.log_label order by labelled_by, sentence_key nulls first"
)


@pytest.fixture
def scored(engine: Engine, make_pipeline: MakePipeline) -> Engine:
    """A database with one scored log whose second sentence nothing supports."""
    insert(engine, a_log("a", response=SAID, ground_truth="Two years."))
    night(make_pipeline(scorers=("lexical", "heuristic")))
    return engine


def page(client: Client, log: str = "a", **query: Any) -> str:
    """Return the page of a log."""
    found = client.get("/log", params={"log": log, "at": AT, **query})
    assert found.status_code == 200, found.text
    return found.text


def test_sentences_are_marked_linked_and_explained(scored: Engine, database: str) -> None:
    """Verdicts stand in words; a supported sentence leads to its source and back; the text keeps its breaks."""
    with site(database) as client:
        text = page(client)
    assert 'id="r-b"' in text and "not supported" in text
    assert 'href="#d-0a"' in text and 'href="#r-a"' in text
    assert "missing: bananas" in text
    assert re.search(r"two years\.</span>.*?\n\n<span", text, re.DOTALL)
    assert text.count("Evaluation log") == 2  # its label and its header, once each
    assert "heuristic" in text and "lexical" in text and "Two years." in text


def test_a_log_that_is_gone_or_changed_says_so(scored: Engine, database: str) -> None:
    """What was stored stays to be read; marks are not laid over another text."""
    with site(database) as client:
        insert(scored, a_log("a", response="Something else entirely. And more."))
        text = page(client)
        assert "has changed since it was scored" in text
        assert 'id="r-a"' not in text and "Something else entirely." in text
        execute(scored, "delete from trace.rag_log")
        text = page(client)
        assert "no longer in the source" in text and "missing: bananas" in text
        assert client.get("/log", params={"log": "b", "at": AT}).status_code == 404
        assert client.get("/log", params={"log": "a", "at": "yesterday"}).status_code == 400
        assert client.get("/log", params={"at": AT}).status_code == 400
        assert client.get("/log", params={"log": "a", "day": "2026-10-01"}).status_code == 200


def test_a_source_that_is_missing_leaves_the_scores(scored: Engine, database: str) -> None:
    """Without the source's table the page still shows what is stored."""
    execute(scored, "alter table trace.rag_log rename to gone")
    with site(database) as client:
        text = page(client)
        assert "does not answer" in text and "missing: bananas" in text
        assert client.get("/logs", params={"day": "2026-10-01"}).status_code == 200


def test_a_large_log_is_shown_in_parts(engine: Engine, database: str, make_pipeline: MakePipeline) -> None:
    """Forty documents and a response of a megabyte: the first part, and links that lead to all of the rest."""
    response = "Penguins swam far away in nineteen ninety. " * 25_000
    documents = [{"id": f"d{number}", "text": f"Fact {number}. " * 2_000} for number in range(40)]
    insert(engine, a_log("a", response=response, documents=documents), a_log("w", response="w" * 1_000_000))
    night(make_pipeline(scorers=("heuristic",)))
    with site(database) as client:
        text = page(client)
        assert len(text) < 1_500_000
        assert "more characters" in text and "Further documents" in text
        assert 'aria-label="Document 39"' in page(client, documents=20)
        assert len(page(client, "w")) < 200_000
        part = page(client, part="response", start=1_000_000)
        assert "characters 1,000,001 to 1,075,000 of 1,075,000" in part
        assert client.get("/log", params={"log": "a", "at": AT, "part": "d99"}).status_code == 404


def test_pieces_are_the_text() -> None:
    """Whatever the window, the pieces together are its text, and a sentence that goes on does not begin again."""
    text = "Ein Satz. Zwei Sätze!\n\n- drei\r\n" * 5
    sentences = ["Ein Satz.", "Zwei Sätze!", "- drei"] * 5
    marks = {at: Mark(str(at)) for at in range(15)}
    for start in range(0, len(text), 3):
        for most in (1, 7, 40, 1_000):
            shown = mark_text(text, sentences, marks, Window(start, most))
            assert "".join(piece.text for piece in shown.pieces) == text[start : start + most]
            assert (shown.next_start is None) == (start + most >= len(text))
    assert mark_text(text, ["not there", "Zwei Sätze!"], marks).loose[0].text == "not there"


def token_of(client: Client, person: str = "ada") -> str:
    """Return the token of a person's form."""
    found = client.get("/log", params={"log": "a", "at": AT}, headers={"x-person": person}).text
    return re.findall(r'name="token" value="([^"]+)"', found)[0]


def send(client: Client, person: str = "ada", origin: str | None = HOST, **form: str) -> Any:
    """Send the form of a label."""
    headers = {"x-person": person} | ({"origin": origin} if origin else {})
    fields = {"log": "a", "at": AT, "key": "", "verdict": "unsupported", "note": "", **form}
    if "token" not in fields:
        fields["token"] = token_of(client)
    return client.post("/label", data=fields, headers=headers)


def test_a_label_is_kept_with_the_name_and_replaced(scored: Engine, database: str) -> None:
    """Response and sentence by two people; a person's second verdict takes the place of the first."""
    with site(database) as client:
        done = send(client, key="b", note="It is <b>odd</b>")
        assert done.status_code == 303 and done.headers["location"].endswith("#labels")
        assert send(client).status_code == 303
        assert send(client, key="b", verdict="unsure").status_code == 303
        assert send(client, "bob", token=token_of(client, "bob"), verdict="supported").status_code == 303
        assert rows(scored, LABELS) == [
            ("a", "response", None, "adherence", "unsupported", "", "ada", "ui", True),
            ("a", "sentence", "b", "adherence", "unsure", "", "ada", "ui", True),
            ("a", "response", None, "adherence", "supported", "", "bob", "ui", True),
        ]
        send(client, note="It is <b>odd</b>")
        text = page(client)
        assert "<b>odd" not in text and "&lt;b&gt;odd" in text and "bob" in text


@pytest.mark.parametrize(
    ("form", "status"),
    [
        ({"origin": "http://evil.test"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": None}, 403),
        ({"origin": "http://pages.test.evil.test"}, 403),
        ({"origin": "http://pages.test@evil.test"}, 403),
        ({"token": ""}, 403),
        ({"token": "1.x"}, 403),
        ({"token": "1700000000.é"}, 403),
        ({"person": "bob"}, 403),
        ({"verdict": "maybe"}, 400),
        ({"key": "zz"}, 400),
        ({"key": "B"}, 400),
        ({"log": "b"}, 400),
        ({"log": "a\x00"}, 400),
        ({"at": "x"}, 400),
        ({"note": "x" * 2_001}, 400),
        ({"note": "a\x00b"}, 400),
        ({"note": "x" * 50_000}, 413),
    ],
    ids=str,
)
def test_a_form_that_is_not_right_writes_nothing(
    scored: Engine, database: str, form: dict[str, Any], status: int
) -> None:
    """Another site's, another person's, an old, a forged or a wrong form is refused with a sentence."""
    with site(database) as client:
        done = send(client, **form)
    assert done.status_code == status
    assert "<h1>" in done.text
    assert rows(scored, LABELS) == []


def test_a_viewer_cannot_label(scored: Engine, database: str) -> None:
    """The page shows no form, and a form sent all the same is refused."""
    with site(database) as client:
        text = client.get("/log", params={"log": "a", "at": AT}, headers={"x-person": "viewer"}).text
        assert "<form method" not in text.replace("\n", " ") and "Your role only looks" in text
        assert send(client, "viewer").status_code == 403
        assert client.get("/label").status_code == 405
        refused = client.post("/label", content=b"{}", headers={"content-type": "application/json"})
        assert refused.status_code == 415
    assert rows(scored, LABELS) == []


def test_an_old_form_is_refused(scored: Engine, database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that stood open for more than eight hours must be opened again."""
    with site(database) as client:
        token = token_of(client)
        monkeypatch.setattr("rag_quality.csrf._LIFE_SECONDS", -1)
        assert "older than eight hours" in send(client, token=token).text
    assert rows(scored, LABELS) == []


def test_a_login_that_may_not_label_is_told(scored: Engine, database: str) -> None:
    """With trace_reader alone everything can be read, and a label is one sentence; with both roles it is kept."""
    for roles, status in ((("trace_reader",), 403), (("trace_reader", "trace_labeller"), 303)):
        with login(scored, *roles) as member:
            url = member.url.render_as_string(hide_password=False)
            with site(url) as client:
                done = send(client)
                assert done.status_code == status
                if status == 403:
                    assert "grant trace_labeller" in done.text


def test_the_labeller_role_writes_labels_alone(scored: Engine) -> None:
    """It reads no log and no text, and cannot remove a label."""
    with login(scored, "trace_labeller") as member:
        for statement in (
            "select * from trace.rag_log",
            "select * from trace.evaluation",
            "delete from trace.label",
            "update trace.evaluation set status = ''",
            "insert into trace.scorer (name, fingerprint, parameters) values ('', '', '{}')",
        ):
            with pytest.raises(Exception, match="permission denied"):
                execute(member, statement)
        with member.connect() as connection:
            assert len(versions_of(connection, "lexical")) == 1
