"""The command `map` and what `add` says of a page: tables in words, drafts that load, and nothing is replaced."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from conftest import Ledger
from pipelines.extract.tables.explained import draft_mapping, explain_tables
from pipelines.extract.tables.header import Choice, Reading
from pipelines.extract.tables.mapping_file import load_mapping
from typer.testing import CliRunner

from pipelines.cli import app
from pipelines.cli_options import BUILT_WITH_LOSSES, WRONG_USE
from pipelines.extract.results_page import extract
from pipelines.extract.rows import Measurement
from pipelines.extract.tables import tables
from pipelines.extract.tables.mapping import Mapping
from pipelines.ingest.store import read_store
from pipelines.read.files import open_file
from pipelines.settings import PROJECT

PAGE = """# Acme results

## Training

| Network | Global Batch Size | Frobs | Throughput (seq/s) | Optimizer |
|---|---|---|---|---|
| BERT-Large | 64 | 4 | 1,200 | LAMB |
| BERT-Large | 128 | 8 | 1,500 | LAMB |

## Serving

| Model | A100 | H100 | Chips |
|---|---|---|---|
| Llama 2 70B | 100 | 200 | 8 |
"""
WHOLE = "# Acme\n\n## Training\n\n| Model | Throughput (images/s) |\n|---|---|\n| ResNet-50 | 1,000 |\n"


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, arguments)
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture
def stored(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> Ledger:
    monkeypatch.setenv("BENCHLEDGER_RAW", str(ledger.raw))
    ledger.add(WHOLE, "acme/results", "2025-01-01", name="page.md")
    ledger.add(PAGE, "acme/results", "2026-01-01", name="page.md")
    return ledger


def test_each_table_of_the_newest_snapshot_is_shown_in_words(stored: Ledger) -> None:
    status, out, _ = run("map", "acme/results")
    assert status == BUILT_WITH_LOSSES
    assert "2026-01-01/page.md" in out
    assert "2025-01-01" not in out
    assert "Table at line 5, under 'Training': as inferred, not all of it" in out
    assert "Table at line 12, under 'Serving': not read" in out
    lines = {line.split("│")[1].strip(): line for line in out.splitlines() if line.startswith("│")}
    assert "batch_size (global)" in lines["Global Batch Size"]
    assert "unknown: not read" in lines["Frobs"]
    assert "throughput, seq/s" in lines["Throughput (seq/s)"]
    assert "1200" in lines["BERT-Large"] or "1500" in lines["BERT-Large"]
    assert "`benchledger map acme/results --write`" in out
    assert not (stored.raw / "acme/results/mapping.yml").exists()


def test_a_draft_is_written_once_and_loads(stored: Ledger) -> None:
    path = stored.raw / "acme" / "results" / "mapping.yml"
    assert "Wrote a draft" in run("map", "acme/results", "--write")[1]
    text = path.read_text()
    mapping = load_mapping(path)
    assert mapping.checked is False
    [training] = mapping.tables
    assert training.section == "Training"
    assert training.columns["Frobs"].field == "other"
    assert training.others is not None
    assert training.others.is_inferred
    assert "Frobs: other  # unknown: give its `metric` and `unit`, name its field, or `ignore` it\n" in text
    assert "others: inferred  # Network: model; Global Batch Size: batch_size (global); " in text
    unread = "#   unpivot: {headings: [A100, H100], field: platform, metric: ?, unit: ?}\n"
    assert unread in text
    path.write_text(text + "# mine\n")
    _, out, _ = run("map", "acme/results", "--write")
    assert path.read_text() == text + "# mine\n"
    assert "is there and was not changed" in out
    assert "What it does not say:" in out
    assert (unread in out, "Frobs: " in out.partition("What it does not say:")[2]) == (True, False)
    assert "is a draft: builds read as inferred until it says `checked: true`" in out
    # No document was made of it.
    assert len(read_store(stored.raw).documents) == 2


def test_a_mapping_that_says_all_leaves_nothing_to_do(stored: Ledger) -> None:
    run("map", "acme/results", "--write")
    path = stored.raw / "acme" / "results" / "mapping.yml"
    lines = [line.removeprefix("# ") for line in path.read_text().splitlines() if not line.startswith("# Not read")]
    text = "\n".join(lines[lines.index("checked: false") :]).replace("checked: false", "checked: true")
    path.write_text(text.replace("metric: ?, unit: ?}", "metric: throughput, unit: tokens/s}"))
    assert "Chips: accelerator_count" in text
    status, out, errors = run("map", "acme/results")
    assert (status, errors) == (0, "")
    assert "Table at line 12, under 'Serving': as mapped" in out


def test_a_broken_mapping_and_an_unknown_source_are_told(stored: Ledger) -> None:
    (stored.raw / "acme" / "results" / "mapping.yml").write_text("tabels: []\n")
    status, _, errors = run("map", "acme/results")
    assert status == WRONG_USE
    assert "acme/results/mapping.yml:1:1: there is no field 'tabels' here; did you mean 'tables'?" in errors
    status, _, errors = run("map", "acme/result")
    assert (status, "did you mean acme/results?" in errors) == (WRONG_USE, True)


@pytest.mark.parametrize("path", sorted((PROJECT / "raw").glob("*/*/*/*performance*")), ids=lambda path: path.name)
def test_a_draft_of_a_page_that_is_understood_reads_what_inference_reads(path: Path, tmp_path: Path) -> None:
    document = open_file(path, "0" * 64)
    draft = tmp_path / "mapping.yml"
    draft.write_text(draft_mapping("acme/results", explain_tables(document)))

    names = ("cell", "metric", "value", "unit", "model_printed", "platform_printed", "batch_size", "precision")
    names += ("dataset_printed", "framework_printed", "sdk_version", "variant_printed", "attributes")

    def read(mapping: Mapping | None) -> list[tuple[object, ...]]:
        rows = [row for row in extract(document, (), mapping).rows if isinstance(row, Measurement)]
        return [tuple(getattr(row, name) for name in names) for row in rows]

    inferred = read(None)
    assert len(inferred) > 10
    assert read(load_mapping(draft)) == inferred


def test_adding_a_page_says_what_of_it_is_not_understood(stored: Ledger, tmp_path: Path) -> None:
    def add(text: str, name: str) -> tuple[int, str]:
        file = tmp_path / name
        file.write_text(text)
        status, out, _ = run("add", str(file), "--source", "acme/new")
        return status, out

    assert add(WHOLE + "\n", "whole.md")[0] == 0
    status, out = add(PAGE + "\n", "page.md")
    assert status == BUILT_WITH_LOSSES
    assert "2 tables with numbers: 0 understood, 1 with columns that are not read (line 5)" in out
    assert "`benchledger map acme/new` shows them" in out
    assert "--format" not in out
    status, out = add("Nothing is measured here.\n", "words.txt")
    assert status == BUILT_WITH_LOSSES
    assert "no tables with numbers" in out
    assert "no format finds results in it" in out
    assert "--format" not in out


def test_a_draft_tells_tables_with_the_same_headings_apart_by_their_section(tmp_path: Path) -> None:
    def draft(first: str, second: str) -> str:
        table = "\n\n| Model | H100 |\n|---|---|\n| acme-7B | {} |\n\n"
        page = f"# Results\n\n## {first}{table.format(10)}## {second}{table.format(20)}"
        (tmp_path / "page.md").write_text(page)
        return draft_mapping("acme/results", explain_tables(open_file(tmp_path / "page.md", "0" * 64)))

    told = draft("Latency", "Throughput")
    assert "- section: Latency\n" in told
    assert "H100: {metric: latency}  # its `unit`?\n  others: inferred  # Model: model\n" in told.replace("    ", "  ")
    assert "Another entry has the same headings" not in told
    told = draft("Latency\n\n### Ours", "Throughput\n\n### Ours")
    assert told.count("- section: ") == 2
    # What is read as it is needs no entry, and none is drafted that would be laid upon it, too.
    told = draft("Latency (ms)", "Throughput")
    assert "# Read as they are, and not named here: what stands at line 5.\n" in told
    assert "- section: Throughput\n" in told
    assert told.count("- section: ") == 1


def test_a_draft_asks_what_is_measured_where_nothing_says_it(tmp_path: Path) -> None:
    page = "# Results\n\n## Phones\n\n| Model | Pixel 3 | Pixel 4 |\n|---|---|---|\n"
    page += "| SqueezeNet | 35.8% | 23.9% |\n| MobileNet v2 | 14.1% | 9.2% |\n"
    (tmp_path / "page.md").write_text(page)
    [table] = explain_tables(open_file(tmp_path / "page.md", "0" * 64))
    draft = draft_mapping("acme/phones", [table])
    assert "# - section: Phones\n#   constants: {metric: ?, unit: ?}\n" in draft


def test_a_draft_names_a_column_of_which_cells_are_refused(tmp_path: Path) -> None:
    page = "# Results\n\n| Model | Batch Size | Throughput (images/s) |\n|---|---|---|\n"
    page += "| ResNet-50 | 16 | 10 |\n| VGG16 | 16;8 | 20 |\n| ViT | 16;4 | 30 |\n| BERT | 8 | 40 |\n"
    (tmp_path / "page.md").write_text(page)
    draft = draft_mapping("acme/results", explain_tables(open_file(tmp_path / "page.md", "0" * 64)))
    assert "    Batch Size: batch_size  # cells of it are none: `other` takes them as they stand\n" in draft
    assert "    others: inferred  # Model: model; Throughput (images/s): throughput, images/s\n" in draft


def test_both_readings_of_an_undecided_table_are_told(stored: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    def undecided(found: Sequence[Reading], records_of: object) -> Choice:
        return Choice(found[0], found[1]) if len(found) > 1 else Choice(*found)

    monkeypatch.setattr(tables, "choose", undecided)
    monkeypatch.setenv("BENCHLEDGER_WORKERS", "0")
    page = "# Results\n\n| Model | A100 | H100 |\n|---|---|---|\n| BERT | 10 ms | 5 ms |\n| ViT | 12 ms | 6 ms |\n"
    path = stored.add(page, "acme/undecided", "2026-01-01", name="page.md")
    [table] = explain_tables(open_file(path, "0" * 64))
    assert len(table.readings_in_words) == 2
    assert "# undecided; as good a reading is: " in draft_mapping("acme/undecided", [table])
    status, out, _ = run("map", "acme/undecided")
    assert (status, "Undecided, one of these two:" in out) == (BUILT_WITH_LOSSES, True)
    assert all(words in out for words in table.readings_in_words)
    assert run("map", "acme/undecided", "--write")[0] == BUILT_WITH_LOSSES
    assert len(load_mapping(stored.raw / "acme" / "undecided" / "mapping.yml").tables) == 1
