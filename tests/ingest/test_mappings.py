"""A source's `mapping.yml` in a build: who is read again, what a broken or unchecked one does, who tells of it."""

from __future__ import annotations

from pathlib import Path

import dagster as dg
import pytest
from conftest import Ledger, PageMaker

from pipelines.assets.folders import Folders
from pipelines.assets.mappings import CHECK, mapped_sources, mapping_checks, reasons_by_source
from pipelines.assets.sources import source_assets, source_key
from pipelines.ingest.store import read_store
from pipelines.output import print_summary
from pipelines.up_to_date import build_digest

MAPPING = "checked: true\ntables:\n- constants: {framework: PyTorch}\n"


def write(ledger: Ledger, text: str, source: str = "acme/results") -> Path:
    path = ledger.raw / source / "mapping.yml"
    path.write_text(text)
    return path


@pytest.fixture
def two_sources(ledger: Ledger, page: PageMaker) -> Ledger:
    """Two sources with two snapshots each, built."""
    for number, source in enumerate(("acme/results", "acme/others")):
        for day in (1, 2):
            content = page([{"Throughput (items/sec)": f"{1000 + 10 * number + day}"}])
            ledger.add(content, source, f"2023-01-0{day}")
    assert ledger.build().documents_read == 4
    return ledger


def test_an_edited_mapping_reads_its_sources_documents_again_and_no_others(two_sources: Ledger) -> None:
    unmapped = build_digest(read_store(two_sources.raw))
    path = write(two_sources, MAPPING)
    outcome = two_sources.build()
    assert (outcome.documents_read, outcome.documents_known) == (2, 2)
    assert two_sources.build().documents_read == 0
    assert len({unmapped, build_digest(read_store(two_sources.raw))}) == 2
    write(two_sources, MAPPING.replace("PyTorch", "JAX"))
    assert two_sources.build().documents_read == 2
    [row] = two_sources.sql("select distinct mapping_sha256 from raw.documents where source = 'acme/results'")
    assert row["mapping_sha256"]
    path.unlink()
    # What the documents give without a mapping is known from the first build.
    assert two_sources.build().documents_read == 0
    assert two_sources.sql("select count(*) as n from raw.documents where mapping_sha256 is not null") == [{"n": 0}]


def test_a_broken_mapping_refuses_its_documents_with_its_line(
    two_sources: Ledger, capsys: pytest.CaptureFixture[str]
) -> None:
    write(two_sources, MAPPING.replace("framework", "framwork"))
    assert two_sources.build().success
    reason = "acme/results/mapping.yml:3:15: 'framwork' is no field; did you mean 'framework'?"
    rows = two_sources.sql("select rule, scope, reason from audit.rejects")
    told = {"rule": "mapping_error", "scope": "document", "reason": reason}
    assert rows == [told, told]
    sources = "select distinct d.source from resolved.results as r inner join raw.documents as d using (document_id)"
    assert two_sources.sql(sources) == [{"source": "acme/others"}]
    # Nothing that stands in the documents is forgotten.
    assert two_sources.sql("select count(*) as n from audit.coverage where lines_unparsed > 0") == [{"n": 2}]
    assert print_summary(two_sources.warehouse, "Built")["losses"] == 2
    assert f"warning: {reason}; 2 documents were not read" in capsys.readouterr().out
    write(two_sources, MAPPING)
    assert two_sources.build().documents_read == 2
    assert two_sources.sql("select count(*) as n from audit.rejects") == [{"n": 0}]


def test_a_draft_is_not_used_and_said_to_wait(two_sources: Ledger, capsys: pytest.CaptureFixture[str]) -> None:
    write(two_sources, MAPPING.replace("true", "false"))
    assert two_sources.build().documents_read == 0
    [row] = two_sources.sql("select rule, scope, path, reason from audit.rejects")
    assert (row["rule"], row["scope"], row["path"]) == ("mapping_draft", "note", "acme/results/mapping.yml")
    assert "`benchledger map acme/results`" in row["reason"]
    assert print_summary(two_sources.warehouse, "Built")["losses"] == 0
    assert "warning: acme/results/mapping.yml: the draft is not used" in capsys.readouterr().out
    assert two_sources.sql("select count(*) as n from resolved.results") == [{"n": 4}]


def test_a_mapping_is_no_document(ledger: Ledger, page: PageMaker) -> None:
    ledger.add(page([{"Throughput (items/sec)": "1,000"}]), "acme/results", "2023-01-01")
    write(ledger, MAPPING)
    store = read_store(ledger.raw)
    assert (len(store.documents), store.faults) == (1, [])


def test_the_check_of_a_source_fails_while_its_mapping_does_not_hold(
    two_sources: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCHLEDGER_RAW", str(two_sources.raw))
    write(two_sources, MAPPING.replace("framework", "framwork"))
    write(two_sources, MAPPING, "acme/others")
    two_sources.build()
    mapped = mapped_sources(two_sources.raw)
    assert [source.name for source in mapped] == ["acme/others", "acme/results"]
    checks = mapping_checks(mapped)
    definitions = dg.Definitions(
        assets=[*source_assets(mapped), dg.AssetSpec(["audit", "rejects"]), dg.AssetSpec(["raw", "sightings"])],
        asset_checks=checks,
        jobs=[dg.define_asset_job("look", selection=dg.AssetSelection.checks(*checks))],
        resources={"folders": Folders(raw=str(two_sources.raw), warehouse=str(two_sources.warehouse))},
        executor=dg.in_process_executor,
    )
    with dg.DagsterInstance.ephemeral() as instance:
        events = definitions.resolve_job_def("look").execute_in_process(instance=instance).all_events
    found = [
        event.asset_check_evaluation_data for event in events if event.event_type_value == "ASSET_CHECK_EVALUATION"
    ]
    by_source = [(check.asset_key, check.passed) for check in found if check.check_name == CHECK]
    assert set(by_source) == {(source_key("acme/others"), True), (source_key("acme/results"), False)}
    [whole] = [check for check in found if check.check_name == "mappings_hold"]
    assert (whole.passed, "acme/results: acme/results/mapping.yml:3:15" in (whole.description or "")) == (False, True)


SERVING = "# Serving\n\n| Modell | A100 | H100 |\n|---|---|---|\n| Llama 2 70B | 1,432 | 2,981 |\n"
OF_SERVING = """checked: true
tables:
- section: Serving
  columns: {Modell: model}
  unpivot: {headings: [A100, H100], field: platform, metric: throughput, unit: tokens/s}
  constants: {task: inference, precision: FP8}
"""


def test_a_table_that_says_too_little_is_stored_as_its_mapping_says(ledger: Ledger) -> None:
    ledger.add(SERVING, "acme/serving", "2026-01-01", name="page.md")
    write(ledger, OF_SERVING, "acme/serving")
    outcome = ledger.build()
    assert outcome.success, outcome.faults
    rows = ledger.sql("select platform, value, unit, precision, task from main.current_results order by value")
    assert rows == [
        {"platform": "A100", "value": 1432, "unit": "tokens/s", "precision": "FP8", "task": "inference"},
        {"platform": "H100", "value": 2981, "unit": "tokens/s", "precision": "FP8", "task": "inference"},
    ]
    said = ledger.sql(
        "select distinct dimension, value, evidence_id from resolved.result_conditions "
        "where level = 'mapping' order by all"
    )
    assert [(row["dimension"], row["value"], row["evidence_id"]) for row in said] == [
        ("precision", "FP8", None), ("task", "inference", None),
    ]  # fmt: skip
    assert ledger.sql("select * from audit.rejects") == []


def test_a_page_that_lost_a_declared_column_fails_the_check_of_its_source(
    ledger: Ledger, capsys: pytest.CaptureFixture[str]
) -> None:
    ledger.add(SERVING, "acme/serving", "2026-01-01", name="page.md")
    write(ledger, OF_SERVING, "acme/serving")
    assert ledger.build().success
    assert reasons_by_source(ledger.tables()) == {}
    ledger.add(SERVING.replace("| H100", "| H200"), "acme/serving", "2026-02-01", name="page.md")
    outcome = ledger.build()
    assert (outcome.success, outcome.documents_read) == (True, 1)
    values = ledger.sql("select platform, value from resolved.results order by value")
    assert [row["value"] for row in values] == [1432, 1432, 2981]
    rejects = ledger.sql("select rule, scope, line, reason from audit.rejects order by reason")
    assert [(row["rule"], row["scope"]) for row in rejects] == [("schema_drift", "table")] * 2
    assert rejects[0]["reason"].startswith("table at line 3: the column 'H100' is gone")
    assert print_summary(ledger.warehouse, "Built")["losses"] == 2
    assert "acme/serving: 2 columns are not as its mapping.yml says" in capsys.readouterr().out
    assert list(reasons_by_source(ledger.tables())) == ["acme/serving"]
    # Of an older snapshot nobody has to hear.
    write(ledger, OF_SERVING.replace("H100", "H200"), "acme/serving")
    assert ledger.build().documents_read == 2
    assert len(ledger.sql("select * from audit.rejects")) == 2
    assert reasons_by_source(ledger.tables()) == {}
