"""What the lines of a training log say beside its rows, for the accounting of lines and numerals."""

from __future__ import annotations

import re

from pipelines.extract.contract import Extraction, Mark, Status
from pipelines.extract.logs.bars import read_bar, split_fields
from pipelines.extract.logs.headings import (
    MODEL,
    read_batch_size,
    read_device,
    read_epoch_header,
    read_parameters,
    read_training_time,
)
from pipelines.extract.rows import Epoch, Reject
from pipelines.read.document import Document, Line

# `7000/7000` in `7000/7000 [=====] - 22s`, behind a time stamp where there is one
_STEPS = re.compile(r"(?P<stamp>.*?)(?P<steps>(?<![\d,])[\d,]++/[\d,]++)(?=\s)")
# `Train on 60000 samples, validate on 10000 samples`
_SAMPLES = re.compile(r"\s*Train on \d+ samples\b")
# Parameters that a run has columns for
_KEPT_PARAMETERS = ("total", "trainable")
_SIZE: tuple[Status, str] = ("condition", "model_size")


def mark_log(extraction: Extraction, document: Document) -> None:
    """Note the role of every line that the log reader took, and what its numerals are."""
    epochs = {row.cell.line for row in extraction.rows if isinstance(row, Epoch)}
    rejected = {row.cell.line for row in extraction.rows if isinstance(row, Reject)}
    may_be_wrapped, in_summary = False, False
    for number in sorted(extraction.lines):
        line = document.line(number)
        if line.is_blank:
            continue
        is_wrapped, may_be_wrapped = may_be_wrapped and number not in epochs, number in epochs
        if number in epochs:
            _mark_epoch(extraction, line)
        elif number in rejected:
            _mark(extraction, line, "unparsed", "rejected")
        elif read_epoch_header(line):
            _mark(extraction, line, "condition", "epoch_number")
            in_summary = False
        elif bar := read_bar(line):
            if bar.state == "finished":
                _mark(extraction, line, "unparsed", "log_evaluation")
            else:
                _mark(extraction, line, "ignored", "log_bar_without_epoch")
            in_summary = False
        elif read_training_time(line):
            _mark(extraction, line, "ignored", "log_message")
        elif MODEL.fullmatch(line.text):
            _mark(extraction, line, "ignored", "model_summary")
            in_summary = True
        elif parameters := read_parameters(line):
            kind, cell, _ = parameters
            kept: tuple[Status, str] = ("extracted", "run_field") if kind in _KEPT_PARAMETERS else _SIZE
            extraction.marks.append(Mark(cell, *kept))
            _mark(extraction, line, "ignored", "model_summary")
            in_summary = False
        elif in_summary:
            _mark(extraction, line, "ignored", "model_summary")
        elif read_device(line) or read_batch_size(line) or _SAMPLES.match(line.text):
            _mark(extraction, line, "condition", "run_condition", role="condition")
        elif is_wrapped:
            _mark_fields(extraction, line)
        else:
            _mark(extraction, line, "ignored", "log_message")


def _mark(extraction: Extraction, line: Line, status: Status, rule: str, role: str = "log") -> None:
    extraction.marks.append(Mark(line.cell, status, rule))
    extraction.roles[line.number] = (role, rule)


def _mark_epoch(extraction: Extraction, line: Line) -> None:
    """Steps, then the times and the loss, which are columns of the epoch; other metrics are not."""
    if steps := _STEPS.match(line.text):
        extraction.marks.append(Mark(line.matched(steps, "steps"), "condition", "epoch_steps"))
        extraction.marks.append(Mark(line.matched(steps, "stamp"), "ignored", "log_message"))
    _mark_fields(extraction, line)


def _mark_fields(extraction: Extraction, line: Line) -> None:
    for field in split_fields(line):
        is_kept = field.name in (None, "loss")
        status: Status = "extracted" if is_kept else "unparsed"
        extraction.marks.append(Mark(field.value, status, "epoch_field" if is_kept else "metric_not_kept"))
    extraction.roles[line.number] = ("log", "epoch")
