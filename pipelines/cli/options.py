"""What the commands share: exit statuses, options, folders, and how a refusal or a closed pipe ends a command."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer
from typer.core import TyperGroup

from pipelines.export.output import OutputFormat
from pipelines.object_addresses import AddressError, address_of, folder_of
from pipelines.settings import raw_folder, warehouse_folder
from pipelines.terminal import console, literal

# Exit statuses, beside 0: what a schedule or a script has to tell apart.
FAILED = 1
WRONG_USE = 2
BUILT_WITH_LOSSES = 3

# Exceptions whose message ends a command, with its status. By name: a module that was not loaded has raised none, and
# loading all of them would make every command wait.
_REFUSALS = {
    "pipelines.assets.instance.InstanceError": FAILED,
    "pipelines.build.cluster.ClusterError": WRONG_USE,
    "pipelines.build.warehouse.WarehouseError": FAILED,
    "pipelines.cli.mapping_preview.SourceError": WRONG_USE,
    "pipelines.cli.ui.UiError": FAILED,
    "pipelines.export.folder.ExportError": WRONG_USE,
    "pipelines.ingest.fetching.FetchingError": FAILED,
    "pipelines.ingest.registry.RegistryError": WRONG_USE,
    "pipelines.ingest.snapshots.IngestError": WRONG_USE,
    "pipelines.report.site.ReportError": FAILED,
    "pipelines.trace.identifiers.TraceError": FAILED,
}


class Commands(TyperGroup):
    """The commands: what the project refuses is a sentence, whichever command met it."""

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]
        """Run a command; a refusal becomes its exit status."""
        try:
            return super().invoke(ctx)
        except tuple(_loaded(_REFUSALS)) as error:
            statuses = _loaded(_REFUSALS)
            raise stop(str(error), next(statuses[kind] for kind in type(error).mro() if kind in statuses)) from error


def _loaded(names: dict[str, int]) -> dict[type[Exception], int]:
    """The exceptions of these names whose modules are loaded."""
    found = {}
    for name, status in names.items():
        module, _, kind = name.rpartition(".")
        if module in sys.modules:
            found[getattr(sys.modules[module], kind)] = status
    return found


def record_errors(*more: type[Exception]) -> tuple[type[Exception], ...]:
    """What Dagster's record of runs raises when it cannot be written, where Dagster was loaded, and more exceptions."""
    return (*more, *_loaded({"sqlalchemy.exc.SQLAlchemyError": FAILED}))


def _place(text: str) -> Path:
    try:
        return folder_of(text)
    except AddressError as error:
        raise typer.BadParameter(str(error)) from None


def _folder(name: str, holds: str) -> Any:
    return typer.Option(
        f"--{name}",
        help=f"Folder of the {holds}, or `s3://bucket/folder`.",
        show_default=f"{name}/ of the project",
        parser=_place,
        metavar="FOLDER",
    )


RawOption = Annotated[Path | None, _folder("raw", "stored documents")]
WarehouseOption = Annotated[Path | None, _folder("warehouse", "warehouse")]
_FORMATS = "How the rows are printed; `spreadsheet` is CSV in which no cell is taken for a formula."
FormatOption = Annotated[OutputFormat, typer.Option("--format", help=_FORMATS)]


def complete_source(beginning: str) -> list[str]:
    """The sources in the store of the project whose names begin so, for completion in a shell."""
    found = (path.relative_to(raw_folder()).as_posix() for path in raw_folder().glob("[!.]*/[!.]*/"))
    return sorted(name for name in found if name.startswith(beginning))


def say(words: str, style: str = "") -> None:
    """Print a line of text that may come from documents, users or servers."""
    console().print(literal(words), style=style or None, soft_wrap=True, highlight=False)


def warn(words: object) -> None:
    """Print a warning beside the results."""
    console(stderr=True).print(f"[yellow]warning:[/] {literal(words)}", soft_wrap=True, highlight=False)


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
    """The folder of the warehouse; what mirrors an object store holds then what is published there now."""
    folder = (warehouse or warehouse_folder()).resolve()
    if address_of(folder):
        from pipelines.remote.publishing import bring

        bring(folder, previous=previous)
    return folder


class LastingOutput:
    """A stream that takes whatever is written to it, and throws it away once its reader is gone.

    Args:
        stream: The stream itself.
        ends: Whether the command ends then, with status 0: what it would print is all that it does.
    """

    def __init__(self, stream: TextIO, *, ends: bool = False) -> None:
        self._stream: TextIO = stream._stream if isinstance(stream, LastingOutput) else stream
        self._ends = ends

    def write(self, text: str) -> int:
        """Write a text, to nowhere if need be."""
        try:
            return self._stream.write(text)
        except BrokenPipeError:
            self._give_up()
            return len(text)

    def flush(self) -> None:
        """Write what is buffered."""
        try:
            self._stream.flush()
        except BrokenPipeError:
            self._give_up()

    def _give_up(self) -> None:
        # What is buffered still would break the process off when it ends.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)
        if self._ends:
            raise SystemExit(0)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def lasting_output() -> Iterator[None]:
    """While it lasts, `benchledger build | head` is no reason to end: the work is done, the exit status its own."""
    out, errors = LastingOutput(sys.stdout), LastingOutput(sys.stderr)
    with redirect_stdout(out), redirect_stderr(errors):
        try:
            yield
        finally:
            out.flush()
            errors.flush()
