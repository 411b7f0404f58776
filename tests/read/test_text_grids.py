"""The tables that are found in flattened text."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipelines.read.document import Document, Grid, Line
from pipelines.read.files import open_file
from pipelines.read.text_grids import find_grids
from pipelines.settings import PROJECT

FIXTURES = PROJECT / "tests" / "fixtures"
RESULTS = FIXTURES / "results_page"
SEED_PAGE = PROJECT / "raw/graphcore/performance-results/2023-07-04/performance_results.txt"


def document_of(text: str) -> Document:
    return Document("0" * 64, None, tuple(Line(n, line) for n, line in enumerate(text.split("\n"), start=1)))


def grids_of(text: str) -> list[Grid]:
    document = document_of(text)
    grids = find_grids(document, ())
    check_places(document, grids)
    return grids


def grids_in(path: Path) -> list[Grid]:
    document = open_file(path, "0" * 64)
    grids = find_grids(document, ())
    check_places(document, grids)
    return grids


def check_places(document: Document, grids: list[Grid]) -> None:
    """Every cell stands where the grid says, within the grid's lines, and in no other grid."""
    seen = set[int]()
    for grid in grids:
        for texts, lines, starts in zip(grid.texts, grid.lines, grid.starts, strict=True):
            for text, line, start in zip(texts, lines, starts, strict=True):
                assert document.line(line).text[start : start + len(text)] == text
                assert grid.first_line <= line <= grid.last_line
        lines_of_grid = set(range(grid.first_line, grid.last_line + 1))
        assert not seen & lines_of_grid
        seen |= lines_of_grid


def test_a_page_with_one_cell_per_line() -> None:
    grids = grids_in(SEED_PAGE)
    assert [grid.layout for grid in grids] == ["lines"] * 7
    assert sum(len(grid.texts) - grid.heading_rows for grid in grids) == 248
    assert all(len(row) == len(grid.texts[0]) for grid in grids for row in grid.texts)
    assert grids[0].texts[2] == (
        *("WikiKG90Mv2", "TransE (256)", "Bow Pod16", "SDK 3.0", "Poplar", "1,260,000", "11h 50m", "0.2562 MRR"),
        "First",
    )


@pytest.mark.parametrize(
    ("name", "shapes"),
    [
        ("blanks_between_cells", [("blanks", 8, 5), ("lines", 6, 4)]),
        ("one_cell_per_line_benchmark_column", [("lines", 9, 3)]),
        ("one_cell_per_line_units_in_cells", [("lines", 13, 7)]),
        ("pivots_in_text", [("pipes", 3, 3), ("tabs", 3, 3)]),
        ("tables_without_platform", [("lines", 5, 4), ("lines", 4, 4)]),
        ("tabs_units_in_cells", [("tabs", 8, 10)]),
        ("pipes_mlperf", [("pipes", 9, 7), ("pipes", 5, 3)]),
    ],
)
def test_tables_of_a_page(name: str, shapes: list[tuple[str, int, int]]) -> None:
    """Layout, columns and rows of each."""
    found = grids_in(RESULTS / f"{name}.txt")
    assert [(grid.layout, max(map(len, grid.texts)), len(grid.texts)) for grid in found] == shapes
    assert all(grid.heading_rows == 1 for grid in found)


def test_prose_holds_no_tables() -> None:
    for path in sorted((FIXTURES / "claim_prose").glob("*.txt")):
        assert not grids_in(path), path.name
