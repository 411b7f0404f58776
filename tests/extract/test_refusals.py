"""What a mapping refuses, each with its smallest page, and what it may not say of a number."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from makers.mapped import Reader, read, table

from pipelines.extract.accounting.ledger import account
from pipelines.extract.accounting.statuses import status_of
from pipelines.read.files import open_file

RATE = "Rate: {metric: throughput, unit: images/s}"
COLUMNS = f"columns: {{Model: model, Batch: batch_size, {RATE}}}"
MAPPING = f"tables:\n- {COLUMNS}\n"
PAGE = "# Acme\n\n## Training\n\n" + table(
    "Model | Batch | Rate", "BERT | 8 | 1,200", "ResNet | 16 | 900"
)
SHORT = f"tables:\n- columns: {{Model: model, {RATE}}}\n"


def page_of(*rows: str) -> str:
    return "# Acme\n\n" + table(*rows)


@pytest.fixture
def said(tmp_path: Path) -> Reader:
    return partial(read, tmp_path)


# Tables that are refused whole


@pytest.mark.parametrize(
    ("page", "mapping", "rule", "reason"),
    [
        (PAGE, None, "no_mapping", "`benchledger map SOURCE` drafts one. The table has 4 numbers below 'Mod"),
        (PAGE, MAPPING + f"- {COLUMNS}\n", "claimed_twice", "the mapping entries in lines 2 and 3 match this"),
        (PAGE.replace("Batch", "Size"), MAPPING, "schema_drift", "(line 2: `Batch` is now `Size`: 2 of 3 headings agree)"),
        (page_of("Model | Batch | Rate | Loss", "BERT | 8 | 7 | 1"), MAPPING,
            "schema_drift", "does not list the columns 'Loss'"),
        (PAGE, f"{MAPPING}  headings: 'on (?P<platform>DGX)'\n", "not_stated", "no text there matches"),
        (PAGE, f"{MAPPING}  below: 'Train(?P<variant>ing)'\n", "not_stated", "no text there matches"),
        (
            PAGE.replace("Model | Batch", "Model | Net").replace("| 8 |", "| ViT |"),
            f"tables:\n- columns: {{Model: model, Net: model, {RATE}}}\n",
            "stated_twice", "'Model' and 'Net' both state `model`",
        ),
        (PAGE, MAPPING.replace(", unit: images/s", ""), "no_unit", "'Rate' has no unit, and throughput is measured in"),
        (PAGE, MAPPING.replace("throughput, unit: images/s", "accuracy"), "no_unit", "accuracy is measured in %"),
        (PAGE, "tables:\n- columns: {Model: model, Batch: metric, Rate: {field: value, unit: images/s}}\n",
            "unknown_metric", "is not a metric: define it under `names` or `metrics`"),
    ],
)  # fmt: skip
def test_a_table_is_refused(
    page: str, mapping: str | None, rule: str, reason: str, said: Reader
) -> None:
    found = said(page, mapping)
    assert found.measurements == []
    # Without a mapping no section is gone.
    expected = [
        refused[:2] for refused in found.refused if not mapping or refused[0] != "section_gone"
    ]
    assert expected == [(rule, "table")]
    assert reason in found.reasons[0]
    # None of its numbers is passed over in silence.
    assert {mark.rule for mark in found.extraction.marks} == {rule}
    assert status_of(rule) == "unparsed"


def test_what_is_mapped_is_read_and_the_rest_is_refused(said: Reader) -> None:
    page = PAGE + "\n## Inference\n\n" + table("Model | Batch | Rate", "BERT | 8 | 7")
    # What is left out is not missed.
    left_out = "- {section: Setup, skip: true}\n"
    found = said(
        page,
        f"tables:\n- section: Training\n  {COLUMNS}\n- section: Serving\n  {COLUMNS}\n{left_out}",
    )
    assert found.values() == [(1200,), (900,)]
    assert [refused[:2] for refused in found.refused] == [
        ("no_mapping", "table"),
        ("section_gone", "note"),
    ]
    assert "line 4 of the mapping (section `Serving`, heading `Model`" in found.reasons[1]


# Rows that are refused


@pytest.mark.parametrize(
    ("right", "wrong", "refused", "reason"),
    [
        *(
            ("1,200", cell, ("unread_value", "row", cell), f"'{cell}' below 'Rate' is no number")
            for cell in ("see note", "N/A", "12 ms", "12 tokens/s", "1.234,5", "12k", "$3")
        ),
        (
            "| 8 |",
            "| few |",
            ("unread_condition", "row", "few"),
            "is not a valid batch_size: it should be a whole number",
        ),
        (
            "| BERT | 8 |",
            "| 8 |",
            ("row_does_not_fit", "row", "8"),
            "it has 2 cells, but the table has 3 headings",
        ),
        (
            "| 1,200 |",
            "| 1,200 | 7 |",
            ("row_does_not_fit", "row", "BERT"),
            "it has 4 cells, but the table has 3",
        ),
    ],
)
def test_a_row_is_refused(
    right: str, wrong: str, refused: tuple[str, ...], reason: str, said: Reader
) -> None:
    found = said(PAGE.replace(right, wrong), MAPPING)
    assert (found.refused, found.values()) == ([refused], [(900,)])
    assert reason in found.reasons[0]


def test_a_row_that_is_cut_in_a_file_of_separated_values(said: Reader) -> None:
    found = said("Model,Batch,Rate\nBERT,8,1200\nResNet,16\n", MAPPING, "page.csv")
    assert (found.refused, found.values()) == ([("row_does_not_fit", "row", "ResNet")], [(1200,)])


@pytest.mark.parametrize(
    ("name", "page"),
    [
        (
            "page.md",
            "| Model | Rate |\n|---|---|\n| BERT | 1,200 | |\n| ViT | 900 |\n| GPT | 7 | x |\n| | | 8 |\n",
        ),
        ("page.csv", 'Model,Rate\nBERT,"1,200",,\nViT,900\nGPT,7,x\n,,8\n'),
        (
            "page.html",
            "<table><tr><th>Model<th>Rate<tr><td>BERT<td>1,200<td><td> <tr><td>ViT<td>900"
            "<tr><td>GPT<td>7<td>x<tr><td><td><td>8</table>",
        ),
    ],
)
def test_a_surplus_blank_cell_is_no_cell(name: str, page: str, said: Reader) -> None:
    found = said(page, SHORT, name=name)
    assert found.values("model_printed") == [(1200, "BERT"), (900, "ViT")]
    assert [(rule, cell) for rule, _, cell in found.refused] == [
        ("row_does_not_fit", "GPT"),
        ("row_does_not_fit", "8"),
    ]


def test_a_surplus_cell_of_a_row_with_a_blank_cell_may_be_another(said: Reader) -> None:
    page = "| Model | Batch | Rate | Notes |\n|---|---|---|---|\n| BERT | | | 1,200 | |\n| ViT | | 900 | |\n"
    mapping = "tables: [{columns: {Model: model, Batch: batch_size, Rate: {metric: throughput, unit: images/s}}}]\n"
    found = said(page, mapping.replace("}}}]", "}, Notes: ignore}}]"))
    assert found.values("model_printed") == [(900, "ViT")]
    assert [rule for rule, *_ in found.refused] == ["row_does_not_fit"]


def test_a_value_over_several_rows_is_nobodys(said: Reader) -> None:
    page = "<h1>T</h1><table><tr><th>Model</th><th>Rate</th></tr><tr><td>BERT</td><td rowspan=2>1</td></tr>"
    page += "<tr><td>ResNet</td></tr><tr><td>ViT</td><td>3</td></tr></table>"
    found = said(f"<html><body>{page}</body></html>", SHORT, "page.html")
    assert (found.refused, found.values()) == ([("unread_value", "row", "1")] * 2, [(3,)])
    assert "'1' below 'Rate' spans several rows or columns" in found.reasons[0]


@pytest.mark.parametrize("other", ["Others", "9 others"])
def test_a_title_ends_at_the_next_one_that_cannot_be_read(other: str, said: Reader) -> None:
    page = page_of("Model | Rate", "FP16 runs | ", "BERT | 1", f"{other} | ", "ResNet | 2")
    found = said(page, SHORT.replace("- ", "- titles: '(?P<precision>\\S+) runs'\n  "))
    assert found.values("model_printed", "precision") == [(1, "BERT", "FP16")]
    assert ("unread_condition", "row", "ResNet") in found.refused


def test_nothing_is_filled_down_over_a_refused_row(said: Reader) -> None:
    page = page_of("Model | Batch | Rate", "BERT | 8 | 1", "ResNet | 3", " | 16 | 2", "ViT | 8 | 4")
    found = said(page, MAPPING.replace("- ", "- fill_down: model\n  "))
    assert found.values("model_printed") == [(1, "BERT"), (4, "ViT")]


@pytest.mark.parametrize("unit", ["thousands", "All numbers in thousands:"])
def test_rows_below_a_title_that_nothing_explains_are_refused(unit: str, said: Reader) -> None:
    page = page_of("Model | Rate", "BERT | 1", f"{unit} | ", "ViT | 2", "ResNet | 3")
    found = said(page, SHORT)
    assert found.values("model_printed") == [(1, "BERT")]
    assert found.refused == [
        ("unread_title", "row", unit), ("unread_condition", "row", "ViT"), ("unread_condition", "row", "ResNet"),
    ]  # fmt: skip
    assert f"it is below {unit!r}, which no `titles` explains" in found.reasons[1]


def test_a_number_alone_in_its_row_is_no_title(said: Reader) -> None:
    found = said(page_of("Model | Rate", "BERT | 1", " | 2", "ViT | 3"), SHORT)
    assert found.values("model_printed") == [(1, "BERT"), (3, "ViT")]
    assert "no cell states its `model`" in found.reasons[0]


# What the text above a table does not say of it

BOARD = "# Board\n\n## Jetson\n\nCPU:\n\n" + table("Model | Rate", "YuNet | 5")
GPU = "\nGPU (CUDA) :\n\n" + table("Model | Rate", "SFace | 24")


@pytest.mark.parametrize("between", ["", "## Orin\n\n", "### Two\n\nSome words.\n\n"])
def test_the_text_above_an_earlier_table_is_not_about_this_one(between: str, said: Reader) -> None:
    mapping = f"tables:\n- headings: '^(?P<processor>CPU):'\n  columns: {{Model: model, {RATE}}}\n"
    found = said(BOARD + f"\n{between}" + GPU, mapping)
    assert found.values("model_printed") == [(5, "YuNet")]
    assert [refused[:2] for refused in found.refused] == [("not_stated", "table")]
    far = said(
        BOARD + GPU,
        mapping.replace("'^(?P<processor>CPU):'", "[{pattern: '^(?P<processor>CPU):', far: true}]"),
    )
    assert [far.conditions(n)["processor"] for n in range(2)] == ["CPU", "CPU"]
    assert (
        "above an earlier table, line 5 does: `far: true` uses it"
        in said(BOARD + GPU, mapping).reasons[0]
    )


def test_a_pattern_of_headings_alone_takes_no_sentence(said: Reader) -> None:
    page = "# Board\n\n## RK3588\n\nCompiler: gcc 13 (Debian)\n\n" + table(
        "Model | Rate", "YuNet | 5"
    )
    mapping = f"tables:\n- headings: '^(?P<platform>.+)$'\n  columns: {{Model: model, {RATE}}}\n"
    assert said(page, mapping).conditions()["platform"] == "Compiler: gcc 13 (Debian)"
    only = mapping.replace("'^(?P<platform>.+)$'", "{pattern: '^(?P<platform>.+)$', only: heading}")
    assert said(page, only).conditions()["platform"] == "RK3588"


def test_the_text_below_a_heading_over_the_first_table_is_about_it(said: Reader) -> None:
    page = "# Board\n\nMeasured on 8 X1 chips.\n\n## CPU\n\n" + table("Model | Rate", "YuNet | 5")
    mapping = f"tables:\n- headings: 'on (?P<accelerator_count>\\d+)'\n  columns: {{Model: model, {RATE}}}\n"
    assert said(page, mapping).conditions()["accelerator_count"] == "8"
    assert (
        said(page + "\n## GPU\n\n" + table("Model | Rate", "ViT | 6"), mapping).refused[0][0]
        == "not_stated"
    )


@pytest.mark.parametrize("place", ["headings", "below"])
def test_two_values_in_one_text_are_refused(place: str, said: Reader) -> None:
    mapping = (
        f"tables:\n- {place}: '(?P<platform>A100|H100)'\n  columns: {{Model: model, {RATE}}}\n"
    )
    rows = table("Model | Rate", "YuNet | 5")
    for words, rule in (("A100 and H100", "stated_twice"), ("The A100, an A100", None)):
        found = said(f"# Board\n\n{words}\n\n{rows}\n{words}\n", mapping)
        assert [refused[0] for refused in found.refused] == ([rule] if rule else [])
    assert (
        "matches 'A100' and 'H100' in"
        in said(f"# A100, H100\n\n{rows}\nA100, H100\n", mapping).reasons[0]
    )


@pytest.mark.parametrize(
    ("lower", "more", "is_read"),
    [
        ("H100", "", False), ("Batch size 64", "", False), ("Llama 3.1 70B", "", False), ("With TensorRT", "", False),
        ("Training on H100", "", False), ("Training on the A100", "", True), ("Throughput", "", True),
        ("3.1. Throughput", "", True), ("Batch size 64", "'size (?P<batch_size>\\d+)'", True),
        ("Version 2 of 3", "'^Version 2 of 3$'", True), ("Training of Llama 3.1 70B", "'Training of'", True),
    ],
)  # fmt: skip
def test_a_lower_heading_is_explained(lower: str, more: str, is_read: bool, said: Reader) -> None:
    page = f"# Board\n\n## On the A100\n\n### {lower}\n\n" + table("Net | Rate", "YuNet | 5")
    patterns = (
        f"'On the (?P<platform>[AH]100)', '(Training|{lower})'"
        if "Training on" in lower
        else "'(?P<platform>A100)'"
    )
    mapping = f"tables:\n- headings: [{', '.join(filter(None, (patterns, more)))}]\n"
    found = said(page, f"{mapping}  columns: {{Net: model, {RATE}}}\n")
    assert [refused[0] for refused in found.refused] == ([] if is_read else ["unread_heading"])


@pytest.mark.parametrize(
    ("above", "constant", "is_read"),
    [
        ("# A100\n\nB200:", "", False), ("# A100\n\nOf the A100:", "", True), ("# A100\n\nThe B200 is.", "", True),
        ("# A100 against B200", "platform: A100", True), ("# A100 and B200\n\n## B200", "platform: A100", False),
        ("# A100\n\n## DGX A100", "", True), ("# A100", "platform: A100", True), ("# B200", "platform: A100", False),
        ("# NVIDIA A100-SXM4-80GB", "platform: A100", True), ("# B200", "platform: '{_x}', _x: A100", True),
        ("# B200", "platform: '!A100'", True),
    ],
)  # fmt: skip
def test_a_text_above_does_not_contradict_what_is_stated(
    above: str, constant: str, is_read: bool, said: Reader
) -> None:
    stated = f"constants: {{{constant}}}" if constant else "headings: '(?P<platform>A100)'"
    mapping = f"tables:\n- {stated}\n  columns: {{Net: model, {RATE}}}\n"
    found = said(f"{above}\n\n{table('Net | Rate', 'YuNet | 5')}\nOn the A100.\n", mapping)
    assert [refused[0] for refused in found.refused] == ([] if is_read else ["unread_heading"])


# Numbers that nothing tells apart


@pytest.mark.parametrize(
    ("page", "mapping", "told"),
    [
        (PAGE + "\n## Training with XLA\n\n" + table("Model | Batch | Rate", "BERT | 8 | 1,500"), MAPPING,
            "above: 'Training' or 'Training with XLA'"),
        ("# Acme\n\n## All\n\nFirst run\n\n" + table("Model | Rate", "BERT | 100") + "\nSecond run\n\n"
            + table("Model | Rate", "BERT | 200"), SHORT, "above: 'First run' or 'Second run'"),
        (page_of("Model | Memory | Rate", "BERT | 16GB | 100", "BERT | 32GB | 200", "ViT | 16GB | 7"),
            SHORT.replace("Model: model", "Model: model, Memory: ignore"), "an ignored column: '16GB' or '32GB'"),
        (page_of("Model | Memory | Rate", "BERT | 16GB | 100", "BERT | 32GB | 200", "ViT | 16GB | 7"),
            SHORT + "  others: ignore\n", "an ignored column: '16GB' or '32GB'"),
        (page_of("Model | Rate | Peak", "BERT | 100 | 200"),
            SHORT.replace(RATE, f"{RATE}, {RATE.replace('Rate', 'Peak')}"), "the headings 'Rate' and 'Peak'"),
    ],
)  # fmt: skip
def test_what_the_mapping_leaves_out_is_named(
    page: str, mapping: str, told: str, said: Reader
) -> None:
    found = said(page, mapping)
    assert found.measurements == []
    assert {refused[:2] for refused in found.refused} == {("ambiguous", "table")}
    assert all(
        f"the mapping leaves out what tells them apart ({told})" in reason
        for reason in found.reasons
    )
    assert "have the same conditions, such as '" in found.reasons[0]


def test_what_a_page_contradicts_itself_in_is_refused_alone(said: Reader) -> None:
    found = said(page_of("Model | Rate", "BERT | 100", "BERT | 200", "ResNet | 300"), SHORT)
    assert found.values("model_printed") == [(300, "ResNet")]
    assert found.refused == [("ambiguous", "row", "100"), ("ambiguous", "row", "200")]
    assert (
        "'100' in line 5 and '200' in line 6 have the same conditions, and no printed text distinguishes"
        in found.reasons[0]
    )
    # The same number printed again contradicts nothing.
    assert said(page_of("Model | Rate", "BERT | 100", "BERT | 100"), SHORT).refused == []


def test_titles_that_the_mapping_leaves_out_are_named(said: Reader) -> None:
    page = page_of("Model | Rate", "**FP16** |", "BERT | 1", "**INT8** |", "BERT | 2")
    mapping = SHORT.replace("- ", "- titles: ignore\n  ")
    assert any("FP16" in reason and "INT8" in reason for reason in said(page, mapping).reasons)


# What a mapping says has to be printed


@pytest.mark.parametrize(
    ("words", "constant", "is_printed"),
    [
        ("on the A100", "platform: A100", True), ("on the NVIDIA A100-SXM4-80GB", "platform: A100", True),
        ("on 4xA100", "platform: A100", True), ("on 8×A100", "platform: A100", True),
        ("on an xA100", "platform: A100", False),
        ("on an A1000", "platform: A100", False), ("", "platform: A100", False), ("", "platform: '!A100'", True),
        ("在A100上使用PyTorch测试", "platform: A100", True), ("在A100上使用PyTorch测试", "framework: pytorch", True),
        ("with PyTorch 2.1", "sdk_version: '2.1'", True), ("with PyTorch 2.1.3", "sdk_version: '2.1'", False),
        ("with PyTorch 2.1", "framework_version: '2.1'", True), ("on v2.2", "framework_version: v2.1", False),
        ("with PyTorch 12.1", "sdk_version: '2.1'", False), ("SQuAD v1.1", "dataset: SQuAD v1.1", True),
        ("", "dataset: ImageNet", False), ("ResNet 50 v1.5", "variant: anything", True), ("", "model: BERT", False),
        ("", "where: {task: training}, model: BERT", False),
    ],
)  # fmt: skip
def test_a_constant_is_printed_or_marked(
    words: str, constant: str, is_printed: bool, said: Reader
) -> None:
    page = f"# Acme\n\n{words}\n\n" + table("Net | Rate", "net | 1")
    for columns in (
        f"constants: {{{constant}}}\n  columns: {{Net: ignore, {RATE}}}",
        f"columns: {{Net: {{match: '(?P<_x>.*)', {constant}}}, {RATE}}}",
        f"columns: {{Net: ignore, {RATE[:-1]}, {constant}}}}}",
    ):
        found = said(page, f"tables:\n- {columns}\n")
        assert [refused[0] for refused in found.refused] == ([] if is_printed else ["not_printed"])
        assert len(found.measurements) == is_printed
    if not is_printed:
        assert "which the document does not print; write `'!" in found.reasons[0]


@pytest.mark.parametrize(
    ("constant", "printed", "others"),
    [
        ("batch_size: 8",
            "batch size 8; BS8; bs=8; Batch: 8; batch sizes 1, 8 and 64 on it; batch size 1/8; a batch of 8; batch-8",
            "; batch size 64; batch size 64, 8 GPUs; 8x H100; 8 ms, batch size 1; BS16 and 8 threads; 8.5 runs; INT8"),
        ("input_length: 1024", "ISL 1K; 1k input tokens; input length 1,024; ISL/OSL: 1024/128",
            "input length 2000; 1024 output tokens; 11024 input tokens"),
        ("requests: 1000", "1k requests; 1,000 requests; 1000 prompts", "100 requests; 1000 ms; 1000.5 prompts"),
        ("cuda: '12.4'", "CUDA 12.4; CUDA version 12.4,; cuda-12.4", "CUDA 12.4.1; CUDA 11, X 12.4; 12.4 s"),
        ("cuda: CUDA 12.4", "CUDA: 12.4", "CUDA 11.2"), ("cuda_version: v12.4", "CUDA 12.4", "CUDA v12.40"),
        ("accelerator_count: 8", "8x NVIDIA A100 80GB; H100 x8; on 8 H100s; 8-GPU; # GPUs: 8", "4x H100, 8 x; batch 8"),
        ("accelerator_count: 1", "1x H100; 1 GPU", "8 GPUs, 1 run"),
        ("threads: 4", "4 threads; 4-thread; Threads=4; TP4, 4 threads", "8 threads, 4 runs; 4 GPUs"),
        ("memory_size: 80GB", "80 GB; an 80GB card", "40GB; 180GB"), ("weights: INT4", "int4 weights", "INT8"),
        ("suite: MLPerf Inference v4.1", "MLPerf Inference v4.1;", "MLPerf Inference v5.0"),
        ("tensor_parallel: 8", "TP8; TP=8; Tensor parallel: 8", "TP 4 on 8 GPUs"), ("precision: FP16", ";", ""),
    ],
)  # fmt: skip
def test_a_number_is_printed_for_its_condition(
    constant: str, printed: str, others: str, said: Reader
) -> None:
    mapping = f"tables:\n- constants: {{{constant}}}\n  columns: {{Model: model, {RATE}}}\n"
    rows = table("Model | Rate", "net | 8", "vit | 1000")
    for words in printed.split("; "):
        assert said(f"# Acme\n\n{words}\n\n{rows}", mapping).refused == [], words
    for words in others.split("; ") if others else ():
        found = said(f"# Acme\n\n{words}\n\n{rows}", mapping)
        assert [refused[:2] for refused in found.refused] == [("not_printed", "table")], words
    value = constant.split(": ")[1]
    marked = mapping.replace(f"{value}}}", f"'!{value.strip(chr(39))}'}}", 1)
    assert said(f"# Acme\n\n{rows}", marked).refused == []


@pytest.mark.parametrize(
    ("constant", "refused"),
    [
        ("batch_size: 8", 0), ("batch_size: 4", 1), ("cuda: 12.4", 0), ("cuda: 12.1", 1), ("input_length: 512", 0),
        ("input_length: 8", 1), ("nodes: 64", 1), ("concurrency: 77", 1), ("accelerator_count: '{_n} * 8'", 0),
        ("accelerator_count: '{_n} * 4'", 1), ("accelerator_count: '!{_n} * 4'", 0), ("where: {_n: 5}, nodes: 3", 1),
    ],
)  # fmt: skip
def test_a_number_is_printed_in_a_table_of_settings(
    constant: str, refused: int, said: Reader
) -> None:
    settings = table("Setting | Value", "Batch size | 8", "CUDA | 12.4", "Prompt tokens | 512")
    page = f"# T\n\n## Setup\n\nWith 8 each.\n\n{settings}\n## Run\n\n" + table(
        "N | Rate", "5 | 77"
    )
    entry = f"{{section: Run, constants: {{{constant}}}, columns: {{N: _n, {RATE}}}}}"
    found = said(page, f"tables:\n- {entry}\n- {{section: Setup, skip: true}}\n")
    assert [rule for rule, *_ in found.refused] == ["not_printed"] * refused


def test_a_number_under_names_is_printed(said: Reader) -> None:
    mapping = (
        f"tables:\n- names: {{batch_size: {{small: 8}}}}\n  columns: {{B: batch_size, {RATE}}}\n"
    )
    page = page_of("B | Rate", "small | 1")
    assert [rule for rule, *_ in said(page, mapping).refused] == ["not_printed"]
    assert said(page + "\nsmall: batch size 8\n", mapping).values("batch_size") == [(1, 8)]


def test_a_name_that_is_given_is_printed_or_marked(said: Reader) -> None:
    mapping = f"tables:\n- names: {{platform: {{SE5: Sophgo SE5-16}}}}\n  columns: {{Chip: platform, {RATE}}}\n"
    page = page_of("Chip | Rate", "SE5 | 1")
    assert [refused[0] for refused in said(page, mapping).refused] == ["not_printed"]
    assert said(page + "\nAll chips are Sophgo SE5-16.\n", mapping).values("platform_printed") == [
        (1, "Sophgo SE5-16")
    ]
    assert said(page, mapping.replace("Sophgo", "!Sophgo")).values("platform_printed") == [
        (1, "Sophgo SE5-16")
    ]


# The unit that a mapping says is compared with those printed around its numbers


def in_unit(
    metric: str, unit: str, heading: str = "X", above: str = "", below: str = ""
) -> tuple[str, str]:
    page = f"{above}\n\n" + table(f"Model | {heading}", "BERT | 0.5", "ViT | 0.7") + f"\n{below}\n"
    return (
        page,
        f"tables:\n- columns: {{Model: model, '{heading}': {{metric: {metric}, unit: '{unit}'}}}}\n",
    )


@pytest.mark.parametrize(
    ("metric", "unit", "heading"),
    [
        *(
            ("latency", "s", heading)
            for heading in (
                "Latency (ms)", "Latency, us", "Latency [msec]", "latency_ms", "Latency (avg, ms)", "P99 ms",
                "Time (h)", "Mean latency in milliseconds", "Latency (ms/token)", "Latency (ms, lower is better)",
                "Latency/ms",
            )
        ),
        ("latency", "ms", "Time(s)"), ("latency", "ms", "seconds per step"), ("latency", "ms", "Latency, \u00b5s"),
        *(
            ("throughput", "images/s", heading)
            for heading in (
                "Throughput (K images/s)", "1000 images/s", "Throughput (1e3 images/s)", "Throughput (x1,000 img/s)",
                "Throughput (thousands)", "Throughput (images/s, in thousands)", "Throughput (k)", "images/min",
                "Throughput (tokens/s)", "Throughput (images/s/GPU)",
            )
        ),
        ("memory", "MB", "GPU memory (GB)"), ("memory", "GB", "Memory [GiB]"), ("power", "W", "Power (kW)"),
        ("accuracy", "fraction", "Top-1 (%)"), ("energy_consumption", "J", "Energy (J/token)"),
    ],
)  # fmt: skip
def test_another_unit_in_the_heading_refuses_the_table(
    metric: str, unit: str, heading: str, said: Reader
) -> None:
    found = said(*in_unit(metric, unit, heading))
    assert [refused[:2] for refused in found.refused] == [("unit_differs", "table")]
    assert f"and the mapping says {unit!r}; `unit: '!{unit}'` states it anyway" in found.reasons[0]
    assert len(said(*in_unit(metric, f"!{unit}", heading)).measurements) == 2


@pytest.mark.parametrize(
    ("metric", "unit", "heading"),
    [
        ("latency", "s", "Latency, sec"), ("latency", "s", "Time(s)"), ("latency", "s", "s per step"),
        ("latency", "s", "99% Latency"), ("latency", "s", "Latency within a 200 ms SLA"), ("latency", "ms", "X"),
        ("throughput", "images/s", "Throughput [img / sec]"), ("throughput", "output tokens/s", "tokens/s"),
        ("throughput", "images/s", "FPS"), ("throughput", "frames/s", "images/s"),
        ("throughput", "thousand images/s", "Throughput (K images/s)"),
        ("throughput_per_device", "tokens/s", "Tokens/s/GPU"), ("memory", "GB", "Memory, GB"), ("accuracy", "%", "%"),
        ("cost_per_million_tokens", "USD", "$ / 1M tokens"), ("power", "W", "Power at 300 kW (W)"),
    ],
)  # fmt: skip
def test_the_same_unit_in_another_spelling(
    metric: str, unit: str, heading: str, said: Reader
) -> None:
    assert said(*in_unit(metric, unit, heading)).refused == []


def test_min_above_minima_is_no_minutes(said: Reader) -> None:
    columns = "Model: model, '/(?P<statistic>Mean|Min)/': {metric: ttft, unit: s}, TPOT (min): {metric: tpot, unit: s}"
    found = said(
        page_of("Model | Mean | Min | TPOT (min)", "A | 0.25 | 0.18 | 4"),
        f"tables:\n- columns: {{{columns}}}\n",
    )
    assert [refused[:2] for refused in found.refused] == [("unit_differs", "table")]
    assert "'TPOT (min)' prints 'min'" in found.reasons[0]
    found = said(
        page_of("Model | Mean | Min", "A | 0.25 | 0.18"),
        f"tables:\n- columns: {{{columns}}}\n".split(", TPOT")[0] + "}\n",
    )
    assert sorted(found.values("statistic")) == [(180, "min"), (250, "mean")]


@pytest.mark.parametrize(
    ("above", "below", "is_read"),
    [
        ("# Acme\n\n## Time to First Token (milliseconds)", "", False), ("# Acme (ms)\n\n## All", "", False),
        ("# Acme\n\nAll times are in milliseconds.\n\n## All", "", False), ("# Acme\n\nUnit: ms", "", False),
        ("# Acme", "Latencies in ms.", False), ("# Acme", "Latency in ms:\n\n" + table("GPU | Y", "A | 1"), True),
        ("# Acme (ms)\n\nIn seconds:", "", True), ("# Acme\n\nBatch 8, 300 W, (d) on 2 GPU(s)", "", True),
        ("# Acme\n\nWithin 200 ms, for 10 minutes, in thousands of runs", "", True), ("# Acme", "contact us", True),
    ],
)  # fmt: skip
def test_a_unit_in_the_texts_around_the_table(
    above: str, below: str, is_read: bool, said: Reader
) -> None:
    found = said(*in_unit("latency", "s", above=above, below=below))
    assert [refused[0] for refused in found.refused if refused[0] == "unit_differs"] == [] + [
        "unit_differs"
    ] * (not is_read)
    assert len(found.measurements) == 2 * is_read
    # A heading with its own unit needs no other.
    assert len(said(*in_unit("latency", "s", "X (s)", above=above, below=below)).measurements) == 2


def test_another_unit_in_a_row_refuses_the_row(said: Reader) -> None:
    columns = "Model: model, Unit: ignore, X: {metric: latency, unit: s}"
    mapping = f"tables:\n- titles: ignore\n  columns: {{{columns}}}\n"
    rows = [
        "A | s | 1",
        "B | ms | 2",
        "C | sec | 3 ms",
        "INT8 (ms) | | ",
        "D | | 4",
        "FP16 (s) | | ",
        "E | | 5",
    ]
    found = said(page_of("Model | Unit | X", *rows), mapping)
    assert sorted(found.values("model_printed")) == [(3, "C"), (1000, "A"), (5000, "E")]
    assert [refused[::2] for refused in found.refused] == [
        ("unit_differs", "ms"),
        ("unit_differs", "INT8 (ms)"),
    ]
    metrics = "Metric: {match: '(?P<metric>\\w+).*'}, X: {field: value, unit: s}"
    found = said(
        page_of("Metric | X", "Latency (ms) | 3", "TTFT, s | 4"),
        f"tables:\n- columns: {{{metrics}}}\n",
    )
    assert found.values("metric") == [(4000, "ttft")]


# What a quality and a speed do not lend each other

LENT = (
    "platform: A100, framework: PyTorch 2.1, precision: FP16, batch_size: '!8', sdk_version: '2.1'"
)
OF_MACHINE = {"platform", "framework", "precision", "batch_size", "sdk_version"}
BOTH = "# Acme on A100 with PyTorch 2.1\n\n" + table("Model | Rate | Acc", "BERT | 100 | 88.5")
OF_BOTH = (
    f"tables:\n- constants: {{{LENT}}}\n  columns: {{Model: model, {RATE}, Acc: {{metric: f1}}}}\n"
)


def test_a_quality_does_not_run_on_the_machine_of_the_speed_test(said: Reader) -> None:
    found = said(BOTH, OF_BOTH)
    assert found.conditions(0).keys() >= OF_MACHINE
    assert found.conditions(1).keys() == {"model"}
    heading = OF_BOTH.replace("platform: A100, ", "").replace(
        "- ", "- headings: 'on (?P<platform>\\S+)'\n  "
    )
    found = said(BOTH, heading)
    assert found.conditions(0)["platform"] == "A100"
    assert found.conditions(1).keys() == {"model"}


def test_a_quality_takes_what_its_spec_and_its_own_row_say(said: Reader) -> None:
    asked = OF_BOTH.replace("f1}", "f1, from_entry: [platform, precision], epochs: '!90'}")
    assert said(BOTH, asked).conditions(1).keys() == {"model", "platform", "precision", "epochs"}
    own = OF_BOTH.replace("platform: A100, ", "").replace(
        "Model: model", "Model: model, GPU: platform"
    )
    page = (
        BOTH.replace("Rate |", "GPU | Rate |")
        .replace("BERT |", "BERT | A100 |")
        .replace("---|", "---|---|", 1)
    )
    assert said(page, own).conditions(1).keys() == {"model", "platform"}
    titled = table("Model | Rate | Acc", "FP16 | | ", "BERT | 100 | 88.5")
    found = said(
        f"# Acme\n\n{titled}", OF_BOTH.replace(f"constants: {{{LENT}}}", "titles: precision")
    )
    assert found.conditions(1).keys() == {"model", "precision"}


def test_the_data_set_of_a_quality_is_not_lent_to_a_speed(said: Reader) -> None:
    mapping = OF_BOTH.replace(LENT, "dataset: '!SQuAD'")
    found = said(BOTH, mapping)
    assert ("dataset" in found.conditions(0), found.conditions(1)["dataset"]) == (False, "SQuAD")
    alone = f"tables:\n- constants: {{dataset: '!SQuAD'}}\n  columns: {{Model: model, {RATE}}}\n  others: ignore\n"
    assert said(BOTH, alone).conditions(0)["dataset"] == "SQuAD"


# Numbers


@pytest.mark.parametrize(
    ("cell", "value", "bound"),
    [
        ("1.5", 90, "eq"), ("2 min", 120, "eq"), ("45 ms", 0.045, "eq"), ("0.5 s", 0.5, "eq"), ("1h 2m", 3720, "eq"),
        ("~12.3", 738, "approx"), ("≈ 7", 420, "approx"), (">60", 3600, "gt"), ("<= 3", 180, "lt"),
        ("1,234.5", 74070, "eq"),
        # Millions, or a digit that was misread; another quantity; a share
        ("12M", None, ""), ("12 img/s", None, ""), ("12.3%", None, ""), ("1 234", None, ""), ("5**", None, ""),
    ],
)  # fmt: skip
def test_a_time_in_its_unit_or_another_one(
    cell: str, value: float | None, bound: str, said: Reader
) -> None:
    mapping = "tables:\n- columns: {Model: model, T (min): {metric: time_to_train, unit: min}}\n"
    found = said(page_of("Model | T (min)", f"BERT | {cell}"), mapping)
    assert found.values("bound", "unit") == ([(value, bound, "s")] if value else [])
    assert [refused[0] for refused in found.refused] == ([] if value else ["unread_value"])


def test_a_number_without_a_digit_before_its_point(said: Reader) -> None:
    mapping = "tables:\n- columns: {Model: model, Loss: {match: '(?P<value>.*) Loss', metric: training_loss}}\n"
    assert said(page_of("Model | Loss", "BERT | .55 Loss"), mapping).values() == [(0.55,)]


def test_a_memory_and_a_rate_in_other_units_of_their_kind(said: Reader) -> None:
    mapping = (
        f"tables:\n- columns: {{Model: model, Memory: {{metric: memory, unit: GB}}, {RATE}}}\n"
    )
    page = page_of(
        "Model | Memory | Rate",
        "BERT | 2 GiB | 5 k images/s",
        "ViT | 512 MiB | 6 img/sec",
        "X | 3 | 7",
    )
    assert said(page, mapping).values("unit", "unit_printed") == [
        (2.147483648, "GB", "GiB"), (0.536870912, "GB", "MiB"), (3, "GB", "GB"),
        (5000, "items/s", "k images/s"), (6, "items/s", "img/sec"), (7, "items/s", "images/s"),
    ]  # fmt: skip


def test_a_cell_whose_condition_cannot_be_read_costs_its_row_alone(said: Reader) -> None:
    cell = "{match: '(?P<value>.*) at (?P<batch_size>.*)', metric: throughput, unit: images/s}"
    page = page_of("Model | Rate", "BERT | 7 at 16", "ViT | 8 at most", "T5 | 9 at 32")
    found = said(page, f"tables:\n- columns: {{Model: model, Rate: {cell}}}\n")
    assert found.values("batch_size") == [(7, 16), (9, 32)]
    assert found.refused == [("unread_condition", "row", "8 at most")]


# Models and platforms

LLAMA = table("Model | Size | 4090", "Llama2 | 7B | 181", "| 13B | 110", "Qwen | 4B | 300")
FAMILY = """constants: {task: inference, model: '{_family} {_size}', platform: '!GeForce RTX 4090'}
tables:
- columns: {Model: _family, Size: _size, '4090': {metric: throughput, unit: tokens/s}}
"""


def test_a_template_with_an_empty_part_names_no_model(said: Reader) -> None:
    found = said(f"# Acme\n\n{LLAMA}", FAMILY)
    assert found.values("model_printed") == [(181, "Llama2 7B"), (300, "Qwen 4B")]
    assert found.refused == [("no_subject", "row", "13B")]
    assert "`fill_down: _family` copies it from the row above" in found.reasons[0]
    found = said(f"# Acme\n\n{LLAMA}", FAMILY + "  fill_down: _family\n")
    assert found.values("model_printed") == [
        (181, "Llama2 7B"),
        (110, "Llama2 13B"),
        (300, "Qwen 4B"),
    ]


@pytest.mark.parametrize(
    ("constants", "columns", "refused"),
    [
        ("{task: inference}", RATE, ["no_subject", "no_subject"]),
        ("{task: inference, platform: '!unnamed'}", RATE, []),
        ("{task: inference}", "Rate: {metric: accuracy, unit: '%'}", []),
        ("{task: inference}", "Rate: {metric: memory, unit: GB}", []),
        ("{task: inference}", "Rate: {metric: price, unit: USD}", []),
    ],
)
def test_a_performance_needs_a_platform(
    said: Reader, constants: str, columns: str, refused: list[str]
) -> None:
    mapping = f"constants: {constants}\ntables:\n- columns: {{Model: model, {columns}}}\n"
    found = said(table("Model | Rate", "BERT | 12", "ViT | 9"), mapping, adds_subjects=False)
    assert [rule for rule, *_ in found.refused] == refused
    assert all("platform" not in found.conditions(n) for n, _ in enumerate(found.measurements))


def test_a_quality_needs_its_model_and_costs_itself_alone(said: Reader) -> None:
    page = table(
        "Model | Chip | Top-1 | Rate", "BERT | A100 | 76 | 12", "| A100 | 71 | 9", "ViT | | 80 | 4"
    )
    columns = f"{{Model: model, Chip: platform, Top-1: {{metric: accuracy, unit: '%'}}, {RATE}}}"
    found = said(page, f"constants: {{model: '!unnamed'}}\ntables:\n- columns: {columns}\n")
    assert [value for (value,) in found.values()] == [76, 71, 12, 9]
    assert found.refused == [("no_subject", "row", "ViT")]


@pytest.mark.parametrize(
    ("rows", "advised"),
    [
        # A blank cell below a filled one, with nothing before it: the page leaves out what it
        # repeats.
        (("A100 | CPU 1 | BERT | 1", "| CPU 2 | BERT | 2", "H100 | CPU 3 | BERT | 3"), True),
        # The page repeats the accelerator where there is one: a system without it has none.
        (("A100 | CPU 1 | BERT | 1", "A100 | CPU 2 | ViT | 2", "| CPU 3 | BERT | 3"), False),
        (("| CPU 1 | BERT | 1", "A100 | CPU 2 | BERT | 2"), False),
    ],
)
def test_fill_down_is_advised_where_a_page_leaves_out_what_it_repeats(
    said: Reader, rows: tuple[str, ...], advised: bool
) -> None:
    for order in (("Accelerator", "Host"), ("Host", "Accelerator")):
        at = order.index("Accelerator")
        turned = (
            rows
            if at == 0
            else ["{1} | {0} | {2} | {3}".format(*map(str.strip, row.split("|"))) for row in rows]
        )
        mapping = f"tables:\n- columns: {{Accelerator: platform, Host: host_processor, Model: model, {RATE}}}\n"
        found = said(table(" | ".join((*order, "Model", "Rate")), *turned), mapping)
        assert [rule for rule, *_ in found.refused] == ["no_subject"]
        # Behind a filled cell a blank one begins another group.
        assert ("fill_down" in found.reasons[0]) == (advised and at == 0)


# Rows of sums, and lost columns

SUMS = f"constants: {{task: inference, platform: '!A100'}}\ntables:\n- columns: {{Model: model, {RATE}}}\n"


@pytest.mark.parametrize(
    "word", ["Average", "Geomean", "**Geo. Mean**", "Total (12 models)", "Mean of all networks"]
)
def test_a_row_of_sums_is_asked_for(said: Reader, word: str) -> None:
    page = table("Model | Rate", "BERT | 12", f"{word} | 11", "Mean Teacher | 9")
    found = said(page, SUMS)
    assert found.values("model_printed") == [(12, "BERT"), (9, "Mean Teacher")]
    assert [rule for rule, *_ in found.refused] == ["unread_condition"]
    assert "is the word of a sum or a mean, no model: `skip_rows: [" in found.reasons[0]
    bare = word.replace("*", "")
    found = said(page, SUMS + f"  skip_rows: ['{bare}']\n")
    assert (found.values("model_printed"), found.refused) == (
        [(12, "BERT"), (9, "Mean Teacher")],
        [],
    )
    found = said(page, SUMS + f"  names: {{model: {{'{bare}': '!{bare}'}}}}\n")
    assert found.values("model_printed") == [(12, "BERT"), (11, bare), (9, "Mean Teacher")]


def test_a_sum_is_no_part_of_a_template_and_no_platform_of_a_heading(said: Reader) -> None:
    columns = f"{{Model: _name, {RATE}, A: ignore}}"
    mapping = (
        f"constants: {{model: '{{_name}}', platform: '!A100'}}\ntables:\n- columns: {columns}\n"
    )
    found = said(table("Model | Rate | A", "BERT | 12 | 1", "Total | 12 | 1"), mapping)
    assert (found.values("model_printed"), len(found.refused)) == ([(12, "BERT")], 1)
    columns = r"{Model: model, '/(?P<platform>\w+) fps/': {metric: throughput, unit: frames/s}}"
    found = said(
        table("Model | A100 fps | Average fps", "BERT | 12 | 11"),
        f"tables:\n- columns: {columns}\n",
    )
    assert found.refused == [("unread_condition", "table", "Model")]


def test_skipped_rows_are_found_by_any_condition_and_never_by_a_number(said: Reader) -> None:
    mapping = (
        SUMS.replace("Model: model", "Set: variant, Model: model") + "  skip_rows: [/^Sum/, '12']\n"
    )
    found = said(
        table("Set | Model | Rate", "A | BERT | 12", "Sum of A | | 12", "A | Sum | 3"), mapping
    )
    assert (found.values("model_printed"), found.refused) == ([(12, "BERT")], [])


LOST = """constants: {task: inference, platform: '!A100'}
tables:
- columns:
    Model: model
    Batch: batch_size
    Rate: {metric: throughput, unit: images/s}
    Top-1: {metric: accuracy, unit: '%'}
"""


@pytest.mark.parametrize(
    ("headings", "rule", "values"),
    [
        ("Model | Batch | Rate | Top-1", None, [900, 76]),
        ("Model | Batch | Rate", "column_gone", [900]),
        ("Model | Batch | Top-1", "column_gone", [76]),
        # A lost condition, a new column or a renamed one may change what the others mean.
        ("Model | Rate | Top-1", "schema_drift", []),
        ("Model | Batch | Rate | Links", "schema_drift", []),
        ("Model | Batch | Rate | Top-5", "schema_drift", []),
        ("Model | Batch", "schema_drift", []),
    ],
)
def test_a_lost_measured_column_costs_its_own_numbers(
    said: Reader, headings: str, rule: str | None, values: list[float]
) -> None:
    cells = {
        "Model": "ViT",
        "Batch": "8",
        "Rate": "900",
        "Top-1": "76",
        "Top-5": "93",
        "Links": "7",
    }
    found = said(table(headings, " | ".join(cells[name] for name in headings.split(" | "))), LOST)
    assert [value for (value,) in found.values()] == values
    assert [one[:2] for one in found.refused if one[0] != "section_gone"] == (
        [(rule, "table")] if rule else []
    )


def test_a_table_with_fewer_columns_is_not_that_of_an_entry_that_has_its_own(said: Reader) -> None:
    other = "| Model | Batch | Rate |\n|---|---|---|\n| ViT | 8 | 1 |\n"
    found = said(
        f"{table('Model | Batch | Rate | Top-1', 'ViT | 8 | 900 | 76')}\nBelow:\n\n{other}", LOST
    )
    assert [value for (value,) in found.values()] == [900, 76]
    assert [rule for rule, *_ in found.refused] == ["schema_drift"]


def test_the_numbers_of_a_cell_that_no_spec_took_are_unread(tmp_path: Path, said: Reader) -> None:
    rows = (
        "Model | Result",
        "A 2.0 (of 7) | box = 0.6 mask = 0.3",
        "B (of 8) | box = 0.5 mask = 0.2 p99 = 12.5 ms",
    )
    result = r"Result: {match: '.*mask = (?P<value>[\d.]+).*', metric: mask_average_precision, unit: fraction}"
    mapping = f"tables:\n- columns:\n    Model: {{match: '(?P<model>.*) \\(of .*'}}\n    {result}\n"
    found = said(table(*rows), mapping)
    accounting = account(
        open_file(tmp_path / "page.md", "0" * 64), {"results_page": found.extraction}
    )
    told = {
        text: status
        for text, (status, _) in zip(accounting.texts, accounting.statuses, strict=True)
    }
    assert told == {
        "2.0": "name",
        "7": "unparsed",
        "0.6": "unparsed",
        "0.3": "extracted",
        "8": "unparsed",
        "0.5": "unparsed",
        "0.2": "extracted",
        "99": "condition",
        "12.5": "unparsed",
    }
