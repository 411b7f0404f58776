"""Progress logs of Keras to runs and epochs. How a line is read and cut into runs stands in `logs/`."""

from __future__ import annotations

import json
import math
from collections.abc import Collection

from pipelines.extract.contract import Extraction
from pipelines.extract.logs.bars import Bar, read_bar
from pipelines.extract.logs.lost_headings import forget_foreign_devices
from pipelines.extract.logs.marks import mark_log
from pipelines.extract.logs.reader import LogReader
from pipelines.extract.logs.repeats import repeated_runs
from pipelines.extract.logs.runs import Fault, RunDraft, damaged_bars, number_epochs
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
        if start is None:
            faults += damaged_bars(bar for part in run.parts for bar in part.bars)
            continue
        starts.append((start.number, run))
        faults += _add_run(extraction, run, start)
    for fault in sorted(faults, key=lambda fault: (fault.cell.line, fault.cell.start, fault.rule)):
        run_above = next((run for first, run in reversed(starts) if first <= fault.line.number), None)
        extraction.rows.append(_reject(fault, run_above))
    mark_log(extraction, document)
    return extraction


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
    extraction.rows.append(
        Run(
            cell=run.training_time.cell if run.training_time else start.cell,
            section=section,
            section_line=section_line,
            accelerator_printed=run.device.name if run.device else None,
            accelerator_count=run.device.count if run.device else None,
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
        row_json=json.dumps({"line": fault.line.number, "text": fault.line.text}, ensure_ascii=False),
    )
