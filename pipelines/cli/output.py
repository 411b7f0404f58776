"""Rows for people and programs: as a table or cards in the terminal, as CSV, JSON or Markdown."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterable, Sequence
from datetime import datetime
from enum import StrEnum
from itertools import chain, count
from typing import Any

import pyarrow as pa

from pipelines.exceptions import BenchledgerError
from pipelines.export.csv_values import csv_text, plain, shown_text, spreadsheet_text
from pipelines.terminal import is_hidden, print_table, visible

# How rows are printed.
OutputFormat = StrEnum("OutputFormat", ["table", "csv", "spreadsheet", "json", "nl", "markdown"])
_INFINITE_US = 2**63 - 1  # As DuckDB has an infinite timestamp.


def rows_of(names: str, rows: Iterable[Sequence[Any]]) -> pa.Table:
    """Rows whose values follow the names of their columns, which are separated by blanks."""
    columns = [*zip(*rows, strict=True)] or [()] * len(names.split())
    return pa.table([pa.array(column) for column in columns], names.split())


def print_rows(rows: pa.Table | pa.RecordBatchReader, output: OutputFormat) -> None:
    """Print rows on standard output; CSV and JSON as the rows come, without holding them.

    Raises:
        WarehouseError: The rows broke off; those before are printed, and JSON has no end.
    """
    names = _distinct(rows.schema.names)
    batches = rows.to_batches() if isinstance(rows, pa.Table) else rows
    values = (row for batch in batches for row in zip(*map(_values, batch.columns), strict=True))
    records = (dict(zip(names, row, strict=True)) for row in values)
    if output is OutputFormat.json:
        _print_json_list(records)
    elif output is OutputFormat.nl:
        for record in records:
            print(_json(record, indent=None))
    elif output in (OutputFormat.csv, OutputFormat.spreadsheet):
        # Nobody but a person reads what a terminal shows.
        shown = visible if sys.stdout.isatty() else str
        text = spreadsheet_text if output is OutputFormat.spreadsheet else csv_text
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerows([shown(text(value)) for value in row] for row in chain([names], values))
    elif output is OutputFormat.markdown:
        for number, row in enumerate(chain([names], values)):
            cells = [visible(shown_text(value), keep="").replace("|", "\\|") for value in row]
            print(f"| {' | '.join(cells)} |")
            if not number:
                print(f"|{' --- |' * len(names)}")
    else:
        table: list[list[str]] = []
        try:
            table.extend([shown_text(value) for value in row] for row in values)
        except BenchledgerError:
            print_table(names, table)
            raise
        print_table(names, table)


def _values(column: pa.Array) -> list[Any]:
    try:
        return column.to_pylist()  # type: ignore[no-any-return]
    except OverflowError:
        return [_moment(scalar) for scalar in column]


def _moment(scalar: pa.TimestampScalar) -> datetime | str | None:
    """A time, or its text where Python's calendar does not reach so far."""
    try:
        return scalar.as_py()  # type: ignore[no-any-return]
    except OverflowError:
        if abs(scalar.value) == _INFINITE_US:
            return "infinity" if scalar.value > 0 else "-infinity"
        import numpy as np

        return str(np.datetime64(scalar.value, "us"))


def _print_json_list(records: Iterable[dict[str, Any]]) -> None:
    """As `print_json` prints a list, record by record."""
    before, end = "[\n", ""
    try:
        for record in records:
            print(before + "  " + _json(record).replace("\n", "\n  "), end="")
            before = ",\n"
        end = "[]" if before == "[\n" else "\n]"
    finally:
        # An interrupted list has no closing bracket, so that it is not taken for complete.
        print(end)


def _distinct(names: list[str]) -> list[str]:
    """Column names of a query; a repeated name gets a number: `value`, `value_1`."""
    seen: list[str] = []
    for name in names:
        numbered = (f"{name}_{number}" for number in count(1))
        seen.append(next(one for one in chain([name], numbered) if one not in seen))
    return seen


def print_sections(sections: dict[str, tuple[str, pa.Table]], output: OutputFormat) -> None:
    """Print several tables, (title, rows) by name; those without rows are left out.

    JSON is one object with a list per name, empty ones too; CSV is one table, and in it, and in
    lines of JSON, the column `list` has the name.
    """
    if output is OutputFormat.json:
        print_json({name: rows.to_pylist() for name, (_, rows) in sections.items()})
    elif output in (OutputFormat.table, OutputFormat.markdown):
        filled = [(title, rows) for title, rows in sections.values() if rows.num_rows]
        for number, (title, rows) in enumerate(filled):
            mark = "## " if output is OutputFormat.markdown else ""
            print("\n" * bool(number) + f"{mark}{title}\n")
            print_rows(rows, output)
    else:
        named = [
            rows.append_column("list", pa.array([name] * len(rows), pa.string()))
            for name, (_, rows) in sections.items()
        ]
        if output is not OutputFormat.nl:
            named = [pa.concat_tables(named, promote_options="permissive")]
        for rows in named:
            print_rows(rows, output)


def print_json(value: Any, *, as_lines: bool = False) -> None:
    """Print rows, or anything made of them, as JSON: days as ISO dates, infinity as a string."""
    for one in value if as_lines else [value]:
        print(_json(one, indent=None if as_lines else 2))


def _json(value: Any, indent: int | None = 2) -> str:
    """JSON that is the same to programs, and that no terminal obeys: what it would is written as an
    escape.
    """
    text = json.dumps(plain(value), ensure_ascii=False, indent=indent)
    if text.replace("\n", "").isprintable():
        return text
    return "".join(json.dumps(one)[1:-1] if is_hidden(one) and one != "\n" else one for one in text)
