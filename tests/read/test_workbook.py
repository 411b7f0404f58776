"""Workbooks: each sheet is a table, and the line of a value names its sheet and cell."""

from __future__ import annotations

import io
import zipfile
from datetime import datetime
from pathlib import Path

import pytest
from openpyxl import Workbook

from pipelines.extract.results_page import extract
from pipelines.extract.rows import Measurement
from pipelines.extract.tables.entries import load_entries
from pipelines.read.document import Document, ReadError
from pipelines.read.files import read_bytes


def saved(book: Workbook) -> bytes:
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def read(content: bytes) -> Document:
    document = read_bytes(content, "results.xlsx", "0" * 64)
    for grid in document.grids:
        for row in grid.rows:
            for cell in row:
                assert document.texts[cell.line - 1][cell.start : cell.end] == cell.text
    return document


def workbook() -> Workbook:
    book = Workbook()
    sheet = book.active
    sheet.title = "H100"
    rows = (
        ("Model", "Tested", "Rate", "Share"),
        ("BERT", datetime(2026, 11, 28), 0.1 + 0.2, 0.873),
        (None, None, 17544.1, True),
        ("hidden", None, 3, None),
    )
    for row in rows:
        sheet.append(row)
    sheet.merge_cells("A2:A3")
    sheet["D2"].number_format = "0.0%"
    sheet.row_dimensions[4].hidden = True
    book.create_sheet("Notes").sheet_state = "hidden"
    return book


def test_a_sheet_is_a_table_with_its_cells_as_lines() -> None:
    document = read(saved(workbook()))
    assert document.texts[0] == "H100"
    assert document.levels == ((1, 1),)
    assert "H100!C3: 17544.1" in document.texts
    grid = document.grids[0]
    assert grid.texts == (
        ("Model", "Tested", "Rate", "Share"),
        ("BERT", "2026-11-28", "0.3", "87.3%"),
        ("BERT", "", "17544.1", "TRUE"),
    )
    assert grid.rows[1][0] is grid.rows[2][0]
    assert [note.reason for note in document.notes] == [
        "hidden cells are not read: H100!4:4, the sheet 'Notes'"
    ]


def test_a_mapping_reads_a_sheet(tmp_path: Path) -> None:
    (tmp_path / "mapping.yml").write_text(
        "tables:\n- section: H100\n  constants: {platform: H100}\n"
        "  columns: {Model: model, Share: share, Rate: {metric: throughput, unit: tokens/s}}\n  others: ignore\n"
    )
    document = read(saved(workbook()))
    rows = extract(document, (), load_entries(tmp_path / "mapping.yml")).rows
    found = [row for row in rows if isinstance(row, Measurement)]
    assert [(row.value, row.model_printed, row.section) for row in found] == [
        (0.3, "BERT", "H100"),
        (17544.1, "BERT", "H100"),
    ]


def with_macros() -> bytes:
    content = io.BytesIO(saved(workbook()))
    with zipfile.ZipFile(content, "a") as packed:
        packed.writestr("xl/vbaProject.bin", b"x")
    return content.getvalue()


def with_formula() -> bytes:
    book = workbook()
    book.active["B3"] = "=1+1"
    return saved(book)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\xd0\xcf\x11\xe0" + bytes(600), "encrypted, or an old XLS"),
        (saved(workbook())[:2000], "damaged or cut off"),
        (with_macros(), "has macros"),
        (with_formula(), "H100!B3: a formula without its value"),
    ],
)
def test_a_workbook_that_is_not_read_says_why(content: bytes, reason: str) -> None:
    with pytest.raises(ReadError, match=reason) as raised:
        read(content)
    assert raised.value.rule == "bad_records"


def tables_in(*rows: tuple[object, ...]) -> list[tuple[tuple[str, ...], ...]]:
    """The tables of a workbook of one sheet."""
    book = Workbook()
    for row in rows:
        book.active.append(row)
    return [grid.texts for grid in read(saved(book)).grids]


def test_tables_below_each_other_are_several() -> None:
    first = (("Model", "ms"), ("BERT", 3), ("ViT", 4))
    second = (("GPU", "Rate"), ("H100", 50))
    assert tables_in(*first, (), *second) == [
        (("Model", "ms"), ("BERT", "3"), ("ViT", "4")),
        (("GPU", "Rate"), ("H100", "50")),
    ]
    # A blank row between the rows of a table parts nothing.
    assert len(tables_in(*first[:2], (), *first[2:])) == 1
    assert len(tables_in(*first, (), ("all in FP16",))) == 1
    # Nor does one before a row that lacks its number, or that nothing with a number follows.
    assert len(tables_in(*first, (), ("Phi", "OOM"), ("Qwen", 5))) == 1
    assert len(tables_in(*first, (), ("Phi", "failed"), ("Qwen", "failed"))) == 1
    # Units stand below headings, and numbers may be missing.
    second = (("GPU", "Rate", "Power"), (None, "tokens/s", "W"), ("H100", 50))
    assert len(tables_in(*first, (), *second)) == 2


def test_a_hidden_row_is_not_blank() -> None:
    book = Workbook()
    for row in (("Model", "ms"), ("BERT", 3), ("ViT", 4), ("Phi", "failed"), ("Qwen", 5)):
        book.active.append(row)
    book.active.row_dimensions[3].hidden = True
    assert [len(grid.texts) for grid in read(saved(book)).grids] == [4]


def test_tables_beside_each_other_are_several() -> None:
    rows = (
        ("Model", "ms", None, "GPU", "Rate"),
        ("BERT", 3, None, "H100", 50),
        ("ViT", 4, None, None, None),
    )
    assert tables_in(*rows) == [
        (("Model", "ms"), ("BERT", "3"), ("ViT", "4")),
        (("GPU", "Rate"), ("H100", "50"), ("", "")),
    ]
    # One column alone is no table, and numbers alone are none.
    spaced = (("Model", "Chip", None, "ms", "Rate"), ("BERT", "H100", None, 3, 50))
    assert [len(table[0]) for table in tables_in(*spaced)] == [5]
    assert len(tables_in(("Model", None, "ms"), ("BERT", None, 3))) == 1


def test_tables_beside_each_other_are_read_by_their_entries(tmp_path: Path) -> None:
    book = Workbook()
    for row in (("Model", "ms", None, "Chip", "Rate"), ("BERT", 3, None, "A100", 50), ("ViT", 4)):
        book.active.append(row)
    (tmp_path / "mapping.yml").write_text(
        """tables:
- constants: {platform: '!H100'}
  columns: {Model: model, ms: {metric: latency, unit: ms}}
- constants: {model: '!BERT'}
  columns: {Chip: platform, Rate: {metric: throughput, unit: sequences/s}}
"""
    )
    entries = load_entries(tmp_path / "mapping.yml")
    rows = [
        row for row in extract(read(saved(book)), (), entries).rows if isinstance(row, Measurement)
    ]
    assert [(row.value, row.model_printed, row.platform_printed) for row in rows] == [
        (3, "BERT", "H100"),
        (4, "ViT", "H100"),
        (50, "BERT", "A100"),
    ]
