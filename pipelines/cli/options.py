"""What the commands share: exit statuses, options, and how an error ends a command."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from pipelines.export.output import OutputFormat
from pipelines.object_addresses import AddressError, address_of, folder_of
from pipelines.settings import raw_folder, warehouse_folder
from pipelines.terminal import console, literal

# Exit statuses, beside 0: what a schedule or a script has to tell apart.
FAILED = 1
WRONG_USE = 2
BUILT_WITH_LOSSES = 3


def _place(text: str) -> Path:
    try:
        return folder_of(text)
    except AddressError as error:
        raise typer.BadParameter(str(error)) from None


RawOption = Annotated[
    Path | None,
    typer.Option(
        "--raw",
        help="Folder of the stored documents, or `s3://bucket/folder`.",
        show_default="raw/ of the project",
        parser=_place,
        metavar="FOLDER",
    ),
]
WarehouseOption = Annotated[
    Path | None,
    typer.Option(
        "--warehouse",
        help="Folder of the warehouse, or `s3://bucket/folder`.",
        show_default="warehouse/ of the project",
        parser=_place,
        metavar="FOLDER",
    ),
]
_FORMATS = "How the rows are printed; `spreadsheet` is CSV in which no cell is taken for a formula."
FormatOption = Annotated[OutputFormat, typer.Option("--format", help=_FORMATS)]


def complete_source(beginning: str) -> list[str]:
    """The sources in the store of the project whose names begin so, for completion in a shell."""
    found = (path.relative_to(raw_folder()).as_posix() for path in raw_folder().glob("[!.]*/[!.]*/"))
    return sorted(name for name in found if name.startswith(beginning))


def stop(message: str, status: int) -> typer.Exit:
    """Print an error and give the exit to raise."""
    console(stderr=True).print(f"[red]error:[/] {literal(message)}", soft_wrap=True, highlight=False)
    return typer.Exit(status)


def stored_documents_in(raw: Path | None) -> Path:
    """The folder of the stored documents; what mirrors an object store is made as that is now."""
    folder = (raw or raw_folder()).resolve()
    if address_of(folder):
        from pipelines.ingest.mirror import pull

        pull(folder)
    return folder


def published_in(warehouse: Path | None, *, previous: bool = False) -> Path:
    """The folder of the warehouse; what mirrors an object store holds then what is published there now.

    Args:
        warehouse: As given.
        previous: Whether what stood before the results last changed is wanted, too.
    """
    folder = (warehouse or warehouse_folder()).resolve()
    if address_of(folder):
        from pipelines.remote.publishing import bring

        bring(folder, previous=previous)
    return folder


def in_words(error: OSError) -> str:
    """What the system has refused, and of which file."""
    if error.strerror is None:
        return str(error)
    return f"{error.filename}: {error.strerror}" if error.filename else error.strerror


def record_errors() -> tuple[type[Exception], ...]:
    """What Dagster's record of runs raises when it cannot be written; nothing where Dagster was not loaded."""
    loaded = sys.modules.get("sqlalchemy.exc")
    return (loaded.SQLAlchemyError,) if loaded else ()
