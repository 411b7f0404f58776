"""What the Dagster UI shows of each source: an asset, and a check that names what is wrong with it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
import yaml
from conftest import Ledger, PageMaker, executed_checks
from loopback import serve, text
from typer.testing import CliRunner

from pipelines.assets.instance import BUILD
from pipelines.assets.schedule import DocumentFolder, fetch_job
from pipelines.assets.sources import (
    MAPPING_CHECK,
    SEEN_CHECK,
    checks_by_hand,
    known_sources,
    read_events,
    registered_sources,
    source_assets,
    source_key,
    sources_are_seen,
)
from pipelines.cli.main import app
from pipelines.definitions import benchledger
from pipelines.ingest.fetch_log import Attempt, append_attempt
from pipelines.ingest.registry import read_registry
from pipelines.site_links import page_of

NOW = datetime.now(UTC)


def register(raw: Path, name: str, url: str | None, **more: object) -> Path:
    folder = raw / "acme" / name
    folder.mkdir(parents=True)
    fields = {
        "publisher": "Acme",
        "url": url,
        "cadence": "daily",
        "allow_hosts": ["127.0.0.1"],
    } | more
    (folder / "source.yml").write_text(yaml.safe_dump(fields))
    return folder


def tried(folder: Path, days_ago: float, outcome: str, reason: str | None = None) -> None:
    fields = {
        "source": f"acme/{folder.name}",
        "url": "https://acme.example/",
        "outcome": outcome,
        "reason": reason,
    }
    append_attempt(
        folder, Attempt.model_validate(fields | {"attempted_at": NOW - timedelta(days=days_ago)})
    )


Found = dict[str, tuple[bool, str, str]]


def found(checks: list[dg.AssetCheckEvaluation], name: str = SEEN_CHECK) -> Found:
    """Whether each source's check has passed, how badly it has not, and why."""
    return {
        check.asset_key.path[-1]: (check.passed, check.severity.value, check.description or "")
        for check in checks
        if check.check_name == name
    }


@pytest.fixture
def raw(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BENCHLEDGER_RAW", str(ledger.raw))
    return ledger.raw


def test_a_fetch_says_of_each_source_whether_it_was_seen(raw: Path) -> None:
    with serve() as server:
        server.replies["/good"] = text("a page")
        register(raw, "good", server.url + "/good")
        register(raw, "gone", server.url + "/gone")
        register(raw, "faulty", server.url, cadence="now and then")
        # Nobody looks at it: there is nothing to say of it.
        register(raw, "by-hand", None, cadence=None)
        result = fetch_job.execute_in_process(
            resources={"store": DocumentFolder(raw=str(raw), pause_s=0)}, raise_on_error=False
        )
    checks = found(result.get_asset_check_evaluations())
    assert not result.success, "a plain success would hide the source that is gone"
    [failure] = [event for event in result.all_events if event.event_type_value == "STEP_FAILURE"]
    assert (
        "acme/gone: the server returned 404"
        in failure.step_failure_data.user_failure_data.description
    )
    assert checks.keys() == {"good", "gone", "faulty"}
    assert checks["good"] == (True, "ERROR", "")
    assert checks["gone"][:2] == (False, "ERROR")
    assert checks["gone"][2] == "gone: the server returned 404: page not found; never fetched"
    assert (checks["faulty"][:2], "not a valid cadence" in checks["faulty"][2]) == (
        (False, "ERROR"),
        True,
    )


@pytest.fixture
def look(raw: Path, ledger: Ledger) -> Iterator[Callable[[], list[dg.AssetCheckEvaluation]]]:
    """Evaluates the check of a build, one time after the other, recorded in one place."""
    assets, chosen = (
        [dg.AssetSpec(sources_are_seen.check_key.asset_key)],
        dg.AssetSelection.checks(sources_are_seen),
    )
    with dg.DagsterInstance.ephemeral() as instance:
        yield lambda: executed_checks(
            assets, chosen, ledger, instance, asset_checks=[sources_are_seen]
        )


def test_a_build_says_of_every_source_what_is_wrong_with_it(
    raw: Path, look: Callable[[], list[dg.AssetCheckEvaluation]]
) -> None:
    tried(register(raw, "good", "https://acme.example/"), 0.5, "unchanged")
    failing = register(raw, "failing", "https://acme.example/")
    tried(failing, 1.5, "changed")
    tried(failing, 0.5, "failed", "the server returned 503")
    stale = register(raw, "stale", "https://acme.example/")
    tried(stale, 5, "changed")
    tried(stale, 0.5, "failed", "the server returned 503")
    tried(register(raw, "asleep", "https://acme.example/"), 5, "unchanged")
    register(raw, "new", "https://acme.example/")
    # What came with the ledger is there, whether or not the schedule is on.
    (register(raw, "shipped", "https://acme.example/") / "2026-01-01").mkdir()
    log = register(raw, "log", "https://acme.example/") / "fetches.jsonl"
    log.write_text("nonsense\n")
    (raw / "acme" / "yaml").mkdir()
    (raw / "acme" / "yaml" / "source.yml").write_text("cadence: [")
    events = look()
    checks = found(events)
    assert {name: (passed, severity) for name, (passed, severity, _) in checks.items()} == {
        "failing": (False, "WARN"), "stale": (False, "ERROR"), "asleep": (False, "ERROR"), "new": (False, "WARN"),
        "log": (False, "ERROR"), "yaml": (False, "ERROR"),
    }  # fmt: skip
    assert checks["failing"][2].startswith("failed: the server returned 503; last fetched")
    assert "not fetched since" in checks["asleep"][2]
    assert "line 1" in checks["log"][2]
    assert "no YAML" in checks["yaml"][2]
    (passed, severity, words) = found(events, sources_are_seen.check_key.name)["sources"]
    assert (passed, severity) == (False, "ERROR")
    assert all(f"acme/{name}: {reason}" in words for name, (_, _, reason) in checks.items())

    # What is well again is said once more, what was well all the time is not.
    log.unlink()
    tried(log.parent, 0.1, "unchanged")
    tried(failing, 0.1, "unchanged")
    again = found(look())
    assert (again["log"][0], again["failing"][0], "good" in again) == (True, True, False)
    assert not {"log", "failing"} & found(look()).keys()


def test_the_check_of_a_source_can_be_executed_by_hand(raw: Path, ledger: Ledger) -> None:
    tried(register(raw, "good", "https://acme.example/"), 0.5, "unchanged")
    tried(register(raw, "gone", "https://acme.example/"), 0.5, "gone", "the server returned 404")
    registered = registered_sources(known_sources())
    checks = checks_by_hand(registered, [])
    chosen = dg.AssetSelection.checks(*checks)
    evaluated = executed_checks(source_assets(registered), chosen, ledger, asset_checks=checks)
    assert {name: passed for name, (passed, _, _) in found(evaluated).items()} == {
        "good": True,
        "gone": False,
    }


def test_every_source_is_an_asset_with_a_check_of_its_own_and_a_build_has_one_for_all(
    raw: Path,
) -> None:
    register(raw, "good", "https://acme.example/")
    register(raw, "faulty", "https://acme.example/", cadence="now and then")
    specs: dict[Any, Any] = {spec.key: spec for spec in benchledger().resolve_all_asset_specs()}
    assert specs[source_key("acme/good")].freshness_policy is not None
    shown = specs[source_key("acme/good")].automation_condition
    assert shown
    assert shown.get_label() == "fetched daily"
    # Dagster would start runs of its own.
    assert {sensor.name for sensor in benchledger().get_repository_def().sensor_defs} == {
        "build_when_raw_changes"
    }
    assert "'now and then' is not a valid cadence" in str(
        specs[source_key("acme/faulty")].description
    )
    checks = benchledger().resolve_asset_graph().asset_check_keys
    assert dg.AssetCheckKey(source_key("acme/faulty"), SEEN_CHECK) in checks
    steps = [node.name for node in benchledger().resolve_job_def(BUILD).nodes]
    # Each source on its own would be hundreds of events in every build.
    assert ("raw__sources_sources_are_seen" in steps, "sources__seen" in steps) == (True, False)


def test_a_source_links_to_its_page_on_the_site(
    raw: Path, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCHLEDGER_WAREHOUSE", str(ledger.warehouse))
    register(raw, "good", "https://acme.example/")
    register(raw, "by-hand", None, cadence=None)
    register(raw, "faulty", "https://acme.example/", cadence="now and then")
    page = page_of("source", "acme/by-hand")
    file = ledger.warehouse / "site" / page

    def links() -> dict[str, Any]:
        return {spec.key.path[-1]: spec.metadata["site"] for spec in source_assets(known_sources())}

    assert links().keys() == {"good", "by-hand", "faulty"}
    assert links()["by-hand"].value == f"`benchledger report` writes {file}"
    file.parent.mkdir(parents=True)
    file.touch()
    assert links()["by-hand"] == dg.MetadataValue.path(file)
    # As `benchledger ui` serves it: pages of a web server may not link to files.
    monkeypatch.setenv("BENCHLEDGER_SITE", "/0123/site")
    assert links()["by-hand"] == dg.MetadataValue.url(f"/0123/site/{page}")


def test_a_build_reports_a_source_whose_latest_snapshot_is_not_on_record(
    with_a_page: Ledger,
) -> None:
    [known], tables = read_registry(with_a_page.raw), with_a_page.tables()
    latest = {"source": known.name, "latest_snapshot": "2026-11-28", "snapshots": 1, "results": 1}
    with dg.DagsterInstance.ephemeral() as instance:

        def reported(**more: Any) -> list[Any]:
            events = [*read_events(instance, tables, [known], [latest | more])]
            for event in events:
                instance.report_runless_asset_event(event)
            return events

        made, fits = reported()
        assert (made.asset_key, fits.asset_key) == (source_key(known.name), source_key(known.name))
        stated = {name: value.value for name, value in made.metadata.items()}
        assert stated == {"latest_snapshot": "2026-11-28", "snapshots": 1, "results": 1}
        assert (fits.check_name, fits.passed) == (MAPPING_CHECK, True)
        assert reported() == [], "an event of every source in every build would take seconds"
        assert len(reported(latest_snapshot="2026-11-29", snapshots=2)) == 2
    tables.close()


def test_no_two_folders_are_one_asset() -> None:
    names = [
        "acme/r\u00e9sultats",
        "acme/r_e9sultats",
        "acme/a b",
        "acme/a_20b",
        "acme b/a",
        "acme_20b/a",
    ]
    assert len({source_key(name) for name in names}) == len(names)
    assert source_key("acme/plain_name").path == ["sources", "acme", "plain_name"]


def test_a_source_that_answers_and_prints_nothing_any_more_is_degraded(
    ledger: Ledger, page: PageMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCHLEDGER_RAW", str(ledger.raw))
    monkeypatch.setenv("BENCHLEDGER_WAREHOUSE", str(ledger.warehouse))
    today = f"{datetime.now(UTC):%Y-%m-%d}"

    def fetched() -> tuple[Found, dict[str, str], bool]:
        resources = {"store": DocumentFolder(raw=str(ledger.raw), pause_s=0)}
        for log in ledger.raw.glob("*/*/fetches.jsonl"):
            log.write_text(
                re.sub(r'_at":"[-0-9T:]+Z', '_at":"2026-01-02T03:04:05Z', log.read_text())
            )
        result = fetch_job.execute_in_process(resources=resources, raise_on_error=False)
        listed = json.loads(CliRunner().invoke(app, ["sources", "--format", "json"]).stdout)
        rows = {
            row["source"].split("/")[1]: f"{row['freshness']}: {row['reason']}" for row in listed
        }
        return found(result.get_asset_check_evaluations()), rows, result.success

    with serve() as server:
        server.replies["/table"] = text(page([{"Throughput (items/sec)": "38,036"}]))
        register(ledger.raw, "table", f"{server.url}/table", cadence="hourly")
        ledger.map("acme/table")
        checks, rows, success = fetched()
        assert (checks["table"][0], success) == (True, True)
        assert ledger.resolve("audit.snapshots").success
        server.replies["/table"] = text("<p>Please log in.</p>", Content_Type="text/html")
        assert fetched()[0]["table"][0], "what a page prints is known when it is read"
        assert ledger.resolve("audit.snapshots").success
        lost = f"0 results of 1 since {today}"
        checks, rows, success = fetched()
        assert checks["table"] == (False, "ERROR", lost)
        assert (rows["table"], success) == (f"degraded: {lost}", False)
