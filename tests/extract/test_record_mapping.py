"""Records through mappings: paths as headings, values around a list, keys that are values."""

from __future__ import annotations

from pathlib import Path

import pytest
from makers.mapped import read

from pipelines.extract.contract import detect_format, in_order, lines_taken
from pipelines.extract.tables.draft import draft, printed_in
from pipelines.extract.tables.entries import load_entries
from pipelines.extract.tables.mapping import MappingError
from pipelines.extract.tables.preview import preview
from pipelines.read.files import open_file, read_bytes
from pipelines.settings import PROJECT

GUIDE = (PROJECT / "docs/mapping.md").read_text("utf-8")
PAGE, _, REST = GUIDE.partition("## Records")[2].partition("```json\n")[2].partition("\n```")
MAPPING = REST.partition("```yaml\n")[2].partition("```")[0]
ROUND = """[
{"ID": "5.1-0004", "Model": "llama2-70b-99", "Accelerator": "AMD Instinct MI325X", "a#": 8,
 "Performance_Result": 35.25, "Performance_Units": "Samples/s"},
{"ID": "5.1-0004", "Model": "llama2-70b-99", "Accelerator": null, "a#": 8,
 "Performance_Result": 7, "Performance_Units": "Samples/s"},
{"ID": "5.1-0005", "Model": "llama2-70b-99", "Accelerator": "AMD Instinct MI325X", "a#": 8,
 "Performance_Result": 1.5, "Performance_Units": "Latency (ms)"}
]
"""
ROUND_MAPPING = """tables:
- columns:
    ID: submission_id
    Model: model
    Accelerator: platform
    a#: accelerator_count
    Performance_Units: printed_as
    Performance_Result:
    - {metric: throughput, unit: samples/s, where: {printed_as: Samples/s}}
    - {metric: latency, unit: ms, where: {printed_as: Latency (ms)}}
"""


def test_keys_that_are_values_and_values_around_a_list(tmp_path: Path) -> None:
    found = read(tmp_path, PAGE, MAPPING, "x.json")
    assert found.values("model_printed", "platform_printed", "section") == [
        (12.5, "Llama 3 8B", "DGX H100", "runs"),
        (62.5, "Llama 3 70B", "DGX H100", "runs"),
        (40.25, "Llama 3 8B", "DGX H100", "runs"),
        (140.25, "Llama 3 70B", "DGX H100", "runs"),
    ]
    assert found.places(3) == {
        "batch_size": (2, "8"),
        "model": (3, "Llama 3 70B"),
        "platform": (1, "DGX H100"),
    }
    assert found.levels(3)["batch_size"] == "column_heading"
    assert found.refused == []


def test_a_round_of_mlperf(tmp_path: Path) -> None:
    found = read(tmp_path, ROUND, ROUND_MAPPING, "summary.json")
    assert found.values("unit", "accelerator_count") == [(35.25, "items/s", 8), (1.5, "ms", 8)]
    assert [rule for rule, *_ in found.refused] == ["no_subject"]


def test_a_name_of_the_object_around_is_another_heading(tmp_path: Path) -> None:
    page = '{"model": "BERT", "runs": [{"model": "base", "steps": [{"model": "x", "ms": 3}]}]}'
    mapping = """tables:
- records: runs[].steps[]
  columns: {model: ignore, ^model: variant, ^^model: model, ms: {metric: latency, unit: ms}}
"""
    found = read(tmp_path, page, mapping, "x.json")
    assert found.values("model_printed", "variant_printed") == [(3, "BERT", "base")]


def test_a_list_that_no_entry_names_is_refused(tmp_path: Path) -> None:
    page = '{"a": [{"model": "BERT", "ms": 3}], "b": [{"model": "BERT", "ms": 4}]}'
    mapping = (
        "tables:\n- {records: 'a[]', columns: {model: model, ms: {metric: latency, unit: ms}}}"
    )
    found = read(tmp_path, page, mapping, "x.json")
    assert found.values() == [(3,)]
    assert found.refused[0][:2] == ("no_mapping", "table")
    assert "add one with `records: b[]`, or `skip: true`" in found.reasons[0]
    both = mapping.replace("'a[]'", "['a[]', 'b[]']")
    assert {rule for rule, *_ in read(tmp_path, page, both, "x.json").refused} == {"ambiguous"}


def test_an_object_with_one_value_is_no_title(tmp_path: Path) -> None:
    page = '[{"model": "BERT", "ms": 3}, {"ms": 4}]'
    mapping = "tables:\n- columns: {model: model, ms: {metric: latency, unit: ms}}"
    found = read(tmp_path, page, mapping, "x.json")
    assert found.values() == [(3,)]
    assert [rule for rule, *_ in found.refused] == ["no_subject"]


def test_records_are_no_prose_and_no_log() -> None:
    text = '[{"note": "The H100 is 3x faster than the A100 on BERT.", "ms": 1}]'
    document = read_bytes(text.encode(), "x.json", "0" * 64)
    assert detect_format(document) == "results_page"
    assert in_order(None, document) == ["results_page"]
    assert lines_taken(document, "program_log") == set()


def test_a_draft_names_the_lists_and_asks(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(PAGE)
    text = draft(printed_in(open_file(tmp_path / "x.json", "0" * 64), ()), "acme/x")
    assert "- records: 'runs[]'\n" in text
    assert "^system: platform" in text
    assert "titles" not in text
    answered = text.replace("metric: '?'", "metric: latency").replace(
        "task: '?'", "task: inference"
    )
    answered = answered.replace(r"/batch_1\.latency_ms|batch_8\.", r"/batch_(?P<batch_size>.*)\.")
    (tmp_path / "mapping.yml").write_text(answered)
    document = open_file(tmp_path / "x.json", "0" * 64)
    tables, rejects = preview(document, (), load_entries(tmp_path / "mapping.yml"))
    assert [one.printed for one in tables[0].numbers] == ["12.5", "40.25", "62.5", "140.25"]
    assert rejects == []


def test_records_is_a_text(tmp_path: Path) -> None:
    (tmp_path / "mapping.yml").write_text(MAPPING.replace("runs[]", "''"))
    with pytest.raises(MappingError, match=r"`tables\.records` is empty"):
        load_entries(tmp_path / "mapping.yml")
