"""What the commands share: exit statuses, options, and how an error ends a command."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from pipelines.output import OutputFormat
from pipelines.terminal import console, literal

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
_FORMATS = "How the rows are printed; `spreadsheet` is CSV in which no cell is taken for a formula."
FormatOption = Annotated[OutputFormat, typer.Option("--format", help=_FORMATS)]


def stop(message: str, status: int) -> typer.Exit:
    """Print an error and give the exit to raise."""
    console(stderr=True).print(f"[red]error:[/] {literal(message)}", soft_wrap=True, highlight=False)
    return typer.Exit(status)


def in_words(error: OSError) -> str:
    """What the system has refused, and of which file."""
    if error.strerror is None:
        return str(error)
    return f"{error.filename}: {error.strerror}" if error.filename else error.strerror


def record_errors() -> tuple[type[Exception], ...]:
    """What Dagster's record of runs raises when it cannot be written; nothing where Dagster was not loaded."""
    loaded = sys.modules.get("sqlalchemy.exc")
    return (loaded.SQLAlchemyError,) if loaded else ()
