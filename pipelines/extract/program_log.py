"""Logs of training and benchmark programs other than Keras: the summaries they end with, and the steady state of their
steps.

Programs are entries of `logs/programs.yml`; how their lines are read is in `logs/programs.py`.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from pipelines.extract.conditions import Stated, Statements, fields_of, reads_again
from pipelines.extract.contract import Extraction, Mark
from pipelines.extract.logs import NO_PLACE, account, measured
from pipelines.extract.logs.programs import OTHER, LogResult, ProgramLog, read_log
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


def recognise(document: Document) -> float:
    """1 for the log of a known program that prints results, else 0."""
    return float(_log_of(document, frozenset()) is not None)


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
    if (log := _log_of(document, frozenset(taken))) is None:
        return extraction
    statements = Statements()
    measurements = [_measurement(result, statements) for result in log.results]
    extraction.rows += [*statements.to_rows().rows(), *measurements, *log.rejects]
    extraction.marks += (Mark(cell, "ignored", "log_repeated") for cell in log.repeated)
    for said in (said_on(document.line(number)) for number in log.lines):
        prefix = Cell(said.text[: said.start], said.number, 0, said.start)
        extraction.marks += [Mark(prefix, "ignored", "log_message")] if said.start else []
    account(extraction, document, log.lines)
    return extraction


def _log_of(document: Document, taken: frozenset[int]) -> ProgramLog | None:
    """What a document says that is nothing but a log with results; a person may have said that it is one."""
    if document.format != FORMAT and (document.grids or document.levels):
        return None
    log = read_log(document, taken)
    if not (log.results or log.rejects):
        return None
    others = [document.line(number) for number, role in log.lines.items() if role == OTHER]
    unread = sum(said_on(line).start == 0 for line in others)
    sentences = sum(_SENTENCE.search(line.text) is not None for line in others)
    is_known = len(log.lines) - unread >= _LOG_SHARE * len(log.lines)
    is_log = is_known and sentences <= max(_FEW_SENTENCES, _SENTENCE_SHARE * len(log.lines))
    return log if is_log or document.format == FORMAT else None


def _measurement(result: LogResult, statements: Statements) -> Measurement:
    summary, entry = result.summary, result.summary.entry
    stated = {name: each for name, each in result.conditions.items() if reads_again(each)}
    task = Stated("task", entry.task, NO_PLACE, "vocabulary")
    said = {name: each.value for name, each in stated.items() if each.cell.text} | {"task": entry.task}
    fields: dict[str, Any] = fields_of(said) | {"configuration": None}
    section, line = (summary.first.text if entry.begins else None), summary.first.line
    fields |= {"section": section, "section_line": line, "row_line": line}
    stated["task"] = task
    return measured(result.cell, result.metric, result.quantity, result.unit, stated.values(), statements, **fields)
