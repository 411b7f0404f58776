"""What a build or a round of fetching says: how far it is, and at the end of a build what the warehouse holds."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from pipelines.build.warehouse import FILE_NAME
from pipelines.export.output import command_rows
from pipelines.object_addresses import address_of, shown
from pipelines.settings import IS_CHECKOUT
from pipelines.terminal import Terminal, console, literal


@contextmanager
def show_progress() -> Iterator[Callable[[int, int, str], None]]:
    """Gives the function to call with steps done, steps in all, and the table that was just made.

    In a terminal a bar follows it, elsewhere a line for each layer of the build.
    """
    if not sys.stdout.isatty():
        layers: list[str] = []

        def print_layer(done: int, total: int, name: str) -> None:
            if (layer := name.split(".")[0]) not in layers:
                layers.append(layer)
                print(f"[{done:>2}/{total}] {layer}", flush=True)

        yield print_layer
        return
    with _bar("Building", console()) as bar:
        task = bar.add_task("starting", total=None)
        yield lambda done, total, name: bar.update(task, completed=done, total=total, description=name)


@contextmanager
def show_looks(total: int) -> Iterator[Callable[[str], None]]:
    """Gives the function to call with the name of each source that was looked at."""
    # Beside the rows that follow, which may go into a file.
    with _bar("Fetching", console(stderr=True), is_shown=sys.stderr.isatty()) as bar:
        task = bar.add_task("starting", total=total)
        yield lambda name: bar.update(task, advance=1, description=literal(name))


def _bar(title: str, out: Console, *, is_shown: bool = True) -> Progress:
    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    return Progress(TextColumn(f"[bold]{title}[/]"), *columns, console=out, transient=True, disable=not is_shown)


def print_summary(warehouse: Path, headline: str) -> dict[str, int]:
    """Print what a warehouse holds and what to do next.

    Returns:
        The counts by name; `losses` are rejects other than sentences.
    """
    [counts] = command_rows(warehouse, "summary").to_pylist()
    out = Terminal(width=None if sys.stdout.isatty() else 120)
    closed = f"; {counts['closed_rejects']} earlier ones have closed" if counts["closed_rejects"] else ""
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right", style="bold")
    table.add_column()
    labels = {
        "documents": "documents",
        "results": f"results, {counts['current_results']} of them current",
        "claims": "claims",
        "epochs": f"epochs in {counts['runs']} training runs",
        "conflicts": "conflicts",
        "unresolved_names": "unresolved names",
        "rejects": f"rejects, {counts['losses']} of them documents, pages, tables or rows{closed}",
    }
    for name, label in labels.items():
        is_fault = name in ("rejects", "unresolved_names", "conflicts") and counts[name]
        table.add_row(f"[yellow]{counts[name]}[/]" if is_fault else str(counts[name]), label)
    out.print(f"[green]{headline}[/]", highlight=False)
    out.print(table, highlight=False)
    for row in command_rows(warehouse, "warnings").to_pylist():
        # A heading in square brackets is no markup, and what a document says is no command to a terminal.
        out.print(f"[yellow]warning:[/] {literal(row['words'])}", soft_wrap=True, highlight=False)
    copy = f" (here as {warehouse / FILE_NAME})" if address_of(warehouse) else f"/{FILE_NAME}"
    out.print(f"The warehouse: {literal(f'{shown(warehouse)}{copy}')}", soft_wrap=True, highlight=False)
    following = (
        'benchledger sql "select model, platform, metric, value, unit from main.current_results limit 10"',
        "benchledger rejects --explain" if counts["rejects"] else "benchledger names",
        f"{'make ui' if IS_CHECKOUT else 'benchledger ui'}    # lineage, checks and runs in the Dagster UI",
    )
    for line in ("Try next:", *(f"  {command}" for command in following)):
        out.print(line, soft_wrap=True, highlight=False, markup=False)
    return dict(counts)
