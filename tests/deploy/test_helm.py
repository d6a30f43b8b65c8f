"""deploy/helm: values that hold no secret, agree with the image, and open nothing; no cluster is asked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
HELM = ROOT / "deploy" / "helm"
VALUES: dict[str, Any] = yaml.safe_load((HELM / "values.yaml").read_text())
GUIDE = (ROOT / "docs" / "how-to" / "beyond-one-machine.md").read_text()
DOCKERFILE = (ROOT / "Dockerfile").read_text()
RUNS_OUR_CODE = ("workers", "dagProcessor", "triggerer")


def leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield each scalar with the keys that lead to it."""
    if isinstance(value, dict):
        for key, below in value.items():
            yield from leaves(below, (*path, str(key)))
    elif isinstance(value, list):
        for number, below in enumerate(value):
            yield from leaves(below, (*path, str(number)))
    else:
        yield path, value


def secrets_named() -> set[str]:
    """Return the names of all Secrets that the values refer to."""
    named = {VALUES["data"]["metadataSecretName"]}
    named |= {value for path, value in leaves(VALUES) if path[-1].endswith("SecretName")}
    return named | {value for path, value in leaves(VALUES) if path[-2:] == ("secretKeyRef", "name")}


def test_no_value_is_a_secret() -> None:
    """Neither a password's key with a value, nor a URL with a password in it, nor a URL in a variable."""
    for path, value in leaves(VALUES):
        assert not re.search(r"(?i)(^pass|password$|fernetKey$|secretKey$|jwtSecret$|brokerUrl$)", path[-1])
        assert not re.search(r"://[^/]*:[^/]*@", str(value)), path
    for variable in (item for path in (("env",),) for item in VALUES[path[0]]):
        assert not variable["name"].startswith("AIRFLOW_CONN_")


def test_every_secret_has_its_command_in_the_guide() -> None:
    """Who follows the guide has made each Secret, with each key, before the chart asks for it."""
    for name in secrets_named():
        assert f"create secret generic {name} " in GUIDE
    for path, key in leaves(VALUES):
        if path[-2:] == ("secretKeyRef", "key"):
            assert f"--from-literal={key}=" in GUIDE or f"--from-file={key}=" in GUIDE


def test_the_user_is_the_images() -> None:
    """The chart would run as 50000, to which the image's folders do not belong."""
    uid = int(re.search(r"--uid (\d+)", DOCKERFILE).group(1))  # type: ignore[union-attr]
    pod = VALUES["securityContexts"]["pod"]
    assert VALUES["uid"] == pod["runAsUser"] == uid
    assert VALUES["gid"] == pod["runAsGroup"] == pod["fsGroup"]
    assert pod["runAsNonRoot"] is True
    assert VALUES["securityContexts"]["containers"]["allowPrivilegeEscalation"] is False


def test_dags_and_plugins_are_those_in_the_image() -> None:
    """The chart's own folder for DAGs would be empty."""
    variables = {item["name"]: item["value"] for item in VALUES["env"]}
    for name in ("AIRFLOW__CORE__DAGS_FOLDER", "AIRFLOW__CORE__PLUGINS_FOLDER"):
        assert f"{name}={variables[name]}" in DOCKERFILE
    assert not VALUES["dags"]["persistence"]["enabled"]
    assert not VALUES["dags"]["gitSync"]["enabled"]
    mounted = VALUES["volumeMounts"][0]["mountPath"]
    assert variables["TRACE_CONFIG"] == f"{mounted}/settings.toml"


def test_versions_are_those_of_the_lock() -> None:
    """The chart decides by Airflow's version what it starts."""
    lock = (ROOT / "requirements.lock").read_text()
    assert f"\napache-airflow=={VALUES['airflowVersion']} " in lock


def test_nothing_is_reachable_from_outside() -> None:
    """No ingress, no load balancer, and a network policy around each component."""
    assert all(not part["enabled"] for part in VALUES["ingress"].values())
    assert VALUES["apiServer"]["service"]["type"] == "ClusterIP"
    assert VALUES["networkPolicies"]["enabled"] is True


@pytest.mark.parametrize("part", RUNS_OUR_CODE)
def test_what_writes_results_has_the_logins(part: str) -> None:
    """Tasks and callbacks have the pipeline's logins; the pages' process has only its own."""
    names = {item["name"] for item in VALUES[part]["env"]}
    assert names == {"AIRFLOW_CONN_TRACE_RESULTS", "AIRFLOW_CONN_RAG_LOGS"}
    assert not names & {item["name"] for item in VALUES["apiServer"]["env"]}


@pytest.mark.parametrize("part", [*RUNS_OUR_CODE, "scheduler", "apiServer", "migrateDatabaseJob"])
def test_each_component_asks_for_memory_and_has_a_limit(part: str) -> None:
    """Without a request the cluster packs pods until one is killed."""
    resources = VALUES[part]["resources"]
    assert {"cpu", "memory"} <= resources["requests"].keys()
    assert "memory" in resources["limits"]


def test_the_api_server_starts_by_a_script_of_the_image() -> None:
    """It is the one that writes the users' passwords where Airflow reads them."""
    script = Path(VALUES["apiServer"]["args"][1]).name
    assert f"deploy/{script}" in DOCKERFILE
    asked = set(re.findall(r'"(AIRFLOW_\w+_PASSWORD)"', (ROOT / "deploy" / script).read_text()))
    assert asked <= {item["name"] for item in VALUES["apiServer"]["env"]}
