"""The commands that ask the published warehouse. Heavy imports stand inside the commands, as in `main.py`."""

from __future__ import annotations

import sys
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from pipelines.cli import options as cli
from pipelines.cli.commands import WithBoth, WithWarehouse
from pipelines.cli.findings import ClaimVerdict, documents_meant, find_all, print_findings
from pipelines.cli.output import (
    OutputFormat,
    print_json,
    print_rows,
    print_sections,
)
from pipelines.exceptions import BenchledgerError, WrongUseError
from pipelines.own_files import create_file
from pipelines.terminal import console
from pipelines.warehouse.queries import command_rows
from pipelines.warehouse.reader import QueryLimits, stream_published

_LIMITS = QueryLimits()
DocumentOption = Annotated[
    str | None,
    typer.Option("--document", help="Only this one: its path, the path's end, or its document_id."),
]
# How traces are printed, and how findings are.
TraceFormat = StrEnum("TraceFormat", ["text", "json", "nl"])
FindingsFormat = StrEnum("FindingsFormat", ["text", "csv", "spreadsheet", "json", "nl", "markdown"])


def sql(
    project: WithWarehouse,
    query: Annotated[str | None, typer.Argument()] = None,
    file: Path | None = None,
    format: cli.FormatOption = OutputFormat.table,
    seconds: Annotated[float, typer.Option(min=0.1)] = _LIMITS.seconds,
    memory_mib: Annotated[int, typer.Option(min=16)] = _LIMITS.memory_mib,
    max_rows: Annotated[int, typer.Option(min=1)] = _LIMITS.rows,
) -> None:
    """Run a query on the published warehouse, within limits of time, memory and rows.

    Exit status: 0 all rows are printed; 1 refused or over a limit: some rows may have been printed.

    Example: `benchledger sql "select * from main.current_results limit 5" --format csv`

    Options:
        query: A query in DuckDB's SQL.
        file: Read the query from this file; `-` is standard input.
        seconds: Time limit in seconds.
        memory_mib: Memory limit in MiB.
        max_rows: Maximum number of rows.
    """
    if (query is None) == (file is None):
        raise WrongUseError("give either a query or --file")
    try:
        text = (
            query
            if file is None
            else sys.stdin.read()
            if str(file) == "-"
            else file.read_text("utf-8-sig")
        )
        limits = QueryLimits(seconds, memory_mib, max_rows)
        with stream_published(project.published(), text or "", limits) as rows:
            print_rows(rows, format)
    except MemoryError as error:
        words = f"the rows take more than {memory_mib:,} MiB; allow more with --memory-mib"
        raise BenchledgerError(words) from error
    except UnicodeDecodeError as error:
        raise WrongUseError(f"{file} is not UTF-8") from error


def costs(
    project: WithWarehouse,
    model: Annotated[str | None, typer.Argument()] = None,
    price: Annotated[list[str] | None, typer.Option(metavar="CHIP=USD")] = None,
    prices: Annotated[Path | None, typer.Option(dir_okay=False)] = None,
    format: cli.FormatOption = OutputFormat.table,
) -> None:
    """Show what a million tokens cost on each chip, at listed hourly prices or at your own.

    Output, input and total tokens do not compare: see the column tokens_counted.

    Example: `benchledger costs "Llama 3.3 70B" --price "H100 SXM=2.10"`

    Options:
        model: Only models whose name contains this text.
        price: Your price of a chip or platform in USD per chip and hour, in place of the listed ones; may be repeated.
        prices: A file of such prices, one a line; `#` begins a comment.
    """
    try:
        lines = prices.read_text("utf-8-sig").splitlines() if prices else []
    except UnicodeDecodeError as error:
        raise WrongUseError(f"{prices} is not UTF-8") from error
    stated = [line.partition("#")[0].strip() for line in lines]
    given = {}
    for text in filter(None, (*stated, *(price or ()))):
        name, _, usd = text.rpartition("=")
        try:
            given[name.strip()] = float(usd)
        except ValueError:
            words = f"a price is CHIP=USD, such as 'H100 SXM=2.10', and not {text!r}"
            raise WrongUseError(words) from None
    print_rows(project.costs(model, prices=given), format)


def rejects(
    project: WithWarehouse,
    explain: bool = False,
    closed: bool = False,
    format: cli.FormatOption = OutputFormat.table,
) -> None:
    """List rejected content: rule, reason, place, first build that rejected it, and the row.

    Example: `benchledger rejects --explain`

    Options:
        explain: Group by rule, with the count, an example and advice.
        closed: List rejects of earlier builds that have been resolved, and when.
    """
    if explain and closed:
        raise WrongUseError("give either --explain or --closed")
    name = "explain" if explain else "closed_rejects" if closed else "rejects"
    rows = command_rows(project.published(), name)
    if explain:
        import pyarrow as pa

        from pipelines.validate.rules import advice_for

        rows = rows.append_column(
            "advice", pa.array(map(advice_for, rows["rule"].to_pylist()), pa.string())
        )
    print_rows(rows, format)


def names(project: WithWarehouse, format: cli.FormatOption = OutputFormat.table) -> None:
    """List printed names that no vocabulary knows, with suggestions.

    Example: `benchledger names --format csv`
    """
    print_rows(command_rows(project.published(), "names"), format)


def coverage(
    project: WithBoth,
    document: DocumentOption = None,
    format: cli.FormatOption = OutputFormat.table,
) -> None:
    """Show how much of each document was read, and sentences with unread numbers.

    Example: `benchledger coverage --format markdown`
    """
    from pipelines.cli.coverage import coverage as read_coverage

    print_sections(read_coverage(project.published(), project.stored(), document), format)


def audit(
    project: WithWarehouse,
    document: DocumentOption = None,
    verdict: ClaimVerdict | None = None,
    format: FindingsFormat = FindingsFormat.text,
) -> None:
    """List claims with their verdicts, failed relations between numbers, and conflicts between sources.

    Example: `benchledger audit --verdict confirmed`

    Options:
        verdict: Only claims with this verdict, and nothing but claims.
        format: How the findings are printed; `spreadsheet` is CSV without formulas.
    """
    findings = find_all(project.published(), document, verdict)
    if format is FindingsFormat.text:
        print_findings(findings, console())
    else:
        print_sections(findings, OutputFormat(format.value))


def trace(
    project: WithBoth,
    id: Annotated[str | None, typer.Argument()] = None,
    query: str | None = None,
    column: str | None = None,
    format: TraceFormat = TraceFormat.text,
    png: Annotated[Path | None, typer.Option(dir_okay=False)] = None,
) -> None:
    """Show where a number comes from: the document, the printed characters, and each step to the stored value.

    Example: `benchledger trace --query "select result_id from main.current_results where metric = 'mrr'"`

    Options:
        id: Identifier of a result, claim, run, configuration or evidence, or how it begins.
        query: Trace each row of a query that returns result_id, claim_id ...
        column: Show what a column is made of instead, such as main.sdk_progress.speedup.
        format: How the traces are printed.
        png: Write the page of a PDF to this file, with the place framed; replaces an unchanged picture of this program.
    """
    if [id, query, column].count(None) != 2:
        raise WrongUseError("give an identifier, --query or --column, and one of them only")
    if png is not None and id is None:
        raise WrongUseError("--png shows one place: give an identifier")
    if column is not None:
        from pipelines.trace.column_lineage import draw_columns, follow_column

        found = follow_column(column)
        if format is TraceFormat.text:
            console().print(draw_columns(found))
        else:
            print_json(found, as_lines=format is TraceFormat.nl)
        return
    from pipelines.trace.identifiers import find_identifier, identifiers_of
    from pipelines.trace.picture import picture_of
    from pipelines.trace.printing import print_trace
    from pipelines.trace.traces import trace_rows

    folder, raw = project.published(), project.stored()
    rows = [find_identifier(folder, id)] if id is not None else identifiers_of(folder, query or "")
    traces = list(trace_rows(folder, raw, rows))
    if png is not None:
        cli.write_output(png, picture_of(traces[0], raw))
    if format is not TraceFormat.text:
        is_nl = format is TraceFormat.nl
        print_json(traces if is_nl or id is None else traces[0], as_lines=is_nl)
        return
    if not traces:
        console(stderr=True).print("the query gives no row to trace", highlight=False)
    for index, one in enumerate(traces):
        if index:
            print()
        print_trace(one, console())


def chart(
    project: WithBoth,
    document: Annotated[str, typer.Argument()],
    page: Annotated[int, typer.Argument(min=1)],
    png: Annotated[Path, typer.Option(dir_okay=False)],
) -> None:
    """Draw a page of a PDF beside its charts redrawn from their stored values, with refused parts framed.

    Example: `benchledger chart benchmark_charts.pdf 5 --png page.png`

    Options:
        document: Its path, the path's end, or its document_id.
        page: Number of the page, from 1.
        png: Write the picture to this file; replaces an unchanged picture of this program.
    """
    from pipelines.trace.chart_picture import chart_picture

    folder, stored = project.published(), project.stored()
    meant = documents_meant(folder, document)
    if len(meant) > 1:
        paths = ", ".join(row["path"] for row in meant[:10])
        raise BenchledgerError(f"{document!r} means {len(meant)} documents: {paths}")
    picture, words = chart_picture(folder, stored, meant[0], page)
    cli.write_output(png, picture)
    console().print(words, highlight=False)


def diff(
    project: WithWarehouse,
    before: Annotated[str | None, typer.Argument(metavar="[A]")] = None,
    after: Annotated[str | None, typer.Argument(metavar="[B]")] = None,
    format: cli.FormatOption = OutputFormat.table,
) -> None:
    """List the benchmarks whose result differs between two builds or two days; outlier gains and losses are marked.

    With --format markdown: a report of contradicted, restated, new and withdrawn results, claims included.

    Example: `benchledger diff 2021-01-01 2023-12-31 --format markdown`

    Options:
        before: A day, or a warehouse file; by default the build before the last change.
        after: A day, or a warehouse file; by default the last build.
    """
    from pipelines.cli.differences import differences, sections, standing
    from pipelines.settings import FILE_NAME, PREVIOUS_FILE

    folder = project.published(previous=before is None)
    earlier, later = standing(folder, before, PREVIOUS_FILE), standing(folder, after, FILE_NAME)
    if format is OutputFormat.markdown:
        print(f"# Changes from {earlier.name} to {later.name}\n")
        found = sections(earlier, later)
        print_sections(found, format)
        if not any(part.num_rows for _, part in found.values()):
            print("Nothing has changed.")
        return
    # Beside the rows, which may go into a file.
    console(stderr=True).print(
        f"from {earlier.name} to {later.name}", highlight=False, markup=False
    )
    print_rows(differences(earlier, later), format)


def changes(
    project: WithWarehouse,
    since: Annotated[
        datetime, typer.Option(formats=["%Y-%m-%d"], show_default="all days")
    ] = datetime.min,
    alerts: bool = False,
    format: cli.FormatOption = OutputFormat.table,
) -> None:
    """List changes of results, headings, sources and claims, newest first; the site and the webhook use the same list.

    Example: `benchledger changes --since 2026-01-01 --alerts`

    Options:
        since: First day to list, such as 2026-01-31.
        alerts: Only alerts: broken sources, refused tables, results that are 10% worse ...
    """
    rows = command_rows(project.published(), "changes", [since])
    rows = rows.filter(rows["is_alert"]) if alerts else rows
    is_for_people = format in (OutputFormat.table, OutputFormat.markdown)
    if is_for_people:
        days = rows["snapshot_at"].cast("date32")
        rows = rows.select(["event", "source", "text"]).add_column(0, "day", days)
    print_rows(rows, format)


def dictionary() -> None:
    """Print the data dictionary as Markdown: every table and column, with an introduction.

    Example: `benchledger dictionary`
    """
    from pipelines.cli.references import data_dictionary

    print(data_dictionary(), end="")


class ExportForm(StrEnum):
    """What an export is."""

    tables = "tables"
    benchmark_report = "benchmark-report"


def export(
    project: WithWarehouse,
    to: Path,
    spreadsheet: bool = False,
    form: Annotated[ExportForm, typer.Option("--as")] = ExportForm.tables,
) -> None:
    """Export all published tables as Parquet, CSV and DuckDB, described as Data Package and Croissant.

    Exit status: 0 exported; 1 no warehouse; 2 the folder holds other or changed files, which stay.

    Example: `benchledger export --to exported`

    Options:
        to: Folder of the export: a new one, or one with an earlier export.
        spreadsheet: Escape formulas in CSV for spreadsheets.
        form: `benchmark-report` writes serving results as Benchmark Reports of llm-d, a JSON file each, to a new folder.
    """
    if form is ExportForm.benchmark_report:
        reports = project.benchmark_reports()
        try:
            to.mkdir(parents=True)
        except FileExistsError as error:
            raise WrongUseError(f"{to} exists: give a new folder") from error
        for name, report in reports.items():
            create_file(to / name, report.encode())
        cli.say(f"Exported {len(reports)} reports to {to.resolve()}")
        return
    files = project.export(to, spreadsheet=spreadsheet)
    size = sum(file.bytes for file in files)
    cli.say(f"Exported {len(files)} files, {size / 1e6:.1f} MB, to {to.resolve()}")
