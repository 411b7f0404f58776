"""How far a build is: a bar in a terminal, a line per layer elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn


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
        console=Console(),
        transient=True,
    )
    with bar:
        task = bar.add_task("starting", total=None)
        yield lambda done, total, name: bar.update(task, completed=done, total=total, description=name)


def _print_layers() -> Callable[[int, int, str], None]:
    layers: list[str] = []

    def follow(done: int, total: int, name: str) -> None:
        layer = name.split(".")[0]
        if layer not in layers:
            layers.append(layer)
            print(f"[{done:>2}/{total}] {layer}", flush=True)

    return follow
