"""The command `benchledger`: thin commands, each with help and an example. The work is done elsewhere.

Heavy imports stand inside the commands, so that a query does not wait for Dagster.
"""

from __future__ import annotations

import gc
import os
import sys
import time
from datetime import date, datetime
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from pipelines.cli import queries as cli_queries
from pipelines.cli.lasting_output import LastingOutput, lasting_output
from pipelines.cli.mapping import map_source, tell_of_tables
from pipelines.cli.options import (
    BUILT_WITH_LOSSES,
    FAILED,
    WRONG_USE,
    RawOption,
    WarehouseOption,
    complete_source,
    in_words,
    published_in,
    record_errors,
    stop,
    stored_documents_in,
)
from pipelines.cli.sources import add_address, fetch, sources
from pipelines.export.output import print_summary
from pipelines.object_addresses import refuse_nested, shown
from pipelines.sandbox import GARBAGE_THRESHOLDS
from pipelines.settings import LOCAL, cluster_address, raw_folder, warehouse_folder
from pipelines.terminal import console, literal

app = typer.Typer(
    help="A ledger of published AI-accelerator benchmarks.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    # Click makes the same suggestion once more.
    suggest_commands=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)


def _print_version(is_asked: bool) -> None:
    if is_asked:
        from importlib.metadata import version

        print(f"benchledger {version('benchledger')}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    raw: RawOption = None,
    warehouse: WarehouseOption = None,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    """A ledger of published AI-accelerator benchmarks."""
    # In front of a command they hold for whichever it is, as far as it has a use for them.
    given = {name: str(path) for name, path in {"raw": raw, "warehouse": warehouse}.items() if path}
    context.default_map = dict.fromkeys(getattr(context.command, "commands", {}), given)


@app.command()
@lasting_output()
def build(
    raw: RawOption = None,
    warehouse: WarehouseOption = None,
    again: Annotated[
        bool, typer.Option("--again", help="Build even when nothing has changed, and open all evidence again.")
    ] = False,
    cluster: Annotated[
        str | None,
        typer.Option(
            "--cluster",
            help="Scheduler of a Dask cluster that reads the documents, as tcp://scheduler:8786.",
            show_default="BENCHLEDGER_CLUSTER, else local",
        ),
    ] = None,
) -> None:
    """Build the warehouse from the stored documents: the assets that the Dagster UI shows.

    Exit status: 0 built; 1 not built, the last warehouse stays; 3 built, but a document, table or row was not read.

    Example: `benchledger build --raw raw --warehouse warehouse`
    """
    from pipelines.build.up_to_date import distrust, is_up_to_date, take_over_published
    from pipelines.ingest.store import read_store

    raw, warehouse = (raw or raw_folder()).resolve(), (warehouse or warehouse_folder()).resolve()
    refuse_nested(raw, warehouse)
    if (address := cluster or cluster_address()) != LOCAL:
        from pipelines.build.cluster import ClusterError, check_address

        try:
            check_address(address)
        except ClusterError as error:
            raise stop(str(error), WRONG_USE) from error
    stored_documents_in(raw)
    take_over_published(warehouse)
    if not raw.is_dir():
        raise stop(f"there is no folder {raw}; add a document with `benchledger add`", WRONG_USE)
    started = time.perf_counter()
    store = read_store(raw)
    if not again and is_up_to_date(warehouse, store):
        if print_summary(warehouse, "Nothing has changed since the last build")["losses"]:
            raise typer.Exit(BUILT_WITH_LOSSES)
        return
    # What Dagster lays out stays to the end; looking through it for garbage again and again takes a tenth of a build.
    gc.set_threshold(*GARBAGE_THRESHOLDS)
    from pipelines.assets.instance import InstanceError
    from pipelines.cli.build import run_build
    from pipelines.cli.progress import show_progress

    if again:
        distrust(warehouse)
    try:
        with show_progress() as progress:
            outcome = run_build(raw, warehouse, progress, store=store, cluster=cluster)
    except InstanceError as error:
        raise stop(str(error), FAILED) from error
    for words in outcome.warnings:
        console(stderr=True).print(f"[yellow]warning:[/] {literal(words)}", soft_wrap=True, highlight=False)
    if not outcome.success:
        for fault in outcome.faults or ["the build failed; the run in the Dagster UI says more"]:
            stop(fault, FAILED)
        raise stop("nothing was published; the last good warehouse stays", FAILED)
    headline = (
        f"Built in {time.perf_counter() - started:.1f} s: {outcome.documents_read} of "
        f"{outcome.documents_read + outcome.documents_known} documents had to be read"
    )
    if print_summary(warehouse, headline)["losses"]:
        raise typer.Exit(BUILT_WITH_LOSSES)


@app.command()
@lasting_output()
def add(
    file: Annotated[str, typer.Argument(metavar="FILE|URL", help="The document as captured, or its address.")],
    source: Annotated[
        str, typer.Option("--source", help="publisher/source it belongs to.", autocompletion=complete_source)
    ],
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
    cadence: Annotated[
        str | None, typer.Option("--cadence", help="Of an address: how often it is fetched; daily, `12 hours` ...")
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option("--allow-host", help="Of an address: a host to fetch from though its address is not public."),
    ] = None,
    raw: RawOption = None,
) -> None:
    """Store a document as an immutable snapshot of a source; an address is registered and fetched.

    Exit status: 0 stored; 2 not stored; 3 stored, but not all of it is understood: it says what to do.

    Example: `benchledger add page.txt --source acme/results --published-on 2026-01-31`
    """
    if "://" in file:
        _refuse("an address", {"--published-on": published_on, "--format": format, "--url": url})
        folder = stored_documents_in(raw)
        add_address(file, source, folder, cadence, title, interest, allow_host)
        from pipelines.ingest.store import stored_documents

        newest = stored_documents(folder / source)[-1:]
        if not all(tell_of_tables(stored, source) for stored in newest):
            raise typer.Exit(BUILT_WITH_LOSSES)
        return
    _refuse("a file", {"--cadence": cadence, "--allow-host": allow_host})
    from pipelines.ingest.mirror import commit
    from pipelines.ingest.snapshots import IngestError, add_document

    folder = stored_documents_in(raw)
    day: date | None = published_on.date() if published_on else None
    work = partial(
        add_document,
        Path(file),
        source,
        folder,
        published_on=day,
        format=format,
        title=title,
        url=url,
        interest=interest,
    )
    try:
        stored = commit(folder, source, work)
    except IngestError as error:
        raise stop(str(error), WRONG_USE) from error
    out = console()
    if not stored.is_new:
        words = "The same bytes are stored already, nothing was changed: "
        out.print(words + literal(shown(stored.path)), soft_wrap=True, highlight=False)
        return
    out.print(f"Stored {literal(shown(stored.path))}", soft_wrap=True, highlight=False)
    out.print(f"  sha256 {stored.entry.sha256}", highlight=False)
    published = stored.entry.published_on or "not known"
    out.print(f"  format {stored.entry.format or 'not recognised'}, published on {published}", highlight=False)
    if not tell_of_tables(stored, source):
        raise typer.Exit(BUILT_WITH_LOSSES)


def _refuse(what: str, given: dict[str, object]) -> None:
    """End the command where an option is given that says nothing of what is added: it would be dropped in silence."""
    if named := [option for option, value in given.items() if value]:
        raise stop(f"{named[0]} says nothing of {what}; leave it out", WRONG_USE)


@app.command()
@lasting_output()
def report(
    explore: Annotated[
        bool,
        typer.Option(
            "--explore", help="Let the site answer SQL in the browser; adds 12 MB, installed by `make explore`."
        ),
    ] = False,
    raw: RawOption = None,
    warehouse: WarehouseOption = None,
) -> None:
    """Write the warehouse as a site, static pages to look at: `site/index.html` in the folder of the warehouse.

    Exit status: 0 written; 1 not written.

    Example: `benchledger report`
    """
    from pipelines.build.warehouse import WarehouseError
    from pipelines.report.explore import ExploreError
    from pipelines.report.site import ReportError, write_site

    started = time.perf_counter()
    try:
        written = write_site(published_in(warehouse), stored_documents_in(raw), explore=explore)
    except (WarehouseError, ReportError, ExploreError) as error:
        raise stop(str(error), FAILED) from error
    took = f"{time.perf_counter() - started:.1f} s"
    out = console()
    counts = f"{written.pages:,} pages; {written.changed:,} files were written and {written.removed:,} removed"
    out.print(f"The site has {counts}, in {took}", highlight=False)
    out.print(f"Open {literal(written.start)}", soft_wrap=True, highlight=False)


@app.command()
def ui(port: Annotated[int, typer.Option("--port", help="Port on this machine.")] = 3000) -> None:
    """Serve the Dagster UI with its schedule and sensor, until Ctrl-C.

    Exit status: 0 ended by Ctrl-C; 1 not served.

    Example: `benchledger ui --port 3001`
    """
    from pipelines.assets.instance import InstanceError
    from pipelines.cli.ui import UiError, serve_ui

    try:
        serve_ui(port)
    except (UiError, InstanceError) as error:
        raise stop(str(error), FAILED) from error


# A query may begin with a comment, `-- which ...`, and is no option for that.
app.command(context_settings={"ignore_unknown_options": True})(cli_queries.sql)
app.command("map")(map_source)
for command in (
    fetch,
    sources,
    cli_queries.rejects,
    cli_queries.names,
    cli_queries.coverage,
    cli_queries.audit,
    cli_queries.trace,
    cli_queries.chart,
    cli_queries.diff,
    cli_queries.dictionary,
    cli_queries.export,
):
    app.command()(command)


def main() -> None:
    """Entry point of the console script: what the system refuses is a sentence, whichever command met it."""
    sys.stdout = LastingOutput(sys.stdout, ends=True)
    try:
        try:
            app()
        finally:
            sys.stdout.flush()
    except OSError as error:
        raise SystemExit(stop(in_words(error), FAILED).exit_code) from None
    except record_errors() as error:
        reason = str(error).splitlines()[0]
        words = f"Dagster's record of runs in {os.environ.get('BENCHLEDGER_STATE')} cannot be written: {reason}"
        raise SystemExit(
            stop(f"{words}; the warehouse is as it was, or as it was just built", FAILED).exit_code
        ) from None


if __name__ == "__main__":
    main()
