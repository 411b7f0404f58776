"""Grids whatever their format: spanning cells."""

from __future__ import annotations

from pipelines.read.document import Cell, Grid


def test_a_spanning_cell_is_one_cell_in_all_its_places() -> None:
    model, value = Cell("BERT", 3, 0, 4), Cell("1", 4, 0, 1)
    grid = Grid([(model, model), (value, Cell("1", 4, 0, 1)), (model, value)], 3, 4)
    assert grid.spans == {
        (0, 0): (0, 0), (0, 1): (0, 0), (2, 0): (0, 0), (1, 0): (1, 0), (2, 1): (1, 0),
    }  # fmt: skip
    assert grid.rows[0][0] is grid.rows[0][1] is grid.rows[2][0]
    assert grid.rows[1][0] is not grid.rows[1][1]
    assert grid.rows[0][0] == grid.cell(0, 0) == model


def test_what_a_document_holds_can_be_remembered() -> None:
    assert hash(Grid([[Cell("BERT", 3, 0, 4)]], 3, 3))
