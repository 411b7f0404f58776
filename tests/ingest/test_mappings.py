"""A source's `mapping.yml` in a build: who is read again, what a broken one does, and the check of
its source.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dagster as dg
import duckdb
import pytest
from conftest import BuildOnce, Ledger, executed_checks

from pipelines.assets.sources import (
    MAPPING_CHECK,
    checks_by_hand,
    known_sources,
    mapped_sources,
    mappings_hold,
    source_assets,
    source_key,
)
from pipelines.cli.progress import print_summary
from pipelines.ingest.store import read_store
from pipelines.run.source_health import reasons_by_source
from pipelines.run.up_to_date import build_digest
from pipelines.warehouse.reader import FILE_NAME

MAPPING = """constants: {task: inference, platform: '!unnamed'}
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
def two_sources(once: BuildOnce, tmp_path: Path) -> Ledger:
    """Two sources with two snapshots each, one of them with a mapping, built."""

    def build(ledger: Ledger) -> Any:
        for number, source in enumerate(("acme/results", "acme/others")):
            for day in (1, 2):
                ledger.add(page(10 * number + day), source, f"2023-01-0{day}", name="page.md")
        write(ledger, MAPPING, "acme/others")
        return ledger.build()

    return once("two_sources", build).copy_to(tmp_path)


def test_one_is_counted_as_one(two_sources: Ledger, capsys: pytest.CaptureFixture[str]) -> None:
    with duckdb.connect(str(two_sources.warehouse / FILE_NAME)) as connection:
        connection.execute(
            "delete from audit.rejects where document_id = (select max(document_id) from audit.rejects)"
        )
    print_summary(two_sources.warehouse, "Built")
    said = capsys.readouterr().out
    assert "warning: acme/results: 1 table has no mapping: benchledger map acme/results" in said
    assert "1  reject, 1 of them" in said


def test_an_edited_mapping_reads_its_sources_documents_again_and_no_others(
    two_sources: Ledger, capsys: pytest.CaptureFixture[str]
) -> None:
    unmapped = build_digest(read_store(two_sources.raw))
    assert len(two_sources.sql("select * from resolved.results")) == 2
    assert print_summary(two_sources.warehouse, "Built")["losses"] == 2
    assert (
        "acme/results: 2 tables have no mapping: benchledger map acme/results"
        in capsys.readouterr().out
    )
    path = write(two_sources, MAPPING)
    outcome = two_sources.build()
    assert (outcome.documents_read, outcome.documents_known) == (2, 2)
    values = two_sources.sql("select value from resolved.results order by value")
    assert [row["value"] for row in values] == [1, 2, 11, 12]
    assert len({unmapped, build_digest(read_store(two_sources.raw))}) == 2
    path.unlink()
    # What the documents give without a mapping is known from the first build.
    assert two_sources.build().documents_read == 0
    assert two_sources.sql(
        "select count(*) as n from raw.documents where mapping_sha256 is not null"
    ) == [{"n": 2}]


def test_a_broken_mapping_refuses_its_documents_and_a_draft_is_not_used(
    two_sources: Ledger, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(two_sources, MAPPING.replace("metric:", "metrc:"))
    path.with_name("mapping.draft.yml").write_text(MAPPING)
    assert two_sources.build().success
    assert (len(read_store(two_sources.raw).documents), read_store(two_sources.raw).faults) == (
        4,
        [],
    )
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
    assert two_sources.resolve().success
    mapped = mapped_sources(known_sources())
    assert [source.name for source in mapped] == ["acme/others", "acme/results"]
    checks = [mappings_hold, *checks_by_hand([], mapped)]
    assets = [
        *source_assets(mapped),
        dg.AssetSpec(["audit", "rejects"]),
        dg.AssetSpec(["raw", "sightings"]),
    ]

    def look() -> tuple[list[bool], str]:
        """Whether the checks of both sources pass, and what the check of all sources says."""
        with dg.DagsterInstance.ephemeral() as instance:
            chosen = dg.AssetSelection.checks(*checks)
            found = executed_checks(assets, chosen, two_sources, instance, asset_checks=checks)
        by_key = {(check.asset_key, check.check_name): check for check in found}
        passed = [by_key[source_key(source.name), MAPPING_CHECK].passed for source in mapped]
        return passed, by_key[dg.AssetKey(["audit", "rejects"]), "mappings_hold"].description or ""

    assert look() == ([True, True], "")
    write(two_sources, MAPPING.replace("unit: ms", "unit: furlong"))
    # An entry without a table, too.
    path.write_text(
        f"{MAPPING}- {{section: Accuracy, columns: {{Top-1: {{metric: accuracy, unit: '%'}}}}}}\n"
    )
    assert two_sources.resolve().success
    passed, reason = look()
    assert passed == [False, False]
    assert (
        "acme/results: mapping_error: acme/results/mapping.yml:3: 'furlong' is not a unit" in reason
    )
    assert "acme/others: section_gone: " in reason


def test_what_refuses_a_table_of_the_newest_page_is_told_and_of_no_older_one(
    two_sources: Ledger,
) -> None:
    two_sources.add(page(2, "Delay (ms)"), "acme/others", "2023-02-01", name="page.md")
    assert two_sources.resolve().success
    assert any(
        reason.startswith("schema_drift: ")
        for reason in reasons_by_source(two_sources.tables())["acme/others"]
    )
    # Of an older snapshot nobody has to hear.
    write(two_sources, MAPPING.replace("Latency", "Delay"), "acme/others")
    assert two_sources.resolve().success
    assert len(two_sources.sql("select * from audit.rejects where rule = 'schema_drift'")) == 2
    assert "acme/others" not in reasons_by_source(two_sources.tables())
