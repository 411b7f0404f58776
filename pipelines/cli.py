"""The command `benchledger`: thin commands, each with help and an example. The work is done elsewhere.

Heavy imports stand inside the commands, so that a query does not wait for Dagster.
"""

from __future__ import annotations

import time
from datetime import date, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from pipelines.report import (
    OutputFormat,
    TraceFormat,
    console,
    print_json,
    print_rows,
    print_sections,
    print_summary,
)
from pipelines.settings import raw_folder, warehouse_folder
from pipelines.warehouse import WarehouseError, query_published

# Exit statuses, beside 0: what a schedule or a script has to tell apart.
FAILED = 1
WRONG_USE = 2
BUILT_WITH_LOSSES = 3

app = typer.Typer(
    help="A ledger of published AI-accelerator benchmarks.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)

RawOption = Annotated[
    Path | None, typer.Option("--raw", help="Folder of the stored documents.", show_default="raw/ of the project")
]
WarehouseOption = Annotated[
    Path | None,
    typer.Option("--warehouse", help="Folder of the warehouse.", show_default="warehouse/ of the project"),
]
FormatOption = Annotated[OutputFormat, typer.Option("--format", help="How the rows are printed.")]


def _stop(message: str, status: int) -> typer.Exit:
    # What documents and users have written is no markup.
    Console(stderr=True, soft_wrap=True).print(f"[red]error:[/] {escape(message)}", highlight=False)
    return typer.Exit(status)


@app.command()
def build(
    raw: RawOption = None,
    warehouse: WarehouseOption = None,
    again: Annotated[bool, typer.Option("--again", help="Build even when nothing has changed.")] = False,
) -> None:
    """Build the warehouse from the stored documents: the assets that the Dagster UI shows.

    Exit status: 0 built; 1 not built, the last warehouse stays; 3 built, but a document, table or row was not read.

    Example: `benchledger build --raw raw --warehouse warehouse`
    """
    from pipelines.unchanged import build_digest, is_unchanged, remember_build

    raw, warehouse = (raw or raw_folder()).resolve(), (warehouse or warehouse_folder()).resolve()
    if not raw.is_dir():
        raise _stop(f"there is no folder {raw}; add a document with `benchledger add`", WRONG_USE)
    started = time.perf_counter()
    digest = build_digest(raw)
    if not again and is_unchanged(warehouse, digest):
        if print_summary(warehouse, "Nothing has changed since the last build")["losses"]:
            raise typer.Exit(BUILT_WITH_LOSSES)
        return
    from pipelines.build import run_build
    from pipelines.progress import show_progress

    with show_progress() as progress:
        outcome = run_build(raw, warehouse, progress)
    if not outcome.success:
        for fault in outcome.faults or ["the build failed; the run in the Dagster UI says more"]:
            _stop(fault, FAILED)
        raise _stop("nothing was published; the last good warehouse stays", FAILED)
    remember_build(warehouse, digest)
    headline = (
        f"Built in {time.perf_counter() - started:.1f} s: {outcome.documents_read} of "
        f"{outcome.documents_read + outcome.documents_known} documents had to be read"
    )
    if print_summary(warehouse, headline)["losses"]:
        raise typer.Exit(BUILT_WITH_LOSSES)


@app.command()
def add(
    file: Annotated[Path, typer.Argument(help="The document as captured.")],
    source: Annotated[str, typer.Option("--source", help="publisher/source it belongs to.")],
    published_on: Annotated[
        datetime | None,
        typer.Option(
            "--published-on", formats=["%Y-%m-%d"], help="Day of publication; found in the text if it states one."
        ),
    ] = None,
    format: Annotated[
        str | None, typer.Option("--format", help="Source format; found from the content when not given.")
    ] = None,
    title: Annotated[str | None, typer.Option("--title", help="Title of a new source.")] = None,
    url: Annotated[str | None, typer.Option("--url", help="Address it was captured from.")] = None,
    interest: Annotated[
        str | None, typer.Option("--interest", help="Of a new source: vendor, competitor, independent or unknown.")
    ] = None,
    raw: RawOption = None,
) -> None:
    """Store a document as an immutable snapshot of a source.

    Example: `benchledger add page.txt --source graphcore/performance-results --published-on 2023-07-04`
    """
    from pydantic import ValidationError

    from pipelines.ingest.snapshots import IngestError, add_document

    try:
        day: date | None = published_on.date() if published_on else None
        stored = add_document(
            file, source, raw or raw_folder(), published_on=day, format=format, title=title, url=url, interest=interest
        )
    except (IngestError, ValidationError) as error:
        raise _stop(str(error), WRONG_USE) from error
    out = Console(soft_wrap=True)
    if not stored.is_new:
        out.print(f"The same bytes are stored already, nothing was changed: {stored.path}", highlight=False)
        return
    out.print(f"Stored {stored.path}", highlight=False)
    out.print(f"  sha256 {stored.entry.sha256}", highlight=False)
    published = stored.entry.published_on or "not known"
    out.print(f"  format {stored.entry.format or 'not recognised'}, published on {published}", highlight=False)
    if stored.entry.format is None:
        out.print("  [yellow]no source format recognises it: the build will say why[/]", highlight=False)


# A query may begin with a comment, `-- which ...`, and is no option for that.
@app.command(context_settings={"ignore_unknown_options": True})
def sql(
    query: Annotated[str, typer.Argument(help="A query in DuckDB's SQL.")],
    format: FormatOption = OutputFormat.table,
    warehouse: WarehouseOption = None,
) -> None:
    """Run a query on the published warehouse.

    Example: `benchledger sql "select * from main.current_results limit 5" --format csv`
    """
    _print_query(query, format, warehouse)


@app.command()
def rejects(
    explain: Annotated[
        bool, typer.Option("--explain", help="By rule: how many, an example, and what to do about them.")
    ] = False,
    format: FormatOption = OutputFormat.table,
    warehouse: WarehouseOption = None,
) -> None:
    """List what was not let in: rule, reason, place and the row itself.

    Example: `benchledger rejects --explain`
    """
    if explain:
        from pipelines.explain import explain_rejects

        try:
            rows = explain_rejects((warehouse or warehouse_folder()).resolve())
        except WarehouseError as error:
            raise _stop(str(error), FAILED) from error
        print_rows(rows, format)
        return
    _print_query(
        "select path, line, scope, rule, reason, row_json from audit.rejects order by path, line, rule",
        format,
        warehouse,
    )


@app.command()
def names(format: FormatOption = OutputFormat.table, warehouse: WarehouseOption = None) -> None:
    """List printed names that no vocabulary knows, with suggestions.

    Example: `benchledger names --format csv`
    """
    _print_query(
        "select kind, name_printed, occurrences, documents, suggestion from audit.unresolved_names "
        "order by occurrences desc, kind, name_printed",
        format,
        warehouse,
    )


@app.command()
def coverage(
    document: Annotated[
        str | None, typer.Option("--document", help="Only this one: its path, the path's end, or its document_id.")
    ] = None,
    format: FormatOption = OutputFormat.table,
    raw: RawOption = None,
    warehouse: WarehouseOption = None,
) -> None:
    """Show how much of each document was read, and the sentences with numbers that were not.

    Example: `benchledger coverage --format markdown`
    """
    from pipelines.coverage import TITLES
    from pipelines.coverage import coverage as read_coverage

    try:
        tables = read_coverage((warehouse or warehouse_folder()).resolve(), (raw or raw_folder()).resolve(), document)
    except WarehouseError as error:
        raise _stop(str(error), FAILED) from error
    print_sections({name: (TITLES[name], rows) for name, rows in tables.items()}, format)


@app.command()
def trace(
    id: Annotated[
        str | None,
        typer.Argument(help="Identifier of a result, claim, run, configuration or evidence, or how it begins."),
    ] = None,
    query: Annotated[
        str | None, typer.Option("--query", help="Trace each row of a query that returns result_id, claim_id ...")
    ] = None,
    format: Annotated[TraceFormat, typer.Option("--format", help="How the traces are printed.")] = TraceFormat.text,
    raw: RawOption = None,
    warehouse: WarehouseOption = None,
) -> None:
    """Show where a number comes from: the document, the printed characters, and each step to the stored value.

    Example: `benchledger trace --query "select result_id from main.current_results where metric = 'mrr'"`
    """
    from pipelines.trace.collect import trace_rows
    from pipelines.trace.identifiers import TraceError, find_identifier, identifiers_of
    from pipelines.trace.text import print_trace

    if (id is None) == (query is None):
        raise _stop("give either an identifier or --query", WRONG_USE)
    folder, raw = (warehouse or warehouse_folder()).resolve(), (raw or raw_folder()).resolve()
    try:
        rows = [find_identifier(folder, id)] if id is not None else identifiers_of(folder, query or "")
        traces = list(trace_rows(folder, raw, rows))
    except (TraceError, WarehouseError) as error:
        raise _stop(str(error), FAILED) from error
    if format is TraceFormat.json:
        print_json(traces[0] if id is not None else traces)
        return
    out = console()
    for index, found in enumerate(traces):
        if index:
            out.print()
        print_trace(found, out)


@app.command()
def dictionary(
    write: Annotated[bool, typer.Option("--write", help="Write warehouse/README.md instead of printing.")] = False,
) -> None:
    """Print the data dictionary: every table and column.

    Example: `benchledger dictionary`
    """
    from pipelines.dictionary import data_dictionary, write_dictionary
    from pipelines.extract.published_tables import published_tables

    tables = published_tables()
    if write:
        write_dictionary(tables)
    else:
        print(data_dictionary(tables), end="")


def _print_query(query: str, format: OutputFormat, warehouse: Path | None) -> None:
    try:
        rows = query_published((warehouse or warehouse_folder()).resolve(), query)
    except WarehouseError as error:
        raise _stop(str(error), FAILED) from error
    print_rows(rows, format)


def main() -> None:
    """Entry point of the console script."""
    app()


if __name__ == "__main__":
    main()
