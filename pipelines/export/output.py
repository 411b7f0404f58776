"""Rows for people and programs: a table in the terminal, CSV, JSON, Markdown; and the summary of a build."""

from __future__ import annotations

import csv
import json
import math
import re
import sys
from collections.abc import Iterable, Iterator
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import Any

import pyarrow as pa
from rich.table import Table

from pipelines.build.warehouse import FILE_NAME, WarehouseError, query_published
from pipelines.object_addresses import address_of, shown
from pipelines.settings import IS_CHECKOUT
from pipelines.terminal import Terminal, is_hidden, literal, print_table, visible

_SUMMARY = """
select
    (select count(*) from raw.documents) as documents,
    (select count(*) from resolved.results) as results,
    (select count(*) from main.current_results) as current_results,
    (select count(*) from resolved.claims) as claims,
    (select count(*) from resolved.training_epochs) as epochs,
    (select count(*) from resolved.training_runs) as runs,
    (select count(*) from audit.rejects) as rejects,
    (select count(*) from audit.rejects where scope in ('document', 'page', 'table', 'row')) as losses,
    (select count(*) from audit.closed_rejects) as closed_rejects,
    (select count(*) from audit.unresolved_names) as unresolved_names,
    (select count(*) from audit.conflicts) as conflicts
"""


_LOST = """
select source, results_lost, results_before, snapshot_at::date::varchar as day
from audit.snapshots
where is_latest and lost_too_many
order by source
"""

_MAPPINGS = """
select
    reason || '; ' || count(*) || ' documents were not read' as words
from audit.rejects
where rule = 'mapping_error'
group by reason
union all
select
    d.source || ': ' || count(*) || if(r.rule = 'no_mapping', ' tables have no mapping', ' tables are refused')
    || ': benchledger map ' || d.source
from audit.rejects as r
inner join raw.documents as d on r.document_id = d.document_id
where r.extractor = 'results_page' and r.scope = 'table'
group by d.source, r.rule = 'no_mapping'
order by all
"""


class OutputFormat(StrEnum):
    """How rows are printed."""

    table = "table"
    csv = "csv"
    spreadsheet = "spreadsheet"
    json = "json"
    markdown = "markdown"


class TraceFormat(StrEnum):
    """How traces are printed."""

    text = "text"
    json = "json"


class FindingsFormat(StrEnum):
    """How findings are printed."""

    text = "text"
    csv = "csv"
    spreadsheet = "spreadsheet"
    json = "json"
    markdown = "markdown"


# What a spreadsheet takes for a formula that it runs, also behind a tab or a line end.
FORMULA = re.compile(r"[=+\-@\t\r\n]")
# An infinite timestamp of DuckDB
_INFINITE_US = 2**63 - 1
_NOT_ASCII = re.compile(r"[^ -~\n]")


def print_rows(rows: pa.Table | pa.RecordBatchReader, output: OutputFormat) -> None:
    """Print rows on standard output; CSV and JSON as the rows come, without holding them.

    Raises:
        WarehouseError: The rows broke off; those before are printed, and JSON has no end.
    """
    reader = rows.to_reader() if isinstance(rows, pa.Table) else rows
    names = _distinct(reader.schema.names)
    records = _records(reader, names)
    if output is OutputFormat.json:
        _print_json_list(records)
    elif output in (OutputFormat.csv, OutputFormat.spreadsheet):
        _print_csv(names, records, is_for_spreadsheets=output is OutputFormat.spreadsheet)
    elif output is OutputFormat.markdown:
        print(f"| {' | '.join(map(_markdown, names))} |\n|{' --- |' * len(names)}")
        for record in records:
            print(f"| {' | '.join(_markdown(_text(record[name])) for name in names)} |")
    else:
        cells: list[list[str]] = []
        try:
            cells.extend([_text(record[name]) for name in names] for record in records)
        except WarehouseError:
            print_table(names, cells)
            raise
        print_table(names, cells)


def _records(reader: pa.RecordBatchReader, names: list[str]) -> Iterator[dict[str, Any]]:
    for batch in reader:
        columns = [_values(column) for column in batch.columns]
        yield from (dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True))


def _values(column: pa.Array) -> list[Any]:
    try:
        return column.to_pylist()  # type: ignore[no-any-return]
    except OverflowError:
        return [_value(scalar) for scalar in column]


def _value(moment: pa.TimestampScalar) -> datetime | str | None:
    """A time, or its text where Python's calendar does not reach so far."""
    try:
        return moment.as_py()  # type: ignore[no-any-return]
    except OverflowError:
        pass
    if abs(moment.value) == _INFINITE_US:
        return "infinity" if moment.value > 0 else "-infinity"
    import numpy as np

    return str(np.datetime64(moment.value, "us"))


def _print_csv(names: list[str], records: Iterable[dict[str, Any]], *, is_for_spreadsheets: bool) -> None:
    # Nobody but a person reads what a terminal shows.
    shown = visible if sys.stdout.isatty() else str
    disarmed = _disarmed if is_for_spreadsheets else csv_text
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow([shown(disarmed(name)) for name in names])
    writer.writerows([shown(disarmed(record[name])) for name in names] for record in records)


def csv_text(value: Any) -> str:
    """A value as every CSV of the project has it: null as nothing, lists as JSON, times with `T` and `Z`, `INF`."""
    if isinstance(value, list | dict):
        return json.dumps(_plain(value), ensure_ascii=False)
    if isinstance(value, datetime):
        return f"{value.isoformat()}Z"
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "INF" if value > 0 else "-INF"
    return _text(value)


def _disarmed(value: Any) -> str:
    """A text that no spreadsheet takes for a formula: behind an apostrophe where it could."""
    text = csv_text(value)
    return f"'{text}" if not isinstance(value, int | float | Decimal) and FORMULA.match(text) else text


def _markdown(text: str) -> str:
    return visible(text, keep="").replace("|", "\\|")


def _print_json_list(records: Iterable[dict[str, Any]]) -> None:
    """As `print_json` prints a list, record by record."""
    before, end = "[\n", ""
    try:
        for record in records:
            print(before + "  " + _json(record).replace("\n", "\n  "), end="")
            before = ",\n"
        end = "[]" if before == "[\n" else "\n]"
    finally:
        # Where the rows broke off the list has no end, so that nobody takes it for whole.
        print(end)


def _distinct(names: list[str]) -> list[str]:
    """Column names of a query, the second of one name with a number behind it: `value`, `value_1`."""
    seen: list[str] = []
    for name in names:
        candidate, number = name, 0
        while candidate in seen:
            number += 1
            candidate = f"{name}_{number}"
        seen.append(candidate)
    return seen


def print_sections(sections: dict[str, tuple[str, pa.Table]], output: OutputFormat) -> None:
    """Print several tables, (title, rows) by name; those without rows are left out.

    JSON is one object with a list per name, empty ones too.
    """
    if output is OutputFormat.json:
        print_json({name: rows.to_pylist() for name, (_, rows) in sections.items()})
        return
    filled = [(title, rows) for title, rows in sections.values() if rows.num_rows]
    for number, (title, rows) in enumerate(filled):
        if number:
            print()
        if output in (OutputFormat.table, OutputFormat.markdown):
            print(f"## {title}\n" if output is OutputFormat.markdown else f"{title}\n")
        print_rows(rows, output)


def print_json(value: Any) -> None:
    """Print rows, or anything made of them, as JSON: days as ISO dates, infinity as a string."""
    print(_json(value))


def _json(value: Any) -> str:
    """JSON that is the same to programs, and that no terminal obeys: what it would is written as an escape."""
    text = json.dumps(_plain(value), ensure_ascii=False, indent=2)
    return _NOT_ASCII.sub(lambda found: json.dumps(found[0])[1:-1] if is_hidden(found[0]) else found[0], text)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_plain(part) for part in value]
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    return value.isoformat() if isinstance(value, date | datetime) else value


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return ", ".join(_text(part) for part in value)
    if isinstance(value, dict):
        return json.dumps(_plain(value), ensure_ascii=False)
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def summarise(warehouse: Path) -> dict[str, int]:
    """Counts of the published warehouse, by name; `losses` are rejects other than sentences."""
    [row] = query_published(warehouse, _SUMMARY).to_pylist()
    return dict(row)


def print_summary(warehouse: Path, headline: str) -> dict[str, int]:
    """Print what a warehouse holds and what to do next; returns the counts."""
    counts = summarise(warehouse)
    out = Terminal(width=None if sys.stdout.isatty() else 120)
    closed = f"; {counts['closed_rejects']} earlier ones have closed" if counts["closed_rejects"] else ""
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right", style="bold")
    table.add_column()
    rows = (
        ("documents", "documents"),
        ("results", f"results, {counts['current_results']} of them current"),
        ("claims", "claims"),
        ("epochs", f"epochs in {counts['runs']} training runs"),
        ("conflicts", "conflicts"),
        ("unresolved_names", "unresolved names"),
        ("rejects", f"rejects, {counts['losses']} of them documents, pages, tables or rows{closed}"),
    )
    for name, label in rows:
        style = "yellow" if name in ("rejects", "unresolved_names", "conflicts") and counts[name] else ""
        table.add_row(f"[{style}]{counts[name]}[/]" if style else str(counts[name]), label)
    out.print(f"[green]{headline}[/]", highlight=False)
    out.print(table, highlight=False)
    for lost in query_published(warehouse, _LOST).to_pylist():
        words = f"lost {lost['results_lost']} of {lost['results_before']} benchmarks on {lost['day']}"
        words = f"{literal(lost['source'])} {words}"
        out.print(f"[yellow]warning:[/] {words}; audit.snapshot_events lists them", soft_wrap=True, highlight=False)
    for mapping in query_published(warehouse, _MAPPINGS).to_pylist():
        # A heading in square brackets is no markup, and what a document says is no command to a terminal.
        out.print(f"[yellow]warning:[/] {literal(mapping['words'])}", soft_wrap=True, highlight=False)
    copy = f" (here as {warehouse / FILE_NAME})" if address_of(warehouse) else f"/{FILE_NAME}"
    place = literal(f"{shown(warehouse)}{copy}")
    out.print(f"The warehouse: {place}", soft_wrap=True, highlight=False)
    out.print("Try next:", highlight=False)
    tries = ['benchledger sql "select model, platform, metric, value, unit from main.current_results limit 10"']
    tries.append("benchledger rejects --explain" if counts["rejects"] else "benchledger names")
    command = "make ui" if IS_CHECKOUT else "benchledger ui"
    tries.append(f"{command}    # lineage, checks and runs in the Dagster UI")
    for line in tries:
        out.print(f"  {line}", soft_wrap=True, highlight=False, markup=False)
    return counts
