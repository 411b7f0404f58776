"""reStructuredText: lists and drawings as tables, spans and wrapped cells, markup left out; every cell at its place."""

from __future__ import annotations

import pytest

from pipelines.read.document import Document
from pipelines.read.files import read_bytes


def read(text: str, name: str = "page.rst") -> Document:
    return read_bytes(text.encode(), name, "0" * 64)


def grids(document: Document) -> list[list[list[str]]]:
    for grid in document.grids:
        for cell in (cell for row in grid.rows for cell in row):
            assert document.line(cell.line).text[cell.start : cell.end] == cell.text
    return [[[cell.text for cell in row] for row in grid.rows] for grid in document.grids]


def test_lines_keep_their_numbers_and_markup_is_empty() -> None:
    document = read(".. _label:\n\nResults\n=======\n\n.. note::\n   :class: x\n\n   Words.\n")
    assert [line.text for line in document.lines] == ["", "", "Results", "", "", "", "", "", "   Words."]


def test_a_row_that_lost_its_indentation_is_still_of_its_table() -> None:
    document = read(".. csv-table::\n\n   a,b\n1,2\n   3,4\n\nText, more\n")
    assert grids(document) == [[["a", "b"], ["1", "2"], ["3", "4"]]]


def test_a_list_table_with_blank_and_wrapped_cells() -> None:
    document = read(
        ".. list-table:: Serving\n   :header-rows: 1\n\n   * - Model\n     - Throughput\n       (tokens/sec)\n"
        "   * - BERT\n     -\n   * - ViT\n     - 1,234\n\nText\n"
    )
    assert grids(document) == [[["Model", "Throughput (tokens/sec)"], ["BERT", ""], ["ViT", "1,234"]]]
    assert document.grids[0].caption is not None
    assert document.line(6).text == ""


GRID = """\
+--------+--------+-------+
| Model  | Throughput     |
|        +--------+-------+
|        | FP16   | FP8   |
+========+========+=======+
| BERT   | 1,234  | 2,345 |
| large  |        |       |
+--------+--------+-------+
| ViT    |                |
+--------+----------------+
"""


def test_a_grid_table_with_spans() -> None:
    assert grids(read(f"Text\n\n{GRID}\nText")) == [
        [
            ["Model", "Throughput", "Throughput"],
            ["Model", "FP16", "FP8"],
            ["BERT large", "1,234", "2,345"],
            ["ViT", "", ""],
        ]
    ]


@pytest.mark.parametrize("cut", range(1, GRID.count("\n")))
def test_a_grid_table_that_is_cut_breaks_nothing(cut: int) -> None:
    grids(read("\n".join(GRID.split("\n")[:cut]) + "\n\nText"))


def test_a_simple_table() -> None:
    text = (
        "=====  =====  ==========\nModel  GPU    Throughput\n       type   (img/s)\n=====  =====  ==========\n"
        "BERT   H100   1,234\n\\      A100   123\nA name over   99\n=====  =====  ==========\n\nText"
    )
    assert grids(read(text)) == [
        [
            ["Model", "GPU type", "Throughput (img/s)"],
            ["BERT", "H100", "1,234"],
            ["", "A100", "123"],
            ["A name over", "A name over", "99"],
        ]
    ]


@pytest.mark.parametrize("text", [GRID, ".. csv-table::\n\n   a,b\n   1,2\n"])
def test_its_tables_are_known_in_any_text(text: str) -> None:
    assert read(f"Text\n\n{text}", "page.txt").grids
