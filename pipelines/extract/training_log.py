"""Progress logs of Keras to runs and epochs.

What a line says, and how lines become runs, is in `logs/keras.py`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping

from pipelines.extract.conditions import fields_of
from pipelines.extract.contract import Extraction, Mark, Status
from pipelines.extract.logs import LogFault
from pipelines.extract.logs.keras import (
    PARAMETERS,
    Bar,
    KerasReader,
    KerasRun,
    Kind,
    read_bar,
    split_fields,
    without_header,
)
from pipelines.extract.rows import Epoch, Reject, Run
from pipelines.read.document import Document, Line
from pipelines.read.log_lines import visible
from pipelines.values.numbers import parse_count

FORMAT = "training_log"
DESCRIPTION = (
    "Progress logs of Keras trainings: bars, losses and training times under headings of devices and batch sizes."
)
ROWS = (Run, Epoch, Reject)
PRIORITY = 10

# Share of finished bars among the lines from which on a document is nothing but a log.
_FULL_SHARE = 0.2
# `7000/7000` in `7000/7000 [=====] - 22s`
_STEPS = re.compile(r".*?(?P<steps>(?<![\d,])[\d,]++/[\d,]++)(?=\s)")
# What the numerals of a line of each kind are; those of an epoch are told apart by their place.
_STATUSES: dict[Kind, tuple[Status, str]] = {
    "bar": ("ignored", "log_bar_without_epoch"),
    "header": ("condition", "epoch_number"),
    "time": ("ignored", "log_message"),
    "parameters": ("ignored", "model_summary"),
    "condition": ("condition", "run_condition"),
    "message": ("ignored", "log_message"),
}
# Parameters that a run has columns for
_KEPT_PARAMETERS = ("total", "trainable")


def recognise(document: Document) -> float:
    """0 without a finished progress bar, 0.5 for one bar in a long text, 1 where every fifth line is a bar."""
    lines = [line for line in document.lines if not line.is_blank]
    bars = sum(1 for line in lines if (bar := read_bar(line)) and bar.state == "finished")
    return 0.5 + 0.5 * min(1.0, bars / len(lines) / _FULL_SHARE) if bars else 0.0


def extract(document: Document, taken: Collection[int]) -> Extraction:
    """One row per training run and one per finished epoch.

    Args:
        document: Lines such as `7000/7000 [=====] - 22s 3ms/step - loss: 0.1113` under a heading such as `16 ipus`.
        taken: Lines that another format has read.

    Returns:
        Runs with their training time [s], epochs with epoch_time [s], step_time [ms], loss [1]; `nan` is a null loss
        with `loss_is_nan`. An epoch is a row only when everything printed of it can be read; else it is in the rejects
        and `Run.epochs` does not count it. Bars of evaluations and predictions are read and give no row.
    """
    lines = list(document.without(set(taken)))
    if not any(bar.state != "progress" for line in lines if (bar := read_bar(line))):
        return Extraction()
    reader = KerasReader(lines)
    extraction = Extraction(lines={*reader.kinds})
    starts: list[tuple[int, KerasRun]] = []
    faults = [*reader.faults]
    cut_line = len(document.lines) if document.is_open_ended else None
    for run in reader.runs:
        faults += (_unreadable(bar, bar.reason) for bar in run.bars if bar.state == "damaged")
        start = _run_line(run)
        if alone := _bar_alone(run):
            # `evaluate` prints such a bar, too.
            faults.append(without_header(alone))
        elif start is not None:
            starts.append((start.number, run))
            faults += _add_run(extraction, run, start, cut_line)
    for fault in sorted(faults, key=lambda fault: (fault.cell.line, fault.cell.start, fault.rule)):
        run_above = next((run for first, run in reversed(starts) if first <= fault.cell.line), None)
        extraction.rows.append(fault.reject(*_section(run_above)))
    _mark_log(extraction, document, reader.kinds)
    return extraction


def _unreadable(bar: Bar, reason: str) -> LogFault:
    return LogFault(bar.place, "bar_unreadable", f"the progress bar in line {bar.line.number}: {reason}")


def _bar_alone(run: KerasRun) -> Bar | None:
    """The only bar of a run without any heading or header."""
    is_bare = run.start is None and run.time is None and not any(part.header for part in run.parts)
    return run.bars[0] if is_bare and len(run.bars) == 1 and run.bars[0].state == "finished" else None


def _run_line(run: KerasRun) -> Line | None:
    """The heading or batch size line that starts a run, or its first bar, or its first epoch header."""
    bars = [bar.line for bar in run.bars if bar.state == "finished"]
    return run.start or next(iter([*bars, *(part.header.line for part in run.parts if part.header)]), None)


def _add_run(extraction: Extraction, run: KerasRun, start: Line, cut_line: int | None) -> list[LogFault]:
    """Adds the rows of a run and returns what of it gives none; `cut_line` may lack its end."""
    epochs, faults = run.epochs()
    if run.time and run.time.cell.line == cut_line:
        reason = f"the log ends with the training time `{run.time.cell.text}`, without an end of line: it may be cut"
        faults.append(LogFault(run.time.cell, "training_time_unreadable", reason))
        run.time = None
    section, section_line = _section(run)
    fields = fields_of({name: each.value for name, each in run.stated.items()})
    last = run.last_header
    extraction.rows.append(
        Run(
            cell=run.time.cell if run.time else start.cell,
            section=section,
            section_line=section_line,
            accelerator_printed=run.heading.device if run.heading else fields["platform_printed"],
            accelerator_count=run.heading.devices if run.heading else fields["accelerator_count"],
            model_printed=fields["model_printed"],
            batch_size=run.batch_size,
            epochs=sum(bar.line.number != cut_line for _, bar in epochs),
            epochs_planned=last.planned if last else None,
            training_time_s=run.time.value if run.time else None,
            total_parameters=run.parameters.get("total"),
            trainable_parameters=run.parameters.get("trainable"),
            run_line=start.number,
        )
    )
    for number, bar in epochs:
        if bar.line.number == cut_line:
            faults.append(_unreadable(bar, "the log ends there, without an end of line: it may be cut"))
            continue
        extraction.rows.append(_epoch(run, start, number, bar))
        if "loss" in bar.metrics and bar.loss is None:
            reason = f"line {bar.line.number} ends at the word loss, and no number follows it"
            faults.append(LogFault(bar.line.cell, "loss_missing", reason))
    return faults


def _epoch(run: KerasRun, start: Line, number: int, bar: Bar) -> Epoch:
    section, section_line = _section(run)
    counts_samples = bar.counts_samples or bar.total in run.samples
    is_nan = bar.loss is not None and math.isnan(bar.loss)
    return Epoch(
        cell=bar.place,
        section=section,
        section_line=section_line,
        run_line=start.number,
        epoch=number,
        steps=None if counts_samples else bar.total,
        epoch_time_s=bar.epoch_time_s,
        step_time_ms=None if counts_samples else bar.step_time_ms,
        loss=None if is_nan else bar.loss,
        loss_is_nan=is_nan,
    )


def _section(run: KerasRun | None) -> tuple[str | None, int | None]:
    line = run.heading.line if run and run.heading else None
    return (line.cell.text, line.number) if line else (None, None)


def _mark_log(extraction: Extraction, document: Document, kinds: Mapping[int, Kind]) -> None:
    """Note the role of every line that was read, and what its numerals are."""
    epochs = {row.cell.line for row in extraction.rows if isinstance(row, Epoch)}
    rejected = {row.cell.line for row in extraction.rows if isinstance(row, Reject)}
    may_be_wrapped = False
    for number, kind in sorted(kinds.items()):
        line = document.line(number)
        bar = read_bar(line) if kind == "bar" else None
        if kind == "parameters" and (match := PARAMETERS.fullmatch(visible(line.text))):
            kept: tuple[Status, str] = ("condition", "model_size")
            if match["kind"].casefold() in _KEPT_PARAMETERS:
                is_read = parse_count(match["value"]) is not None
                kept = ("extracted", "run_field") if is_read else ("unparsed", "log_line_unread")
            extraction.marks.append(Mark(line.matched(match, "value"), *kept))
        if number in epochs or (kind == "bar" and bar is None and may_be_wrapped):
            _mark_epoch(extraction, line)
        elif number in rejected:
            _mark(extraction, line, "unparsed", "rejected")
        elif bar and bar.state == "finished":
            _mark(extraction, line, "unparsed", "log_evaluation")
        else:
            _mark(extraction, line, *_STATUSES[kind], role="condition" if kind == "condition" else "log")
        may_be_wrapped = number in epochs


def _mark(extraction: Extraction, line: Line, status: Status, why: str, role: str = "log") -> None:
    extraction.marks.append(Mark(line.cell, status, why))
    extraction.roles[line.number] = (role, why)


def _mark_epoch(extraction: Extraction, line: Line) -> None:
    """Steps, then the times and the loss, which are columns of the epoch; other metrics are not."""
    if steps := _STEPS.match(line.text):
        extraction.marks.append(Mark(line.matched(steps, "steps"), "condition", "epoch_steps"))
    for name, value in split_fields(line):
        is_kept = name in (None, "loss")
        status: Status = "extracted" if is_kept else "unparsed"
        extraction.marks.append(Mark(value, status, "epoch_field" if is_kept else "metric_not_kept"))
    extraction.roles[line.number] = ("log", "epoch")
