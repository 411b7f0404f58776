"""What is refused with a sentence for the user, and the exit status of a command that is refused."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

# The extra of pyproject.toml that a package comes with; the others come with `build`.
_EXTRAS = {"dagster_webserver": "ui", "distributed": "cluster", "s3fs": "s3"}

# Exit statuses other than 0.
FAILED = 1
WRONG_USE = 2
BUILT_WITH_LOSSES = 3
# As shells do: 128 and the number of the signal.
INTERRUPTED = 130


class BenchledgerError(Exception):
    """An operation that is refused or has failed; the message has the reason and what to do."""

    exit_status = FAILED


class WrongUseError(BenchledgerError):
    """Wrong arguments; the message says what is wrong."""

    exit_status = WRONG_USE


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
        words = f"pip install 'benchledger[{_EXTRAS.get(package, 'build')}]'"
        raise BenchledgerError(
            f"this needs {package}, which is not installed: `{words}`"
        ) from error


def record_errors(*more: type[Exception]) -> tuple[type[Exception], ...]:
    """What Dagster's record of runs raises when it cannot be written, where Dagster was loaded, and
    more exceptions.
    """
    alchemy = sys.modules.get("sqlalchemy.exc")
    return (*more, alchemy.SQLAlchemyError) if alchemy else more
