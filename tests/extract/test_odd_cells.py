"""Cells that only the rest of their column shows to be damaged."""

from __future__ import annotations

import pytest

from pipelines.extract import results_page
from pipelines.extract.rows import Measurement, Reject
from pipelines.read.document import Document, Line

HEADER = "Model\tTP Degree\tCompilation Autocast Data Type\tThroughput (tokens/sec)\tLatency P50 (ms)"
ROWS = [
    ["Llama-2-7b", "8", "Matmult-BF16", "5,833", "7.031"],
    ["Llama-2-13b", "24", "Matmult-BF16", "3,111", "17.162"],
    ["Llama-2-70b", "32", "Matmult-BF16", "270", "28.325"],
    ["Llama-3-70B", "32", "Matmult-BF16", "14,051", "35.142"],
]


def read(rows: list[list[str]], header: str = HEADER) -> tuple[list[str], list[Reject]]:
    text = [header, *("\t".join(row) for row in rows)]
    lines = tuple(Line(number, line) for number, line in enumerate(text, start=1))
    found = results_page.extract(Document("0" * 64, None, lines), frozenset()).rows
    values = [row.cell.text for row in found if isinstance(row, Measurement)]
    return values, [row for row in found if isinstance(row, Reject)]


@pytest.mark.parametrize(
    ("column", "cell", "reason"),
    [
        (1, "3G", "'3G' is no count as all others are in the column 'TP Degree'"),
        (1, "S28", "'S28' is no count as all others are in the column 'TP Degree'"),
        (2, "Matmult-BF1x", "'Matmult-BF1x' looks like 'Matmult-BF16' with a letter in place of a digit"),
        (3, "27k", "'27k' has a letter as no other number has"),
        (3, "2e0", "'2e0' has a letter as no other number has"),
        (3, "5.833", "'5.833' may group thousands by a point, as no other number does"),
        (4, "28,325", "'28,325' may have a comma for its point, as no other number has"),
        (4, "28.32S", "'28.32S' cannot be read as a value of the column 'Latency P50 (ms)'"),
        (4, "28.32s", "'28.32s' cannot be read as a value of the column 'Latency P50 (ms)'"),
    ],
)
def test_a_damaged_cell_is_told_by_its_column(column: int, cell: str, reason: str) -> None:
    rows = [list(row) for row in ROWS]
    rows[2][column] = cell
    values, (reject,) = read(rows)
    assert reject.reason.startswith(reason)
    assert reject.cell.line == 4
    assert cell not in values
    whole = [value for row in (*rows[:2], rows[3]) for value in row[3:]]
    assert [value for value in values if value in whole] == whole


def test_points_that_group_thousands_beside_whole_numbers_are_no_decimals() -> None:
    rows = [list(row) for row in ROWS]
    for row, throughput in zip(rows, ("5.833", "3.111", "270", "14.051"), strict=True):
        row[3] = throughput
    values, rejects = read(rows)
    assert values == ["270", "28.325"]
    assert len(rejects) == 3


def test_columns_that_print_letters_points_and_words_are_read() -> None:
    rows = [list(row) for row in ROWS]
    counts, throughputs = ("8", "auto", "8x7B", "8 (NVL)"), ("950", "1.2k", "3k", "5.25")
    for row, count, throughput in zip(rows, counts, throughputs, strict=True):
        row[1], row[3] = count, throughput
    values, rejects = read(rows)
    assert not rejects
    assert len(values) == 8


def test_one_number_in_thousands_is_read() -> None:
    rows = [[*row[:3], throughput, row[4]] for row, throughput in zip(ROWS, ("950", "1.2k", "870", "640"), strict=True)]
    values, rejects = read(rows)
    assert not rejects
    assert "1.2k" in values


def test_a_unit_in_the_cell_is_read_where_it_is_surely_one() -> None:
    header = HEADER.replace("Latency P50 (ms)", "Time to Train (seconds)")
    rows = [[*row[:4], time] for row, time in zip(ROWS, ("12.5", "12.5s", "3 min", "1h 2m"), strict=True)]
    values, rejects = read(rows, header)
    assert not rejects
    assert len(values) == 8


@pytest.mark.parametrize(
    "variant", ["SL12x", "SL1x8", "Phx Pre-Training (SL128)", "image 4x6, bps 5", "image 416, bps O"]
)
def test_a_letter_in_a_setting_is_no_variant(variant: str) -> None:
    header = "Model\tVariant\tPlatform\tThroughput (items/sec)"
    rows = [["BERT-Large", "SL128", "H100", "12"], ["Yolo v4", variant, "H100", "13"], ["ViT", "", "H100", "14"]]
    values, rejects = read(rows, header)
    assert values == ["12", "14"]
    assert [row.rule for row in rejects] == ["row_does_not_fit"]


def test_words_are_compared_in_all_tables_of_a_page() -> None:
    header = "Model\tVariant\tPlatform\tThroughput (items/sec)"
    first = [["GPT2", "GPT2-Large", "H100", "12"], ["ViT", "", "H100", "14"]]
    text = [
        header,
        *("\t".join(row) for row in first),
        "",
        header.replace("items", "tokens"),
        "GPT2\tGPTO-Large\tA100\t3",
    ]
    lines = tuple(Line(number, line) for number, line in enumerate(text, start=1))
    found = results_page.extract(Document("0" * 64, None, lines), frozenset()).rows
    assert [row.cell.text for row in found if isinstance(row, Measurement)] == ["12", "14"]
    (reject,) = (row for row in found if isinstance(row, Reject))
    assert "looks like 'GPT2-Large'" in reject.reason


BATCHES = """\
Model\tVariant\tPlatform\tThroughput (items/sec)\tLatency (ms)
BERT-Large\tSL128\tH100\t4,655\t2.56
GPT2\tGPT2-Medium\tH100\t97\t20.57
GPT2\tGPT2-Medium\tA100\t12,584\t2.53
ViT\t\tH100\t6,508\t7.31
DINO\t\tH100\t5,171\t0.77
"""


@pytest.mark.parametrize(
    ("sound", "swapped", "reason"),
    [
        ("4,655\t2.56", "2.56\t4,655", "the values of the columns 'Throughput (items/sec)' and 'Latency (ms)'"),
        ("97\t20.57", "20.57\t97", "the values of the columns 'Throughput (items/sec)' and 'Latency (ms)'"),
    ],
)
def test_values_in_each_others_column_are_not_read(sound: str, swapped: str, reason: str) -> None:
    header, *rows = [line.split("\t") for line in BATCHES.replace(sound, swapped).splitlines()]
    values, (reject,) = read(rows, "\t".join(header))
    assert reject.reason.startswith(reason)
    assert len(values) == 8
    assert not set(sound.split("\t")) & set(values)


def test_a_model_in_the_column_of_variants_is_not_read() -> None:
    header, *rows = [line.split("\t") for line in BATCHES.splitlines()]
    assert len(read(rows, "\t".join(header))[0]) == 10
    third = [["GPT2", "GPT2-Medium", "B200", "900", "3.1"]]
    swapped = [rows[0], [rows[1][1], rows[1][0], *rows[1][2:]], *rows[2:], *third]
    values, (reject,) = read(swapped, "\t".join(header))
    assert reject.cell.line == 3
    assert reject.reason == "'GPT2-Medium' and 'GPT2' stand the other way round in other rows"
    assert len(values) == 10


def test_columns_of_both_kinds_of_numbers_are_read() -> None:
    header, *rows = [line.split("\t") for line in BATCHES.replace("4,655\t2.56", "46.55\t2").splitlines()]
    rows[1][4] = "20"
    assert len(read(rows, "\t".join(header))[0]) == 10


def test_a_letter_in_a_release_is_told_by_the_other_rows() -> None:
    header = "Model\tPlatform\tFramework\tThroughput (items/sec)"
    frameworks = ("PyTorch 1.13.1", "PyTorch 1.1S.1", "PyTorch 2.1", "PyTorch 2.x")
    rows = [["ViT", "H100", framework, str(100 + number)] for number, framework in enumerate(frameworks)]
    values, (reject,) = read(rows, header)
    assert values == ["100", "102", "103"]
    assert "'PyTorch 1.1S.1' looks like 'PyTorch 1.13.1'" in reject.reason
