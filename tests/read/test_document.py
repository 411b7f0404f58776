"""Documents and grids whatever their format: lines, spanning cells, the beginnings that show what a
document is.
"""

from __future__ import annotations

from dataclasses import replace

from pipelines.read.document import Cell, Grid
from pipelines.read.files import read_bytes


def test_a_spanning_cell_is_one_cell_in_all_its_places() -> None:
    model, value = Cell("BERT", 3, 0, 4), Cell("1", 4, 0, 1)
    grid = replace(
        Grid.of_cells([(model, model), (value, Cell("1", 4, 0, 1)), (model, value)], 3, 4)
    )
    assert grid.spans == {(0, 1): (0, 0), (2, 0): (0, 0), (2, 1): (1, 0)}
    assert grid.rows[0][0] is grid.rows[0][1] is grid.rows[2][0]
    assert grid.rows[1][0] is not grid.rows[1][1]
    assert grid.rows[0][0] == grid.cell(0, 0) == model


def test_of_a_long_page_both_ends_and_the_first_rows_of_its_tables_are_kept() -> None:
    rows, prose = (
        "".join(f"<tr><td rowspan=2>ViT<td>{n}<tr><td>{n}{n}" for n in range(20)),
        "<p>words</p>" * 100,
    )
    table = f"<h2>Rates</h2><table><caption>One</caption>{rows}</table>"
    page = read_bytes(
        f"<p>First</p>{prose}{table}{prose}{table}{prose}<p>Last</p>".encode(),
        "page.html",
        "0" * 64,
    )
    assert page.beginnings(40, 10_000) is page
    cut = page.beginnings(4, 50)
    assert len(cut.lines) == len(page.lines)
    assert [cut.texts[0], cut.texts[-2], sum(map(bool, cut.texts)) < 80] == ["First", "Last", True]
    assert [cut.line(number).text for number, _ in cut.levels] == ["Rates", "Rates"]
    for grid, whole in zip(cut.grids, page.grids, strict=True):
        assert grid.rows == whole.rows[:4]
        assert grid.spans == {(1, 0): (0, 0), (3, 0): (2, 0)}
        assert [cut.line(cell.line).text for cell in grid.rows[0]] == ["ViT", "0"]
        assert grid.caption is not None
        assert cut.line(grid.caption.line).text == "One"
