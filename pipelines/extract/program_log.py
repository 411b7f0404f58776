"""Logs of training and benchmark programs other than Keras: the summaries they end with, and the steady state of their
steps.

Programs are entries of `logs/programs.yml`; how their lines are read is in `logs/programs.py`.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from pipelines.extract.conditions import Numbering, Stated, fields_of, reads_again
from pipelines.extract.contract import Extraction, Mark, Status
from pipelines.extract.logs import LogFault
from pipelines.extract.logs.programs import Kind, LogResult, ProgramLog, read_log
from pipelines.extract.rows import Condition, Measurement, Reject, Row
from pipelines.read.document import Cell, Document
from pipelines.read.log_lines import said_on

FORMAT = "program_log"
DESCRIPTION = "Logs of training and benchmark programs: summaries of measured values, and steps."
ROWS: tuple[type[Row], ...] = (Measurement, Condition, Reject)
# Behind the logs of Keras, before tables and prose.
PRIORITY = 15

# A document is a log where this share of its lines at least is read or begins with a time stamp, a level or a rank, and
# no more sentences are in it than a program says.
_LOG_SHARE, _SENTENCE_SHARE, _FEW_SENTENCES = 0.25, 0.1, 3
# `Inside the container, run the benchmark as follows`
_SENTENCE = re.compile(r"(?:\b[A-Za-z][a-z']+[ ,;]+){5}")
# Role of a line of each kind, and what its numerals are that are no result.
_ROLES: dict[Kind, tuple[str, Status, str]] = {
    "result": ("log", "unparsed", "summary_not_kept"),
    "step": ("log", "ignored", "log_step"),
    "begin": ("log", "ignored", "log_message"),
    "setting": ("condition", "condition", "log_setting"),
    "other": ("log", "unparsed", "log_line_unread"),
}
_NO_PLACE = Cell("", 1, 0, 0)


def recognise(document: Document) -> float:
    """1 for the log of a known program that prints results, else 0."""
    return float(_is_document_of_its_own(document) and _is_log(document, read_log(document)))


def extract(document: Document, taken: Collection[int]) -> Extraction:
    """One `Measurement` per value that a known program prints as a result, and per quantity that the steps of a run
    print, with its `Condition`s.

    Args:
        document: Lines such as `Mean TTFT (ms): 154.82` below a line that announces the summary of a known program.
        taken: Lines that another format has read.

    Returns:
        Results with the settings that the log prints. Of steps the median over those after the warm-up, with the
        interval of its quartiles and the number of steps. Every line of a log is read, of any other document none.
        Values that cannot be read, or of which nothing tells which is which, are rejects.
    """
    extraction = Extraction()
    if not _is_document_of_its_own(document) or not _is_log(document, log := read_log(document, frozenset(taken))):
        return extraction
    numbering = Numbering()
    rows: list[Row] = [_measurement(result, numbering) for result in log.results]
    rows += (fault.reject() for fault in log.unread)
    extraction.rows += [*numbering.conditions, *(_where_cut(row, document) for row in rows)]
    extraction.marks += (Mark(cell, "ignored", "log_repeated") for cell in log.repeated)
    for number, kind in log.kinds.items():
        said = said_on(document.line(number))
        role, status, rule = _ROLES[kind]
        extraction.lines.add(number)
        extraction.roles[number] = (role, rule)
        extraction.marks.append(Mark(Cell(said.text[: said.start], number, 0, said.start), "ignored", "log_message"))
        extraction.marks.append(Mark(document.line(number).cell, status, rule))
    return extraction


def _is_document_of_its_own(document: Document) -> bool:
    """Whether a document may be a log: it has neither tables nor headings, or a person says that it is one."""
    return document.format == FORMAT or not (document.grids or document.levels)


def _is_log(document: Document, log: ProgramLog) -> bool:
    """Whether the document is nothing but a log with results; a person may have said so."""
    if document.format == FORMAT or not (log.results or log.unread):
        return bool(log.results or log.unread)
    others = [document.line(number) for number, kind in log.kinds.items() if kind == "other"]
    unread = sum(said_on(line).start == 0 for line in others)
    sentences = sum(_SENTENCE.search(line.text) is not None for line in others)
    is_known = len(log.kinds) - unread >= _LOG_SHARE * len(log.kinds)
    return is_known and sentences <= max(_FEW_SENTENCES, _SENTENCE_SHARE * len(log.kinds))


def _measurement(result: LogResult, numbering: Numbering) -> Measurement:
    summary, entry = result.summary, result.summary.entry
    stated = {name: each for name, each in result.conditions().items() if reads_again(each)}
    stated |= {"task": Stated("task", entry.task, _NO_PLACE, "vocabulary")}
    fields: dict[str, Any] = fields_of({name: each.value for name, each in stated.items()}) | {"configuration": None}
    section, line = (summary.first.text if entry.begins else None), summary.first.line
    more = [Stated(name, value, _NO_PLACE, "vocabulary") for name, value in result.counts]
    kept = [*stated.values(), *more]
    return Measurement(
        cell=result.cell,
        section=section,
        section_line=line,
        metric=result.metric,
        value=result.quantity.value,
        value_low=result.quantity.low,
        value_high=result.quantity.high,
        bound=result.quantity.bound,
        unit=result.unit.name,
        unit_printed=result.unit.printed,
        item=result.unit.item,
        row_line=line,
        conditions=tuple(sorted({numbering.number(each, section, line) for each in kept})),
        **fields,
    )


def _where_cut(row: Row, document: Document) -> Row:
    """A row, or the reject of one whose value ends a text that has no end of line: digits of it may be missing."""
    cell = row.cell
    if not document.is_open_ended or not isinstance(row, Measurement) or cell.line != len(document.lines):
        return row
    if document.texts[-1][cell.end :].strip():
        return row
    reason = f"the log ends with `{cell.text}`, without an end of line: it may be cut"
    return LogFault(cell, "log_value_unreadable", reason).reject()
