"""Tables in flattened text: a table comes back cell for cell, or it is not split at all."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pipelines.extract.tables.entries import load_entries
from pipelines.extract.tables.printed import tables_of
from pipelines.read.document import Document, Grid
from pipelines.read.files import open_file
from pipelines.read.flat_text import Declared, find_grids
from pipelines.read.text import read_text
from pipelines.settings import PROJECT

FIXTURES = PROJECT / "tests" / "fixtures"
SEED = PROJECT / "raw" / "graphcore" / "performance-results"
SEED_PAGE = SEED / "2023-07-04" / "performance_results.txt"
ENTRIES = load_entries(SEED / "mapping.yml")


def document_of(text: str) -> Document:
    return Document("0" * 64, None, tuple(text.split("\n")))


def grids_of(text: str, declared: Declared | None = None) -> list[Grid]:
    document = document_of(text)
    grids = find_grids(document, (), declared)
    for grid in grids:
        for cell in (cell for row in grid.rows for cell in row):
            assert document.line(cell.line).text[cell.start : cell.end] == cell.text
            assert grid.first_line <= cell.line <= grid.last_line
    return grids


def test_a_page_with_one_cell_per_line() -> None:
    tables = tables_of(open_file(SEED_PAGE, "0" * 64), (), ENTRIES)
    assert [(len(table.texts[0]), len(table.texts)) for table in tables] == [
        (9, 3), (9, 65), (10, 38), (10, 12), (9, 63), (9, 2), (10, 72),
    ]  # fmt: skip
    assert all(len(row) == len(table.texts[0]) for table in tables for row in table.texts)


@pytest.mark.parametrize(
    ("name", "shapes"),
    [
        ("blanks_between_cells", [(8, 5), (6, 4)]),
        ("one_cell_per_line_units_in_cells", [(13, 7)]),
        ("pipes_mlperf", [(9, 8), (5, 4)]),
        ("tabs_serving", [(20, 4), (12, 3)]),
    ],
)
def test_tables_of_a_page_without_a_mapping(name: str, shapes: list[tuple[int, int]]) -> None:
    """Columns and rows of each."""
    found = find_grids(open_file(FIXTURES / "results_page" / f"{name}.txt", "0" * 64), ())
    assert [(max(map(len, grid.texts)), len(grid.texts)) for grid in found] == shapes


@pytest.mark.parametrize("line", [41, 95, 660, 1197, 1770, 2400])
@pytest.mark.parametrize("damage", ["lost", "twice", "empty line", "lost and twice", "new heading"])
def test_a_damaged_line_turns_no_row_of_a_page(line: int, damage: str) -> None:
    printed = SEED_PAGE.read_text("utf-8")
    rows = {
        tuple(row) for table in tables_of(document_of(printed), (), ENTRIES) for row in table.texts
    }
    lines = printed.split("\n")
    at = lines[line - 1]
    new = {
        "lost": [],
        "twice": [at] * 2,
        "empty line": [at, ""],
        "lost and twice": [],
        "new heading": [at, "Power"],
    }
    lines[line - 1 : line] = new[damage]
    if damage == "lost and twice":
        # Of two faults in one row each cell may be one of that row.
        lines.insert(line + 25, lines[line + 25])
    tables = tables_of(document_of("\n".join(lines)), (), ENTRIES)
    damaged = [table for table in tables if not rows.issuperset(map(tuple, table.texts))]
    assert 1 <= len(damaged) <= 2 or damage == "empty line"
    # It is there, so that it is refused, and it has one column, so that no entry claims it.
    assert all(len(row) == 1 for table in damaged for row in table.texts)


# Layouts of one table

TABLE = (
    ("Model", "Platform", "Batch Size", "Throughput (items/sec)", "Notes"),
    ("BERT-Large", "8x H100", "64", "5,920", ""),
    ("ResNet-50", "8x A100", "256", "28,104.5", "with DALI"),
    ("GPT-J 6B", "8x H100", "1", "12.7", ""),
    ("ViT", "Bow Pod16", "1,024", "6,800", "packed"),
)
Table = tuple[tuple[str, ...], ...]
DECLARED = Declared(
    lambda text: text in TABLE[0],
    lambda text: text.startswith("Throughput"),
    lambda text: text in ("", "N/A"),
)


def in_lines(table: Table) -> str:
    return "\n".join(cell or "\u00a0" for row in table for cell in row)


def in_tabs(table: Table) -> str:
    return "\n".join("\t".join(row) for row in table)


def in_pipes(table: Table) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in table)


def in_blanks(table: Table) -> str:
    widths = [max(map(len, column)) + 2 for column in zip(*table, strict=True)]
    return "\n".join("".join(map(str.ljust, row, widths)).rstrip() for row in table)


def on_a_page(text: str) -> str:
    above = "These numbers were measured in the second quarter of the year."
    return (
        f"Results\n\n{above}\n\n{text}\n\nNothing else that was measured is printed on this page."
    )


@pytest.mark.parametrize("layout", [in_lines, in_tabs, in_pipes, in_blanks])
@pytest.mark.parametrize("declared", [None, DECLARED])
def test_every_layout_gives_the_same_rows(
    layout: Callable[[Table], str], declared: Declared | None
) -> None:
    (grid,) = grids_of(on_a_page(layout(TABLE)), declared)
    # Between blanks a blank cell at the end of a row is not printed.
    rows = (
        tuple(tuple(cell for cell in row if cell) for row in TABLE)
        if layout is in_blanks
        else TABLE
    )
    assert grid.texts == rows


def test_a_line_above_the_headings_and_a_title_between_rows() -> None:
    (grid,) = grids_of(on_a_page("Results of May\n" + in_lines(TABLE)), DECLARED)
    assert grid.texts == TABLE
    rows = in_tabs(TABLE).split("\n")
    (grid,) = grids_of(on_a_page("\n".join(["Of May", *rows[:3], "On other systems", *rows[3:]])))
    assert grid.texts == (*TABLE[:3], ("On other systems",), *TABLE[3:])


def test_one_row_and_cells_without_a_number() -> None:
    missing = (*TABLE[:2], ("T5", "8x H100", "8", "N/A", ""))
    assert [grid.texts for grid in grids_of(in_lines(TABLE[:2]), DECLARED)] == [TABLE[:2]]
    assert [grid.texts for grid in grids_of(in_lines(missing), DECLARED)] == [missing]
    unread = (*TABLE[:2], ("T5", "8x H100", "8", "see below", ""))
    assert [len(grid.texts[0]) for grid in grids_of(in_lines(unread), DECLARED)] == [1]


def test_other_layouts_and_lines_of_others_are_no_tables() -> None:
    assert grids_of(on_a_page("\n\n".join(in_lines(TABLE).split("\n")))) == []
    assert find_grids(document_of(on_a_page(in_tabs(TABLE))), range(5, 10)) == []


BOXES = {
    "rich": """
┏━━━━━━━━━┳━━━━━━━┓
┃ Model   ┃ img/s ┃
┡━━━━━━━━━╇━━━━━━━┩
│ Net A   │  1200 │
│ Net B   │   900 │
└─────────┴───────┘
""",
    "ruled": """
╔═══════╦═══════╗
║ Model ║ img/s ║
╠═══════╬═══════╣
║ Net A ║ 1200  ║
╟───────╫───────╢
║ Net B ║ 900   ║
╚═══════╩═══════╝
""",
    "ascii": """
+-------+-------+
| Model | img/s |
+-------+-------+
| Net A | 1200  |
+-------+-------+
| Net B | 900   |
+-------+-------+
""",
    "psql": """
 Model | img/s
-------+------
 Net A | 1200
 Net B | 900
""",
}


@pytest.mark.parametrize("drawing", BOXES)
def test_a_table_drawn_with_box_characters(drawing: str) -> None:
    document = read_text(f"Results\n{BOXES[drawing]}\nEnd\n".encode(), "0" * 64)
    [grid] = find_grids(document, set())
    assert grid.texts == (("Model", "img/s"), ("Net A", "1200"), ("Net B", "900"))
    for row in grid.rows:
        for cell in row:
            assert document.line(cell.line).text[cell.start : cell.end] == cell.text
