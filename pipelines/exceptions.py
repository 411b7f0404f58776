"""What is refused with a sentence for the user, and the exit status of a command that is refused."""

from __future__ import annotations

# Exit statuses, beside 0: what a schedule or a script has to tell apart.
FAILED = 1
WRONG_USE = 2
BUILT_WITH_LOSSES = 3


class BenchledgerError(Exception):
    """Something that cannot be done; the message says why and what to do."""

    exit_status = FAILED


class WrongUseError(BenchledgerError):
    """Something that was asked for wrongly; the message says what is wrong."""

    exit_status = WRONG_USE
