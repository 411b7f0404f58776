"""What the lines of a log and the numerals beside its rows are, for the accounting of lines and numerals."""

from __future__ import annotations

from collections.abc import Iterator

from pipelines.extract.contract import Extraction, Mark, Status
from pipelines.extract.programs.epochs import EpochLine, parts_of
from pipelines.extract.programs.known import COUNTED
from pipelines.extract.programs.reader import Kind
from pipelines.extract.programs.said import said_on
from pipelines.read.document import Cell, Line

# Role of a line of each kind, and what its numerals are; `other` ones are read only where all of a document is a log.
_ROLES: dict[Kind, tuple[str, Status, str]] = {
    "step": ("log", "ignored", "log_step"),
    "maybe_step": ("log", "ignored", "log_step"),
    "message": ("log", "ignored", "log_message"),
    "begin": ("log", "ignored", "log_message"),
    "field": ("log", "ignored", "log_message"),
    "epoch": ("log", "ignored", "log_message"),
    "rank": ("log", "ignored", "log_other_rank"),
    "setting": ("condition", "condition", "log_setting"),
    "other": ("log", "unparsed", "log_line_unread"),
}
# On lines of these kinds stands nothing else: a log may hold a hundred thousand of them.
_WHOLE: frozenset[Kind] = frozenset({"step", "maybe_step", "rank", "message"})


def mark_line(extraction: Extraction, line: Line, kind: Kind) -> None:
    """Note a line as read, with its role and what the numerals on it are that nothing else is known of."""
    role, status, rule = _ROLES[kind]
    extraction.lines.add(line.number)
    extraction.roles[line.number] = (role, rule)
    if kind in _WHOLE:
        extraction.whole[line.number] = (status, rule)
    else:
        said = said_on(line)
        extraction.marks.append(Mark(said.part(0, said.start), "ignored", "log_message"))
        extraction.marks.append(Mark(line.cell, status, rule))


def not_measured(name: Cell, value: Cell) -> Mark:
    """A value of a summary that no row is made of: a count of what was done, or a quantity that is not kept."""
    is_count = COUNTED.match(name.text.strip())
    return Mark(value, "ignored", "log_count") if is_count else not_kept(value)


def setting_of(value: Cell) -> Mark:
    """A value in a part of a summary that states how it was run."""
    return Mark(value, "ignored", "log_count")


def not_kept(cell: Cell) -> Mark:
    """A deviation, a minimum, a quality."""
    return Mark(cell, "unparsed", "summary_not_kept")


def repeated(cell: Cell) -> Mark:
    """A value that the same run has printed before."""
    return Mark(cell, "ignored", "log_repeated")


def of_epoch(epoch: EpochLine) -> Iterator[Mark]:
    """The numerals of the line of an epoch beside its time."""
    number, steps, loss, rest = parts_of(epoch)
    yield Mark(number, "condition", "epoch_number")
    if steps:
        yield Mark(steps, "condition", "epoch_steps")
    if loss and not epoch.reason:
        yield Mark(loss, "extracted", "epoch_field")
    yield Mark(rest, "unparsed", "metric_not_kept")
