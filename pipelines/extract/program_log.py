"""Logs of training and benchmark programs other than Keras: the summaries they end with, and the lines before them.

What a line says is read in `programs/`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Mapping
from functools import lru_cache

from pipelines.extract.contract import Extraction
from pipelines.extract.programs.marks import mark_line, of_epoch
from pipelines.extract.programs.reader import Block, Kind, ProgramReader
from pipelines.extract.programs.rows import SummaryRows
from pipelines.extract.programs.values import is_rate, read_measured
from pipelines.extract.rows import Epoch, Measurement, Reject, Row, Run
from pipelines.extract.scope import around_line
from pipelines.read.document import Cell, Document

FORMAT = "program_log"
DESCRIPTION = (
    "Logs of training and benchmark programs: summaries of measured values, with the steps and messages before them."
)
ROWS: tuple[type[Row], ...] = (Measurement, Run, Epoch, Reject)
# Behind the logs of Keras, before tables and prose.
PRIORITY = 15

# A document is nothing but a log where this share of its lines at least is of known kinds, and no more sentences stand
# in it than a program says.
_LOG_SHARE, _SENTENCE_SHARE, _FEW_SENTENCES = 0.25, 0.1, 3
# `Inside the container, run the benchmark as follows`
_SENTENCE = re.compile(r"(?:\b[A-Za-z][a-z']+[ ,;]+){5}")
# A text most lines of which begin with a time stamp or a level is a log, whatever it says.
_MESSAGE_SHARE = 0.5
# So many lines that may be steps show that they are.
_MIN_STEPS = 3


def recognise(document: Document) -> float:
    """0 without a summary or steps of a known program, 0.3 where they stand in a longer text, 1 in a log."""
    reader = _read(document, frozenset())
    if _is_log(document, reader):
        return 1.0
    return 0.3 if reader.blocks or reader.trainings.runs else 0.0


def extract(document: Document, taken: Collection[int]) -> Extraction:
    """One `Measurement` per value of a summary that is of a known metric, a `Run` with its `Epoch`s where they print
    their time.

    Args:
        document: Lines such as `Mean TTFT (ms): 154.82` below a line that announces the summary of a known program.
        taken: Lines that another format has read.

    Returns:
        Measured values with the settings that the log prints (model, batch size, precision). No row is made of lines
        that a program prints for each step; they are accounted for. In a document that is nothing but a log every
        line is read. Values that cannot be read, and a log that holds neither summary nor epochs, are rejects.
    """
    reader = _read(document, frozenset(taken))
    is_log = _is_log(document, reader)
    extraction = Extraction()
    if not is_log and not reader.blocks and not reader.trainings.runs:
        return extraction
    summaries = SummaryRows(reader.ranks)
    for block in reader.blocks:
        summaries.add(block)
    kinds = reader.kinds | (_add_singles(reader, summaries) if is_log else {})
    extraction.rows += summaries.rows
    extraction.marks += summaries.marks
    for run in reader.trainings.runs:
        extraction.rows += run.rows()
        for epoch in run.epochs:
            extraction.marks += of_epoch(epoch)
    for number, kind in kinds.items():
        if is_log or kind in ("step", "begin", "field", "epoch"):
            mark_line(extraction, document.line(number), kind)
    if is_log:
        extraction.rows += map(_damaged, *zip(*reader.damaged, strict=True)) if reader.damaged else ()
    if is_log and not extraction.rows:
        extraction.rows.append(_without_summary(document, kinds))
    return extraction


def _is_below_model(document: Document, block: Block, taken: Collection[int]) -> bool:
    """Whether a heading above a summary names the model that the summary does not: then it is a table of its page."""
    if not block.fields or block.facts.get("model_printed"):
        return False
    return around_line(document, block.first.line.number, taken).stated("model") is not None


@lru_cache(maxsize=1)
def _read(document: Document, taken: frozenset[int]) -> ProgramReader:
    reader = ProgramReader()
    reader.walk(document.without(taken))
    for block in [block for block in reader.blocks if _is_below_model(document, block, taken)]:
        reader.leave(block)
    return reader


def _is_log(document: Document, reader: ProgramReader) -> bool:
    """Whether the document is nothing but a log."""
    if reader.has_left:
        return False
    kinds = Counter(reader.kinds.values())
    is_of_program = reader.blocks or reader.trainings.runs or kinds["step"] + kinds["maybe_step"] >= _MIN_STEPS
    total = kinds.total()
    # Rows of a table may begin with time stamps.
    is_messages = not document.grids and kinds["message"] >= max(_MIN_STEPS, _MESSAGE_SHARE * total)
    if not is_of_program and not is_messages:
        return False
    others = (document.line(number).text for number, kind in reader.kinds.items() if kind == "other")
    sentences = sum(1 for text in others if _SENTENCE.search(text))
    is_known = total - kinds["other"] >= _LOG_SHARE * total
    return is_known and sentences <= max(_FEW_SENTENCES, _SENTENCE_SHARE * total)


def _add_singles(reader: ProgramReader, summaries: SummaryRows) -> dict[int, Kind]:
    """The kinds of lines with one quantity each, which are added; one that is printed again and again is of steps."""
    kinds: dict[int, Kind] = {}
    for blocks in reader.singles.values():
        field = blocks[0].fields[0]
        if read_measured(field.name, field.value, blocks[0].program) is None:
            if is_rate(field.value):
                # A rate is a result even where its name says nothing.
                kinds |= {block.first.line.number: "other" for block in blocks}
            continue
        kind: Kind = "field" if len(blocks) == 1 else "maybe_step"
        kinds |= {block.first.line.number: kind for block in blocks}
        if len(blocks) == 1:
            summaries.add(blocks[0])
    return kinds


def _damaged(cell: Cell, damage: str) -> Reject:
    # The end of a training is lost with its line, of a step nothing that is stored.
    scope = "row" if "_per_second" in cell.text or "_runtime" in cell.text else "note"
    row_json = json.dumps({"text": cell.text}, ensure_ascii=False)
    return Reject(cell=cell, rule="log_line_damaged", reason=damage, scope=scope, row_json=row_json)


def _without_summary(document: Document, kinds: Mapping[int, Kind]) -> Reject:
    first = next(iter(kinds))
    counts = Counter(kinds.values())
    return Reject(
        cell=document.line(first).cell,
        rule="log_without_summary",
        reason="the log prints neither a summary nor an epoch with its time: no row is made of its steps and messages",
        scope="document",
        row_json=json.dumps({"steps": counts["step"] + counts["maybe_step"]}),
    )
