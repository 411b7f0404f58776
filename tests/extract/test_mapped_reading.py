"""Tables read by a mapping: what a person says is taken, what drifted is told, all else is as inferred."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pipelines.extract.contract import Extraction
from pipelines.extract.results_page import extract
from pipelines.extract.rows import Condition, Measurement, Reject
from pipelines.extract.tables.mapping_file import load_mapping
from pipelines.read.files import open_file

TRAINING = """# Acme results

## Training performance

| Network | Globalbatch | Micro | Throughput-Average(seq/sec) | Scripts |
|---|---|---|---|---|
| BERT-Large | 64 | 4 | 1,200 | run.sh 3 |
| | 128 | 8 | 1,500 | run.sh 4 |
"""
OF_TRAINING = """checked: true
tables:
- section: Training performance
  columns:
    Network: model
    Globalbatch: {field: batch_size, kind: global}
    Micro: {field: batch_size, kind: micro}
    Throughput-Average(seq/sec): {metric: throughput, statistic: mean, unit: sequences/s}
    Scripts: ignore
  constants: {platform: DGX A100, precision: FP16, task: training}
  fill_down: [Network]
"""
PIVOT = """# Serving

| | A100 | H100 |
|---|---|---|
| Llama 2 70B | 100 | 200 |
| acme-7B | 300 | - |
"""
OF_PIVOT = """checked: true
tables:
- columns: {Modell: model}
  unpivot: {headings: [A100, H100], field: platform, metric: throughput, unit: tokens/s}
"""


def read(page: str, mapping: str | None, folder: Path) -> Extraction:
    """What the reader of tables gives of a Markdown page."""
    (folder / "page.md").write_text(page)
    path = folder / "mapping.yml"
    path.write_text(mapping or "")
    document = open_file(folder / "page.md", "0" * 64)
    return extract(document, (), load_mapping(path) if mapping else None)


def values(extraction: Extraction, *fields: str) -> list[tuple[Any, ...]]:
    rows = [row for row in extraction.rows if isinstance(row, Measurement)]
    return [tuple(getattr(row, name) for name in ("value", *fields)) for row in rows]


def rejects(extraction: Extraction) -> list[tuple[str, str]]:
    return [(row.rule, row.scope) for row in extraction.rows if isinstance(row, Reject)]


def conditions(extraction: Extraction, number: int) -> set[tuple[str, str, str]]:
    known = {row.number: row for row in extraction.rows if isinstance(row, Condition)}
    row = [row for row in extraction.rows if isinstance(row, Measurement)][number]
    return {(known[at].dimension, known[at].value, known[at].level) for at in row.conditions}


def test_declared_columns_and_constants_are_what_a_person_says(tmp_path: Path) -> None:
    found = read(TRAINING, OF_TRAINING, tmp_path)
    assert values(found, "metric", "item", "model_printed", "platform_printed", "batch_size", "precision", "task") == [
        (1200, "throughput", "sequences", "BERT-Large", "DGX A100", 64, "FP16", "training"),
        (1500, "throughput", "sequences", "BERT-Large", "DGX A100", 128, "FP16", "training"),
    ]
    assert rejects(found) == []
    assert conditions(found, 1) == {
        ("model", "BERT-Large", "row"), ("batch_size", "128", "row"), ("batch_size_kind", "global", "mapping"),
        ("micro", "8", "row"), ("platform", "DGX A100", "mapping"), ("precision", "FP16", "mapping"),
        ("task", "training", "mapping"), ("statistic", "mean", "mapping"),
    }  # fmt: skip
    assert {(mark.status, mark.rule) for mark in found.marks} == {("ignored", "mapping_ignores")}


def test_a_name_filled_down_keeps_the_place_where_it_is_printed(tmp_path: Path) -> None:
    found = read(TRAINING, OF_TRAINING, tmp_path)
    [name] = [row for row in found.rows if isinstance(row, Condition) and row.dimension == "model"]
    assert (name.cell.line, name.cell.text) == (7, "BERT-Large")


def test_a_title_in_between_fills_no_name(tmp_path: Path) -> None:
    titled = TRAINING.replace("| | 128", "| **With XLA** | | | | |\n| | 128")
    found = read(titled, OF_TRAINING, tmp_path)
    assert values(found, "model_printed") == [(1200, "BERT-Large"), (1500, "BERT-Large")]


def test_what_drifted_is_told_and_the_declared_columns_are_read(tmp_path: Path) -> None:
    page = TRAINING.replace("Micro", "Loss").replace("Scripts", "Code")
    found = read(page, OF_TRAINING, tmp_path)
    assert values(found, "batch_size") == [(1200, 64), (1500, 128)]
    drifts = [row for row in found.rows if isinstance(row, Reject)]
    assert [(drift.rule, drift.scope, drift.cell.text) for drift in drifts] == [
        ("schema_drift", "table", ""), ("schema_drift", "table", ""), ("schema_drift", "table", "Loss"),
        ("schema_drift", "table", "Code"),
    ]  # fmt: skip
    assert drifts[0].reason.startswith("table at line 5: the column 'Micro' is gone that is declared in mapping.yml")
    # What nobody has declared was not read, and says so.
    assert {mark.rule for mark in found.marks} == {"unknown_column"}


def test_a_table_without_a_word_of_what_it_measures_is_read_by_its_mapping(tmp_path: Path) -> None:
    assert values(read(PIVOT, None, tmp_path)) == []
    found = read(PIVOT.replace("| |", "| Modell |", 1), OF_PIVOT, tmp_path)
    assert values(found, "metric", "unit", "item", "model_printed", "platform_printed") == [
        (100, "throughput", "items/s", "tokens", "Llama 2 70B", "A100"),
        (200, "throughput", "items/s", "tokens", "Llama 2 70B", "H100"),
        (300, "throughput", "items/s", "tokens", "acme-7B", "A100"),
    ]
    assert rejects(found) == []
    assert ("platform", "A100", "column_heading") in conditions(found, 0)


def test_a_constant_says_nothing_of_what_columns_say_themselves(tmp_path: Path) -> None:
    mapping = OF_PIVOT + "- section: Serving\n  constants: {platform: GB200, precision: FP8}\n"
    found = read(PIVOT.replace("| |", "| Modell |", 1), mapping, tmp_path)
    assert values(found, "platform_printed", "precision") == [
        (100, "A100", "FP8"), (200, "H100", "FP8"), (300, "A100", "FP8"),
    ]  # fmt: skip


def test_headings_name_numbers_of_a_field_too(tmp_path: Path) -> None:
    page = PIVOT.replace("| |", "| Modell |", 1).replace("A100", "Batch 8").replace("H100", "16")
    mapping = OF_PIVOT.replace("[A100, H100]", "others").replace("platform", "batch_size")
    assert values(read(page, mapping, tmp_path), "batch_size") == [(100, 8), (200, 16), (300, 8)]


def test_constants_alone_hold_nearer_than_anything_printed(tmp_path: Path) -> None:
    page = "# Results\n\n## RTX 9000\n\n| Model | GPU | Throughput (img/s) |\n|---|---|---|\n| ResNet-50 | A100 | 9 |\n"
    mapping = "checked: true\ntables:\n- section: rtx 9000\n  constants: {platform: RTX 9000, batch_size: 8}\n"
    assert values(read(page, None, tmp_path), "platform_printed", "batch_size") == [(9, "A100", None)]
    found = read(page, mapping, tmp_path)
    assert values(found, "platform_printed", "batch_size") == [(9, "RTX 9000", 8)]
    assert ("platform", "RTX 9000", "mapping") in conditions(found, 0)
    elsewhere = read(page.replace("## RTX 9000", "## RTX 9001"), mapping, tmp_path)
    assert values(elsewhere, "platform_printed", "batch_size") == [(9, "A100", None)]


def test_a_constant_says_what_numbers_without_a_word_measure(tmp_path: Path) -> None:
    page = "# Results\n\n| Model | H100 | A100 |\n|---|---|---|\n| ResNet-50 | 20 | 10 |\n"
    mapping = "checked: true\ntables:\n- constants: {metric: latency, unit: ms, statistic: p99}\n"
    assert values(read(page, None, tmp_path)) == []
    found = read(page, mapping, tmp_path)
    assert values(found, "metric", "unit", "platform_printed") == [
        (20, "latency_p99", "ms", "H100"), (10, "latency_p99", "ms", "A100"),
    ]  # fmt: skip


def test_a_table_on_its_side_is_read_by_its_first_column(tmp_path: Path) -> None:
    page = "# Results\n\n| Name | acme-7B | acme-70B |\n|---|---|---|\n| Score | 10 | 20 |\n| Chip | A100 | H100 |\n"
    mapping = (
        "checked: true\ntables:\n- transposed: true\n"
        "  columns: {Name: model, Score: {metric: latency, unit: s}, Chip: platform}\n"
    )
    found = read(page, mapping, tmp_path)
    assert values(found, "model_printed", "platform_printed", "unit") == [
        (10_000, "acme-7B", "A100", "ms"), (20_000, "acme-70B", "H100", "ms"),
    ]  # fmt: skip


def test_cells_name_metric_unit_and_statistic_of_their_row(tmp_path: Path) -> None:
    page = (
        "# Results\n\n| M | What | In | Which | Note | Number |\n|---|---|---|---|---|---|\n"
        "| ResNet-50 | Latency | ms | P99 | warm | 7 |\n| ResNet-50 | Throughput | images/s | mean | cold | 900 |\n"
    )
    mapping = (
        "checked: true\ntables:\n- columns: {M: model, What: metric, In: unit, Which: statistic, Note: other, "
        "Number: value}\n"
    )
    found = read(page, mapping, tmp_path)
    assert values(found, "metric", "unit", "attributes") == [
        (7, "latency_p99", "ms", "Note warm"), (900, "throughput", "items/s", "Note cold"),
    ]  # fmt: skip


def test_values_of_one_device_are_another_metric(tmp_path: Path) -> None:
    page = "# Results\n\n| Model | Rate |\n|---|---|\n| acme-7B | 10 |\n"
    rate = "{metric: throughput, unit: tokens/s, per_device: true}"
    mapping = f"checked: true\ntables:\n- columns: {{Model: model, Rate: {rate}}}\n"
    assert values(read(page, mapping, tmp_path), "metric") == [(10, "throughput_per_device")]
    mapping = mapping.replace("tokens/s, per_device: true", "tokens/s/device")
    assert values(read(page, mapping, tmp_path), "metric") == [(10, "throughput_per_device")]


def test_a_declared_table_that_is_nowhere_is_told_once(tmp_path: Path) -> None:
    found = read(TRAINING.replace("Training performance", "Training"), OF_TRAINING, tmp_path)
    assert rejects(found)[-1:] == [("schema_drift", "note")]
    assert len(values(found)) == 2


@pytest.mark.parametrize("cell", ["1,2x0", "see note"])
def test_a_declared_column_is_still_checked_by_its_cells(cell: str, tmp_path: Path) -> None:
    found = read(TRAINING.replace("1,200", cell), OF_TRAINING, tmp_path)
    assert values(found) == [(1500,)]
    assert ("unread_value", "row") in rejects(found)


def test_a_column_may_be_left_to_inference_or_have_no_heading(tmp_path: Path) -> None:
    page = "# Results\n\n| | Optimizer | Rate |\n|---|---|---|\n| acme-7B | LAMB | 10 |\n"
    mapping = 'checked: true\ntables:\n- columns: {"": model, Optimizer: inferred, Rate: {metric: latency, unit: ms}}\n'
    found = read(page, mapping, tmp_path)
    assert values(found, "model_printed", "attributes") == [(10, "acme-7B", "Optimizer LAMB")]
    assert rejects(found) == []


RUNS = """# Acme

Executed on an A100.

| System | Variant | Size | Time | Score (left) | Score (right) |
|---|---|---|---|---|---|
| **Large models** | | | | | |
| 8x Acme X1, FP8 | a | 7B | 1m05s | 0.75 | 0.80 |
| Gaudi 2 | b | 70B | 17s | 0.85 | 0.90 |
"""


def test_titles_constants_of_a_column_and_shares_of_one_are_what_a_person_says(tmp_path: Path) -> None:
    mapping = """checked: true
tables:
- columns:
    System: mentions
    Variant: model
    Size: model_size
    Time: {metric: latency, constants: {precision: BF16, platform: TPU v4}}
    Score (left): {metric: accuracy, unit: ratio}
    Score (right): {metric: accuracy, unit: ratio}
  titles: dataset
  constants: {platform: none, task: inference}
"""
    found = read(RUNS, mapping, tmp_path)
    assert values(found, "metric", "unit", "model_printed", "platform_printed", "precision", "dataset_printed") == [
        (65_000, "latency", "ms", "a 7B", "TPU v4", "BF16", "Large models"),
        (75, "accuracy", "%", "a 7B", None, "FP8", "Large models"),
        (80, "accuracy", "%", "a 7B", None, "FP8", "Large models"),
        (17_000, "latency", "ms", "b 70B", "TPU v4", "BF16", "Large models"),
        (85, "accuracy", "%", "b 70B", "Gaudi 2", None, "Large models"),
        (90, "accuracy", "%", "b 70B", "Gaudi 2", None, "Large models"),
    ]
    # Two columns that are said to hold one metric are told apart by their headings.
    assert [text for _, text in values(found, "attributes")][4:] == ["Score (left)", "Score (right)"]
    assert {dimension for dimension, _, level in conditions(found, 0) if level == "mapping"} == {
        "platform", "precision", "task"
    }  # fmt: skip
    assert ("dataset", "Large models", "row_title") in conditions(found, 0)
    assert rejects(found) == []


def test_others_are_read_as_without_a_mapping(tmp_path: Path) -> None:
    page = "# Acme\n\n| Model | GPUs | Time | Latency (ms) |\n|---|---|---|---|\n| acme-7B | 8 | 5 | 10 |\n"
    assert ("unknown_heading", "table") in rejects(read(page, None, tmp_path))
    mapping = "checked: true\ntables:\n- columns: {Time: {metric: time_to_train, unit: h}, others: inferred}\n"
    found = read(page, mapping, tmp_path)
    assert values(found, "metric", "model_printed", "accelerator_count") == [
        (18_000, "time_to_train", "acme-7B", 8), (10, "latency", "acme-7B", 8),
    ]  # fmt: skip
    assert rejects(found) == []


def test_the_line_right_above_names_a_table(tmp_path: Path) -> None:
    table = "\n\n| Model | Throughput (images/s) |\n|---|---|\n| ResNet-50 | {} |\n\n"
    page = f"# Results\n\n- K80 (single card){table.format(1)}- V100{table.format(2)}"
    mapping = (
        "checked: true\ntables:\n- {section: K80 (single card), constants: {platform: K80}}\n"
        "- {section: V100, constants: {platform: V100}}\n"
    )
    assert values(read(page, mapping, tmp_path), "platform_printed") == [(1, "K80"), (2, "V100")]


def test_what_stands_in_a_heading_that_is_a_name_belongs_to_the_name(tmp_path: Path) -> None:
    page = "# Results\n\n| GPU | bert-base-squad | ssd |\n|---|---|---|\n| A100 | 10 | 20 |\n"
    mapping = """checked: true
tables:
- columns: {GPU: platform}
  unpivot: {headings: others, field: model, metric: throughput, unit: items/s}
"""
    found = read(page, mapping, tmp_path)
    assert values(found, "model_printed", "dataset_printed") == [(10, "bert-base-squad", None), (20, "ssd", None)]


def test_what_has_no_column_of_its_own_is_an_attribute(tmp_path: Path) -> None:
    page = "# Phones\n\n| Model | 4 threads | Delegate |\n|---|---|---|\n| SqueezeNet | 10 ms | 20 ms |\n"
    mapping = """checked: true
tables:
- columns: {Model: model}
  unpivot: {headings: others, field: other, metric: latency}
"""
    found = read(page, mapping, tmp_path)
    assert values(found, "attributes") == [(10, "4 threads"), (20, "Delegate")]
    assert ("other", "Delegate", "column_heading") in conditions(found, 1)
    constant = "checked: true\ntables:\n- {section: Phones, constants: {metric: latency, other: cold start}}\n"
    found = read(page.replace("4 threads", "Pixel 3").replace("Delegate", "Pixel 4"), constant, tmp_path)
    assert values(found, "attributes", "platform_printed") == [
        (10, "cold start", "Pixel 3"),
        (20, "cold start", "Pixel 4"),
    ]


def test_a_section_that_no_table_stands_under_is_told_with_the_one_that_may_be_meant(tmp_path: Path) -> None:
    page = "# Results\n\n## Training on Gaudi 2\n\n| Model | Throughput (images/s) |\n|---|---|\n| ResNet-50 | 10 |\n"
    mapping = (
        "checked: true\ntables:\n- {section: Trainig on Gaudi 2, constants: {precision: BF16}}\n"
        "- {section: Results, constants: {task: training}}\n"
    )
    found = read(page, mapping, tmp_path)
    assert values(found, "task", "precision") == [(10, "training", None)]
    [drift] = [row for row in found.rows if isinstance(row, Reject)]
    assert (drift.rule, drift.scope) == ("schema_drift", "note")
    assert drift.reason == (
        "no table stands under 'Trainig on Gaudi 2', which mapping.yml names in line 3: "
        "if 'Training on Gaudi 2' is its new name, write that"
    )
