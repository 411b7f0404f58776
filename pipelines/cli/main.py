"""The command `benchledger`: what it is made of, and the commands that build, show and serve the warehouse.

Commands are thin, each with help and an example; the work is done elsewhere. Heavy imports stand inside them, so that a
query does not wait for Dagster.
"""

from __future__ import annotations

import gc
import os
import sys
import time
from typing import Annotated

import typer

from benchledger import __version__
from pipelines.cli import options as cli
from pipelines.cli.check_command import check
from pipelines.cli.commands import WithBoth, command
from pipelines.cli.map_command import map_source
from pipelines.cli.mcp_server import mcp
from pipelines.cli.output import OutputFormat, print_rows, rows_of
from pipelines.cli.query_commands import (
    audit,
    changes,
    chart,
    costs,
    coverage,
    dictionary,
    diff,
    export,
    names,
    rejects,
    sql,
    trace,
)
from pipelines.cli.source_commands import add, fetch, remove, sources
from pipelines.exceptions import BUILT_WITH_LOSSES, FAILED, record_errors
from pipelines.sandbox import GARBAGE_THRESHOLDS
from pipelines.terminal import plural

app = typer.Typer(
    cls=cli.Commands,
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
        print(f"benchledger {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", is_eager=True, callback=_print_version
        ),
    ] = False,
) -> None:
    """A ledger of published AI-accelerator benchmarks."""


def build(
    project: WithBoth,
    again: bool = False,
    cluster: Annotated[
        str | None, typer.Option(show_default="BENCHLEDGER_CLUSTER, else local")
    ] = None,
) -> None:
    """Build the warehouse from the stored documents, as the Dagster UI does.

    Exit status: 0 built; 1 not built, the last warehouse stays; 3 built, but a document, table, row or source was not read.

    Example: `benchledger build --raw raw --warehouse warehouse`

    Options:
        again: Build even if nothing has changed, and verify all evidence again.
        cluster: Scheduler of a Dask cluster that reads the documents, as tcp://scheduler:8786.
    """
    from pipelines.cli.progress import print_summary, show_progress
    from pipelines.validate.screening import leave_pandas_out

    cli.go_on_unread()
    # What Dagster lays out stays to the end; looking through it for garbage again and again is a tenth of a build.
    gc.set_threshold(*GARBAGE_THRESHOLDS)
    leave_pandas_out()
    started = time.perf_counter()
    with show_progress("Building") as progress:
        outcome = project.build(again=again, cluster=cluster, progress=progress)
    headline = "Nothing has changed since the last build"
    if outcome:
        for words in outcome.warnings:
            cli.warn(words)
        documents = f"{outcome.documents_read} of {outcome.documents_read + outcome.documents_known} documents"
        headline = f"Built in {time.perf_counter() - started:.1f} s: {documents} had to be read"
    if print_summary(project.warehouse, headline)["losses"]:
        raise typer.Exit(BUILT_WITH_LOSSES)


def report(project: WithBoth, explore: bool = False) -> None:
    """Write the warehouse as a static site: `site/index.html` in the folder of the warehouse.

    Exit status: 0 written; 1 not written; 2 a page was changed by others, and stays.

    Example: `benchledger report`

    Options:
        explore: Add a page that runs SQL in the browser; adds 12 MB, installed by `make explore`.
    """
    cli.go_on_unread()
    started = time.perf_counter()
    written = project.report(explore=explore)
    counts = f"{plural(written.pages, 'page')}; files written: {written.changed:,}, removed: {written.removed:,}"
    cli.say(f"The site has {counts}, in {time.perf_counter() - started:.1f} s")
    cli.say(f"Open {written.start}")


def ui(port: Annotated[int, typer.Option(min=1, max=65_535)] = 3000, fetch: bool = False) -> None:
    """Serve the Dagster UI until Ctrl-C. Its schedule and sensor are off until they are switched on there.

    Exit status: 130 ended by Ctrl-C; 1 not served.

    Example: `benchledger ui --port 3001`

    Options:
        port: Port on this machine.
        fetch: Start with the schedule, which fetches due sources, and the sensor, which builds, switched on.
    """
    from pipelines.cli.ui import serve_ui

    if fetch:
        os.environ["BENCHLEDGER_FETCH"] = "1"

    serve_ui(port)


def doctor(
    project: WithBoth,
    format: cli.FormatOption = OutputFormat.table,
) -> None:
    """Check this installation: versions, folders, locks, damaged files, failing sources, with advice.

    Exit status: 0 no fault; 1 a fault was found.

    Example: `benchledger doctor`
    """
    from pipelines.cli.doctor import Finding, examine

    found = list(examine(project))
    print_rows(rows_of(" ".join(Finding._fields), found), format)
    if any(one.state == "fault" for one in found):
        raise typer.Exit(FAILED)


for function in (
    build,
    add,
    remove,
    report,
    ui,
    sql,
    map_source,
    check,
    costs,
    fetch,
    sources,
    rejects,
    names,
    coverage,
    audit,
    trace,
    chart,
    diff,
    changes,
    dictionary,
    export,
    doctor,
    mcp,
):
    name = function.__name__.removesuffix("_source")
    # A query may begin with a comment, `-- which ...`, and is no option for that.
    settings = {"ignore_unknown_options": name == "sql"}
    app.command(name, context_settings=settings)(command(function))


def main() -> None:
    """Entry point of the console script: what the system refuses is a sentence, whichever command met it."""
    sys.stdout, sys.stderr = cli.lasting(sys.stdout), cli.lasting(sys.stderr)
    try:
        try:
            app()
        finally:
            sys.stdout.flush()
    except OSError as error:
        # What the system has refused, and of which file.
        words = error.strerror or str(error)
        if error.strerror and error.filename:
            words = f"{error.filename}: {words}"
    except record_errors() as error:
        words = (
            f"Dagster's record of runs in {os.environ.get('BENCHLEDGER_STATE')} cannot be written: "
            f"{str(error).splitlines()[0]}; "
            "the warehouse is as it was, or as it was just built"
        )
    else:
        return
    raise SystemExit(cli.stop(words, FAILED).exit_code)


if __name__ == "__main__":
    main()
