"""Grids to rows, whoever publishes them: headings with conditions, names left out below, releases in footnotes."""

from __future__ import annotations

import pytest

from pipelines.extract import results_page
from pipelines.extract.rows import Measurement, Reject
from pipelines.extract.tables.announced import announced_in
from pipelines.extract.tables.footnotes import releases_in
from pipelines.extract.tables.qualified import heading_of, heading_of_two
from pipelines.read.document import Cell
from pipelines.read.files import read_bytes


def cell(text: str) -> Cell:
    return Cell(text, 1, 0, len(text))


def read(text: str, name: str = "table.csv") -> tuple[list[Measurement], list[Reject]]:
    rows = results_page.extract(read_bytes(text.encode(), name, "0" * 64), frozenset()).rows
    return [row for row in rows if isinstance(row, Measurement)], [row for row in rows if isinstance(row, Reject)]


@pytest.mark.parametrize(
    ("text", "metric", "qualifiers"),
    [
        ("Throughput (tokens/sec)", "throughput", []),
        ("H100 (tokens/sec)", "throughput", [("platform", "H100")]),
        ("8x MI300X Throughput (tokens/s)", "throughput", [("platform", "8x MI300X")]),
        ("Throughput on TPU v5e-256 (samples/s)", "throughput", [("platform", "TPU v5e-256")]),
        ("FP8 Throughput (img/s)", "throughput", [("precision", "FP8")]),
        ("Latency (ms) BS=1", "latency", [("batch_size", "1")]),
        ("Throughput, batch size 128 (seq/s)", "throughput", [("batch_size", "128")]),
        ("Throughput for training (seq/s)", "throughput", [("task", "training")]),
        ("Tokens/sec/chip on v5p-128", "throughput_per_device", [("platform", "v5p-128")]),
        ("Offline (samples/s)", "throughput", [("attribute", "Scenario Offline")]),
        ("Time to First Token (TTFT)", "ttft", []),
        ("Images per second", "throughput", []),
        ("16B TFLOP/sec/chip", "tflops_per_device", [("model", "16B")]),
        ("Throughput - FP32", "throughput", [("precision", "FP32")]),
    ],
)
def test_conditions_in_a_heading(text: str, metric: str, qualifiers: list[tuple[str, str]]) -> None:
    heading = heading_of(cell(text))
    assert (heading.metric, [(q.column, q.text) for q in heading.qualifiers]) == (metric, qualifiers)


@pytest.mark.parametrize(
    "text", ["Wobble H100 (tokens/sec)", "Throughput of something (tokens/sec)", "FP8", "H100", "Best of all", ""]
)
def test_a_condition_that_no_vocabulary_knows_makes_no_heading(text: str) -> None:
    assert heading_of(cell(text)).metric is None


@pytest.mark.parametrize(
    ("above", "below", "metric", "unit", "qualifiers"),
    [
        ("Latency (ms)", "P50", "latency_p50", "ms", []),
        ("Throughput", "tokens/sec", "throughput", "tokens/sec", []),
        ("Throughput (tokens/sec)", "H100", "throughput", "tokens/sec", [("platform", "H100")]),
        ("Throughput (tokens/sec)", "with my tweak", "throughput", "tokens/sec", [("attribute", "with my tweak")]),
        ("H100", "Throughput (tokens/sec)", "throughput", "tokens/sec", [("platform", "H100")]),
        ("Results", "Throughput (tokens/sec)", "throughput", "tokens/sec", []),
        ("Time to train (minutes)", "BERT", "time_to_train", "minutes", [("model", "BERT")]),
    ],
)
def test_headings_in_two_rows(
    above: str, below: str, metric: str, unit: str, qualifiers: list[tuple[str, str]]
) -> None:
    heading = heading_of_two(cell(above), cell(below))
    assert heading.unit is not None
    found = heading.metric, heading.unit.printed, [(q.column, q.text) for q in heading.qualifiers]
    assert found == (metric, unit, qualifiers)


HEAD = "Model,GPU,Batch Size,Throughput (images/sec)\n"


def test_platforms_as_headings_of_values_with_their_units() -> None:
    rows, rejects = read('Model,TP,H100,8x MI300X\nLlama 2 7B,1,"9,000 tokens/sec","50,100 tokens/sec"\n')
    assert [(row.platform_printed, row.metric, row.value) for row in rows] == [
        ("H100", "throughput", 9000), ("8x MI300X", "throughput", 50100),
    ]  # fmt: skip
    assert rejects == []


@pytest.mark.parametrize(
    "table",
    ["Batch Size,Throughput (img/s),Latency (ms)\n1,96,10.4\n", "GPUs,Throughput,Latency (ms)\n1,96 img/s,10\n"],
)
def test_results_of_nobody_are_a_reject(table: str) -> None:
    rows, rejects = read(table)
    assert (rows, [reject.rule for reject in rejects]) == ([], ["no_subject_column"])


def test_models_below_a_heading_that_cannot_be_read_make_no_nameless_results() -> None:
    rows, rejects = read("M0del,GPU,Batch Size,Throughput (images/sec)\nOwnNet,H100,1,10\nOtherNet,H100,1,20\n")
    assert (rows, [reject.rule for reject in rejects]) == ([], ["no_subject_column"])


def test_known_models_below_a_heading_that_cannot_be_read_are_models() -> None:
    rows, rejects = read("M0del,GPU,Batch Size,Throughput (images/sec)\nViT,H100,1,10\nBERT-Large,H100,1,20\n")
    assert ([row.model_printed for row in rows], rejects) == (["ViT", "BERT-Large"], [])


def test_headings_that_are_cut_off_are_a_reject() -> None:
    rows, rejects = read("Model,GPU\nViT,H100,1,10\nBERT-Large,H100,1,20\n")
    assert (rows, [reject.rule for reject in rejects]) == ([], ["no_measured_column"])


def test_a_name_left_out_is_that_of_the_row_above() -> None:
    rows, rejects = read(HEAD + "ResNet-50 v1.5,H100,1,10\n,,8,20\n,A100,8,15\n")
    assert [(row.model_printed, row.platform_printed, row.batch_size) for row in rows] == [
        ("ResNet-50 v1.5", "H100", 1), ("ResNet-50 v1.5", "H100", 8), ("ResNet-50 v1.5", "A100", 8),
    ]  # fmt: skip
    assert [row.row_line for row in rows] == [2, 3, 4]
    assert rejects == []


def test_a_name_is_carried_over_no_row_that_was_not_read() -> None:
    rows, rejects = read(HEAD + "ResNet-50 v1.5,H100,1,10\nBERT-Large,H100,1\n,,8,20\n")
    assert [row.value for row in rows] == [10]
    assert [reject.cell.line for reject in rejects] == [3, 4]


def test_a_name_is_not_carried_where_nothing_stands_above() -> None:
    rows, rejects = read(HEAD + ",H100,8,20\nResNet-50 v1.5,H100,1,10\n")
    assert [row.value for row in rows] == [10]
    assert [reject.cell.line for reject in rejects] == [2]


def test_a_blank_name_in_a_table_that_repeats_its_names_is_a_lost_one() -> None:
    rows, rejects = read(HEAD + "ViT,H100,1,10\nViT,H100,8,20\n,H100,16,30\n")
    assert [row.value for row in rows] == [10, 20]
    assert [reject.cell.line for reject in rejects] == [4]


def test_a_value_that_spans_rows_belongs_to_none_of_the_others() -> None:
    head = "<table><tr><th>Model<th>GPU<th>Throughput (images/sec)<th>Latency (ms)</tr>"
    body = "<tr><td>ViT<td>H100<td rowspan=2>10<td>1<tr><td>ViT<td>A100<td>2<tr><td>ViT<td>L4<td colspan=2>3"
    rows, rejects = read(f"{head}{body}</table>", "page.html")
    assert [(row.cell.text, row.platform_printed) for row in rows] == [("10", "H100"), ("1", "H100")]
    assert [reject.reason.split(",")[0] for reject in rejects] == [
        "'10' below 'Throughput (images/sec)' spans several cells", "'3' below 'Latency (ms)' spans several cells",
    ]  # fmt: skip


def test_separators_at_the_end_of_a_record_are_no_cells() -> None:
    rows, rejects = read("Model,GPU,Throughput (images/sec),,\nViT,H100,10,,\nViT,A100,20,,,,\n")
    assert [row.value for row in rows] == [10, 20]
    assert rejects == []


def test_a_blank_cell_that_is_no_name_says_that_nothing_is_stated() -> None:
    rows, _ = read("Model,Precision,GPU,Throughput (images/sec)\nViT,FP16,H100,10\nViT,,H100,20\n")
    assert [row.precision for row in rows] == ["FP16", None]


def test_the_order_of_the_columns_is_no_part_of_a_benchmark() -> None:
    names = ["Model", "GPU", "Input Length", "Output Length", "TP", "Throughput (tokens/sec)"]
    values = ["Llama 2 7B", "H100", "2,048", "128", "1", "10"]
    one, _ = read(",".join(names) + "\n" + ",".join(f'"{value}"' for value in values))
    other, _ = read(",".join(names[::-1]) + "\n" + ",".join(f'"{value}"' for value in values[::-1]))
    assert one[0].attributes == other[0].attributes == "Input Length 2048, Output Length 128, TP 1"


@pytest.mark.parametrize(
    ("note", "releases"),
    [
        ("\u00b9 Measured with release 24.07.", {"1": "24.07"}),
        ("[1] SDK 3.2.0", {"1": "3.2.0"}),
        ("* Obtained on software version v1.18.0 of the stack", {"*": "1.18.0"}),
        ("(2) Neuron 2.20.1", {"2": "2.20.1"}),
        ("1. ROCm 6.3.1 was used", {"1": "6.3.1"}),
        ("\u2020 Faster than with release 24.07.", {}),
        ("* SDK 3.2 and SDK 3.3", {}),
        ("Measured with release 24.07.", {}),
        ("* Batch size 16", {}),
    ],
)
def test_releases_in_footnotes(note: str, releases: dict[str, str]) -> None:
    assert releases_in(f"\n{note}\n") == releases


@pytest.mark.parametrize("mark", ["*", "<sup>*</sup>", " [1]", "<sup>1</sup>"])
def test_a_footnote_that_names_another_release_goes_before_the_column(mark: str) -> None:
    page = (
        "<table><tr><th>Model<th>GPU<th>SDK Version<th>Throughput (images/sec)</tr>"
        f"<tr><td>ViT<td>H100<td>3.1<td>12{mark}<tr><td>ViT<td>A100<td>3.1<td>20</table>"
        "<p>* Measured with SDK 3.0.</p><p>[1] Measured with SDK 3.0.</p>"
    )
    rows, rejects = read(page, "page.html")
    assert [(row.cell.text, row.sdk_version) for row in rows] == [("12", "3.0"), ("20", "3.1")]
    assert rejects == []


@pytest.mark.parametrize(
    ("tag", "release"),
    [("25.02-py3", "25.02"), ("nvcr.io/nvidia/pytorch:24.10-py3", "24.10"), ("nemo:25.02", "25.02"), ("latest", None)],
)
def test_the_tag_of_a_container_is_the_release(tag: str, release: str | None) -> None:
    rows, _ = read(f"Model,GPU,Container,Throughput (images/sec)\nViT,H100,{tag},10\n")
    assert [row.sdk_version for row in rows] == [release]


@pytest.mark.parametrize(
    "table",
    ["Server,CPU,Memory\nOne,2,3 TB\n", "Model,Parameters,Layers\nBERT,110,12\n", "Name,Price,Colour\nA,1,red\n"],
)
def test_a_table_without_a_benchmark_gives_nothing(table: str) -> None:
    assert read(table) == ([], [])


@pytest.mark.parametrize(
    ("above", "quantity"),
    [
        ("Throughput (tokens/s)", ("throughput", "tokens/s")),
        ("Table 1: Output throughput in images/sec, higher is better", ("throughput", "images/sec")),
        ("Time to train (minutes)", ("time_to_train", "minutes")),
        ("P99 latency, ms", ("latency_p99", "ms")),
        ("Samples per second on eight chips", ("throughput", "Samples per second")),
        ("Throughput (tokens/s) and latency (ms)", None),
        ("Throughput in images/s and in samples/s", None),
        ("What is new", None),
    ],
)
def test_the_words_above_a_table_name_one_quantity_or_none(above: str, quantity: tuple[str, str] | None) -> None:
    heading = announced_in([cell(above)])
    assert (heading and heading.unit and (heading.metric, heading.unit.printed)) == quantity


def test_names_that_no_vocabulary_knows_are_platforms_only_among_platforms() -> None:
    row = "Llama 2 7B,1,900 tokens/s,800 tokens/s\nLlama 2 13B,1,500 tokens/s,400 tokens/s\n"
    rows, rejects = read(f"Model,TP,H100,Acme One\n{row}")
    assert [row.platform_printed for row in rows] == ["H100", "Acme One"] * 2
    assert rejects == []
    rows, rejects = read(f"Model,TP,Acme One,Acme Two\n{row}")
    assert (rows, [reject.rule for reject in rejects]) == ([], ["no_measured_column"])


def test_columns_of_one_line_are_no_row_together() -> None:
    rows, rejects = read("Platform,A100,H100\nThroughput (img/s),10,20\nBatch size,1,8\n")
    assert [(row.platform_printed, row.batch_size, row.value, row.row_line) for row in rows] == [
        ("A100", 1, 10, None), ("H100", 8, 20, None),
    ]  # fmt: skip
    assert rejects == []


def test_a_header_that_is_printed_again_is_no_new_table() -> None:
    page = "<h2>Inference</h2><table><tr><th>Model<th>GPU<th>Throughput (img/s)<tr><td>ViT<td>L4<td>10"
    again = "<tr><th>Model<th>GPU<th>Throughput (img/s)<tr><td>ViT<td>H100<td>20</table>"
    rows, rejects = read(page + again, "page.html")
    assert [(row.section, row.task, row.value) for row in rows] == [
        ("Inference", "inference", 10),
        ("Inference", "inference", 20),
    ]
    assert rejects == []


@pytest.mark.parametrize("nothing", ["OOM", "N/A", "not supported", "- images/sec", "TBD"])
def test_what_stands_for_no_value_is_none(nothing: str) -> None:
    rows, rejects = read(f"Model,GPU,Throughput\nViT,H100,10 images/sec\nViT,L4,{nothing}\n")
    assert ([row.value for row in rows], rejects) == ([10], [])


@pytest.mark.parametrize(
    ("stated", "release"),
    [
        ("All performance numbers were measured with SynapseAI\u00ae 1.17.0.", "1.17.0"),
        ("Model performance data, release 1.20", "1.20"),
        ("Results of software version 1.20, taken with release 1.20.1.", "1.20.1"),
        ("Results are faster than with release 1.16.", None),
        ("Results of release 1.16 and of release 1.17.", None),
        ("Results of PyTorch release 2.3.1.", None),
        ("Install release 1.17 first.", None),
        ("All results were measured with ROCm 6.2.", None),
    ],
)
def test_a_release_stated_for_all_results_is_that_of_a_row_that_states_none(stated: str, release: str | None) -> None:
    table = "<table><tr><th>Model<th>Device<th>Throughput (img/s)<tr><td>ViT<td>Gaudi 2<td>10</table>"
    rows, _ = read(f"<h1>Performance</h1><p>{stated}</p>{table}", "page.html")
    assert [row.sdk_version for row in rows] == [release]
    own = table.replace("<th>Device", "<th>SDK Version<th>Device").replace("<td>Gaudi", "<td>-<td>Gaudi")
    assert [row.sdk_version for row in read(f"<p>{stated}</p>{own}", "page.html")[0]] == [None]


def test_a_release_of_nobody_is_none_of_two_vendors() -> None:
    table = "<tr><th>Model<th>Device<th>Throughput (img/s)<tr><td>ViT<td>Gaudi 2<td>10<tr><td>ViT<td>H100<td>20"
    rows, _ = read(f"<p>Results of release 1.17.</p><table>{table}</table>", "page.html")
    assert [row.sdk_version for row in rows] == [None, None]


def test_the_caption_states_conditions_of_all_rows_that_state_none() -> None:
    caption = "Table 2: BERT-Large, Closed Division, INT8, batch size 8"
    table = "<tr><th>GPU<th>Precision<th>Throughput (seq/s)<tr><td>L4<td>FP8<td>10<tr><td>T4<td><td>5"
    rows, _ = read(f"<h2>Inference</h2><table><caption>{caption}</caption>{table}</table>", "page.html")
    found = [(row.model_printed, row.precision, row.batch_size, row.division, row.task) for row in rows]
    assert found == [("BERT-Large", "FP8", 8, "Closed", "inference"), ("BERT-Large", "INT8", 8, "Closed", "inference")]


@pytest.mark.parametrize(
    ("framework", "version", "printed", "attributes"),
    [
        ("PyTorch", "2.3.1", "PyTorch 2.3.1", None),
        ("PyTorch 2.3.1", "DeepSpeed 0.14.0", "PyTorch 2.3.1", "DeepSpeed"),
        ("PyTorch", "PyTorch 2.3.1", "PyTorch 2.3.1", None),
        ("", "Lightning 2.1.2", "Lightning 2.1.2", None),
    ],
)
def test_a_library_beside_a_framework(framework: str, version: str, printed: str, attributes: str | None) -> None:
    rows, _ = read(f"Model,GPU,Framework,Framework Version,Throughput (img/s)\nViT,L4,{framework},{version},10\n")
    assert [(row.framework_printed, row.attributes) for row in rows] == [(printed, attributes)]


@pytest.mark.parametrize(
    ("platform", "degrees", "count"),
    [
        ("MI300X", "8,1", 8),
        ("H100", "4,2", 8),
        ("8x H200", "4,1", None),
        ("DGX H100", "8,1", None),
        ("Trainium2", "8,1", None),
    ],
)
def test_a_model_is_spread_over_the_chips_of_its_degrees(platform: str, degrees: str, count: int | None) -> None:
    rows, _ = read(f"Model,GPU,TP,PP,Throughput (tokens/s)\nLlama 2 7B,{platform},{degrees},10\n")
    assert [row.accelerator_count for row in rows] == [count]


def test_one_blank_name_among_records_is_a_lost_one() -> None:
    rows, rejects = read(HEAD + "ResNet-50,H100,8,10\n,H100,16,20\nViT,H100,8,5\n")
    assert [row.value for row in rows] == [10, 5]
    assert [reject.cell.line for reject in rejects] == [3]


def test_a_mark_without_a_footnote_leaves_the_release_open() -> None:
    table = "<table><tr><th>Model<th>GPU<th>Throughput (img/s)<tr><td>ViT<td>L4<td>10*<tr><td>ViT<td>T4<td>5</table>"
    rows, _ = read(f"<p>All results are of release 1.17.</p>{table}", "page.html")
    assert [row.sdk_version for row in rows] == [None, "1.17"]


@pytest.mark.parametrize("cut", [1, 2, 5])
def test_a_flattened_pivot_with_lost_cells_is_not_read(cut: int) -> None:
    lines = ["Throughput (images/s)", "", "Model", "H100", "A100", "ViT", "30", "20", "ResNet-50", "90", "70"]
    whole, _ = read("\n".join(lines), "page.txt")
    assert [(row.model_printed, row.platform_printed, row.value) for row in whole] == [
        ("ViT", "H100", 30), ("ViT", "A100", 20), ("ResNet-50", "H100", 90), ("ResNet-50", "A100", 70),
    ]  # fmt: skip
    assert read("\n".join(lines[:-cut]), "page.txt")[0] in ([], whole[:2])


def test_words_for_quantities_in_a_column_are_no_quantities_where_headings_name_them() -> None:
    rows, rejects = read("Model,GPU,Wish,Throughput (img/s)\nViT,L4,Throughput,10\nViT,T4,Latency,5\n")
    assert [(row.metric, row.value) for row in rows] == [("throughput", 10), ("throughput", 5)]
    assert [(reject.rule, reject.cell.text) for reject in rejects] == [("unknown_heading", "Wish")]


def test_a_price_by_the_hour_may_carry_its_currency() -> None:
    rows, rejects = read("Instance,Accelerators,Price per hour\ntrn1.32xlarge,16,$21.50\n")
    assert [(row.metric, row.value, row.unit) for row in rows] == [("on_demand_hourly_price", 21.5, "USD/h")]
    assert rejects == []


@pytest.mark.parametrize(
    ("above", "cells", "metric", "values"),
    [
        ("Accuracy", ("68.9%", "68.7%"), "accuracy", [68.9, 68.7]),
        ("Llama 3 training, TFLOPS per GPU", ("610", "790"), "tflops_per_device", [610, 790]),
        ("Latency", ("3.4 ms", "0.9 s"), "latency", [3.4, 900]),
    ],
)
def test_a_heading_names_the_quantity_and_the_cells_its_unit(
    above: str, cells: tuple[str, str], metric: str, values: list[float]
) -> None:
    table = f"<table><tr><th>Model<th>FP16<th>FP8<tr><td>Llama 3 8B<td>{cells[0]}<td>{cells[1]}</table>"
    rows, rejects = read(f"<h2>{above}</h2>{table}", "page.html")
    assert [(row.metric, row.precision, row.value) for row in rows] == [
        (metric, "FP16", values[0]), (metric, "FP8", values[1]),
    ]  # fmt: skip
    assert rejects == []


def test_a_platform_in_the_title_makes_no_results_of_nobody_readable() -> None:
    page = "<p>DGX H200 benchmarks</p><h2>Throughput (tokens/s)</h2><table><tr><th>TP<th>FP16<th>FP8"
    page += "<tr><td>1<td>5<td>9"
    rows, rejects = read(f"{page}</table>", "page.html")
    assert (rows, [reject.rule for reject in rejects]) == ([], ["no_subject_column"])


def test_a_row_with_a_platform_alone_is_a_title_of_the_rows_below() -> None:
    head = "# GPT-J\n\n| Model | Batch Size | Throughput (tokens/s) |\n|---|---|---|\n"
    groups = ["| **H100** |", "| **A100** | | |", "| **Whatever** |"]
    text = head + "".join(f"{group}\n| GPT-J 6B | {n} | {n}00.5 |\n" for n, group in enumerate(groups, start=1))
    rows, rejects = read(text, "page.md")
    assert [(row.batch_size, row.platform_printed) for row in rows] == [(1, "H100"), (2, "A100"), (3, None)]
    assert [reject.cell.text for reject in rejects] == ["Whatever"]


def test_a_heading_holds_for_the_tables_below_the_captions_in_its_section() -> None:
    table = "| Batch Size | Throughput (img/s) |\n|---|---|\n| 1 | {} |\n\n"
    sections = [
        "# ResNet-50 v1.5\n\n## Training performance\n\n",
        "### Training performance: DGX A100 (8x A100 40GB)\n\n**TF32 throughput**\n\n" + table.format("909.5"),
        "**FP16 throughput**\n\n" + table.format("2375.5"),
        "### Training performance: DGX-1 (8x V100 16G)\n\n**FP16 throughput**\n\n" + table.format("804.5"),
        "## Inference performance\n\n**FP16 throughput**\n\n" + table.format("75.5"),
    ]
    rows, rejects = read("".join(sections), "README.md")
    assert [(row.value, row.task, row.platform_printed, row.precision) for row in rows] == [
        (909.5, "training", "8x A100 40GB", "TF32"),
        (2375.5, "training", "8x A100 40GB", "FP16"),
        (804.5, "training", "8x V100 16G", "FP16"),
        (75.5, "inference", None, "FP16"),
    ]
    assert rejects == []
