"""What the commands share: exit statuses, options, folders, and how a refusal or a closed pipe ends
a command.
"""

from __future__ import annotations

import io
import os
import re
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer
from typer.core import TyperGroup

from pipelines.cli.output import OutputFormat
from pipelines.exceptions import (
    INTERRUPTED,
    INTERRUPTION,
    QUERY_INTERRUPTED,
    BenchledgerError,
    naming_extras,
)
from pipelines.export.replacing import give_back, refuse_others, take_place
from pipelines.object_addresses import AddressError, folder_of
from pipelines.own_files import create_file, marked, work_folder
from pipelines.terminal import console, literal

# An item of `Options:` or `Attributes:` in a docstring: its name, and its text over the lines that
# are indented more
_ITEM = re.compile(r"^ {4}(\w+): (.*(?:\n {8}.*)*)", re.MULTILINE)


class Commands(TyperGroup):
    """The commands: what the project refuses is a sentence, whichever command met it."""

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]
        """Run a command; a refusal becomes its exit status."""
        try:
            with naming_extras():
                return super().invoke(ctx)
        except BenchledgerError as error:
            raise stop(str(error), error.exit_status) from error
        except (KeyboardInterrupt, RuntimeError) as error:
            if isinstance(error, RuntimeError) and str(error) != QUERY_INTERRUPTED:
                raise
            raise stop(INTERRUPTION, INTERRUPTED) from None


def described(docstring: str) -> dict[str, str]:
    """What a docstring says of each argument or attribute."""
    return {name: " ".join(text.split()) for name, text in _ITEM.findall(docstring)}


def _place(text: str) -> Path:
    try:
        return folder_of(text)
    except AddressError as error:
        raise typer.BadParameter(str(error)) from None


def _folder(name: str, holds: str) -> Any:
    text, default = f"Folder of the {holds}, or `s3://bucket/folder`.", f"{name}/ of the project"
    return typer.Option(
        f"--{name}", help=text, show_default=default, parser=_place, metavar="FOLDER"
    )


RawOption = Annotated[Path | None, _folder("raw", "stored documents")]
WarehouseOption = Annotated[Path | None, _folder("warehouse", "warehouse")]
_FORMATS = "Output format; `nl` is one JSON object per line, `spreadsheet` is CSV without formulas."
FormatOption = Annotated[OutputFormat, typer.Option("--format", help=_FORMATS)]


def write_output(path: Path, content: bytes) -> None:
    """Write a page or a picture with a mark; an earlier one is replaced if nobody has changed it.

    Raises:
        NotOursError: There is another file of this name, or it was changed.
    """
    give_back(path)
    refuse_others(path)
    with work_folder(path) as work:
        create_file(work / path.name, marked(content))
        take_place(work / path.name, path, work)


def say(words: str, style: str = "") -> None:
    """Print a line of text that may come from documents, users or servers."""
    console().print(literal(words), style=style or None, soft_wrap=True, highlight=False)


def warn(words: object, *, stderr: bool = True) -> None:
    """Print a warning, by default beside the results."""
    console(stderr=stderr).print(
        f"[yellow]warning:[/] {literal(words)}", soft_wrap=True, highlight=False
    )


def stop(message: str, status: int) -> typer.Exit:
    """Print an error and give the exit to raise."""
    console(stderr=True).print(
        f"[red]error:[/] {literal(message)}", soft_wrap=True, highlight=False
    )
    return typer.Exit(status)


class _Outlet(io.FileIO):
    """A file descriptor that takes whatever is written to it; without a reader the command ends, or
    it is thrown away.

    `ends` says which: what a command prints may be all that it does.
    """

    ends = True

    def write(self, text: Any, /) -> int:
        try:
            return super().write(text)
        except BrokenPipeError:
            # What is buffered still would break the process off when it ends.
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
            if _Outlet.ends:
                raise SystemExit(0) from None
            return len(text)


def lasting(stream: TextIO) -> TextIO:
    """An output of the process that is no error when nobody reads it any more; what is none of a
    process stays.
    """
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    try:
        outlet = io.BufferedWriter(_Outlet(stream.fileno(), "wb", closefd=False))
    except io.UnsupportedOperation:
        return stream
    is_prompt = stream.line_buffering or stream.write_through
    return io.TextIOWrapper(outlet, stream.encoding, stream.errors, line_buffering=is_prompt)


def go_on_unread() -> None:
    """`benchledger build | head` is no reason to end: the work is done, the exit status its own."""
    _Outlet.ends = False
