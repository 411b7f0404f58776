"""A source's `mapping.yml` in a build: who is read again, what a broken one does, and the check of its source."""

from __future__ import annotations

from pathlib import Path

import dagster as dg
import pytest
from conftest import Ledger

from pipelines.assets.folders import Folders
from pipelines.assets.sources import (
    MAPPING_CHECK,
    checks_by_hand,
    known_sources,
    mapped_sources,
    mappings_hold,
    reasons_by_source,
    source_assets,
    source_key,
)
from pipelines.build.up_to_date import build_digest
from pipelines.cli.progress import print_summary
from pipelines.ingest.store import read_store

MAPPING = """constants: {task: inference}
tables:
- columns: {Model: model, Latency (ms): {metric: latency, unit: ms}}
"""


def page(value: float, heading: str = "Latency (ms)") -> str:
    return f"# Speed\n\n| Model | {heading} |\n|---|---|\n| ViT | {value} |\n"


def write(ledger: Ledger, text: str, source: str = "acme/results") -> Path:
    path = ledger.raw / source / "mapping.yml"
    path.write_text(text)
    return path


@pytest.fixture
def two_sources(ledger: Ledger) -> Ledger:
    """Two sources with two snapshots each, one of them with a mapping, built."""
    for number, source in enumerate(("acme/results", "acme/others")):
        for day in (1, 2):
            ledger.add(page(10 * number + day), source, f"2023-01-0{day}", name="page.md")
    write(ledger, MAPPING, "acme/others")
    assert ledger.build().documents_read == 4
    return ledger


def test_an_edited_mapping_reads_its_sources_documents_again_and_no_others(
    two_sources: Ledger, capsys: pytest.CaptureFixture[str]
) -> None:
    unmapped = build_digest(read_store(two_sources.raw))
    assert len(two_sources.sql("select * from resolved.results")) == 2
    assert print_summary(two_sources.warehouse, "Built")["losses"] == 2
    assert "acme/results: 2 tables have no mapping: benchledger map acme/results" in capsys.readouterr().out
    path = write(two_sources, MAPPING)
    outcome = two_sources.build()
    assert (outcome.documents_read, outcome.documents_known) == (2, 2)
    values = two_sources.sql("select value from resolved.results order by value")
    assert [row["value"] for row in values] == [1, 2, 11, 12]
    assert two_sources.build().documents_read == 0
    assert len({unmapped, build_digest(read_store(two_sources.raw))}) == 2
    path.unlink()
    # What the documents give without a mapping is known from the first build.
    assert two_sources.build().documents_read == 0
    assert two_sources.sql("select count(*) as n from raw.documents where mapping_sha256 is not null") == [{"n": 2}]


def test_a_broken_mapping_refuses_its_documents_and_a_draft_is_not_used(
    two_sources: Ledger, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(two_sources, MAPPING.replace("metric:", "metrc:"))
    path.with_name("mapping.draft.yml").write_text(MAPPING)
    assert two_sources.build().success
    assert (len(read_store(two_sources.raw).documents), read_store(two_sources.raw).faults) == (4, [])
    rows = two_sources.sql("select rule, reason from audit.rejects where rule = 'mapping_error'")
    assert len(rows) == 2
    assert rows[0]["reason"].startswith("acme/results/mapping.yml:3: ")
    assert print_summary(two_sources.warehouse, "Built")["losses"] == 2
    assert "acme/results/mapping.yml:3: " in capsys.readouterr().out


def test_the_check_of_a_source_fails_while_a_table_of_its_newest_page_is_refused(
    two_sources: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCHLEDGER_RAW", str(two_sources.raw))
    write(two_sources, MAPPING.replace("unit: ms", "unit: msec"))
    path = write(two_sources, MAPPING, "acme/others")
    two_sources.build()
    mapped = mapped_sources(known_sources())
    assert [source.name for source in mapped] == ["acme/others", "acme/results"]
    checks = [mappings_hold, *checks_by_hand([], mapped)]
    definitions = dg.Definitions(
        assets=[*source_assets(mapped), dg.AssetSpec(["audit", "rejects"]), dg.AssetSpec(["raw", "sightings"])],
        asset_checks=checks,
        jobs=[dg.define_asset_job("look", selection=dg.AssetSelection.checks(*checks))],
        resources={"folders": Folders(raw=str(two_sources.raw), warehouse=str(two_sources.warehouse))},
        executor=dg.in_process_executor,
    )

    def looked() -> dict[tuple[dg.AssetKey, str], dg.AssetCheckEvaluation]:
        with dg.DagsterInstance.ephemeral() as instance:
            events = definitions.resolve_job_def("look").execute_in_process(instance=instance).all_events
        found = [e.asset_check_evaluation_data for e in events if e.event_type_value == "ASSET_CHECK_EVALUATION"]
        return {(check.asset_key, check.check_name): check for check in found}

    def passed() -> dict[str, bool]:
        return {name: looked()[source_key(f"acme/{name}"), MAPPING_CHECK].passed for name in ("others", "results")}

    assert passed() == {"others": True, "results": True}
    write(two_sources, MAPPING.replace("unit: ms", "unit: furlong"))
    # An entry without a table, too.
    path.write_text(f"{MAPPING}- {{section: Accuracy, skip: true}}\n")
    two_sources.build()
    assert passed() == {"others": False, "results": False}
    reason = looked()[dg.AssetKey(["audit", "rejects"]), "mappings_hold"].description or ""
    assert "acme/results: mapping_error: acme/results/mapping.yml:3: 'furlong' is no unit" in reason
    assert "acme/others: section_gone: " in reason


def test_what_refuses_a_table_of_the_newest_page_is_told_and_of_no_older_one(ledger: Ledger) -> None:
    write_to = ledger.raw / "acme" / "results" / "mapping.yml"
    ledger.add(page(7), "acme/others", "2023-01-01", name="page.md")
    write(ledger, MAPPING, "acme/others")
    ledger.add(page(1), "acme/results", "2023-01-01", name="page.md")
    ledger.add(page(2, "Delay (ms)"), "acme/results", "2023-02-01", name="page.md")
    write_to.write_text(MAPPING)
    assert ledger.build().success
    reasons = reasons_by_source(ledger.tables())["acme/results"]
    assert any(reason.startswith("schema_drift: ") for reason in reasons)
    # Of an older snapshot nobody has to hear.
    write_to.write_text(MAPPING.replace("Latency", "Delay"))
    assert ledger.build().success
    assert len(ledger.sql("select * from audit.rejects where scope = 'table'")) == 1
    assert reasons_by_source(ledger.tables()) == {}
