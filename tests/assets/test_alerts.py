"""What the webhook receives: failed runs, and each alert of `benchledger changes` once; the site
lists the same.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import dagster as dg
import pytest
import yaml
from conftest import Ledger, PageMaker
from loopback import Handler, Server, serve
from lxml import etree
from typer.testing import CliRunner

from pipelines.assets.alerts import alert_sensors
from pipelines.assets.schedule import DocumentFolder, fetch_job
from pipelines.cli.main import app
from pipelines.definitions import benchledger
from pipelines.ingest.fetch_log import Attempt, append_attempt
from pipelines.ingest.fetching import fetch_sources
from pipelines.ingest.http import RequestLimits
from pipelines.ingest.registry import register
from pipelines.report.site import write_site

ROW = {"SDK Version": "SDK 3.1", "Throughput (items/sec)": "38,036"}
# What `benchledger changes` reads beside what documents print.
READ = ("audit.snapshot_events", "audit.snapshots", "main.result_history", "main.claims")
# What the system says of a port that nobody listens on
REFUSED = "no complete answer: All connection attempts failed (ConnectError)"
BLOG = """News

The IPU-POD16 processes 30,690 images per second in ResNet-50 training.
The DGX A100 processes 15,345 images per second in ResNet-50 training.

The IPU-POD16 delivers 2.6x higher throughput than the DGX A100 for ResNet-50 training.
"""


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A webhook on this machine."""
    with serve() as server:
        server.replies["/hook"] = lambda handler: handler.send(200, b"ok")
        monkeypatch.setenv("BENCHLEDGER_WEBHOOK", f"{server.url}/hook")
        yield server


@pytest.fixture
def tick() -> Callable[[], str]:
    """Runs the sensor once; its cursor is kept from tick to tick."""
    cursor: str | None = None

    def run() -> str:
        nonlocal cursor
        [sensor] = [one for one in alert_sensors() if one.name == "report_alerts"]
        context = dg.build_sensor_context(cursor=cursor)
        skipped: Any = sensor(context)
        cursor = context.cursor
        return str(skipped.skip_message)

    return run


def tried(
    ledger: Ledger,
    source: str,
    outcome: str,
    hours_ago: int,
    reason: str | None = None,
    url: str = "https://acme.example/",
) -> None:
    fields = {
        "source": source,
        "url": url,
        "outcome": outcome,
        "reason": reason,
    }
    moment = datetime.now(UTC) - timedelta(hours=hours_ago)
    append_attempt(ledger.raw / source, Attempt.model_validate(fields | {"attempted_at": moment}))


def test_each_alert_is_posted_once_and_the_command_and_the_site_list_the_same(
    environment: Ledger, page: PageMaker, receiver: Server, tick: Callable[[], str]
) -> None:
    ledger, vit = environment, {"Model": "ViT", "Throughput (items/sec)": "7,608"}
    assert tick() == "there is no warehouse yet"
    ledger.add(page([ROW]), "acme/slower", "2023-01-01")
    ledger.add(page([vit, ROW | {"Model": "GPT-J 6B"}]), "acme/lost", "2023-01-01")
    ledger.add(page([ROW | {"Platform": "IPU-POD64"}]), "acme/drift", "2023-01-01")
    ledger.add(page([ROW | {"Platform": "IPU-POD128"}]), "acme/gone", "2023-01-01")
    tried(ledger, "acme/gone", "changed", 48)
    assert ledger.build().success
    assert tick() == "0 alerts were posted"
    assert tick() == "the warehouse is unchanged"

    ledger.add(page([ROW | {"Throughput (items/sec)": "30,000"}]), "acme/slower", "2023-02-01")
    ledger.add("Acme results\n\nPlease log in.\n", "acme/lost", "2023-02-01")
    renamed = page([ROW | {"Platform": "IPU-POD64"}]).replace(
        "Throughput (items/sec)", "Speed (items/sec)"
    )
    ledger.add(renamed, "acme/drift", "2023-02-01")
    for hours_ago in (24, 23):
        tried(ledger, "acme/gone", "gone", hours_ago, "the server returned 404")
    ledger.add(BLOG, "acme/blog", "2023-02-02")
    (ledger.raw / "acme" / "broken").mkdir()
    (ledger.raw / "acme" / "broken" / "source.yml").write_text("cadence: [")
    assert ledger.build().success

    receiver.replies["/hook"] = lambda handler: handler.send(503)
    with pytest.raises(RuntimeError, match="status 503") as refused:
        tick()
    # The address is a secret, and Dagster keeps errors.
    assert "/hook" not in f"{refused.value!r}{refused.value.__cause__!r}"
    receiver.posted.clear()
    receiver.replies["/hook"] = lambda handler: handler.send(200, b"ok")
    tick()
    assert tick() == "the warehouse is unchanged"
    [message] = map(json.loads, receiver.posted)
    alerts = {(alert["source"], alert["event"]): alert["text"] for alert in message["alerts"]}
    assert alerts.keys() >= {
        ("acme/slower", "restated"), ("acme/lost", "results_lost"), ("acme/drift", "schema_drift"),
        ("acme/gone", "not_fetched"), ("acme/blog", "contradicted"), ("acme/broken", "file_refused"),
    }  # fmt: skip
    assert alerts["acme/slower", "restated"].endswith(
        "38036 to 30000 images/s (SDK 3.1), 21% worse"
    )
    assert alerts["acme/gone", "not_fetched"] == "gone: the server returned 404"
    assert "acme/lost: results lost: 2 of 2 results" in message["text"].splitlines()
    # Its table is not read: what it lost is no second alert.
    assert ("acme/drift", "results_lost") not in alerts
    assert message["alerts_not_listed"] == 0

    # The same failures and the same page once more are nothing new.
    tried(ledger, "acme/gone", "gone", 1, "the server returned 404")
    assert ledger.build().success
    assert tick() == "0 alerts were posted"

    def listed(*arguments: str) -> list[dict[str, Any]]:
        shown = CliRunner().invoke(app, ["changes", "--format", "json", *arguments])
        found: list[dict[str, Any]] = json.loads(shown.stdout)
        return found

    assert {row["change_id"] for row in listed("--alerts")} == {
        alert["change_id"] for alert in message["alerts"]
    }
    since = listed("--since", "2023-02-02")
    assert {row["snapshot_at"] >= "2023-02-02" for row in since} == {True}
    assert len(since) < len(listed())
    start = write_site(ledger.warehouse, ledger.raw).start
    feed = etree.parse(start.with_name("changes.atom"))
    terms = Counter(term.get("term") for term in feed.iter("{*}category"))
    assert terms["alert"] == len(
        {(row["source"], row["snapshot_at"], row["claim_id"]) for row in listed("--alerts")}
    )
    assert {event for _, event in alerts} <= terms.keys()


def test_hosts_that_do_not_answer_are_one_alert(environment: Ledger, page: PageMaker) -> None:
    """As is a machine without a network: whatever the count of their sources."""
    ledger, server = environment, "http://127.0.0.1:9"
    ledger.add(page([ROW]), "acme/results", "2023-01-01")
    nobody = "no complete answer: the name cannot be resolved (ConnectError)"
    for name in ("acme/results", "b/results", "c/results", "c/more"):
        url = f"https://{name[0]}.example/results"
        tried(ledger, name, "failed", 48, nobody, url)
        tried(ledger, name, "failed", 24, nobody, url)
    # Others answer at the same time: it is the host.
    sources = [
        register(ledger.raw, f"down/{name}", f"{server}/{name}", allow_hosts=["127.0.0.1"])
        for name in "abc"
    ]
    fetch_sources(sources, ledger.raw, RequestLimits(tries=1, pause_s=0))
    tried(ledger, "up/gone", "gone", 0, "the server returned 404")
    tried(ledger, "up/seen", "changed", 0)
    assert ledger.resolve(*READ).success
    alerts = json.loads(CliRunner().invoke(app, ["changes", "--alerts", "--format", "json"]).stdout)
    assert [
        (row["source"], row["text"]) for row in sorted(alerts, key=lambda row: row["text"])
    ] == [
        (None, f"3 sources of 127.0.0.1:9: failed: its robots.txt cannot be read: {REFUSED}"),
        (None, f"4 sources of a.example, b.example, c.example: failed: {nobody}"),
        ("up/gone", "gone: the server returned 404"),
    ]


def test_only_a_result_that_is_current_and_more_than_a_tenth_worse_is_an_alert(
    environment: Ledger, page: PageMaker
) -> None:
    ledger = environment
    for number, (before, after) in enumerate(
        [("1,000", "901"), ("1,000", "899"), ("1,000", "1,200")]
    ):
        for day, value in (("2023-01-01", before), ("2023-02-01", after)):
            row = {"Platform": f"IPU-POD{16 << number}", "Throughput (items/sec)": value}
            ledger.add(page([ROW | row]), f"acme/rate-{number}", day)
    for day, value in (("2023-01-01", "1,000"), ("2023-02-01", "500"), ("2023-03-01", "990")):
        ledger.add(
            page([ROW | {"Model": "ViT", "Throughput (items/sec)": value}]), "acme/again", day
        )
    for day, value in (("2023-01-01", "1.0"), ("2023-02-01", "1.2")):
        headings = ("Model", "Platform", "SDK Version", "Latency (ms)")
        ledger.add(page([ROW | {"Latency (ms)": value}], headings), "acme/latency", day)
    for day, value in (("2023-01-01", "1,000"), ("2023-02-01", "500")):
        alike = ROW | {"Model": "DINO", "Throughput (items/sec)": value}
        ledger.add(
            page([alike | {"Dataset": name} for name in ("MNIST", "SQuAD")]), "acme/alike", day
        )
    assert ledger.resolve(*READ).success
    shown = CliRunner().invoke(app, ["changes", "--alerts", "--format", "json"])
    alerts = json.loads(shown.stdout)
    rows = [
        (row["source"], row["event"], row["value_to"])
        for row in alerts
        if row["source"] != "acme/alike"
    ]
    assert sorted(rows) == [("acme/latency", "restated", 1.2), ("acme/rate-1", "restated", 899)]
    # Two results that differ in one condition.
    ends = [row["text"].rpartition("worse ")[2] for row in alerts if row["source"] == "acme/alike"]
    assert sorted(ends) == ["[dataset MNIST]", "[dataset SQuAD]"]


def post_failure(reason: str) -> None:
    """Have a run fail for this reason, and the sensor post it."""

    @dg.op
    def fail() -> None:
        raise dg.Failure(reason, allow_retries=False)

    @dg.job
    def failing() -> None:
        fail()

    with dg.DagsterInstance.ephemeral() as instance:
        result = failing.execute_in_process(instance=instance, raise_on_error=False)
        [event] = [
            event for event in result.all_events if event.event_type_value == "PIPELINE_FAILURE"
        ]
        [sensor] = [one for one in alert_sensors() if one.name == "report_failed_runs"]
        context = dg.build_run_status_sensor_context(
            sensor.name, event, instance, result.dagster_run
        )
        sensor(context.for_run_failure())


def test_a_failed_run_is_posted_and_its_broken_sources_are_left_to_the_alerts(
    environment: Ledger, receiver: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reported(store: dg.ResourceDefinition | DocumentFolder) -> list[dict[str, str]]:
        receiver.posted.clear()
        with dg.DagsterInstance.ephemeral() as instance:
            result = fetch_job.execute_in_process(
                instance=instance, resources={"store": store}, raise_on_error=False
            )
            [event] = [
                event for event in result.all_events if event.event_type_value == "PIPELINE_FAILURE"
            ]
            [sensor] = [one for one in alert_sensors() if one.name == "report_failed_runs"]
            context = dg.build_run_status_sensor_context(
                sensor.name, event, instance, result.dagster_run
            )
            sensor(context.for_run_failure())
        return [*map(json.loads, receiver.posted)]

    folder = environment.raw / "acme" / "faulty"
    folder.mkdir(parents=True)
    (folder / "source.yml").write_text(
        yaml.safe_dump({"publisher": "Acme", "cadence": "now and then"})
    )
    store = DocumentFolder(raw=str(environment.raw), pause_s=0)
    assert reported(store) == []

    def fail(*arguments: object) -> None:
        raise OSError("the disk is full\x1b[31m")

    monkeypatch.setattr("pipelines.assets.schedule.fetch_sources", fail)
    [message] = reported(store)
    assert message["job"] == "fetch"
    assert "the disk is full\\x1b[31m" in message["text"]


@pytest.mark.parametrize("slow", ["head", "body"])
def test_a_receiver_costs_little_whatever_it_answers(
    environment: Ledger, receiver: Server, monkeypatch: pytest.MonkeyPatch, slow: str
) -> None:
    def trickle(handler: Handler) -> None:
        if slow == "body":
            handler.send(200, Content_Length="1000000000")
        for _ in range(200):
            handler.wfile.write(b"HTTP/1.1 200 OK\r\n"[:1])
            handler.wfile.flush()
            time.sleep(0.05)

    receiver.replies["/hook"] = trickle
    monkeypatch.setattr("pipelines.assets.alerts._ANSWERED_AFTER_S", 1.0)
    begun = time.monotonic()
    if slow == "body":
        # It is not read.
        post_failure("the disk is full")
    else:
        with pytest.raises(RuntimeError, match="the webhook cannot be reached: TimeoutError"):
            post_failure("the disk is full")
    assert time.monotonic() - begun < 8


def test_chat_programs_obey_nothing_of_a_document(environment: Ledger, receiver: Server) -> None:
    post_failure("page <!channel> of <https://203.0.113.1|acme> & others")
    [message] = map(json.loads, receiver.posted)
    assert message["text"].endswith(
        "page &lt;!channel&gt; of &lt;https://203.0.113.1|acme&gt; &amp; others"
    )


def test_there_are_no_such_sensors_without_a_webhook(
    environment: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert alert_sensors() == []
    monkeypatch.setenv("BENCHLEDGER_WEBHOOK", "https://chat.example/hook")
    names = {sensor.name for sensor in benchledger().sensors or ()}
    assert {"report_failed_runs", "report_alerts"} <= names
