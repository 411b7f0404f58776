"""The tables that are found in flattened text."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import cycle, islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
        ("one_cell_per_line_units_in_cells", [("lines", 13, 7)]),
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


@pytest.mark.parametrize("folder", ["slides", "deck"])
def test_slides_hold_no_tables(folder: str) -> None:
    for path in sorted((FIXTURES / folder).glob("*.txt")):
        assert not grids_in(path), path.name


def test_a_log_holds_only_its_summaries() -> None:
    found = {path.name: grids_in(path) for path in sorted(FIXTURES.glob("*_log/*.txt"))}
    # A table of steps parted by tabs, the summary of a model's layers, and lines of steps that are padded like columns.
    tables = {"tensorflow_benchmarks.txt", "keras2_validation.txt", "torchtitan_steps.txt"}
    assert {name for name, grids in found.items() if grids} == tables


@pytest.mark.parametrize("line", [41, 79, 95, 660, 731, 1066, 1197, 1300, 1770, 1852, 2400])
@pytest.mark.parametrize("damage", ["lost", "twice", "empty line"])
def test_a_damaged_line_turns_no_row_of_a_page(line: int, damage: str) -> None:
    lines = SEED_PAGE.read_text("utf-8").split("\n")
    printed = {row for grid in grids_in(SEED_PAGE) for row in grid.texts}
    lines[line - 1 : line] = {"lost": [], "twice": [lines[line - 1]] * 2, "empty line": [lines[line - 1], ""]}[damage]
    grids = grids_of("\n".join(lines))
    assert all(row in printed for grid in grids for row in grid.texts if len(row) == len(grid.texts[0]))
    assert sum(row in printed for grid in grids for row in grid.texts) > 170


# Layouts of one table

TABLE = (
    ("Model", "Platform", "Batch Size", "Throughput (items/sec)", "Notes"),
    ("BERT-Large", "8x H100", "64", "5,920", ""),
    ("ResNet-50", "8x A100", "256", "28,104.5", "with DALI"),
    ("GPT-J 6B", "8x H100", "1", "12.7", ""),
    ("ViT", "Bow Pod16", "1,024", "6,800", "packed"),
)
Table = tuple[tuple[str, ...], ...]


def in_lines(table: Table) -> str:
    return "\n".join(cell or "\u00a0" for row in table for cell in row)


def in_empty_lines(table: Table) -> str:
    return "\n".join(cell for row in table for cell in row)


def in_spaced_lines(table: Table) -> str:
    return "\n\n".join(cell or "\u00a0" for row in table for cell in row)


def in_tabs(table: Table) -> str:
    return "\n".join("\t".join(row) for row in table)


def in_pipes(table: Table) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in table)


def in_bare_pipes(table: Table) -> str:
    return "\n".join(" | ".join(row) for row in (table[0], ("---",) * len(table[0]), *table[1:]))


def behind_pipes(table: Table) -> str:
    rows = [" |\n".join(row) + " |" for row in table]
    return "\n".join([rows[0], "|".join(["", *["---"] * len(table[0]), ""]), *rows[1:]])


def in_blanks(table: Table) -> str:
    widths = [max(map(len, column)) + 2 for column in zip(*table, strict=True)]
    return "\n".join("".join(map(str.ljust, row, widths)).rstrip() for row in table)


LAYOUTS = [
    *(in_lines, in_empty_lines, in_spaced_lines, in_tabs, in_pipes, in_bare_pipes, behind_pipes, in_blanks),
]


def on_a_page(text: str) -> str:
    above = "These numbers were measured in the second quarter of the year."
    return f"Results\n\n{above}\n\n{text}\n\nNothing else that was measured is printed on this page."


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_gives_the_same_rows(layout: Callable[[Table], str]) -> None:
    (grid,) = grids_of(on_a_page(layout(TABLE)))
    assert grid.texts == TABLE
    assert grid.heading_rows == 1


def test_headings_wrapped_over_two_lines() -> None:
    lines = in_lines(TABLE).replace("Throughput (items/sec)", "Throughput\n(items/sec)")
    (grid,) = grids_of(on_a_page(lines))
    assert grid.heading_rows == 2
    assert grid.texts[0] == ("Model", "Platform", "Batch Size", "Throughput", "Notes")
    assert grid.texts[1] == ("", "", "", "(items/sec)", "")
    assert grid.texts[2:] == TABLE[1:]


def test_a_row_that_lacks_a_cell_does_not_shift_the_others() -> None:
    cells = [cell for row in [*TABLE, *TABLE[1:]] for cell in row]
    del cells[cells.index("28,104.5")]
    (grid,) = grids_of(on_a_page("\n".join(cell or "\u00a0" for cell in cells)))
    assert [row for row in grid.texts[1:] if len(row) == 5 and row[0] != "ResNet-50"] == [
        row for row in [*TABLE[1:], *TABLE[1:]] if row[0] != "ResNet-50"
    ]


def test_text_behind_the_last_row_is_no_row() -> None:
    (grid,) = grids_of(on_a_page(in_lines(TABLE) + "\nHigher is better"))
    assert [row for row in grid.texts if len(row) == 5 and row not in TABLE] == []
    assert set(TABLE[:-1]) <= set(grid.texts)


def test_a_title_between_rows_is_a_row_of_one_cell() -> None:
    rows = in_tabs(TABLE).split("\n")
    (grid,) = grids_of(on_a_page("\n".join([*rows[:3], "On other systems", *rows[3:]])))
    assert grid.texts == (*TABLE[:3], ("On other systems",), *TABLE[3:])


def test_lines_that_belong_to_others_are_left_alone() -> None:
    document = document_of(on_a_page(in_tabs(TABLE)))
    assert find_grids(document, range(5, 10)) == []


# Single blanks

SINGLE = """Model Chips Precision Throughput (tokens/s) Latency per token (ms)
Llama 2 7B 4 INT8 2,175 12.1
Llama 2 13B 8 INT8 1,804 15.2
GPT-J 8 INT8 1,204 15.8"""


def test_single_blanks_where_headings_and_types_leave_one_reading() -> None:
    (grid,) = grids_of(on_a_page(SINGLE))
    assert grid.texts[0] == ("Model", "Chips", "Precision", "Throughput (tokens/s)", "Latency per token (ms)")
    assert grid.texts[1] == ("Llama 2 7B", "4", "INT8", "2,175", "12.1")
    assert grid.texts[3] == ("GPT-J", "8", "INT8", "1,204", "15.8")


def test_numbers_with_their_units_between_single_blanks() -> None:
    text = "Concurrent Throughput p99 Latency\n10 1,902 tok/s 9.24s\n50 6,961 tok/s 12.50s\n100 11,198 tok/s 15.46s"
    (grid,) = grids_of(on_a_page(text))
    assert grid.texts[0] == ("Concurrent", "Throughput", "p99 Latency")
    assert grid.texts[1:3] == (("10", "1,902 tok/s", "9.24s"), ("50", "6,961 tok/s", "12.50s"))


@pytest.mark.parametrize(
    "text",
    [
        # A name that ends with a number may have taken that of the next column.
        SINGLE.replace("2 7B", "2").replace("2 13B", "2"),
        # One row lacks a cell.
        SINGLE.replace("2,175 ", ""),
        # Nothing says where one of the headings ends and the next begins.
        SINGLE.replace("Chips", "Kind of chip"),
    ],
)
def test_single_blanks_that_leave_several_readings(text: str) -> None:
    assert grids_of(on_a_page(text)) == []


# Any table

KINDS = {
    "Model": st.sampled_from(["BERT-Large", "ResNet-50", "GPT-J 6B", "ViT", "DLRM", "Mixtral 8x7B", "T5 base"]),
    "Platform": st.sampled_from(["8x H100", "DGX A100", "Bow Pod16", "trn1.32xlarge"]),
    "SDK Version": st.sampled_from(["SDK 2.4.0", "SDK 3.0", "SDK 3.3"]),
    "Framework": st.sampled_from(["PyTorch", "TensorFlow2", "PopART", "JAX"]),
    "Dataset": st.sampled_from(["Wikipedia", "ImageNet", "SQuAD v1.1"]),
    "Batch Size": st.integers(1, 99_999).map("{:,}".format),
    "Throughput (items/sec)": st.floats(0.5, 99_999).map("{:,.2f}".format),
    "Latency (ms)": st.floats(0.5, 999).map("{:.1f}".format),
    "Time to Train": st.sampled_from(["23h 43m", "19.64 min", "8h39m", "453s"]),
    "Kind of run": st.sampled_from(["packed", "plain", "tuned by hand"]),
}
MEASURED = {"Throughput (items/sec)", "Latency (ms)"}


@st.composite
def tables(draw: st.DrawFn) -> Table:
    headings = draw(st.lists(st.sampled_from(sorted(KINDS)), min_size=2, max_size=8, unique=True))
    headings = [heading for heading in headings if heading not in (*MEASURED, "Model")]
    headings = ["Model", *headings, draw(st.sampled_from(sorted(MEASURED)))]
    blank = draw(st.sets(st.sampled_from(headings[1:]), max_size=1)) - MEASURED

    def cell(heading: str) -> str:
        return "" if heading in blank and draw(st.booleans()) else draw(KINDS[heading])

    count = draw(st.integers(3, 9))
    return tuple(map(tuple, [headings, *([cell(heading) for heading in headings] for _ in range(count))]))


@settings(derandomize=True, deadline=None, max_examples=60)
@given(tables(), st.sampled_from(LAYOUTS))
def test_a_table_comes_back_cell_for_cell_or_not_at_all(table: Table, layout: Callable[[Table], str]) -> None:
    for grid in grids_of(on_a_page(layout(table))):
        assert grid.texts[0] == table[0]
        assert {row for row in grid.texts[1:] if len(row) == len(table[0])} <= set(table[1:])


@settings(derandomize=True, deadline=None, max_examples=100)
@given(tables(), st.data())
def test_a_lost_cell_shifts_no_row(table: Table, data: st.DataObject) -> None:
    width = len(table[0])
    lost = data.draw(st.integers(width, width * len(table) - 1))
    cells = [cell or "\u00a0" for row in table for cell in row]
    del cells[lost]
    damaged = table[lost // width]
    left = sorted(cell for n, cell in enumerate(damaged) if n != lost % width and cell)
    for grid in grids_of(on_a_page("\n".join(cells))):
        whole = [row for row in grid.texts[grid.heading_rows :] if len(row) == width]
        assert grid.texts[0] == table[0]
        assert all(row in table or sorted(filter(None, row)) == left for row in whole)


# Cost


def spent(lines: list[str]) -> float:
    document = document_of("\n".join(lines))
    start = time.process_time()
    find_grids(document, ())
    return time.process_time() - start


# ncnn's benchncnn prints times without a unit, MNN's benchmark with one and a mark before each name.
NCNN = """\
cooling_down = 0
          squeezenet  min =   11.73  max =   11.88  avg =   11.78
           mobilenet  min =   21.63  max =   21.73  avg =   21.68
            resnet18  min =   61.13  max =   61.84  avg =   61.40
"""
MNN = """\
[ - ] resnet-v2-50.mnn      max =   34.283 ms  min =   30.112 ms  avg =   31.507 ms
[ - ] MobileNetV2_224.mnn   max =    6.821 ms  min =    5.923 ms  avg =    6.104 ms
[ - ] inception-v3.mnn      max =   52.018 ms  min =   48.777 ms  avg =   49.871 ms
"""


def test_rows_that_name_their_values_themselves() -> None:
    [grid] = grids_of(NCNN)
    assert (grid.layout, grid.heading_rows, grid.first_line, grid.last_line) == ("key_values", 1, 2, 4)
    assert grid.texts == (
        ("", "min", "max", "avg"), ("squeezenet", "11.73", "11.88", "11.78"),
        ("mobilenet", "21.63", "21.73", "21.68"), ("resnet18", "61.13", "61.84", "61.40"),
    )  # fmt: skip
    [grid] = grids_of(MNN)
    assert grid.texts[1] == ("[ - ] resnet-v2-50.mnn", "34.283 ms", "30.112 ms", "31.507 ms")


@pytest.mark.parametrize(
    "text",
    [
        "step 10  loss = 3.2  lr = 0.1\nstep 20  loss = 3.1  lr = 0.1\nstep 30  loss = 3.0  lr = 0.1\n",
        "alpha  min = 1  max = 2\nbeta  min = 1  max = 2\n",
        "alpha  min = 1  max = 2\nbeta  low = 1  max = 2\ngamma  min = 1  max = 2\n",
        "alpha  min = 1\nbeta  min = 2\ngamma  min = 3\n",
        "alpha  min = 1  of max = 2\nbeta  min = 1  of max = 2\ngamma  min = 1  of max = 2\n",
    ],
)
def test_steps_of_a_log_and_settings_are_no_rows(text: str) -> None:
    assert not any(grid.layout == "key_values" for grid in grids_of(text))


@pytest.mark.parametrize(
    "pattern",
    [
        ["a line of words that goes on to the next line and means nothing at all", "short one"],
        ["7", "8.5", "1,024"],
        ["Model", "Batch Size", "Kind", "Name", "7"],
        ["Model", "", "Batch Size", "7", ""],
        [*TABLE[0], *TABLE[1], *TABLE[2]],
        [*TABLE[1], *TABLE[2]],
        [*TABLE[0], *TABLE[1], *TABLE[2][1:], *TABLE[3], ""],
        ["\t".join(TABLE[1]), "A title"],
        [" | ".join(TABLE[1])],
        ["resnet18  min = 1.2  max = 3.4"],
        ["   ".join(TABLE[1][:4])],
        ["BERT |", "7 |", "||"],
        [""],
        ["\u00a0"],
    ],
)
def test_time_grows_with_the_text(pattern: list[str]) -> None:
    once, twice = (min(spent(list(islice(cycle(pattern), size))) for _ in range(2)) for size in (1000, 2000))
    assert twice < 4 * once + 0.25


def test_time_of_a_long_table_and_of_long_lines_grows_with_them() -> None:
    def table(rows: int) -> list[str]:
        return [cell for row in (TABLE[0], *islice(cycle(TABLE[1:]), rows)) for cell in row]

    assert spent(table(800)) < 4 * spent(table(400)) + 0.25
    assert spent(["a" + " " * 24_000 + "b", "1" + " " * 24_000 + "2  3", "|" * 24_000, "-" * 24_000 + "x"]) < 2
    assert spent(["a " + "b = 1  " * 4000 + "x", "a" * 24_000 + " = " + "1" * 24_000, "a " + " =" * 12_000]) < 2
