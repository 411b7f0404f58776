"""Drafts of mappings: what the vocabularies know is said, the rest is asked, and tables of one layout are one entry."""

from __future__ import annotations

from pathlib import Path

import pytest
from makers.mapped import table

from pipelines.extract.rows import Reject
from pipelines.extract.tables.draft import ASK, draft, printed_in
from pipelines.extract.tables.entries import load_entries
from pipelines.extract.tables.mapping import MappingError
from pipelines.extract.tables.preview import TablePreview, preview
from pipelines.read.files import open_file


def drafted(folder: Path, page: str, name: str = "page.md") -> str:
    path = folder / name
    path.write_text(page)
    return draft(printed_in(open_file(path, "0" * 64), ()), "acme/x")


def read(folder: Path, text: str, name: str = "page.md") -> tuple[list[TablePreview], list[Reject]]:
    (folder / "mapping.yml").write_text(text)
    return preview(open_file(folder / name, "0" * 64), (), load_entries(folder / "mapping.yml"))


def test_what_is_known_of_a_heading_is_said_and_the_rest_is_asked(tmp_path: Path) -> None:
    headings = (
        "Model | GPU | Global Batch Size | Throughput (img/s) | Latency P99 (ms) | Mean TTFT (ms) | Top-1 | Foo | Bar"
    )
    page = table(
        headings, "BERT | A100 | 64 | 1,200 | 5.1 | 3 | 75.1 | left | 7", "ViT | T4 | 8 | 90 | - | 4 | 80 | right | 8"
    )
    text = drafted(tmp_path, "# Results\n\n" + page)
    for line in (
        "missing: ['-']",
        "    Model: model",
        "    GPU: platform",
        "    Global Batch Size: {field: batch_size, batch_size_kind: global}",
        "    Throughput (img/s): {metric: throughput, unit: img/s}",
        "    Latency P99 (ms): {metric: latency, unit: ms, statistic: p99}",
        "    Mean TTFT (ms): {metric: ttft, unit: ms, statistic: mean}",
        "    Top-1: {metric: accuracy, unit: '%'}",
        '    Foo: \'?\'  # "left", "right"',
        '    Bar: \'?\'  # "7", "8"',
    ):
        assert f"{line}\n" in text
    assert text.count(ASK) == 3
    assert "delete 3 questions" in text
    # The first open question is refused with its line.
    with pytest.raises(MappingError, match="`task` is still a question") as error:
        read(tmp_path, text)
    assert text.splitlines()[error.value.line - 1].startswith("  task: '?'")


def test_an_answered_draft_reads_the_page(tmp_path: Path) -> None:
    page = "# Serving on DGX A100\n" + table("Model | Batch Size | tokens/s", "BERT | 1 | 10", "ViT | 2 | 20")
    page += "## Speed\n" + table(" | A100 | H100 | Params (M) | FLOPs (G)", "BERT-Large | 7 | 8 | 110 | 5")
    text = drafted(tmp_path, page)
    assert 'the text above says "DGX A100"' in text
    assert "'/(?P<platform>A100|H100)/': {metric: '?', unit: '?'}" in text
    # Two columns cannot state one thing.
    assert "Params (M): model_facts\n    FLOPs (G): ignore\n" in text
    text = text.replace("task: '?'", "task: inference").replace("metric: '?'", "metric: throughput")
    text = text.replace("unit: '?'", "unit: images/s").replace("platform: '?'", "platform: DGX A100")
    assert "/^$/: model" in text
    tables, refusals = read(tmp_path, text)
    assert refusals == []
    values = [
        (one.value, one.unit, one.conditions["model"].value, one.conditions["platform"].value)
        for table in tables
        for one in table.numbers
    ]
    assert values[0] == (10, "tokens/s", "BERT", "DGX A100")
    assert values[2:] == [(7, "images/s", "BERT-Large", "A100"), (8, "images/s", "BERT-Large", "H100")]


def test_one_question_settles_all_columns_of_a_kind(tmp_path: Path) -> None:
    page = table("Model | A100 | H100 | Foo | Bar", "BERT | 1 | 2 | x | y", "ViT | 5 | 6 | z | u")
    text = drafted(tmp_path, page)
    assert "'/(?P<platform>A100|H100)/': {metric: '?', unit: '?'}  # " in text
    assert "/Foo|Bar/: '?'" in text or "'/Foo|Bar/': '?'" in text


def test_tables_of_one_layout_are_one_entry_and_what_they_share_is_said_once(tmp_path: Path) -> None:
    speed = table("Model | Latency (ms)", "BERT | 1", "ViT | 2")
    page = f"# A100\n{speed}# H100\n{speed}# Cost\n{table('Model | Power (W)', 'BERT | 300')}"
    text = drafted(tmp_path, page)
    assert "columns:\n  Model: model\ntables:\n" in text
    assert "- headings: ['?']  # what the texts above say" in text
    assert '"A100", "H100"; no column states platform\n' in text
    assert text.count("\n- ") == 2
    # An entry of fewer headings would claim the tables of more, too: they are one layout.
    longer = page.replace("# Cost\n", f"# More\n{table('Model | Latency (ms) | Batch Size', 'BERT | 3 | 4')}# Cost\n")
    answers = {
        "task: '?'": "task: inference",
        "headings: ['?']": "headings: ['^(?P<platform>.*)$']",
        "platform: '?'": "platform: A100",
    }
    text = drafted(tmp_path, longer)
    for question, answer in answers.items():
        text = text.replace(question, answer)
    assert text.count("\n- ") == 2
    assert [(one.entry > 0, one.rule) for one in read(tmp_path, text)[0]] == [(True, "")] * 4


def test_titles_and_tables_without_results_are_asked(tmp_path: Path) -> None:
    rows = ("Model | Batch Size | Latency (ms)", "On the edge | |", "BERT | 1 | 10", " | 2 | 20")
    text = drafted(tmp_path, table(*rows) + "# Software\n" + table("Component | Framework Version", "driver | 5.1"))
    assert "titles: '?'  # alone in their rows: \"On the edge\"\n" in text
    assert "- skip: '?'" in text
    assert "    Component: ignore\n" in text


def test_what_look_ups_get_wrong_is_asked(tmp_path: Path) -> None:
    # `Model` was the machine on one page, and a batch size of two numbers is none.
    text = drafted(
        tmp_path,
        table("Model | Batch Size | Latency (s) | Throughput (ms)", "A100 | 1, 2 | 1 | 5", "H100 | 4, 8 | 2 | 6"),
    )
    assert "'/Model|Batch Size/': '?'" in text or "/Model|Batch Size/: '?'" in text
    assert "Throughput (ms): {metric: throughput, unit: '?'}" in text
    # A memory may be that of the machine, or measured.
    text = drafted(tmp_path, table("Model | Latency (ms) | GPU Memory (GB)", "BERT | 1 | 7", "ViT | 2 | 9"))
    assert "GPU Memory (GB): {metric: '?', unit: GB}" in text


def test_hostile_headings_and_pages_without_tables_make_drafts_that_load(tmp_path: Path) -> None:
    page = (
        "<table><tr><th>It's: #1</th><th>\u202e{x}</th><th>ms</th></tr><tr><td>a</td><td>3</td><td>4</td></tr></table>"
    )
    text = drafted(tmp_path, page, "page.html")
    with pytest.raises(MappingError, match="still a question"):
        read(tmp_path, text, "page.html")
    text = drafted(tmp_path, "BERT took 5 ms\n", "page.txt")
    answers = {
        "rows: '?'": r"rows: '(?P<model>\S+) took (?P<value>\d+) ms'",
        "metric: '?'": "metric: latency",
        "'?'": "ms",
    }
    text = text.replace("task: '?'", "task: inference")
    for question, answer in answers.items():
        text = text.replace(question, answer)
    [table], _ = read(tmp_path, text, "page.txt")
    assert [one.value for one in table.numbers] == [5]
