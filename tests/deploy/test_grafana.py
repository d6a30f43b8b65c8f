"""The Grafana dashboard: its form, and each of its queries on real nights as the role trace_reader."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from sqlalchemy import Engine

from tests.sql.tools import DAY, MakePipeline, a_log, execute, insert, login, night, noon
from trace_pipeline.load import load_logs
from trace_pipeline.sample import SampleSettings, generate
from trace_pipeline.sqlfiles import names
from trace_pipeline.steps.detect_drift import detect_drift

ROOT = Path(__file__).resolve().parents[2]
GRAFANA = ROOT / "deploy" / "grafana"
BOARD: dict[str, Any] = json.loads((GRAFANA / "dashboards" / "rag-quality.json").read_text(encoding="utf-8"))
PANELS: dict[str, dict[str, Any]] = {panel["title"]: panel for panel in BOARD["panels"]}
VARIABLES = {variable["name"]: variable for variable in BOARD["templating"]["list"]}
ANNOTATIONS = {annotation["name"]: annotation for annotation in BOARD["annotations"]["list"]}
NIGHTS = 8
TENANT = "o'neil \\ co"  # as a log may have it: the quoting of variables must hold
FIRST, LAST = DAY, DAY + timedelta(days=NIGHTS - 1)
ALL = "(all traffic)"
CHOSEN: Mapping[str, tuple[str, ...]] = {
    "scorer": ("heuristic",),
    "metric": ("adherence", "completeness"),
    "dimension": (ALL,),
    "value": (ALL,),
    "release_dimension": ("app_version",),
}


def queries() -> Iterator[tuple[str, str]]:
    """Yield every SQL text of the dashboard under a name."""
    for title, panel in PANELS.items():
        for target in panel["targets"]:
            yield f"panel {title}", target["rawSql"]
    for name, annotation in ANNOTATIONS.items():
        yield f"annotation {name}", annotation["target"]["rawSql"]
    for name, variable in VARIABLES.items():
        if variable["type"] == "query":
            yield f"variable {name}", variable["query"]


QUERIES = dict(queries())


def expanded(statement: str, first: date = FIRST, last: date = LAST, **chosen: tuple[str, ...]) -> str:
    """Return the SQL that Grafana sends: macros of its Postgres source, variables in the format sqlstring."""
    values = {**CHOSEN, **chosen}
    start, end = f"'{first}T05:30:00.123Z'", f"'{last}T23:59:59.999Z'"

    def quoted(found: re.Match[str]) -> str:
        return ",".join("'" + value.replace("'", "''") + "'" for value in values[found[1]])

    statement = re.sub(r"\$\{(\w+):sqlstring\}", quoted, statement)
    statement = re.sub(r"\$__timeFilter\(([^)]*)\)", rf"\1 BETWEEN {start} AND {end}", statement)
    statement = statement.replace("$__timeFrom()", start).replace("$__timeTo()", end)
    assert not re.search(r"\$(\w|\{)", statement), "a macro or variable is left"
    return statement


@pytest.fixture
def reader(engine: Engine, make_pipeline: MakePipeline) -> Iterator[Engine]:
    """A login with the role trace_reader: nights, an empty one, a release, an incident, two versions."""
    settings = SampleSettings(first_day=FIRST, nights=NIGHTS, logs_per_night=25, release_night=5)
    empty = FIRST + timedelta(days=6)
    for _ in load_logs(
        engine, (log for log in generate(settings) if f"{empty}" not in str(log["logged_at"]))
    ):
        pass
    insert(engine, a_log("quoted", noon(LAST), segments={"tenant": TENANT}), a_log("bad", question=None))
    pipeline = make_pipeline(scorers="heuristic", watch_metrics="adherence")
    night(pipeline, nights=NIGHTS)
    detect_drift(pipeline)
    execute(
        engine,
        "insert into trace.incident (scorer, metric, opened_day, onset_day, state, dimension, value, size,"
        " text) values ('heuristic', 'adherence', :opened, :onset, 'open', 'tenant', :value, -0.1, 'Fell.')",
        opened=FIRST + timedelta(days=5),
        onset=FIRST + timedelta(days=4),
        value=TENANT,
    )
    # A newer version has scored the last night too: of a day, one version speaks.
    execute(
        engine,
        "insert into trace.scorer (name, fingerprint, parameters) values ('heuristic', 'new', '{}')",
    )
    execute(
        engine,
        "insert into trace.ledger select s.scorer_id, l.day, l.interval_start, l.interval_end, l.source_rows,"
        " l.scored, l.skipped, l.quarantined, l.sampled_out, l.failed, l.reasons, l.run_id"
        " from trace.ledger l, trace.scorer s where l.day = :last and s.fingerprint = 'new'",
        last=LAST,
    )
    execute(
        engine,
        "insert into trace.daily_metric (scorer_id, day, dimension, value, metric, n, total, squares,"
        " histogram, undefined, unscored, published_n, published_total, run_id)"
        " select s.scorer_id, d.day, d.dimension, d.value, d.metric, d.n, d.total, d.squares, d.histogram,"
        " d.undefined, d.unscored, d.published_n, d.published_total, ''"
        " from trace.daily_metric d, trace.scorer s where d.day = :last and s.fingerprint = 'new'",
        last=LAST,
    )
    with login(engine, "trace_reader") as made:
        yield made


def run(engine: Engine, statement: str) -> list[dict[str, Any]]:
    """Run a statement as it stands, in a transaction that may not write."""
    with engine.connect().execution_options(postgresql_readonly=True) as connection:
        result = connection.exec_driver_sql(statement, execution_options={"no_parameters": True})
        return [dict(row) for row in result.mappings()]


def test_every_query_runs_as_the_reader_and_gives_what_its_panel_names(reader: Engine) -> None:
    """Whatever is chosen, each query runs; its columns are those that the panel's overrides and kind need."""
    for name, statement in QUERIES.items():
        found = run(reader, expanded(statement))
        assert found, name
        columns = set(found[0])
        panel = PANELS.get(name.removeprefix("panel "))
        if panel is None:
            if name.startswith("annotation"):
                assert {"time", "text", "tags"} <= columns, name
            continue
        wanted = {item["matcher"]["options"] for item in panel["fieldConfig"]["overrides"]}
        assert all(item["matcher"]["id"] == "byName" for item in panel["fieldConfig"]["overrides"])
        assert wanted <= columns, name
        if panel["type"] in ("timeseries", "state-timeline"):
            times = [row["time"] for row in found]
            assert times == sorted(times), name


def test_a_hostile_choice_is_a_value_and_nothing_else(reader: Engine) -> None:
    """A variable in an address may hold anything: it is compared, never run."""
    hostile = ("'); drop table trace.ledger; --", "a' or 'a'='a", "\\'; select 1; --")
    chosen = {"scorer": hostile[:1], "metric": hostile, "dimension": hostile[1:2], "value": hostile[2:]}
    for statement in QUERIES.values():
        run(reader, expanded(statement, **chosen))


def test_a_query_reads_views_only(reader: Engine) -> None:
    """Tables may change; and each variable is in the one format that quotes it."""
    for name, statement in QUERIES.items():
        read = set(re.findall(r"trace\.(\w+)", statement))
        assert read and read <= set(names("views")), name
        assert set(re.findall(r"\$\{(\w+)", statement)) <= set(VARIABLES), name
        assert not re.search(r"\$\{\w+\}|\$\{\w+:(?!sqlstring\})|\[\[", statement), name


def test_the_trend_has_a_gap_where_nothing_is_known(reader: Engine) -> None:
    """An empty night has no mean, not 0; where the scorer's version changes the line ends."""
    statement = next(text for name, text in QUERIES.items() if name.startswith("panel ${metric}"))
    found = run(reader, expanded(statement, metric=("adherence",)))
    nights = [row for row in found if row["time"].hour == 0]
    assert [row["time"].date() for row in nights] == [FIRST + timedelta(days=n) for n in range(NIGHTS)]
    assert nights[6]["mean"] is None and nights[6]["n"] == 0
    assert all(row["low"] <= row["mean"] <= row["high"] for row in nights if row["n"])
    breaks = [row for row in found if row["time"].hour == 12]
    assert [row["time"].date() for row in breaks] == [LAST - timedelta(days=1)]
    assert breaks[0]["mean"] is None


def test_a_segment_with_a_quote_in_its_name_has_its_trend(reader: Engine) -> None:
    """The variables reach the segments of the view, however they are written."""
    chosen = {"dimension": ("tenant",), "value": (TENANT,), "metric": ("adherence",)}
    statement = next(text for name, text in QUERIES.items() if name.startswith("panel ${metric}"))
    assert [row["n"] for row in run(reader, expanded(statement, **chosen)) if row["n"]] == [1]
    values = run(reader, expanded(VARIABLES["value"]["query"], dimension=("tenant",)))
    assert {"value": TENANT} in values
    assert {row["dimension"] for row in run(reader, expanded(VARIABLES["dimension"]["query"]))} >= {
        ALL,
        "tenant",
    }


def test_the_ledger_s_parts_sum_to_the_volume(reader: Engine) -> None:
    """The stacked bars are the source's rows; the share of an empty night is unknown."""
    parts = run(reader, expanded(QUERIES["panel Ledger: where each source row went"]))
    volume = run(reader, expanded(QUERIES["panel Volume"]))
    assert [sum(value for name, value in row.items() if name != "time") for row in parts] == [
        row["source_rows"] for row in volume
    ]
    shares = {row["time"].date(): row for row in run(reader, expanded(QUERIES["panel Unscored share"]))}
    assert shares[FIRST]["unscored_share"] > 0
    assert shares[FIRST + timedelta(days=6)]["unscored_share"] is None


def test_incidents_and_releases_are_marked_within_the_range_only(reader: Engine) -> None:
    """An open incident reaches to the end of the range; a release is a value's first night."""
    marked = run(reader, expanded(ANNOTATIONS["Incidents"]["target"]["rawSql"]))
    assert (marked[-1]["time"].date(), marked[-1]["timeend"].date()) == (FIRST + timedelta(days=4), LAST)
    released = run(reader, expanded(ANNOTATIONS["Releases"]["target"]["rawSql"]))
    assert FIRST + timedelta(days=5) in [row["time"].date() for row in released]
    before = {"first": FIRST - timedelta(days=9), "last": FIRST - timedelta(days=1)}
    for annotation in ANNOTATIONS.values():
        assert run(reader, expanded(annotation["target"]["rawSql"], **before)) == []


def test_panels_have_ids_of_their_own_and_do_not_overlap() -> None:
    """24 columns, unique ids, a title, a description, one query each under a reference."""
    assert len({panel["id"] for panel in PANELS.values()}) == len(BOARD["panels"]) == len(PANELS)
    for panel in PANELS.values():
        place = panel["gridPos"]
        assert place["x"] >= 0 and place["x"] + place["w"] <= 24 and place["h"] > 0
        assert panel["title"] and len(panel["description"]) > 10
        assert [target["refId"] for target in panel["targets"]] == ["A"]
    for one, other in itertools.combinations([panel["gridPos"] for panel in PANELS.values()], 2):
        apart_x = one["x"] + one["w"] <= other["x"] or other["x"] + other["w"] <= one["x"]
        apart_y = one["y"] + one["h"] <= other["y"] or other["y"] + other["h"] <= one["y"]
        assert apart_x or apart_y, (one, other)


def test_everything_reads_the_provisioned_source() -> None:
    """One datasource, by the uid that the provisioning gives; address and password are not in a file."""
    text = (GRAFANA / "provisioning/datasources/results.yaml").read_text(encoding="utf-8")
    (source,) = yaml.safe_load(text)["datasources"]
    expected = {"type": source["type"], "uid": source["uid"]}
    used = [panel["datasource"] for panel in PANELS.values()]
    used += [target["datasource"] for panel in PANELS.values() for target in panel["targets"]]
    used += [annotation["datasource"] for annotation in ANNOTATIONS.values()]
    used += [variable["datasource"] for variable in VARIABLES.values() if variable["type"] == "query"]
    assert all(found == expected for found in used)
    assert source["secureJsonData"] == {"password": "${READER_DATABASE_PASSWORD}"}
    compose = yaml.safe_load((ROOT / "docker-compose.yaml").read_text(encoding="utf-8"))["services"][
        "grafana"
    ]
    assert set(re.findall(r"\$\{(\w+)\}", text)) <= set(compose["environment"])
    (provider,) = yaml.safe_load((GRAFANA / "provisioning/dashboards/files.yaml").read_text())["providers"]
    assert f"./deploy/grafana/dashboards:{provider['options']['path']}:ro" in compose["volumes"]


def test_the_board_is_stable_and_loads_nothing_from_outside() -> None:
    """A fixed uid for links, days shown as the ledger has them, one address: that of this project's pages."""
    assert BOARD["uid"] == "rag-quality" and BOARD["schemaVersion"] >= 41
    assert BOARD["timezone"] == "utc"  # a day is a day of the ledger, not one of the browser's zone
    assert "id" not in BOARD
    addresses = set(re.findall(r'"(\w+://[^"]*)"', json.dumps(BOARD)))
    assert addresses == {VARIABLES["airflow_url"]["query"]}
    (link,) = [
        link
        for item in PANELS["Incidents"]["fieldConfig"]["overrides"]
        for kind in item["properties"]
        if kind["id"] == "links"
        for link in kind["value"]
    ]
    assert link["url"] == "${airflow_url}/rag-quality/incidents/${__value.raw}"


# A newer form of dashboards exists beside this one, which provisioning by file still reads.
@pytest.mark.filterwarnings("ignore:Prefer using dashboardv2:DeprecationWarning")
def test_the_board_is_one_of_grafana_s_own_schema() -> None:
    """Read into Grafana's generated classes and written again, nothing is lost or changed."""
    from grafana_foundation_sdk.cog.encoder import JSONEncoder
    from grafana_foundation_sdk.models import dashboard

    again = json.loads(JSONEncoder(sort_keys=True).encode(dashboard.Dashboard.from_json(BOARD)))
    assert list(lost(BOARD, again)) == []


def lost(one: Any, other: Any, place: str = "") -> Iterator[str]:
    """Yield where something of `one` is not in `other`."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key, value in one.items():
            yield from lost(value, other[key], f"{place}/{key}") if key in other else [f"{place}/{key}"]
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, (left, right) in enumerate(zip(one, other, strict=True)):
            yield from lost(left, right, f"{place}/{number}")
    elif one != other:
        yield place
