"""What the Dagster UI shows of each source: an asset, and a check that names what is wrong with it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
import yaml
from conftest import Ledger, PageMaker
from loopback import serve, text

from pipelines.assets.schedule import Store, fetch_job
from pipelines.assets.sources import CHECK, source_key
from pipelines.build import run_build
from pipelines.definitions import benchledger
from pipelines.ingest.fetch_log import Attempt, append_attempt

NOW = datetime.now(UTC)


def register(raw: Path, name: str, url: str | None, **more: object) -> Path:
    folder = raw / "acme" / name
    folder.mkdir(parents=True)
    fields = {"publisher": "Acme", "url": url, "cadence": "daily", "allow_hosts": ["127.0.0.1"]} | more
    (folder / "source.yml").write_text(yaml.safe_dump(fields))
    return folder


def tried(folder: Path, days_ago: float, outcome: str, reason: str | None = None) -> None:
    fields = {"source": f"acme/{folder.name}", "url": "https://acme.example/", "outcome": outcome, "reason": reason}
    append_attempt(folder, Attempt.model_validate(fields | {"attempted_at": NOW - timedelta(days=days_ago)}))


def found(events: list[dg.DagsterEvent]) -> dict[str, tuple[bool, str, str]]:
    """Whether each source's check has passed, how badly it has not, and why."""
    checks = [
        event.asset_check_evaluation_data for event in events if event.event_type_value == "ASSET_CHECK_EVALUATION"
    ]
    return {
        check.asset_key.path[-1]: (check.passed, check.severity.value, check.description or "")
        for check in checks
        if check.check_name == CHECK
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
        result = fetch_job.execute_in_process(resources={"store": Store(raw=str(raw), pause_s=0)})
    checks = found(result.all_events)
    assert result.success
    assert checks.keys() == {"good", "gone", "faulty"}
    assert checks["good"] == (True, "ERROR", "")
    assert checks["gone"][:2] == (False, "ERROR")
    assert checks["gone"][2] == "gone: the server answers 404: there is no such page; never seen"
    assert (checks["faulty"][:2], "no cadence" in checks["faulty"][2]) == ((False, "ERROR"), True)


def test_a_build_says_of_every_source_what_is_wrong_with_it(raw: Path, ledger: Ledger, page: PageMaker) -> None:
    ledger.add(page([{"Throughput (items/sec)": "38,036"}]), "acme/results", "2023-01-01")
    tried(register(raw, "good", "https://acme.example/"), 0.5, "unchanged")
    failing = register(raw, "failing", "https://acme.example/")
    tried(failing, 1.5, "changed")
    tried(failing, 0.5, "failed", "the server answers 503")
    stale = register(raw, "stale", "https://acme.example/")
    tried(stale, 5, "changed")
    tried(stale, 0.5, "failed", "the server answers 503")
    tried(register(raw, "asleep", "https://acme.example/"), 5, "unchanged")
    register(raw, "new", "https://acme.example/")
    (register(raw, "log", "https://acme.example/") / "fetches.jsonl").write_text("nonsense\n")
    (raw / "acme" / "yaml").mkdir()
    (raw / "acme" / "yaml" / "source.yml").write_text("cadence: [")
    outcome = run_build(raw, ledger.warehouse)
    with dg.DagsterInstance.get() as instance:
        entries = instance.all_logs(outcome.run_id)
    assert outcome.success, outcome.faults
    # What is wrong with a source is no reason why a build should end.
    assert outcome.faults == []
    checks = found([entry.dagster_event for entry in entries if entry.dagster_event])
    assert {name: check[:2] for name, check in checks.items() if check[0]} == {"good": (True, "ERROR")}
    assert {name: check[1] for name, check in checks.items() if not check[0]} == {
        "failing": "WARN", "stale": "ERROR", "asleep": "ERROR", "new": "WARN", "log": "ERROR", "yaml": "ERROR"
    }  # fmt: skip
    assert checks["failing"][2].startswith("failed: the server answers 503; last seen")
    assert "was not looked at since" in checks["asleep"][2]
    assert "line 1" in checks["log"][2]
    assert "no YAML" in checks["yaml"][2]


def test_every_source_is_an_asset_and_the_reason_of_a_faulty_one_stands_there(raw: Path) -> None:
    register(raw, "good", "https://acme.example/")
    register(raw, "faulty", "https://acme.example/", cadence="now and then")
    specs: dict[Any, Any] = {spec.key: spec for spec in benchledger().resolve_all_asset_specs()}
    assert specs[source_key("acme/good")].freshness_policy is not None
    assert "'now and then' is no cadence" in str(specs[source_key("acme/faulty")].description)
    checks = benchledger().resolve_asset_graph().asset_check_keys
    assert dg.AssetCheckKey(source_key("acme/faulty"), CHECK) in checks
