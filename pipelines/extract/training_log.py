"""Progress logs of Keras to runs and epochs.

What a line says, and how lines become runs, stands in `logs/keras.py`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Iterator, Mapping

from pipelines.extract.conditions import fields_of
from pipelines.extract.contract import Extraction, Mark, Status
from pipelines.extract.logs.keras import (
    PARAMETERS,
    Bar,
    Fault,
    KerasReader,
    KerasRun,
    Kind,
    damaged_bar,
    read_bar,
    split_fields,
)
from pipelines.extract.rows import Epoch, Reject, Run
from pipelines.read.document import Cell, Document, Line
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
# `loss`: characters without a number, of which nothing is lost
_WORD = re.compile(r"(?<!\w)[A-Za-z]{3,}")
# `7000/7000` in `7000/7000 [=====] - 22s`, behind a time stamp where there is one
_STEPS = re.compile(r"(?P<stamp>.*?)(?P<steps>(?<![\d,])[\d,]++/[\d,]++)(?=\s)")
# What the numerals of a line of each kind are; those of an epoch are told apart by their place.
_STATUSES: dict[Kind, tuple[Status, str]] = {
    "bar": ("ignored", "log_bar_without_epoch"),
    "header": ("condition", "epoch_number"),
    "time": ("ignored", "log_message"),
    "model": ("ignored", "model_summary"),
    "summary": ("ignored", "model_summary"),
    "parameters": ("ignored", "model_summary"),
    "condition": ("condition", "run_condition"),
    "message": ("ignored", "log_message"),
}
# `54.37938559206668`: no second run takes a time with the same so many digits
_LONG_TIME = 12
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
        with `loss_is_nan`. An epoch is let in only when everything printed of it can be read; else it stands in the
        rejects and `Run.epochs` does not count it. Bars of evaluations and predictions are read and give no row.
    """
    lines = list(document.without(set(taken)))
    if not any(bar.state != "progress" for line in lines if (bar := read_bar(line))):
        return Extraction()
    reader = KerasReader(lines)
    reader.walk()
    extraction = Extraction(lines={*reader.kinds})
    starts: list[tuple[int, KerasRun]] = []
    faults = [*reader.faults]
    times: dict[str, KerasRun] = {}
    cut_line = len(document.lines) if document.is_open_ended else None
    for run in reader.runs:
        faults += (damaged_bar(bar) for bar in run.bars if bar.state == "damaged")
        start = _run_line(run)
        if first := _repeated(run, times):
            where = f", which begins in line {first.start.number}" if first.start else ""
            reason = f"the run repeats the time of an earlier one{where}, below another heading"
            faults += [Fault(line, cell, "run_repeated", reason) for line, cell in _places(run)]
        elif alone := _bar_alone(run):
            reason = f"the bar in line {alone.line.number} stands alone, without any header: it may be of an evaluation"
            faults.append(Fault(alone.line, alone.place, "epoch_without_header", reason))
        elif start is not None:
            starts.append((start.number, run))
            faults += _add_run(extraction, run, start, cut_line)
    for fault in sorted(faults, key=lambda fault: (fault.cell.line, fault.cell.start, fault.rule)):
        run_above = next((run for first, run in reversed(starts) if first <= fault.line.number), None)
        extraction.rows.append(_reject(fault, run_above))
    _mark_log(extraction, document, reader.kinds)
    return extraction


def _repeated(run: KerasRun, times: dict[str, KerasRun]) -> KerasRun | None:
    """The earlier run of other devices or another batch size that took the same time to all its digits."""
    text = run.time.cell.text if run.time else ""
    if len(text.replace(".", "").strip("0")) < _LONG_TIME:
        return None
    first = times.setdefault(text, run)
    devices = [(each.heading.device, each.heading.count) for each in (first, run) if each.heading]
    sizes = {each.batch_size for each in (first, run) if each.batch_size}
    return first if len(set(devices)) > 1 or len(sizes) > 1 else None


def _places(run: KerasRun) -> Iterator[tuple[Line, Cell]]:
    yield from ((bar.line, bar.place) for bar in run.bars)
    if run.start and run.time:
        yield run.start, run.time.cell


def _bar_alone(run: KerasRun) -> Bar | None:
    """The only bar of a run without any heading or header, as `evaluate` prints it, too."""
    is_bare = run.start is None and run.time is None and not any(part.header for part in run.parts)
    return run.bars[0] if is_bare and len(run.bars) == 1 and run.bars[0].state == "finished" else None


def _run_line(run: KerasRun) -> Line | None:
    """The heading or batch size line that starts a run, or its first bar, or its first epoch header."""
    if run.start:
        return run.start
    bars = [bar.line for bar in run.bars if bar.state == "finished"]
    return next(iter([*bars, *(part.header.line for part in run.parts if part.header)]), None)


def _add_run(extraction: Extraction, run: KerasRun, start: Line, cut_line: int | None) -> list[Fault]:
    """Adds the rows of a run and returns what of it was not let in; `cut_line` may lack its end."""
    epochs, faults = run.epochs()
    if run.time and run.time.cell.line == cut_line:
        reason = f"the log ends with the training time `{run.time.cell.text}`, without an end of line: it may be cut"
        faults.append(Fault(start, run.time.cell, "training_time_unreadable", reason))
        run.time = None
    section, section_line = _section(run)
    fields = fields_of({name: each.value for name, each in run.stated.items()})
    device = run.heading if run.heading and run.heading.device else None
    if device is None and not fields["platform_printed"]:
        reason = "neither a heading nor a command line above the run names what it was trained on"
        word = _WORD.search(start.text)
        faults.append(Fault(start, start.matched(word) if word else start.cell, "run_without_device", reason))
    last = run.last_header
    extraction.rows.append(
        Run(
            cell=run.time.cell if run.time else start.cell,
            section=section,
            section_line=section_line,
            accelerator_printed=device.device if device else fields["platform_printed"],
            accelerator_count=device.count if device else fields["accelerator_count"],
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
            reason = f"the log ends in line {bar.line.number}, without an end of line: it may be cut"
            faults.append(Fault(bar.line, bar.place, "bar_unreadable", reason))
            continue
        extraction.rows.append(_epoch(run, start, number, bar))
        if "loss" in bar.metrics and bar.loss is None:
            reason = f"line {bar.line.number} ends at the word loss, and no number follows it"
            faults.append(Fault(bar.line, bar.line.cell, "loss_missing", reason))
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


def _section(run: KerasRun) -> tuple[str | None, int | None]:
    line = run.heading.line if run.heading and run.heading.device else None
    return (line.cell.text, line.number) if line else (None, None)


def _reject(fault: Fault, run: KerasRun | None) -> Reject:
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


def _mark_log(extraction: Extraction, document: Document, kinds: Mapping[int, Kind]) -> None:
    """Note the role of every line that was read, and what its numerals are."""
    epochs = {row.cell.line for row in extraction.rows if isinstance(row, Epoch)}
    rejected = {row.cell.line for row in extraction.rows if isinstance(row, Reject) and row.scope != "note"}
    may_be_wrapped = False
    for number, kind in sorted(kinds.items()):
        line = document.line(number)
        bar = read_bar(line) if kind == "bar" else None
        status, why = _STATUSES[kind]
        if kind == "parameters" and (match := PARAMETERS.fullmatch(visible(line.text))):
            kept: tuple[Status, str] = ("condition", "model_size")
            if match["kind"].casefold() in _KEPT_PARAMETERS:
                is_read = parse_count(match["value"]) is not None
                kept = ("extracted", "run_field") if is_read else ("unparsed", "log_line_unread")
            extraction.marks.append(Mark(line.matched(match, "value"), *kept))
        if number in epochs:
            _mark_epoch(extraction, line)
        elif number in rejected:
            _mark(extraction, line, "unparsed", "rejected")
        elif kind == "bar" and bar is None and may_be_wrapped:
            _mark_fields(extraction, line)
        elif bar and bar.state == "finished":
            _mark(extraction, line, "unparsed", "log_evaluation")
        else:
            _mark(extraction, line, status, why, role="condition" if kind == "condition" else "log")
        may_be_wrapped = number in epochs


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
