"""How far a build or a round of fetching is: a bar in a terminal; elsewhere a line per layer of the build."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from pipelines.terminal import console, literal


@contextmanager
def show_progress() -> Iterator[Callable[[int, int, str], None]]:
    """Gives the function to call with steps done, steps in all, and the table that was just made."""
    if not sys.stdout.isatty():
        yield _print_layers()
        return
    bar = Progress(
        TextColumn("[bold]Building[/]"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
        console=console(),
        transient=True,
    )
    with bar:
        task = bar.add_task("starting", total=None)
        yield lambda done, total, name: bar.update(task, completed=done, total=total, description=name)


@contextmanager
def show_looks(total: int) -> Iterator[Callable[[str], None]]:
    """Gives the function to call with the name of each source that was looked at."""
    bar = Progress(
        TextColumn("[bold]Fetching[/]"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
        # Beside the rows that follow, which may go into a file.
        console=console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )
    with bar:
        task = bar.add_task("starting", total=total)
        yield lambda name: bar.update(task, advance=1, description=literal(name))


def _print_layers() -> Callable[[int, int, str], None]:
    layers: list[str] = []

    def follow(done: int, total: int, name: str) -> None:
        layer = name.split(".")[0]
        if layer not in layers:
            layers.append(layer)
            print(f"[{done:>2}/{total}] {layer}", flush=True)

    return follow
