"""A site to look at: sample nights scored in this process, and a real api-server with the plugin.

python -m tests.browser.site FOLDER      starts one and keeps it until Ctrl-C
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

import httpx
from sqlalchemy import Engine, create_engine, text

from trace_pipeline.context import open_pipeline
from trace_pipeline.database import connect
from trace_pipeline.load import load_logs
from trace_pipeline.local import airflow, components, postgres
from trace_pipeline.local.stack import ROOT
from trace_pipeline.migrations import migrate
from trace_pipeline.nightly import run_window
from trace_pipeline.sample import SampleSettings, generate
from trace_pipeline.settings import load_settings
from trace_pipeline.steps.detect_drift import detect_drift
from trace_pipeline.window import Window

FIRST_DAY = date(2026, 9, 20)
NIGHTS = 45
RELEASE_NIGHT = 40
USERS = {"admin": "admin", "viewer": "viewer"}
_HEALTHY_WITHIN_SECONDS = 180


@dataclass
class Site:
    """A running site. `url` is Airflow's; the pages are below url + /rag-quality."""

    folder: Path
    url: str
    database_url: str
    passwords: dict[str, str]

    @property
    def pages(self) -> str:
        """Address of the pages."""
        return f"{self.url}/rag-quality"


def fill(database_url: str, extra: Callable[[Engine], None] = lambda _: None) -> None:
    """Write sample nights with a planted release, score and judge them. `extra` may add logs before."""
    engine = connect(database_url, setting="site")
    migrate(engine)
    settings = SampleSettings(
        first_day=FIRST_DAY, nights=NIGHTS, logs_per_night=200, release_night=RELEASE_NIGHT, seed=1
    )
    for _ in load_logs(engine, generate(settings)):
        pass
    extra(engine)
    pipeline = open_pipeline(load_settings(), results_url=database_url, run_id="site")
    try:
        run_window(pipeline, Window(FIRST_DAY, FIRST_DAY + timedelta(days=NIGHTS - 1)), late_days=0)
        detect_drift(pipeline)
    finally:
        pipeline.close()
        engine.dispose()


def start_site(folder: Path, extra: Callable[[Engine], None] = lambda _: None) -> Site:
    """Start server, data and api-server below `folder`, which the server's uid must be able to enter."""
    server = postgres.start(folder / "postgres")
    admin = create_engine(server.url(), isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(text("create database site"))
        connection.execute(text("create database airflow"))
    admin.dispose()
    fill(server.url("site"), extra)
    home = airflow.AirflowHome(folder / "airflow", ROOT / "dags", ROOT / "plugins")
    home.folder.mkdir(parents=True, exist_ok=True)
    port = home.port()
    connections = {
        name: "postgres://" + server.url("site").partition("://")[2] for name in ("trace_results", "rag_logs")
    }
    env = airflow.environment(home, server.url("airflow"), port, connections)
    passwords = {user: f"{user}-of-the-site" for user in USERS}
    (home.folder / "passwords.json").write_text(json.dumps(passwords))
    env["AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS"] = ",".join(f"{u}:{role}" for u, role in USERS.items())
    airflow.migrate_metadata(env)
    components.start_components(home, env, port, names=("api-server",))
    site = Site(folder, f"http://127.0.0.1:{port}", server.url("site"), passwords)
    _wait(site, home)
    return site


def _wait(site: Site, home: airflow.AirflowHome) -> None:
    deadline = time.monotonic() + _HEALTHY_WITHIN_SECONDS
    while time.monotonic() < deadline:
        try:
            if httpx.get(f"{site.pages}/static/app.css", timeout=5, trust_env=False).status_code == 200:
                return
        except httpx.HTTPError:
            pass
        time.sleep(0.5)
    raise RuntimeError(f"The pages did not come up:\n{components.log_tail(home, 'api-server')}")


def stop_site(folder: Path) -> None:
    """Stop what `start_site` started below `folder`."""
    components.stop_components(airflow.AirflowHome(folder / "airflow", ROOT / "dags", ROOT / "plugins"))
    postgres.destroy(folder / "postgres")


def main() -> None:
    """Keep a site up until Ctrl-C."""
    folder = Path(sys.argv[1]).resolve()
    folder.mkdir(mode=0o755, parents=True, exist_ok=True)
    site = start_site(folder)
    print(f"{site.pages}/ {json.dumps(site.passwords)}", flush=True)  # noqa: T201
    try:
        while True:
            time.sleep(3600)
    except KeyboardInterrupt:
        stop_site(folder)


if __name__ == "__main__":
    main()
