"""What the commands share: exit statuses, options, and how an error ends a command."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from pipelines.report import OutputFormat

# Exit statuses, beside 0: what a schedule or a script has to tell apart.
FAILED = 1
WRONG_USE = 2
BUILT_WITH_LOSSES = 3

RawOption = Annotated[
    Path | None, typer.Option("--raw", help="Folder of the stored documents.", show_default="raw/ of the project")
]
WarehouseOption = Annotated[
    Path | None,
    typer.Option("--warehouse", help="Folder of the warehouse.", show_default="warehouse/ of the project"),
]
FormatOption = Annotated[OutputFormat, typer.Option("--format", help="How the rows are printed.")]


def stop(message: str, status: int) -> typer.Exit:
    """Print an error and give the exit to raise."""
    # What documents and users have written is no markup.
    Console(stderr=True, soft_wrap=True).print(f"[red]error:[/] {escape(message)}", highlight=False)
    return typer.Exit(status)
