"""Broken copies of result pages: a row that cannot be told for sure is a reject, the rows beside it stay."""

from __future__ import annotations

import pytest

from pipelines.extract import results_page
from pipelines.extract.rows import Measurement, Reject
from pipelines.extract.tables.running_text import is_sentence
from pipelines.read.files import read_bytes

LATENCY = ["Model", "Precision", "TP Size", "Batch Size", "Input", "Output", "Latency (sec)"]
LLAMA_70B = ["Llama 3.1 70B", "FP8", "8", "1", "128", "2048", "15.427"]
LLAMA_405B = ["Llama 3.1 405B", "FP8", "8", "2", "128", "2048", "48.104"]
MISTRAL = ["Mistral 7B", "FP8", "1", "4", "128", "2048", "2.104"]


def read(text: str, name: str = "page.txt") -> tuple[list[Measurement], list[Reject]]:
    rows = results_page.extract(read_bytes(text.encode(), name, "0" * 64), frozenset()).rows
    return [row for row in rows if isinstance(row, Measurement)], [row for row in rows if isinstance(row, Reject)]


def values(rows: list[Measurement]) -> list[str]:
    return [row.cell.text for row in rows]


@pytest.mark.parametrize("lost", range(7))
def test_a_cell_lost_in_lines_with_empty_ones_between_them_costs_its_row_only(lost: int) -> None:
    cells = [*LATENCY, *LLAMA_70B, *LLAMA_405B, *MISTRAL]
    lines = "\n\n".join(cells).split("\n")
    del lines[2 * (len(LATENCY) + len(LLAMA_70B) + lost)]
    found, rejects = read("\n".join(lines))
    assert values(found) == ["15.427", "2.104"]
    assert rejects


def test_lines_swapped_with_the_empty_ones_beside_them_change_nothing() -> None:
    lines = "\n\n".join([*LATENCY, *LLAMA_70B, *LLAMA_405B]).split("\n")
    lines[20], lines[21] = lines[21], lines[20]
    found, rejects = read("\n".join(lines))
    assert (values(found), rejects) == (["15.427", "48.104"], [])


def test_a_precision_is_no_degree_of_parallelism() -> None:
    rows = [LLAMA_70B, ["Llama 3.1 405B", "FP8", "FP8", "2", "128", "2048", "48.104"]]
    found, (reject,) = read("\n".join("\t".join(row) for row in [LATENCY, *rows]))
    assert values(found) == ["15.427"]
    assert reject.reason.startswith("'FP8' cannot be a cell of the column 'TP Size'")


GROUPED = [
    *["Model", "Batch Size", "Input Length", "Output Length", "Throughput (out tok/s)"],
    *["H100", "GPT-J 6B", "64", "128", "128", "10,907", "GPT-J 6B", "1", "128", "-", "185"],
    *["A100", "GPT-J 6B", "64", "128", "128", "3,679", "GPT-J 6B", "1", "128", "-", "111"],
    "In the latest round of results the same work was done in half of the time that it took before.",
]


def test_a_platform_between_the_rows_of_a_flattened_table_is_a_title() -> None:
    found, rejects = read("\n".join(GROUPED))
    platforms = [(row.cell.text, row.platform_printed) for row in found]
    assert platforms == [("10,907", "H100"), ("185", "H100"), ("3,679", "A100"), ("111", "A100")]
    assert rejects == []


def test_below_a_damaged_row_of_a_flattened_table_a_title_holds_no_longer() -> None:
    cells = list(GROUPED)
    del cells[8]
    found, (reject,) = read("\n".join(cells))
    platforms = [(row.cell.text, row.platform_printed) for row in found]
    assert platforms == [("185", None), ("3,679", "A100"), ("111", "A100")]
    assert reject.rule == "row_does_not_fit"


def test_a_footnote_is_no_model() -> None:
    note = "Containers with a hyphen indicate a pre-release container | Servers with a hyphen indicate another"
    _, rejects = read("\n".join("\t".join(row) for row in [LATENCY, LLAMA_70B, [note, *LLAMA_405B[1:]]]))
    assert note in rejects[0].reason
    assert is_sentence("The best results were reached with a batch of 64 on all of them.")
    assert not is_sentence("Real (Q&A provided as text input)")


def span(*cells: str) -> str:
    return "<tr>" + "".join(cell if cell.startswith("<") else f"<td>{cell}</td>" for cell in cells) + "</tr>"


def spanning(*names: str) -> list[str]:
    return [f'<td rowspan="2">{name}</td>' for name in names]


SPANNED = [
    span("Model", "Precision", "TP Size", "Input", "Output", "Throughput (tokens/s)"),
    span(*spanning("Llama 3.1 70B", "FP8", "8"), "128", "2048", "1,321"),
    span("128", "4096", "1,131"),
    span(*spanning("Llama 3.1 405B", "FP8", "8"), "128", "2048", "420"),
    span("128", "4096", "317"),
]


def test_a_lost_name_that_spans_rows_is_not_that_of_the_rows_above() -> None:
    page = "<table>" + "".join(SPANNED) + "</table>"
    found, rejects = read(page, "page.html")
    assert [row.model_printed for row in found] == ["Llama 3.1 70B"] * 2 + ["Llama 3.1 405B"] * 2
    assert rejects == []
    found, rejects = read(page.replace('<td rowspan="2">Llama 3.1 405B</td>', ""), "page.html")
    assert values(found) == ["1,321", "1,131"]
    assert len(rejects) == 2


def test_rows_beside_a_spanning_cell_of_a_damaged_row_are_displaced_with_it() -> None:
    page = "<table>" + "".join(SPANNED) + "</table>"
    (before, _, behind) = page.rpartition(spanning("8")[0])
    added = before + "<td>128</td>" + spanning("8")[0] + behind
    found, rejects = read(added, "page.html")
    assert values(found) == ["1,321", "1,131"]
    assert "begins in a damaged one" in rejects[-1].reason


def test_a_value_that_cannot_be_read_leaves_the_rows_below_it() -> None:
    page = "<table>" + "".join(SPANNED).replace("420", "4Z0") + "</table>"
    found, rejects = read(page, "page.html")
    assert values(found) == ["1,321", "1,131", "317"]
    assert len(rejects) == 1


def test_a_damaged_name_is_not_carried_down() -> None:
    header = "Model | # HPU | Precision | Batch Size | Throughput (tokens/sec) |\n---|---|---|---|---|"
    rows = ["LLaMA 2 7b | 1 | fp8 | 94 | 1,449 |", "1 | fp8 | 81 | 1,953 | |", "2 | fp8 | 78 | 1,438 | |"]
    found, rejects = read("\n".join([header, *rows]), "page.md")
    assert ([row.model_printed for row in found], rejects) == (["LLaMA 2 7b"] * 3, [])
    found, rejects = read("\n".join([header, *rows]).replace("LLaMA 2 7b", "LLaMA 2 Zb"), "page.md")
    assert found == []
    assert "looks like 'LLaMA 2 0b'" in rejects[0].reason or "with a letter in place of a digit" in rejects[0].reason


@pytest.mark.parametrize(
    ("column", "text", "reason"),
    [
        ("GPU", "MI3O0X", "looks like 'MI300X' with a letter in place of a digit"),
        ("Model", "Mi", "looks like 'Mixtral 8x7B' without its end"),
        ("Container", "23,09-py3", "cannot be a cell of the column 'Container'"),
        ("Container", "2x.09-py3", "cannot be a cell of the column 'Container'"),
        ("Quality Target", "75,90% classification", "cannot be a cell of the column 'Quality Target'"),
        ("Quality Target", "0.O58 Word Error Rate", "cannot be a cell of the column 'Quality Target'"),
        ("Throughput", "6G images/sec", "cannot be read as a value"),
        ("Latency", "1S.94 ms", "cannot be read as a value"),
    ],
)
def test_a_damaged_cell_says_nothing(column: str, text: str, reason: str) -> None:
    headings = ["Model", "GPU", "Container", "Quality Target", "Throughput", "Latency"]
    sound = ["Mixtral 8x7B", "MI300X", "23.09-py3", "75.90% classification", "67 images/sec", "11.94 ms"]
    other = ["ResNet-50", "H100", "23.09-py3", "0.058 Word Error Rate", "54 images/sec", "12.08 ms"]
    damaged = [text if heading == column else cell for heading, cell in zip(headings, sound, strict=True)]
    found, rejects = read("\n".join("\t".join(row) for row in [headings, sound, other, other, damaged]))
    assert len([row for row in found if row.cell.line < 5]) == 6
    assert {row.cell.line for row in rejects} == {5}
    assert reason in rejects[0].reason


def test_a_heading_with_no_break_spaces_says_the_same() -> None:
    table = "| Model | Throughput (img/s) |\n|---|---|\n| ResNet-50 | 909 |\n"
    found, _ = read(f"## Mixed\u00a0precision\u00a0inference\n\n{table}", "page.md")
    assert [row.precision for row in found] == ["mixed"]


def test_a_row_of_a_table_that_is_an_empty_bar_is_no_row() -> None:
    found, _ = read(
        "| Model | Throughput (img/s) |\n|---|---|\n| ResNet-50 | 909 |\n|\n| BERT-Base | 77 |\n", "page.md"
    )
    assert values(found) == ["909", "77"]


def test_a_cell_of_a_list_table_that_lost_its_mark_is_no_part_of_the_cell_above() -> None:
    rows = [["Model", "Nodes", "Throughput (seq/s)"], ["BERT-Large", "16", "88.21"], ["BERT-Base", "4", "42.83"]]
    table = "\n".join(f"   * - {first}\n" + "\n".join(f"     - {cell}" for cell in rest) for first, *rest in rows)
    page = f".. list-table:: Training\n   :header-rows: 1\n\n{table}\n"
    found, rejects = read(page, "page.rst")
    assert (values(found), rejects) == (["88.21", "42.83"], [])
    found, rejects = read(page.replace("     - 16\n", "     - 16\nfoo\n"), "page.rst")
    assert values(found) == ["42.83"]
    assert rejects[0].rule == "row_does_not_fit"


def test_what_a_heading_compares_with_was_not_measured() -> None:
    table = "| Model | Throughput (tokens/s) |\n|---|---|\n| Llama 2 7B | 4,100 |\n"
    found, _ = read(f"Llama 3 8B inference: 1.3x faster than H100\n\n{table}", "page.md")
    assert [row.platform_printed for row in found] == [None]


def test_a_heading_that_says_nothing_does_not_hide_the_one_above_it() -> None:
    table = "| Model | Throughput (tokens/s) |\n|---|---|\n| Llama 2 7B | 4,100 |\n"
    found, _ = read(f"Our benchmarks\n\nH100 Inference\n\nResults\n\n{table}", "page.txt")
    assert [(row.platform_printed, row.task, row.section) for row in found] == [("H100", "inference", "Results")]
    found, _ = read(
        f"Our benchmarks\n\nH100 Inference\n\nSome words of text stand here.\n\nResults\n\n{table}", "page.txt"
    )
    assert [(row.platform_printed, row.task) for row in found] == [(None, None)]


def test_a_heading_on_a_line_with_others_may_be_the_one_that_counts() -> None:
    header = "| Batch Size | Throughput |\n|---|---|\n"
    first, second = ("{0}| 1 | 84 img/s |", "{0}| 1 | 75 img/s |")
    page = f"# ResNet-50\n\n## Inference on A100\n\n### FP16\n\n{first}\n\n{{1}}\n\n### FP32\n\n{second}\n"
    found, _ = read(page.format(header, "## Inference on V100"), "page.md")
    assert [row.platform_printed for row in found] == ["A100", "V100"]
    found, _ = read(page.format(header, "Some words.\t## Inference on V100"), "page.md")
    assert [row.platform_printed for row in found] == ["A100", None]


BLANKS = [
    "Model            Chips    Batch Size    Step Time (s)    Throughput (tokens/s)",
    "Llama 2 7B       64       256           1.98             529,582",
    "Llama 2 70B      128      512           10.72            195,630",
    "Llama 3 8B       64       256           4.61             454,912",
]


@pytest.mark.parametrize("length", [35, 45, 56])
def test_a_row_parted_by_blanks_that_is_cut_off_is_told(length: int) -> None:
    found, rejects = read("\n".join([*BLANKS[:2], BLANKS[2][:length], BLANKS[3]]))
    assert values(found) == ["1.98", "529,582", "4.61", "454,912"]
    assert [row.cell.text for row in rejects] == ["Llama 2 70B"]


def test_rows_parted_by_blanks_may_all_leave_their_last_cell_out() -> None:
    found, rejects = read("\n".join([*BLANKS[:2], BLANKS[2][:56], BLANKS[3][:56]]))
    assert values(found) == ["1.98", "529,582", "10.72", "4.61"]
    assert rejects == []


def test_the_release_of_one_table_is_not_that_of_the_page() -> None:
    table = "| Model | GPU | Throughput (tokens/s) |\n|---|---|---|\n| Llama 2 7B | MI300X | 4,100 |\n"
    page = "{0} measured with ROCm 6.4.1.\n\n{1}\n## Latency\n\n{1}".replace("{1}", table)
    found, _ = read(page.format("All results were"), "page.md")
    assert [row.sdk_version for row in found] == ["6.4.1", "6.4.1"]
    found, _ = read(page.format("This result was"), "page.md")
    assert [row.sdk_version for row in found][1] is None


def test_a_heading_over_two_columns_that_lost_one_of_those_below_it_heads_none() -> None:
    first = '<tr><th rowspan="2">Model</th><th colspan="2">Throughput (tokens/s)</th></tr>'
    rows = "<tr><td>Llama 3.1 8B</td><td>15,340</td><td>17,120</td></tr>"
    found, rejects = read(f"<table>{first}<tr><th>MI300X</th><th>MI325X</th></tr>{rows}</table>", "page.html")
    assert ([row.platform_printed for row in found], rejects) == (["MI300X", "MI325X"], [])
    found, rejects = read(f"<table>{first}<tr><th>MI325X</th></tr>{rows}</table>", "page.html")
    assert (found, [reject.rule for reject in rejects]) == ([], ["repeated_heading"])


def test_a_release_said_of_one_result_does_not_hold_on_below_a_lost_heading() -> None:
    table = "| Model | GPU | Throughput (tokens/s) |\n|---|---|---|\n| Llama 2 7B | MI300X | 4,100 |\n"
    page = f"# Results\n\n## Throughput\n\nThese results were measured with ROCm 6.4.1.\n\n{table}\n{table}"
    found, _ = read(page, "page.md")
    assert [row.sdk_version for row in found] == ["6.4.1", "6.4.1"]
    found, _ = read(page.replace("These results were", "This result was"), "page.md")
    assert [row.sdk_version for row in found] == ["6.4.1", None]


def test_a_footnote_is_of_the_table_above_it() -> None:
    table = "| Model | GPU | Throughput (tokens/s) |\n|---|---|---|\n| Llama 2 7B | MI300X | 4,100 |\n"
    found, _ = read(f"# Results\n\n{table}\nFootnote 1: measured with vLLM 0.4.3.\n\n{table}", "page.md")
    assert [row.framework_printed for row in found][1] is None
