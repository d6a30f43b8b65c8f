"""The compose stack, as `docker-compose config` resolves it; no container is started."""

from __future__ import annotations

import fnmatch
import importlib.util
import os
import re
import shutil
import stat
import subprocess
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from trace_pipeline.settings import load_settings

ROOT = Path(__file__).resolve().parents[2]
PROFILES = ("", "celery", "grafana")
EXAMPLE = ROOT / ".env.example"
BASE = {"postgres", "init", "api-server", "scheduler", "dag-processor", "triggerer"}
CELERY = {"redis", "worker-1", "worker-2"}
NOT_AIRFLOW = {"postgres", "redis", "grafana"}
SECRET = re.compile(r"^[A-Z0-9_]+(?:_PASSWORD|_SECRET|_KEY|_URL)$")


def compose_command() -> list[str]:
    """The compose command of this machine; a skip says that there is none, in CI a failure does."""
    if shutil.which("docker-compose"):
        return ["docker-compose"]
    if (
        shutil.which("docker")
        and subprocess.run(["docker", "compose", "version"], capture_output=True).returncode == 0
    ):
        return ["docker", "compose"]
    message = "docker-compose is not installed, so docker-compose.yaml was not validated"
    if os.environ.get("CI") == "true":
        pytest.fail(message)
    pytest.skip(message)


@cache
def module(name: str) -> ModuleType:
    """Load a script of deploy/, which is no package."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "deploy" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def variables(text: str) -> dict[str, str]:
    """The lines NAME=value of an environment file."""
    pairs = (line.split("=", 1) for line in text.splitlines() if "=" in line and not line.startswith("#"))
    return dict(pairs)  # type: ignore[arg-type]


def config(folder: Path, text: str, profile: str = "") -> subprocess.CompletedProcess[str]:
    """Run `config` with an environment file of this text and with nothing of the caller's environment."""
    environment_file = folder / "test.env"
    environment_file.write_text(text)
    command = [
        *compose_command(),
        "--project-directory",
        str(ROOT),
        "--file",
        str(ROOT / "docker-compose.yaml"),
    ]
    command += ["--env-file", str(environment_file), *(["--profile", profile] if profile else []), "config"]
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder)}
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment, check=False)


@pytest.fixture(scope="module")
def filled() -> str:
    """The example with its secrets filled, as deploy/make_env.py writes it."""
    return str(module("make_env").filled(EXAMPLE.read_text()))


@pytest.fixture(scope="module", params=PROFILES)
def services(
    request: pytest.FixtureRequest, filled: str, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """The resolved services of a profile."""
    done = config(tmp_path_factory.mktemp("compose"), filled, request.param)
    assert done.returncode == 0, done.stderr
    resolved: dict[str, Any] = yaml.safe_load(done.stdout)["services"]
    # docker-compose 1.29 prints all services whatever the profile; `docker compose` only the chosen ones.
    return {
        name: service
        for name, service in resolved.items()
        if not service.get("profiles") or request.param in service["profiles"]
    }


def test_each_profile_has_its_services(services: dict[str, Any]) -> None:
    """Without a profile Airflow and Postgres run, with celery Redis and workers too, with grafana Grafana."""
    assert set(services) in (BASE, BASE | CELERY, BASE | {"grafana"})
    assert ("redis" in services) == ("worker-1" in services) == ("worker-2" in services)


def test_every_image_is_pinned(services: dict[str, Any]) -> None:
    """A tag is a full version, never latest and never a bare major."""
    for name, service in services.items():
        tag = service["image"].rpartition(":")[2]
        assert re.match(r"\d+\.\d+(\.\d+)?(-[a-z]+)?$", tag), (name, service["image"])


def test_ports_are_published_on_loopback_only(services: dict[str, Any]) -> None:
    """Nothing can be reached from another machine."""
    published = {name: service["ports"] for name, service in services.items() if service.get("ports")}
    assert set(published) == {"api-server", "postgres", *(services.keys() & {"grafana"})}
    for ports in published.values():
        for port in ports:
            host = port.get("host_ip") if isinstance(port, dict) else str(port).partition(":")[0]
            assert host == "127.0.0.1", port


def test_every_service_that_stays_up_has_a_health_check(services: dict[str, Any]) -> None:
    """Only the one that runs to its end has none; the others wait for it to succeed."""
    for name, service in services.items():
        if name == "init":
            assert service["restart"] == "no"
        else:
            assert service["healthcheck"]["test"], name
            assert service["restart"] == "unless-stopped", name


def test_nothing_is_privileged(services: dict[str, Any]) -> None:
    """No privileges, no host network, no socket of the engine; Airflow's containers drop all capabilities."""
    for name, service in services.items():
        assert not service.get("privileged"), name
        assert not service.get("network_mode") and not service.get("pid") and not service.get("cap_add"), name
        assert "docker.sock" not in str(service.get("volumes")), name
        assert "no-new-privileges:true" in service["security_opt"], name
        if name != "postgres":  # its start-up changes to a user of its own
            assert service["cap_drop"] == ["ALL"], name


def test_the_stack_starts_in_order(services: dict[str, Any]) -> None:
    """Migrations wait for a healthy Postgres, every component for the migrations, workers for Redis."""
    assert services["init"]["depends_on"]["postgres"]["condition"] == "service_healthy"
    for name in services.keys() - {"postgres", "init", "redis"}:
        assert services[name]["depends_on"]["init"]["condition"] == "service_completed_successfully", name
    for name in services.keys() & {"worker-1", "worker-2"}:
        assert services[name]["depends_on"]["redis"]["condition"] == "service_healthy"


def test_airflow_is_set_up_as_the_project_needs_it(services: dict[str, Any]) -> None:
    """The settings that are easily lost: the execution API's address, no examples, the short heartbeat."""
    for name in services.keys() - NOT_AIRFLOW:
        environment = services[name]["environment"]
        assert environment["AIRFLOW__CORE__EXECUTION_API_SERVER_URL"] == "http://api-server:8080/execution/"
        assert environment["AIRFLOW__CORE__LOAD_EXAMPLES"] == "false"
        assert str(environment["AIRFLOW__WORKERS__MIN_HEARTBEAT_INTERVAL"]) == "1"
        assert environment["AIRFLOW__CORE__FERNET_KEY"]
        assert environment["AIRFLOW__API__SECRET_KEY"]
        assert len(environment["AIRFLOW__API_AUTH__JWT_SECRET"]) >= 64  # HS512 wants 64 bytes


def test_each_service_has_the_least_database_rights(services: dict[str, Any]) -> None:
    """Migrations run as the owner, tasks as the pipeline, pages as their own login, others not at all.

    The DAG processor tells of killed tasks, the triggerer of late nights: both note what was sent.
    """
    for name, service in services.items():
        if name == "postgres":
            continue
        text = str(service.get("environment", {}))
        roles = set(re.findall(r"//(trace_[a-z]+):", text))
        if name == "init":
            assert roles == {"trace_owner"}
        elif name == "api-server":
            assert roles == {"trace_pages"}
        elif name in {"scheduler", "worker-1", "worker-2", "dag-processor", "triggerer"}:
            assert roles == {"trace_pipeline"}
            assert set(service["environment"]) > {"AIRFLOW_CONN_RAG_LOGS", "AIRFLOW_CONN_TRACE_RESULTS"}
        else:
            assert roles == set(), name
        assert "//postgres:" not in text, name


@pytest.mark.parametrize("services", ["grafana"], indirect=True)
def test_grafana_reads_as_the_reader_and_calls_nobody(services: dict[str, Any]) -> None:
    """One login's password is in its environment; analytics, updates, news, pictures from outside are off."""
    environment = services["grafana"]["environment"]
    assert {name for name in environment if SECRET.match(name)} == {
        "GF_SECURITY_ADMIN_PASSWORD",
        "READER_DATABASE_PASSWORD",
    }
    assert environment["RESULTS_LOGIN"] == "trace_reader"
    outbound = {
        "GF_ANALYTICS_ENABLED": "false",
        "GF_ANALYTICS_REPORTING_ENABLED": "false",
        "GF_ANALYTICS_CHECK_FOR_UPDATES": "false",
        "GF_ANALYTICS_CHECK_FOR_PLUGIN_UPDATES": "false",
        "GF_ANALYTICS_FEEDBACK_LINKS_ENABLED": "false",
        "GF_NEWS_NEWS_FEED_ENABLED": "false",
        "GF_PLUGINS_PREINSTALL_DISABLED": "true",
        "GF_PLUGINS_PLUGIN_ADMIN_ENABLED": "false",
        "GF_PLUGINS_PUBLIC_KEY_RETRIEVAL_DISABLED": "true",
        "GF_SECURITY_DISABLE_GRAVATAR": "true",
        "GF_SNAPSHOTS_EXTERNAL_ENABLED": "false",
        "GF_AUTH_ANONYMOUS_ENABLED": "false",
        "GF_USERS_ALLOW_SIGN_UP": "false",
    }
    assert {name: environment[name] for name in outbound} == outbound


def test_the_executor_is_chosen_by_environment(filled: str, tmp_path: Path) -> None:
    """LocalExecutor unless .env says otherwise."""
    for executor in ("LocalExecutor", "CeleryExecutor"):
        text = filled.replace("AIRFLOW_EXECUTOR=LocalExecutor", f"AIRFLOW_EXECUTOR={executor}")
        done = config(tmp_path, text, "celery")
        scheduler = yaml.safe_load(done.stdout)["services"]["scheduler"]
        assert scheduler["environment"]["AIRFLOW__CORE__EXECUTOR"] == executor


@pytest.mark.parametrize(
    "name", sorted(name for name in variables(EXAMPLE.read_text()) if SECRET.match(name))
)
def test_an_empty_secret_is_refused_by_name(name: str, filled: str, tmp_path: Path) -> None:
    """Nothing starts with a default password; the message says which one to set and where."""
    done = config(tmp_path, re.sub(rf"^{name}=.*$", f"{name}=", filled, flags=re.MULTILINE))
    assert done.returncode != 0
    assert f"set {name} in .env" in done.stderr


@pytest.mark.parametrize("profile", PROFILES)
def test_an_absent_secret_is_refused_as_an_empty_one(profile: str, filled: str, tmp_path: Path) -> None:
    """A line that is missing altogether gives the same sentence, in each profile."""
    done = config(tmp_path, re.sub(r"^AIRFLOW_JWT_SECRET=.*$", "", filled, flags=re.MULTILINE), profile)
    assert done.returncode != 0
    assert "set AIRFLOW_JWT_SECRET in .env" in done.stderr


def test_the_example_names_every_variable_and_no_usable_secret() -> None:
    """Each variable of the compose file is in .env.example, below a comment; secrets there are empty."""
    used = set(re.findall(r"(?<!\$)\$\{([A-Z0-9_]+)", (ROOT / "docker-compose.yaml").read_text()))
    lines = EXAMPLE.read_text().splitlines()
    named = variables("\n".join(lines))
    assert set(named) - {"COMPOSE_PROFILES"} == used
    for name, value in named.items():
        at = next(index for index, line in enumerate(lines) if line.startswith(f"{name}="))
        assert lines[at - 1].startswith("# "), f"{name} has no line of explanation"
        if SECRET.match(name):
            assert not value or "<" in value, f"{name} holds a usable secret"


def test_every_secret_is_required_wherever_it_is_used() -> None:
    """No `${SECRET}` and no `${SECRET:-default}` stands in the compose file."""
    for name, rest in re.findall(
        r"(?<!\$)\$\{([A-Z0-9_]+)([^}]*)\}", (ROOT / "docker-compose.yaml").read_text()
    ):
        if SECRET.match(name):
            assert rest.startswith(f":?set {name} in .env"), name


def test_the_secrets_made_for_env_are_fresh_and_fit() -> None:
    """Each is random and stands in a URL without quoting; the Fernet key is one."""
    from cryptography.fernet import Fernet

    first, second = (variables(module("make_env").filled(EXAMPLE.read_text())) for _ in range(2))
    secret_names = [name for name in first if SECRET.match(name)]
    assert len(secret_names) == 14
    values = [first[name] for name in secret_names]
    assert len(set(values)) == len(values)
    for name in secret_names:
        assert first[name] != second[name]
        assert "<" not in first[name]
        if not name.endswith("_URL"):
            assert re.fullmatch(r"[A-Za-z0-9_=-]{44,}", first[name]), name
    Fernet(first["AIRFLOW_FERNET_KEY"])
    assert first["PIPELINE_DATABASE_PASSWORD"] in first["RAG_LOGS_URL"]


def test_an_existing_env_is_never_replaced(tmp_path: Path) -> None:
    """The database keeps its first passwords, so a second run must not change them; the file is private."""
    (tmp_path / "deploy").mkdir()
    script = shutil.copy(ROOT / "deploy" / "make_env.py", tmp_path / "deploy")
    shutil.copy(EXAMPLE, tmp_path)
    first = subprocess.run(["python3", script], capture_output=True, text=True, check=False)
    assert first.returncode == 0, first.stderr
    written = (tmp_path / ".env").read_text()
    assert stat.S_IMODE((tmp_path / ".env").stat().st_mode) == 0o600
    second = subprocess.run(["python3", script], capture_output=True, text=True, check=False)
    assert second.returncode != 0 and "stays as it is" in second.stderr
    assert (tmp_path / ".env").read_text() == written


def dockerfile_instructions() -> list[list[str]]:
    """The instructions of the Dockerfile, continuation lines joined, as words."""
    text = re.sub(r"^#.*\n", "", (ROOT / "Dockerfile").read_text(), flags=re.MULTILINE)
    return [line.split() for line in text.replace("\\\n", " ").splitlines() if line.strip()]


def test_the_base_image_is_pinned_and_the_user_is_not_root() -> None:
    """A full version of Python, one base for both stages, and a numeric user at the end."""
    bases = {words[1] for words in dockerfile_instructions() if words[0] == "FROM"}
    (base,) = bases
    assert re.fullmatch(r"python:3\.12\.\d+-slim-bookworm", base)
    users = [words[1] for words in dockerfile_instructions() if words[0] == "USER"]
    assert users and users[-1].split(":")[0] not in ("0", "root")


def test_dependencies_come_from_the_lock_with_hashes() -> None:
    """Nothing is installed that the lock does not name."""
    installs = [
        words
        for words in dockerfile_instructions()
        if words[0] == "RUN" and "install" in words and "pip" in words
    ]
    assert "--require-hashes" in installs[0] and "requirements.lock" in installs[0]
    assert all("--no-deps" in words for words in installs[1:])


def test_what_is_copied_exists_and_reaches_the_builder() -> None:
    """Each source of a COPY is in the project and not shut out by .dockerignore."""
    rules = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and line[0] != "#"]
    assert rules[0] == "*"
    allowed = [rule[1:] for rule in rules if rule.startswith("!")]
    copied: set[str] = set()
    for words in dockerfile_instructions():
        if words[0] == "COPY" and not words[1].startswith("--from"):
            copied.update(words[1:-1])
    for source in copied:
        assert (ROOT / source).exists(), source
        assert any(fnmatch.fnmatch(source, pattern) for pattern in allowed), source
    assert set(allowed) == copied


def test_what_is_mounted_exists(services: dict[str, Any]) -> None:
    """A missing file would be created as a folder by the engine."""
    for name, service in services.items():
        for volume in service.get("volumes", []):
            source = volume["source"] if isinstance(volume, dict) else str(volume).split(":")[0]
            if source.startswith(("/", ".")):
                assert Path(source).exists(), (name, source)
                assert volume.get("read_only") if isinstance(volume, dict) else str(volume).endswith(":ro"), (
                    volume
                )


@pytest.mark.parametrize("uncommented", [False, True])
def test_the_settings_file_is_valid_with_and_without_its_examples(
    uncommented: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What stands in deploy/settings.toml as a comment can be switched on as it is."""
    lines = (ROOT / "deploy" / "settings.toml").read_text().splitlines()
    examples = [line.removeprefix("# ") for line in lines if re.match(r"# (\[|[a-z_]+ = )", line)]
    assert examples
    (tmp_path / "settings.toml").write_text("\n".join(examples if uncommented else lines))
    monkeypatch.setenv("TRACE_CONFIG", str(tmp_path / "settings.toml"))
    assert load_settings().source.table == ("answers" if uncommented else "rag_log")


def test_no_variable_of_the_stack_is_taken_for_a_setting() -> None:
    """A shell that has read .env can still run trace-pipeline, which refuses unknown TRACE_ variables."""
    assert not [name for name in variables(EXAMPLE.read_text()) if name.startswith("TRACE_")]
