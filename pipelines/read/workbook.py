"""Workbooks (XLSX) to `Document`: each sheet is a grid below a heading with its name.

A filled cell is a line that begins with sheet and cell: `Results!C7: 17544.1`. A number is written
with all of its digits, whatever its format shows, and a percentage as such; a date as 2026-11-28.
"""

from __future__ import annotations

import io
import warnings
import zipfile
from collections.abc import Iterator
from itertools import chain
from typing import Any, NoReturn

from pipelines.read.document import Cell, Document, Grid, Note, ReadError, runs_of
from pipelines.values.numbers import parse_number

_ZIP, _OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
_SUFFIXES = (".xlsx", ".xlsm")
# Unpacked; a file of results has less than 10 MB.
_MOST_BYTES = 256 * 1024 * 1024
_MOST_CELLS = 1_000_000
_CONTROL = dict.fromkeys(range(0x20), " ")
# What stands for a number that was not measured
_NO_VALUE = ("-", "n/a", "oom", "tbd")
_DAMAGED = (zipfile.BadZipFile, KeyError, ValueError, SyntaxError, TypeError, EOFError)


def is_workbook(content: bytes, suffix: str) -> bool:
    """Whether a file is a workbook, or should be one by its suffix and the beginning of its content."""
    return suffix in _SUFFIXES and content.startswith((_ZIP, _OLE))


def read_workbook(content: bytes, document_id: str, format: str | None = None) -> Document:
    """The sheets of a workbook in their order; hidden ones, hidden rows and columns are left out.

    Raises:
        ReadError: `bad_records`: it is encrypted, damaged or too large, has macros, or a formula
            without its value; the reason names sheet and cell.
    """
    check_workbook(content)
    shown, formulas = (_opened(content, data_only) for data_only in (True, False))
    texts: list[str] = []
    grids: list[Grid] = []
    levels: list[tuple[int, int]] = []
    hidden: list[str] = []
    for sheet in shown.worksheets:
        if sheet.sheet_state != "visible":
            hidden.append(f"the sheet {sheet.title!r}")
            continue
        if sheet.max_row * sheet.max_column > _MOST_CELLS:
            _fail(f"{sheet.title}!A1: the sheet has more than {_MOST_CELLS:,} cells: store a part")
        texts.append(sheet.title)
        levels.append((len(texts), 1))
        rows = [*_rows(sheet, formulas[sheet.title], texts, hidden)]
        for table in chain.from_iterable(map(_side_by_side, _blocks(rows))):
            lines = [cell.line for cell in chain.from_iterable(table) if cell.text]
            grids.append(Grid(table, min(lines), max(lines)))
    reason = f"hidden cells are not read: {', '.join(hidden[:8])}"
    return Document(
        document_id,
        format,
        tuple(texts),
        tuple(grids),
        notes=(Note("hidden_cells", reason, None, "note"),) if hidden else (),
        levels=tuple(levels),
        is_data=True,
    )


def _fail(reason: str) -> NoReturn:
    raise ReadError("bad_records", reason)


def check_workbook(content: bytes) -> None:
    """Refuse what is no plain workbook, before it is read.

    Raises:
        ReadError: `bad_records`.
    """
    if content.startswith(_OLE):
        _fail("the workbook is encrypted, or an old XLS: save it as XLSX without a password")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            files = packed.infolist()
    except zipfile.BadZipFile:
        _fail("the workbook is damaged or cut off: fetch it again")
    if sum(file.file_size for file in files) > _MOST_BYTES:
        _fail(f"the workbook holds more than {_MOST_BYTES:,} bytes: store a part")
    if any(file.filename.endswith("vbaProject.bin") for file in files):
        _fail("the workbook has macros: save it as XLSX without them")


def _opened(content: bytes, data_only: bool) -> Any:
    # Imported here: not needed for a build without workbooks.
    from openpyxl import load_workbook

    with warnings.catch_warnings():
        # Of styles and forms that it does not know, which no value depends on
        warnings.simplefilter("ignore")
        try:
            return load_workbook(io.BytesIO(content), data_only=data_only, keep_links=False)
        except _DAMAGED as error:
            raise ReadError("bad_records", f"the workbook is damaged: {error}") from error


def _blocks(rows: list[list[Cell]]) -> Iterator[list[list[Cell]]]:
    """The tables below each other: a row of headings behind a blank row begins another one."""
    block: list[list[Cell]] = []
    for at, row in enumerate(rows):
        if not any(cell.text for cell in row):
            continue
        is_parted = block and block[-1] is not rows[at - 1]
        if is_parted and any(_is_heading(row, below) for below in rows[at + 1 : at + 3]):
            yield block
            block = []
        block.append(row)
    if block:
        yield block


def _is_heading(row: list[Cell], below: list[Cell]) -> bool:
    """Whether a row has words, and one above each number of another row."""
    words = [cell.text.casefold() for cell in row]
    pairs = zip(words, below, strict=True)
    named = [word for word, cell in pairs if parse_number(cell.text)]
    others = (word for word in words if word in _NO_VALUE or parse_number(word))
    return any(named) and all(named) and not any(others)


def _side_by_side(block: list[list[Cell]]) -> list[list[list[Cell]]]:
    """The tables beside each other, each with a column of names first, with a blank column between
    them.
    """
    filled = [at for at in range(len(block[0])) if any(row[at].text for row in block)]
    tables = []
    for part in runs_of(filled, lambda run, at: at == run[-1] + 1):
        # From the first to the last filled column
        tables.append([row[part[0] : part[-1] + 1] for row in block])
        if len(part) == 1 or any(parse_number(row[0].text) for row in tables[-1]):
            return [block]
    return tables


def _rows(sheet: Any, formulas: Any, texts: list[str], hidden: list[str]) -> Iterator[list[Cell]]:
    """The rows of a sheet; the lines of those that hold a text are added to the texts."""
    merged: dict[tuple[int, int], tuple[int, int]] = {}
    for span in sheet.merged_cells.ranges:
        first = span.min_row, span.min_col
        merged |= dict.fromkeys([*span.cells], first)
    columns = [*range(1, sheet.max_column + 1)]
    for letter, one in sheet.column_dimensions.items():
        if one.hidden:
            hidden.append(f"{sheet.title}!{letter}:{letter}")
            columns = [at for at in columns if not one.min <= at <= one.max]
    written: dict[tuple[int, int], Cell] = {}
    for number in range(1, sheet.max_row + 1):
        if sheet.row_dimensions[number].hidden:
            hidden.append(f"{sheet.title}!{number}:{number}")
            continue
        row = []
        for column in columns:
            place = merged.get((number, column), (number, column))
            if place not in written:
                written[place] = _cell(sheet.cell(*place), formulas.cell(*place), texts)
            row.append(written[place])
        yield row


def _cell(cell: Any, formula: Any, texts: list[str]) -> Cell:
    """A cell of a sheet, written on a line of its own where it is filled."""
    place = f"{cell.parent.title}!{cell.coordinate}: "
    if cell.value is None and formula.data_type == "f":
        _fail(f"{place}a formula without its value: open and save it in a spreadsheet program")
    text = _text(cell).translate(_CONTROL).strip()
    if text:
        texts.append(place + text)
    return Cell(text, len(texts), len(place), len(place) + len(text))


def _text(cell: Any) -> str:
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, int | float):
        # A spreadsheet keeps 15 digits; `0.1 + 0.2` is 0.3 in it.
        is_percent = "%" in cell.number_format
        return f"{value * 100:.12g}%" if is_percent else f"{value:.15g}"
    return str(value).removesuffix(" 00:00:00")
