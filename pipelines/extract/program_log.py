"""Logs of training and benchmark programs other than Keras: the summaries they end with, the steady state of their
steps, and their epochs.

Programs are entries of `logs/programs.yml`; what a line of one says is read in `logs/`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Mapping

from pipelines.extract.contract import Extraction, Mark, Status
from pipelines.extract.logs.epochs import EpochLine, parts_of
from pipelines.extract.logs.programs import ANY_PROGRAM
from pipelines.extract.logs.summaries import Measured, SummaryRows, is_rate, read_measured
from pipelines.extract.logs.walker import MIN_STEPS, Kind, ProgramReader, add_steps, read_log
from pipelines.extract.rows import Condition, Epoch, Measurement, Reject, Row, Run
from pipelines.read.document import Cell, Document, Line
from pipelines.read.log_lines import said_on

FORMAT = "program_log"
DESCRIPTION = "Logs of training and benchmark programs: summaries of measured values, steps and epochs."
ROWS: tuple[type[Row], ...] = (Measurement, Condition, Run, Epoch, Reject)
# Behind the logs of Keras, before tables and prose.
PRIORITY = 15

# A document is nothing but a log where this share of its lines at least is of known kinds, and no more sentences stand
# in it than a program says.
_LOG_SHARE, _SENTENCE_SHARE, _FEW_SENTENCES = 0.25, 0.1, 3
# `Inside the container, run the benchmark as follows`
_SENTENCE = re.compile(r"(?:\b[A-Za-z][a-z']+[ ,;]+){5}")
# A text most lines of which begin with a time stamp or a level is a log, whatever it says.
_MESSAGE_SHARE = 0.5
# So many lines of a summary are names with values.
_SUMMARY_SHARE = 0.75
# Role of a line of each kind, and what its numerals are; `other` ones are read only where all of a document is a log.
_ROLES: dict[Kind, tuple[str, Status, str]] = {
    "step": ("log", "ignored", "log_step"),
    "maybe_step": ("log", "ignored", "log_step"),
    "message": ("log", "ignored", "log_message"),
    "begin": ("log", "ignored", "log_message"),
    "field": ("log", "ignored", "log_message"),
    "epoch": ("log", "ignored", "log_message"),
    # What stands beside the values of a summary on a line of its own is not kept.
    "summary": ("log", "unparsed", "summary_not_kept"),
    "rank": ("log", "ignored", "log_other_rank"),
    "setting": ("condition", "condition", "log_setting"),
    "rate": ("log", "unparsed", "log_line_unread"),
    "other": ("log", "unparsed", "log_line_unread"),
}
# On lines of these kinds stands nothing else: a log may hold a hundred thousand of them.
_WHOLE: frozenset[Kind] = frozenset({"step", "maybe_step", "rank", "message"})


def recognise(document: Document) -> float:
    """0 without a summary or steps of a known program, 0.3 where they stand in a longer text, 1 in a log."""
    reader = read_log(document, frozenset())
    if _is_log(document, reader):
        return 1.0
    return 0.3 if reader.blocks or reader.trainings.runs else 0.0


def extract(document: Document, taken: Collection[int]) -> Extraction:
    """One `Measurement` per value of a summary that is of a known metric and per quantity that the steps of a run
    print, with its `Condition`s, and a `Run` with its `Epoch`s where they print their time.

    Args:
        document: Lines such as `Mean TTFT (ms): 154.82` below a line that announces the summary of a known program.
        taken: Lines that another format has read.

    Returns:
        Measured values with the settings that the log prints. Of steps the median over those after the warm-up, with
        the interval of its quartiles and the number of steps. In a document that is nothing but a log every line is
        read. Values that cannot be read, and a log that holds none of these, are rejects.
    """
    reader = read_log(document, frozenset(taken))
    is_log = _is_log(document, reader)
    extraction = Extraction()
    if not is_log and not reader.blocks and not reader.trainings.runs:
        return extraction
    rows = SummaryRows(reader.ranks)
    for block in reader.blocks:
        rows.add(block)
    kinds = dict(reader.kinds)
    if is_log:
        kinds |= _add_singles(reader, rows)
        damaged = {cell.line for cell, _ in reader.damaged}
        for series in reader.series:
            if not add_steps(rows, series, damaged):
                kinds |= dict.fromkeys(series.lines, "other")
    extraction.rows += [*rows.conditions, *(_where_cut(row, document) for row in rows.rows)]
    extraction.marks += rows.marks
    for run in reader.trainings.runs:
        extraction.rows += run.rows()
        for epoch in run.epochs:
            extraction.marks += _of_epoch(epoch)
    placed = {row.cell.line for row in extraction.rows}
    for number, kind in kinds.items():
        if is_log or kind in ("step", "begin", "field", "summary", "epoch"):
            _mark_line(extraction, document.line(number), kind, is_placed=number in placed)
    if is_log:
        extraction.rows += [_damaged(cell, damage) for cell, damage in reader.damaged]
    if is_log and not extraction.rows:
        extraction.rows.append(_without_summary(document, kinds))
    return extraction


def _is_log(document: Document, reader: ProgramReader) -> bool:
    """Whether the document is nothing but a log."""
    if reader.has_left:
        return False
    kinds = Counter(reader.kinds.values())
    is_of_program = reader.blocks or reader.trainings.runs or kinds["step"] + kinds["maybe_step"] >= MIN_STEPS
    total = kinds.total()
    # Rows of a table may begin with time stamps.
    said = kinds["message"] + kinds["rate"] + kinds["step"] + kinds["maybe_step"]
    is_messages = not document.grids and said >= max(MIN_STEPS, _MESSAGE_SHARE * total)
    if not is_of_program and not is_messages:
        return _is_summary(document, reader)
    others = (document.line(number).text for number, kind in reader.kinds.items() if kind == "other")
    sentences = sum(1 for text in others if _SENTENCE.search(text))
    fields = sum(len(blocks) for blocks in reader.singles.values())
    is_known = total - kinds["other"] + fields >= _LOG_SHARE * total
    return is_known and sentences <= max(_FEW_SENTENCES, _SENTENCE_SHARE * total)


def _is_summary(document: Document, reader: ProgramReader) -> bool:
    """Whether the document is the summary of a program without an entry: names with values, each printed once."""
    if document.grids or document.levels:
        return False
    fields = [block.fields[0] for blocks in reader.singles.values() for block in blocks]
    read = [read_measured(each.name, each.value, ANY_PROGRAM) for each in fields]
    measured = [each.key for each, one in zip(fields, read, strict=True) if isinstance(one, Measured)]
    known = {each.value.line for each in fields} | {n for n, kind in reader.kinds.items() if kind != "other"}
    is_once = len(set(measured)) == len(measured)
    return len(measured) >= MIN_STEPS and is_once and len(known) >= _SUMMARY_SHARE * len(reader.kinds)


def _add_singles(reader: ProgramReader, rows: SummaryRows) -> dict[int, Kind]:
    """The kinds of lines with one quantity each, which are added; of one that is printed again nobody knows of what."""
    kinds: dict[int, Kind] = {}
    for blocks in reader.singles.values():
        field = blocks[0].fields[0]
        if read_measured(field.name, field.value, blocks[0].program) is None:
            if is_rate(field.value):
                # A rate is a result even where its name says nothing.
                kinds |= {block.first.line.number: "other" for block in blocks}
            continue
        kind: Kind = "field" if len(blocks) == 1 else "rate"
        if len(blocks) == 1:
            rows.add(blocks[0])
        kinds |= {block.first.line.number: kind for block in blocks}
    return kinds


def _mark_line(extraction: Extraction, line: Line, kind: Kind, *, is_placed: bool) -> None:
    """Note a line as read, with its role and what the numerals on it are that nothing else is known of."""
    role, status, rule = _ROLES[kind]
    extraction.lines.add(line.number)
    extraction.roles[line.number] = (role, rule)
    if kind in _WHOLE and not is_placed:
        extraction.whole[line.number] = (status, rule)
    else:
        said = said_on(line)
        extraction.marks.append(Mark(said.part(0, said.start), "ignored", "log_message"))
        extraction.marks.append(Mark(line.cell, status, rule))


def _of_epoch(epoch: EpochLine) -> list[Mark]:
    """The numerals of the line of an epoch beside its time."""
    number, steps, loss, rest = parts_of(epoch)
    marks = [Mark(number, "condition", "epoch_number")]
    if steps:
        marks.append(Mark(steps, "condition", "epoch_steps"))
    if loss and not epoch.reason:
        marks.append(Mark(loss, "extracted", "epoch_field"))
    return [*marks, Mark(rest, "unparsed", "metric_not_kept")]


def _damaged(cell: Cell, damage: str) -> Reject:
    # The end of a training is lost with its line, of a step nothing that is stored.
    scope = "row" if "_per_second" in cell.text or "_runtime" in cell.text else "note"
    row_json = json.dumps({"text": cell.text}, ensure_ascii=False)
    return Reject(cell=cell, rule="log_line_damaged", reason=damage, scope=scope, row_json=row_json)


def _where_cut(row: Row, document: Document) -> Row:
    """A row, or the reject of one whose value ends a text that has no end of line: digits of it may be missing."""
    cell = row.cell
    if not document.is_open_ended or not isinstance(row, Measurement) or cell.line != len(document.lines):
        return row
    if document.texts[-1][cell.end :].strip():
        return row
    reason = f"the log ends with `{cell.text}`, without an end of line: it may be cut"
    return Reject(cell=cell, rule="log_value_unreadable", reason=reason, row_json=json.dumps({"metric": row.metric}))


def _without_summary(document: Document, kinds: Mapping[int, Kind]) -> Reject:
    first = next(iter(kinds))
    counts = Counter(kinds.values())
    return Reject(
        cell=document.line(first).cell,
        rule="log_without_summary",
        reason="the log prints neither a summary nor an epoch with its time, nor steps with a speed that is known",
        scope="document",
        row_json=json.dumps({"steps": counts["step"] + counts["maybe_step"]}),
    )
