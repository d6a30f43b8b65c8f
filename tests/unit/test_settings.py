"""Settings: where each comes from, which one wins, and how a wrong one is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.setting_values import VALUES, WRONG, names, value_of, variable
from trace_core.errors import ConfigurationError
from trace_pipeline.settings import load_settings


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Return a function that writes trace.toml and points TRACE_CONFIG to it."""

    def write(content: str) -> None:
        path = tmp_path / "trace.toml"
        path.write_text(content, encoding="utf-8")
        monkeypatch.setenv("TRACE_CONFIG", str(path))

    return write


def toml(name: str, value: str) -> str:
    """Return a setting as TOML, in its table."""
    *tables, last = name.split(".")
    return (f"[{'.'.join(tables)}]\n" if tables else "") + f"{last} = {value}\n"


def test_the_lists_here_are_complete() -> None:
    """Each setting there is has a good value and, where one can be wrong, a wrong one."""
    assert set(VALUES) == set(names())
    assert set(VALUES) - set(WRONG) == {"alerts.channels", "alerts.link_base_url"}


@pytest.mark.parametrize("name", VALUES)
def test_each_setting_can_be_set_by_the_environment(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """TRACE_ and its name, two underscores for a dot; the others keep their defaults."""
    defaults = load_settings()
    text, _, expected = VALUES[name]
    monkeypatch.setenv(variable(name), text)
    settings = load_settings()
    assert value_of(settings, name) == expected
    assert all(value_of(settings, other) == value_of(defaults, other) for other in set(VALUES) - {name})


@pytest.mark.parametrize("name", VALUES)
def test_each_setting_can_be_set_by_the_file(name: str, write: Callable[[str], None]) -> None:
    """As TOML, in the table that its name says; the others keep their defaults."""
    defaults = load_settings()
    _, text, expected = VALUES[name]
    write(toml(name, text))
    settings = load_settings()
    assert value_of(settings, name) == expected
    assert all(value_of(settings, other) == value_of(defaults, other) for other in set(VALUES) - {name})


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_setting_is_refused_by_its_name(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence, which starts with the name."""
    monkeypatch.setenv(variable(name), WRONG[name])
    with pytest.raises(ConfigurationError) as caught:
        load_settings()
    assert str(caught.value).startswith(f"Setting {name}")


def test_a_run_beats_the_environment_which_beats_the_file(
    write: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also within one table: each layer sets what it names and leaves the rest to the layer below."""
    write(
        "late_days = 1\nbatch_rows = 1\nmax_documents = 1\n"
        '[source.columns]\nquestion = "file"\nresponse = "file"\n'
    )
    monkeypatch.setenv("TRACE_LATE_DAYS", "2")
    monkeypatch.setenv("TRACE_BATCH_ROWS", "2")
    monkeypatch.setenv("TRACE_SOURCE__COLUMNS__QUESTION", "environment")
    settings = load_settings(late_days=3, batch_rows=None, source={"table": "run"})
    assert (settings.late_days, settings.batch_rows, settings.max_documents) == (3, 2, 1)
    assert (settings.source.table, settings.source.table_schema) == ("run", "trace")
    assert (settings.source.columns.question, settings.source.columns.response) == ("environment", "file")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("late_days = = 3", "could not be read"),
        ("late_dayz = 3", "Setting late_dayz: "),
        ("[source]\ntabel = 'x'", "Setting source.tabel: "),
        ("[source.columns]\nanswer = 'x'", "Setting source.columns.answer: "),
        ("source = 'x'", "Setting source: "),
        ("segments = ['a', 3]", "Setting segments.1: "),
        ("segments = ['']", "Setting segments.0: "),
    ],
)
def test_a_wrong_file_is_one_sentence(write: Callable[[str], None], content: str, expected: str) -> None:
    """A syntax error names the file and place, an unknown name itself."""
    write(content)
    with pytest.raises(ConfigurationError, match=expected):
        load_settings()


def test_a_file_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """TRACE_CONFIG is named with its value."""
    monkeypatch.setenv("TRACE_CONFIG", "/nowhere/trace.toml")
    with pytest.raises(ConfigurationError, match=r"TRACE_CONFIG names '/nowhere/trace\.toml'"):
        load_settings()


@pytest.mark.parametrize("name", ["TRACE_LATE_DAYZ", "TRACE_TABLE", "TRACE_SOURC__TABLE", "TRACE_"])
def test_an_unknown_variable_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A misspelt variable would otherwise be a default that nobody chose."""
    monkeypatch.setenv(name, "1")
    with pytest.raises(ConfigurationError, match=f"environment variable {name} is not a setting"):
        load_settings()


def test_an_unknown_parameter_of_a_run_is_refused() -> None:
    """By its name."""
    with pytest.raises(ConfigurationError, match="Setting nights: "):
        load_settings(nights=3)


def test_text_where_a_table_belongs_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable of a whole table holds JSON; what to write instead is said."""
    monkeypatch.setenv("TRACE_SOURCE", '{"table": "x"}')
    assert load_settings().source.table == "x"
    monkeypatch.setenv("TRACE_SOURCE", "x")
    with pytest.raises(ConfigurationError, match=r"Setting source: .*TRACE_SOURCE__COLUMNS__QUESTION"):
        load_settings()


def test_a_refused_channel_keeps_its_address_to_itself(write: Callable[[str], None]) -> None:
    """An address holds a password, and sentences end up in logs."""
    write("[alerts]\nchannels = [['slack://secret-token']]")
    with pytest.raises(ConfigurationError) as caught:
        load_settings()
    assert "Setting alerts.channels.0" in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("telemetry.otlp_endpoint", "https://user:secret@collector"),
        ("telemetry.otlp_endpoint", "collector?key=secret"),
        ("lineage.results", "user:secret@db.example.org/trace"),
    ],
)
def test_a_refused_address_is_not_repeated(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What should not be in an address may be a secret, and the sentence goes into logs."""
    monkeypatch.setenv(variable(name), value)
    with pytest.raises(ConfigurationError) as caught:
        load_settings()
    assert str(caught.value).startswith(f"Setting {name}: ")
    assert "secret" not in str(caught.value)


def test_several_wrong_settings_are_all_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence each, so that one look is enough."""
    monkeypatch.setenv("TRACE_LATE_DAYS", "-1")
    monkeypatch.setenv("TRACE_BATCH_ROWS", "x")
    with pytest.raises(ConfigurationError, match=r"Setting late_days: .* Setting batch_rows: "):
        load_settings()


def test_settings_are_frozen() -> None:
    """Nothing changes them after they were read."""
    settings = load_settings()
    with pytest.raises(ValueError, match="frozen"):
        settings.late_days = 3  # type: ignore[misc]
