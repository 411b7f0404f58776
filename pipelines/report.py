"""Rows for people and programs: a table in the terminal, CSV, JSON, Markdown; and the summary of a build."""

from __future__ import annotations

import csv
import io
import json
import math
import sys
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import Any

import pyarrow as pa
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from pipelines.warehouse import FILE_NAME, query_published

# Wide enough for any row: output into a pipe is for programs and is never folded.
_PIPE_WIDTH = 10_000

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
    path || ': ' || reason
from audit.rejects
where rule = 'mapping_draft'
union all
select
    d.source || ': ' || count(*) || ' columns are not as its mapping.yml says; `benchledger rejects` lists them'
from audit.rejects as r
inner join raw.documents as d on r.document_id = d.document_id
where r.rule = 'schema_drift'
group by d.source
order by all
"""


class OutputFormat(StrEnum):
    """How rows are printed."""

    table = "table"
    csv = "csv"
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
    json = "json"
    markdown = "markdown"


def console() -> Console:
    """The console for results: as wide as the terminal, or unfolded into a pipe."""
    return Console() if sys.stdout.isatty() else Console(width=_PIPE_WIDTH)


def print_rows(rows: pa.Table, output: OutputFormat) -> None:
    """Print rows on standard output."""
    names = _distinct(rows.column_names)
    records = rows.rename_columns(names).to_pylist()
    if output is OutputFormat.json:
        print_json(records)
    elif output is OutputFormat.csv:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(names)
        writer.writerows([[_text(record[name]) for name in names] for record in records])
        print(text.getvalue(), end="")
    elif output is OutputFormat.markdown:
        print(f"| {' | '.join(names)} |\n|{' --- |' * len(names)}")
        for record in records:
            print(f"| {' | '.join(_text(record[name]).replace('|', chr(92) + '|') for name in names)} |")
    else:
        table = Table(*names, header_style="bold")
        for record in records:
            table.add_row(*(_text(record[name]) for name in names))
        console().print(table, markup=False)


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
        if output is not OutputFormat.csv:
            print(f"## {title}\n" if output is OutputFormat.markdown else f"{title}\n")
        print_rows(rows, output)


def print_json(value: Any) -> None:
    """Print rows, or anything made of them, as JSON: days as ISO dates, infinity as a string."""
    print(json.dumps(_plain(value), ensure_ascii=False, indent=2))


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
    if isinstance(value, list):
        return ", ".join(_text(part) for part in value)
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
    out = Console(width=None if sys.stdout.isatty() else 120)
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
        words = f"{lost['source']} lost {lost['results_lost']} of {lost['results_before']} benchmarks on {lost['day']}"
        out.print(f"[yellow]warning:[/] {words}; audit.snapshot_events lists them", soft_wrap=True, highlight=False)
    for mapping in query_published(warehouse, _MAPPINGS).to_pylist():
        # A heading in square brackets is no markup.
        out.print(f"[yellow]warning:[/] {escape(mapping['words'])}", soft_wrap=True, highlight=False)
    out.print(f"The warehouse: {warehouse / FILE_NAME}", soft_wrap=True, highlight=False)
    out.print("Try next:", highlight=False)
    tries = ['benchledger sql "select model, platform, metric, value, unit from main.current_results limit 10"']
    tries.append("benchledger rejects --explain" if counts["rejects"] else "benchledger names")
    tries.append("make ui    # lineage, checks and runs in the Dagster UI")
    for line in tries:
        out.print(f"  {line}", soft_wrap=True, highlight=False, markup=False)
    return counts
