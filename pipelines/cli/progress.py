"""What a build or a round of fetching says: how far it is, and at the end of a build what the
warehouse holds.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from pipelines.cli import options as cli
from pipelines.object_addresses import address_of, shown
from pipelines.settings import IS_CHECKOUT
from pipelines.terminal import console, literal
from pipelines.warehouse.queries import command_rows
from pipelines.warehouse.reader import FILE_NAME


@contextmanager
def show_progress(title: str, *, stderr: bool = False) -> Iterator[Callable[[int, int, str], None]]:
    """Gives the function to call with steps done, steps in all, and the table or source that was
    just done.

    In a terminal a bar follows it, elsewhere a line for each layer of a build; beside rows that may
    go into a file, on standard error, nothing.
    """
    is_terminal = (sys.stderr if stderr else sys.stdout).isatty()
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    out, layers = console(stderr=stderr), set[str]()
    with Progress(
        TextColumn(f"[bold]{title}[/]"),
        *columns,
        console=out,
        transient=True,
        disable=not is_terminal,
    ) as bar:
        task = bar.add_task("starting", total=None)

        def follow(done: int, total: int, name: str) -> None:
            bar.update(task, completed=done, total=total, description=literal(name))
            layer = name.split(".")[0]
            if not is_terminal and not stderr and layer not in layers:
                layers.add(layer)
                print(f"[{done:>2}/{total}] {layer}", flush=True)

        yield follow


def print_summary(warehouse: Path, headline: str) -> dict[str, int]:
    """Print what a warehouse holds and what to do next.

    Returns:
        The counts by name; `losses` are rejects other than sentences, and sources that lost results.
    """
    rows = command_rows(warehouse, "summary").to_pylist()
    counts = {row["name"]: row["count"] for row in rows}
    cli.say(headline, "green")
    width = len(f"{max(counts.values()):,}")
    for row in rows:
        if row["words"]:
            cli.say(
                f"{row['count']:>{width},}  {row['words']}", "yellow" if row["is_fault"] else ""
            )
    for row in command_rows(warehouse, "warnings").to_pylist():
        cli.warn(row["words"], stderr=False)
    copy = f" (here as {warehouse / FILE_NAME})" if address_of(warehouse) else f"/{FILE_NAME}"
    cli.say(f"The warehouse: {shown(warehouse)}{copy}")
    following = (
        'benchledger sql "select model, platform, metric, value, unit from main.current_results limit 10"',
        "benchledger rejects --explain" if counts["rejects"] else "benchledger names",
        f"{'make ui' if IS_CHECKOUT else 'benchledger ui'}    # lineage, checks and runs in the Dagster UI",
    )
    for line in ("Try next:", *(f"  {command}" for command in following)):
        cli.say(line)
    return counts
