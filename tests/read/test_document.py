"""Grids as columns of texts and places: what they say must be what the document prints there."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pipelines.read.document import Cell, Document, Grid, Line, Lines
from pipelines.read.files import read_bytes

TABLES = {
    "page.html": (
        "<table><caption>Training</caption><tr><th>Model<th colspan=2>Images/s"
        "<tr><td rowspan=2>ResNet-50<td>1<td><tr><td>&nbsp;<td> 4 </table>"
    ),
    "page.md": "| Model | Images/s |\n|---|---|\n| **ResNet-50** | 1 |\n| | `2` |\n",
    "page.csv": 'Model,Images/s\n"ResNet-50,\nv1.5", 1\nBERT,\n',
    "page.rst": "=====  ====\nModel  Rate\n=====  ====\nBERT   1\n\\      2\n=====  ====\n",
}


def documents() -> list[Document]:
    return [read_bytes(text.encode(), name, "0" * 64) for name, text in TABLES.items()]


@pytest.mark.parametrize("document", documents(), ids=TABLES)
def test_each_cell_of_a_grid_is_printed_where_it_says(document: Document) -> None:
    [grid] = document.grids
    for texts, lines, starts in zip(grid.texts, grid.lines, grid.starts, strict=True):
        for text, line, start in zip(texts, lines, starts, strict=True):
            assert text == text.strip()
            assert document.line(line).text[start : start + len(text)] == text


@pytest.mark.parametrize("document", documents(), ids=TABLES)
def test_the_cells_of_a_grid_are_those_it_was_made_of(document: Document) -> None:
    [grid] = document.grids
    again = Grid.of_cells(grid.rows, grid.first_line, grid.last_line)
    # Without the cells it was made of: they are made again.
    copy = replace(again)
    assert copy.rows == again.rows == grid.rows
    assert copy.spans == grid.spans


def test_a_spanning_cell_is_one_cell_in_all_its_places() -> None:
    model, value = Cell("BERT", 3, 0, 4), Cell("1", 4, 0, 1)
    grid = replace(Grid.of_cells([(model, model), (value, Cell("1", 4, 0, 1)), (model, value)], 3, 4))
    assert grid.spans == {(0, 1): (0, 0), (2, 0): (0, 0), (2, 1): (1, 0)}
    assert grid.rows[0][0] is grid.rows[0][1] is grid.rows[2][0]
    assert grid.rows[1][0] is not grid.rows[1][1]
    assert [[grid.cell(row, column) for column in range(len(cells))] for row, cells in enumerate(grid.rows)] == [
        *map(list, grid.rows),
    ]


def test_the_lines_of_a_document_are_numbered_from_one_wherever_they_are_taken() -> None:
    lines = Lines(["a", "b", "c"])
    assert [*lines] == [Line(1, "a"), Line(2, "b"), Line(3, "c")]
    assert (lines[0], lines[-1], len(lines)) == (Line(1, "a"), Line(3, "c"), 3)
    assert lines[1:] == (Line(2, "b"), Line(3, "c"))
    assert lines[::-2] == (Line(3, "c"), Line(1, "a"))
    assert lines == Lines("abc")
    assert hash(lines) == hash(Lines("abc"))


def test_of_a_long_table_the_first_rows_are_kept_and_what_stands_behind_it_moves_up() -> None:
    def page(rows: int) -> Document:
        table = "".join(f"<tr><td rowspan=2>ViT<td>{n}<tr><td>{n}{n}" for n in range(rows))
        tables = (
            f"<table><caption>One</caption>{table}</table><p>between</p><table><caption>Two</caption>{table}</table>"
        )
        return read_bytes(f"<h1>Page</h1>{tables}<p>behind</p>".encode(), "page.html", "0" * 64)

    short, long = page(2), page(20)
    assert short.beginnings(4, 1000) is short
    cut = long.beginnings(4, 1000)
    assert cut.texts == short.texts
    assert cut.grids == short.grids
    assert [grid.spans for grid in cut.grids] == [grid.spans for grid in short.grids]


def test_the_headings_behind_a_cut_table_stay_headings() -> None:
    rows = "| ViT | 1 |\n"
    text = "# Page\n\n| Model | Rate |\n|---|---|\n{}\n## Behind\n\nText\n"
    short, long = (read_bytes(text.format(rows * count).encode(), "page.md", "0" * 64) for count in (1, 30))
    cut = long.beginnings(2, 1000)
    assert (cut.texts, cut.levels) == (short.texts, short.levels)


def test_of_a_long_text_both_ends_and_what_stands_around_its_tables_are_kept() -> None:
    prose, table = "Some words.\n\n" * 100, "# Rates\n\n| Model | Rate |\n|---|---|\n| ViT | 1 |\n"
    page = read_bytes(f"First\n\n{prose}{table}\n{prose}Last\n".encode(), "page.md", "0" * 64)
    cut = page.beginnings(10, 50)
    assert [cut.texts[0], cut.texts[-1], len(cut.texts) < 80] == ["First", "Last", True]
    (grid,), ((heading, _),) = cut.grids, cut.levels
    assert [cut.line(cell.line).text[cell.start : cell.end] for row in grid.rows for cell in row] == [
        *("Model", "Rate", "ViT", "1"),
    ]
    assert cut.line(heading).text.strip() == "Rates"
