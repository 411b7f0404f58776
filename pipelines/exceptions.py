"""What is refused with a sentence for the user, and the exit status of a command that is refused."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import unquote, urlsplit

# The extra of pyproject.toml that a package comes with; the others come with `build`.
_EXTRAS = {"dagster_webserver": "ui", "distributed": "cluster", "boto3": "s3", "mcp": "mcp"}

# Exit statuses other than 0.
FAILED = 1
WRONG_USE = 2
BUILT_WITH_LOSSES = 3
# As shells do: 128 and the number of the signal.
INTERRUPTED = 130
# DuckDB's message of the RuntimeError that it makes of an interrupt.
QUERY_INTERRUPTED = "Query interrupted"
INTERRUPTION = "interrupted; what is not complete was not published or stored"


class BenchledgerError(Exception):
    """An operation that is refused or has failed: the root of all errors of the project.

    Attributes:
        reason: What is wrong, as a sentence.
        document: The file that it is about.
        line: Line of the file, from 1; 0 where it is about none.
        text: What is printed there.
        hint: What to do next, often a command.
    """

    exit_status = FAILED

    # `Exception.__init__` is not called: an error crosses to another process with the arguments
    # that its own class was called with.
    def __init__(
        self,
        reason: str,
        *,
        document: str = "",
        line: int = 0,
        text: str = "",
        hint: str = "",
    ) -> None:
        self.reason, self.document, self.line = reason, document, line
        self.text, self.hint = text, hint

    def __str__(self) -> str:
        """`acme/results/mapping.yml:3: reason; hint`, as far as these are known."""
        place = f"line {self.line}" if self.line else ""
        if self.document:
            place = f"{self.document}:{self.line}" if self.line else self.document
        words = f"{place}: {self.reason}" if place else self.reason
        return f"{words}; {self.hint}" if self.hint else words


class WrongUseError(BenchledgerError):
    """Wrong arguments; the message says what is wrong."""

    exit_status = WRONG_USE


def install_command(extra: str) -> str:
    """The command that installs an extra of pyproject.toml, from where this package came: a clone, a
    wheel, or, where nothing else is known, a package index.
    """
    # It takes a twentieth of a second, which no other command needs.
    from importlib.metadata import distribution

    origin = json.loads(distribution("benchledger").read_text("direct_url.json") or "{}")
    address = origin.get("url")
    if origin.get("dir_info", {}).get("editable"):
        return f"make -C {shlex.quote(unquote(urlsplit(address).path))} setup"
    return f"pip install 'benchledger[{extra}]{f' @ {address}' if address else ''}'"


@contextmanager
def naming_extras() -> Iterator[None]:
    """While it lasts, a package that is not installed is a BenchledgerError that names the extra to
    install.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in ("", "benchledger", "pipelines"):
            raise
        words = f"this needs {package}, which is not installed"
        hint = f"`{install_command(_EXTRAS.get(package, 'build'))}`"
        raise BenchledgerError(words, hint=hint) from error


def record_errors(*more: type[Exception]) -> tuple[type[Exception], ...]:
    """What Dagster's record of runs raises when it cannot be written, where Dagster was loaded, and
    more exceptions.
    """
    alchemy = sys.modules.get("sqlalchemy.exc")
    return (*more, alchemy.SQLAlchemyError) if alchemy else more
