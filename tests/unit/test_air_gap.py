"""The air gap: which host an address names, who is refused, and that the sentence holds no secret."""

from __future__ import annotations

from typing import Any

import pytest

from trace_core.errors import ConfigurationError
from trace_pipeline.air_gap import refuse_outside, refuse_storage
from trace_pipeline.alerts import make_channel
from trace_pipeline.doctor.air_gap import airflow_is_outside, check
from trace_pipeline.hosts import host_of
from trace_pipeline.judges.endpoint import find_endpoint
from trace_pipeline.settings import Settings, load_settings
from trace_pipeline.telemetry.endpoint import endpoint_of

# Apprise's mail service imports a module that Python 3.13 no longer has, with a substitute of its own.
pytestmark = pytest.mark.filterwarnings("ignore:'imghdr' is deprecated:DeprecationWarning")
ALLOWED = "allowed.example"
SECRET = "T0psecret"


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the developer's proxies and collectors out."""
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy", "OTEL_EXPORTER_OTLP_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def gap(*hosts: str, **settings: Any) -> Settings:
    """Return settings with the air gap on."""
    return load_settings(air_gap=True, allowed_hosts=hosts or (ALLOWED,), **settings)


@pytest.mark.parametrize(
    ("target", "host"),
    [
        (ALLOWED, ALLOWED),
        ("ALLOWED.Example.", ALLOWED),
        ("allowed.example:8443", ALLOWED),
        ("https://allowed.example:8443/v1?x=@other.example", ALLOWED),
        ("https://allowed.example#@other.example", ALLOWED),
        ("http://[::1]:8000/v1", "::1"),
        ("http://[0:0:0:0:0:0:0:1]/", "::1"),
        ("::1", "::1"),
        ("http://127.0.0.1/v1", "127.0.0.1"),
        ("http://xn--bcher-kva.example/", "xn--bcher-kva.example"),
        ("http://vllm_1:8000", "vllm_1"),
    ],
)
def test_the_host_of_an_address(target: str, host: str) -> None:
    """One form: lower case, without port, final dot, path."""
    assert host_of(target) == host


@pytest.mark.parametrize(
    "target",
    [
        "http://allowed.example@other.example/",
        "http://allowed.example:80@other.example/",
        "http://other.example\\@allowed.example/",
        "http://other.example%2f@allowed.example/",
        "http://allowed.example%00.other.example/",
        "http://allowed%2eexample/",
        "http://allowed.example\n.other.example/",
        "http://allowed.example .other.example/",
        "http://allowed.example\t/",
        "http://аllowed.example/",  # a Cyrillic letter
        "http://allowed。example/",
        "http://ａllowed.example/",
        "http://allowed.example../",
        "http://.allowed.example/",
        "http:///v1",
        "http://[allowed.example]/",
        "http://[::1%25eth0]/",
        "http://[::1/",
        "http://[::1]allowed.example/",
        "http://allowed.example:80:80/",
        "http://allowed.example:８０/",
        "http://127.1/",
        "http://0x7f000001/",
        "http://2130706433/",
        "http://127.0.0.01/",
        "http://",
        "",
    ],
)
def test_what_two_readers_might_read_otherwise_is_refused(target: str) -> None:
    """However the list looks: no tricks with users, escapes, blanks, other scripts, odd numbers."""
    with pytest.raises(ValueError):
        host_of(target)
    with pytest.raises(ConfigurationError, match="air_gap"):
        refuse_outside(gap(ALLOWED, "127.0.0.1", "::1"), target, "the test")
    refuse_outside(load_settings(), target, "the test")


@pytest.mark.parametrize(
    "target",
    [
        "http://other.example",
        "http://allowed.example.other.example",
        "http://sub.allowed.example",
        "http://allowed-example",
        "http://localhost",
        "http://127.0.0.1",
        "http://[::1]",
        "http://[::ffff:127.0.0.1]",
    ],
)
def test_a_host_that_is_not_named_exactly_is_refused(target: str) -> None:
    """Neither a subdomain nor loopback is implied; the sentence names settings, host and who wanted it."""
    with pytest.raises(ConfigurationError) as caught:
        refuse_outside(gap(), f"{target}/{SECRET}", "the judge")
    assert str(caught.value) == (
        f"Setting air_gap is on, and the judge would reach {host_of(target)!r}, which the setting "
        "allowed_hosts does not name."
    )
    refuse_outside(gap(host_of(target)), target, "the judge")


@pytest.mark.parametrize(
    "entry", ["http://a", "a:80", "a/b", "*.a", "a@b", "bücher.example", "[::1]:80", "1.2"]
)
def test_the_list_holds_hosts_alone(entry: str) -> None:
    """Anything else would never match, and look as if it did."""
    with pytest.raises(ConfigurationError, match="allowed_hosts"):
        load_settings(allowed_hosts=(entry,))


def test_the_list_is_kept_in_the_form_that_is_compared() -> None:
    """Upper case, a final dot and long forms of addresses are the same host."""
    assert load_settings(allowed_hosts=("A.Example.", "[0::1]")).allowed_hosts == ("a.example", "::1")
    with pytest.raises(ConfigurationError, match="twice"):
        load_settings(allowed_hosts=("a.example", "A.example."))


def test_the_judge_and_telemetry_are_refused_when_they_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever the address is from: a setting, a connection, OpenTelemetry's variable."""
    with pytest.raises(ConfigurationError, match=r"the judge would reach 'api\.example'"):
        find_endpoint(gap(judge={"endpoint": "https://api.example/v1"}), "", "")
    with pytest.raises(ConfigurationError, match=r"the judge would reach 'api\.example'"):
        find_endpoint(gap(), "https://api.example/v1", "")
    assert find_endpoint(gap(), f"https://{ALLOWED}/v1", "").url == f"https://{ALLOWED}/v1"
    assert endpoint_of(gap()) is None
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector.example:4318")
    with pytest.raises(ConfigurationError, match=r"telemetry would reach 'collector\.example'"):
        endpoint_of(gap())
    assert endpoint_of(gap("collector.example")) == "http://collector.example:4318"


def test_a_proxy_is_a_host_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who goes by a proxy reaches the proxy; what no_proxy names does not go by it."""
    settings = gap(telemetry={"otlp_endpoint": f"http://{ALLOWED}:4318"})
    monkeypatch.setenv("https_proxy", f"http://me:{SECRET}@proxy.example:3128")
    with pytest.raises(
        ConfigurationError, match=r"by the proxy of https_proxy, .*'proxy\.example'"
    ) as caught:
        endpoint_of(settings)
    assert SECRET not in str(caught.value)
    assert endpoint_of(settings.model_copy(update={"allowed_hosts": (ALLOWED, "proxy.example")}))
    monkeypatch.setenv("no_proxy", ALLOWED)
    assert endpoint_of(settings)


@pytest.mark.parametrize(
    ("url", "host"),
    [
        (f"json://u:{SECRET}@hook.example/a", "hook.example"),
        ("jsons://hook.example:8443/a", "hook.example"),
        (f"mailto://u:{SECRET}@gmail.com", "smtp.gmail.com"),
        (f"mailtos://u:{SECRET}@corp.example?smtp=relay.example&to=a@b.org", "relay.example"),
        ("slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ/#c", "hooks.slack.com"),
        ("https://hooks.slack.com/services/T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ", "hooks.slack.com"),
        ("discord://4174216298/JHMHI8qBe7bk2ZwO5U711o3dV_js", "discord.com"),
        ("tgram://123456789:abcdefg_hijklmnop/12315544/", "api.telegram.org"),
        ("ntfy://topic", "ntfy.sh"),
        ("ntfys://hook.example/topic", "hook.example"),
        ("pagerduty://" + "i" * 32 + "@" + "a" * 20 + "?region=eu", "events.eu.pagerduty.com"),
        ("rsyslog://hook.example", "hook.example"),
    ],
)
def test_an_alert_channel_is_refused_by_the_host_it_reaches(url: str, host: str) -> None:
    """Not by what looks like a host in its URL, which is a token with most services."""
    with pytest.raises(ConfigurationError, match=f"'{host}'") as caught:
        make_channel(url, gap())
    assert "alert channel" in str(caught.value) and SECRET not in str(caught.value)
    assert make_channel(f"on-call={url}", gap(host)).name.endswith(":on-call")


@pytest.mark.parametrize(
    "url",
    [
        "discord://allowed.example/JHMHI8qBe7bk2ZwO5U711o3dV_js",
        "signl4://allowed.example",
        "slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ/#c?template=http://other.example/t",
        "json://allowed.example/?+x=http%253A%252F%252Fother.example",
    ],
)
def test_a_channel_of_which_the_hosts_are_not_known_is_refused(url: str) -> None:
    """A service outside of the list, a token that looks like an allowed host, a second address."""
    with pytest.raises(ConfigurationError, match="air_gap"):
        make_channel(url, gap())
    make_channel(url, load_settings())


def test_local_channels_need_no_host() -> None:
    """The task's log, the console and this machine's syslog."""
    for target in ("log", "console", "syslog://"):
        make_channel(target, gap())


@pytest.mark.parametrize(
    ("folder", "extra", "says"),
    [
        ("https://files.example/logs", {}, "'files.example'"),
        ("s3://minio@bucket/logs", {"endpoint_url": "http://minio.example:9000"}, "'minio.example'"),
        ("s3://minio@bucket/logs", {}, "names no endpoint_url"),
        ("gs://bucket/logs", {}, "names no endpoint_url"),
        ("file:///logs", {}, None),
        ("s3://minio@bucket/logs", {"endpoint_url": f"http://{ALLOWED}:9000"}, None),
    ],
)
def test_object_storage_is_refused_by_its_connection(
    folder: str, extra: dict[str, Any], says: str | None
) -> None:
    """A bucket is no host; a provider's default is none that could be held against a list."""
    if says is None:
        refuse_storage(gap(), folder, extra)
        return
    with pytest.raises(ConfigurationError, match=f"import_folder.*{says}"):
        refuse_storage(gap(), folder, extra)
    refuse_storage(load_settings(), folder, extra)


def test_doctor_names_each_address_outside() -> None:
    """One fault each; none when all is on the list; a list without effect is remarked upon."""
    settings = gap(
        judge={"endpoint": "http://judge.example/v1"},
        telemetry={"otlp_endpoint": "http://otel.example"},
        alerts={"channels": ("log", "json://hook.example/a")},
        import_folder="https://files.example/logs",
    )
    found = [finding.text for finding in check(settings) if finding.level == "fault"]
    hosts = ("judge.example", "otel.example", "hook.example", "files.example")
    assert len(found) == 4 and all(host in text for host, text in zip(hosts, found, strict=True))
    assert [finding.level for finding in check(gap(*hosts))] == ["ok"]
    assert [finding.level for finding in check(load_settings(allowed_hosts=hosts))] == ["advice"]
    assert list(check(load_settings())) == []
    (outside,) = airflow_is_outside(gap(), "http://localhost:8080")
    assert outside.level == "fault" and "'localhost'" in outside.text
    assert not list(airflow_is_outside(load_settings(), "http://localhost:8080"))
