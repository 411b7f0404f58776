"""Progress logs of Keras to runs and epochs.

How a line is read stands in `logs/epochs.py`, how lines become runs in `logs/runs.py`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection

from pipelines.extract.condition_fields import fields_of
from pipelines.extract.contract import Extraction, Mark, Status
from pipelines.extract.logs.epochs import (
    MODEL,
    Bar,
    read_bar,
    read_batch_size,
    read_device,
    read_epoch_header,
    read_parameters,
    read_training_time,
    split_fields,
)
from pipelines.extract.logs.runs import (
    Fault,
    LogReader,
    RunDraft,
    damaged_bars,
    forget_foreign_devices,
    number_epochs,
    repeated_runs,
)
from pipelines.extract.rows import Epoch, Reject, Run
from pipelines.read.document import Document, Line

FORMAT = "training_log"
DESCRIPTION = (
    "Progress logs of Keras trainings: bars, losses and training times under headings of devices and batch sizes."
)
ROWS = (Run, Epoch, Reject)
PRIORITY = 10

# Share of finished bars among the lines from which on a document is nothing but a log.
_FULL_SHARE = 0.2
# `loss`: characters without a number, of which nothing is lost
_WORD = re.compile(r"(?<!\w)[A-Za-z]{3,}")
# `7000/7000` in `7000/7000 [=====] - 22s`, behind a time stamp where there is one
_STEPS = re.compile(r"(?P<stamp>.*?)(?P<steps>(?<![\d,])[\d,]++/[\d,]++)(?=\s)")
# `Train on 60000 samples, validate on 10000 samples`
_SAMPLES = re.compile(r"\s*Train on \d+ samples\b")
# Parameters that a run has columns for
_KEPT_PARAMETERS = ("total", "trainable")
_SIZE: tuple[Status, str] = ("condition", "model_size")


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
        with `loss_is_nan`. An epoch is let in only when everything printed of it can be read; else it stands in the
        rejects and `Run.epochs` does not count it. Bars of evaluations and predictions are read and give no row.
    """
    reader = LogReader(list(document.without(set(taken))))
    reader.walk()
    if not reader.has_bars:
        return Extraction()
    extraction = Extraction(lines=reader.read)
    starts: list[tuple[int, RunDraft]] = []
    faults = [*reader.faults, *forget_foreign_devices(reader.runs)]
    repeated = {id(run): found for run, found in repeated_runs(reader.runs)}
    for run in reader.runs:
        if id(run) in repeated:
            faults += repeated[id(run)]
            continue
        start = _run_line(run)
        if alone := _bar_alone(run):
            reason = f"the bar in line {alone.line.number} stands alone, without any header: it may be of an evaluation"
            faults.append(Fault(alone.line, alone.place, "epoch_without_header", reason))
            continue
        if start is None:
            faults += damaged_bars(bar for part in run.parts for bar in part.bars)
            continue
        starts.append((start.number, run))
        faults += _add_run(extraction, run, start)
    for fault in sorted(faults, key=lambda fault: (fault.cell.line, fault.cell.start, fault.rule)):
        run_above = next((run for first, run in reversed(starts) if first <= fault.line.number), None)
        extraction.rows.append(_reject(fault, run_above))
    _mark_log(extraction, document)
    return extraction


def _bar_alone(run: RunDraft) -> Bar | None:
    """The only bar of a run without any heading or header, as `evaluate` prints it, too."""
    bars = [bar for part in run.parts for bar in part.bars]
    is_bare = run.first_line is None and not any(part.header for part in run.parts) and run.training_time is None
    return bars[0] if is_bare and len(bars) == 1 and bars[0].state == "finished" else None


def _run_line(run: RunDraft) -> Line | None:
    """The heading or batch size line that starts a run, or its first bar, or its first epoch header."""
    if run.first_line:
        return run.first_line
    bars = [bar.line for part in run.parts for bar in part.bars if bar.state == "finished"]
    headers = [part.header.line for part in run.parts if part.header]
    return next(iter(bars + headers), None)


def _add_run(extraction: Extraction, run: RunDraft, start: Line) -> list[Fault]:
    """Adds the rows of a run and returns what of it was not let in."""
    epochs, faults = number_epochs(run)
    faults += damaged_bars(bar for part in run.parts for bar in part.bars)
    faults += damaged_bars(run.after)
    section, section_line = _section(run)
    fields = fields_of(run.stated)
    if run.device is None and not fields["platform_printed"]:
        reason = "neither a heading nor a command line above the run names what it was trained on"
        word = _WORD.search(start.text)
        faults.append(Fault(start, start.matched(word) if word else start.cell, "run_without_device", reason))
    extraction.rows.append(
        Run(
            cell=run.training_time.cell if run.training_time else start.cell,
            section=section,
            section_line=section_line,
            accelerator_printed=run.device.name if run.device else fields["platform_printed"],
            accelerator_count=run.device.count if run.device else fields["accelerator_count"],
            model_printed=fields["model_printed"],
            batch_size=run.batch_size,
            epochs=len(epochs),
            epochs_planned=run.epochs_planned,
            training_time_s=run.training_time.value if run.training_time else None,
            total_parameters=run.total_parameters,
            trainable_parameters=run.trainable_parameters,
            run_line=start.number,
        )
    )
    for number, bar in epochs:
        extraction.rows.append(_epoch(run, start, number, bar))
        if "loss" in bar.metrics and bar.loss is None:
            reason = f"line {bar.line.number} ends at the word loss, and no number follows it"
            faults.append(Fault(bar.line, bar.line.cell, "loss_missing", reason))
    return faults


def _epoch(run: RunDraft, start: Line, number: int, bar: Bar) -> Epoch:
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


def _section(run: RunDraft) -> tuple[str | None, int | None]:
    return (run.device.line.cell.text, run.device.line.number) if run.device else (None, None)


def _reject(fault: Fault, run: RunDraft | None) -> Reject:
    section, section_line = _section(run) if run else (None, None)
    return Reject(
        cell=fault.cell,
        section=section,
        section_line=section_line,
        rule=fault.rule,
        reason=fault.reason,
        # Nothing that is printed is lost.
        scope="note" if fault.rule == "run_without_device" else "row",
        row_json=json.dumps({"line": fault.line.number, "text": fault.line.text}, ensure_ascii=False),
    )


def _mark_log(extraction: Extraction, document: Document) -> None:
    """Note the role of every line that the log reader took, and what its numerals are."""
    epochs = {row.cell.line for row in extraction.rows if isinstance(row, Epoch)}
    rejected = {row.cell.line for row in extraction.rows if isinstance(row, Reject) and row.scope != "note"}
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


def _mark(extraction: Extraction, line: Line, status: Status, why: str, role: str = "log") -> None:
    extraction.marks.append(Mark(line.cell, status, why))
    extraction.roles[line.number] = (role, why)


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
