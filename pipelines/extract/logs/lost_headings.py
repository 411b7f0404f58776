"""Runs whose device heading seems to be lost: the heading above them is another run's, or there is none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipelines.extract.logs.headings import Device
from pipelines.extract.logs.runs import Fault, RunDraft


def forget_foreign_devices(runs: Sequence[RunDraft]) -> Iterator[Fault]:
    """Takes the device from runs that may not have been made on it; one fault for each, and for runs without heading.

    A device holds for further runs that state a batch size. Not where the first run below the heading stated none: its
    log prints no batch sizes, and the one below is of another device. Nor where a batch size comes again with another
    number of steps: the same samples in as many steps fewer are those of more devices.
    """
    device: Device | None = None
    first_states_batch, is_known, has_heading = False, True, False
    steps_of: dict[int, int | None] = {}
    for run in runs:
        if run.device and run.device is not device:
            device, is_known, steps_of = run.device, True, {}
            first_states_batch = run.states_batch
        elif run.device:
            steps = steps_of.get(run.batch_size or 0)
            is_known = is_known and first_states_batch and (steps is None or run.steps in (None, steps))
            if not is_known:
                yield _fault(run, f"the heading in line {run.device.line.number} seems to be of other runs")
                run.device = None
        elif run.first_line is None and has_heading and not run.is_torn:
            yield _fault(run, "no heading stands above the run, as above the others")
        if run.batch_size:
            steps_of.setdefault(run.batch_size, run.steps)
        has_heading = has_heading or run.first_line is not None


def _fault(run: RunDraft, reason: str) -> Fault:
    bars = [bar.line for part in run.parts for bar in part.bars]
    headers = [part.header.line for part in run.parts if part.header]
    line = next(iter([*([run.first_line] if run.first_line else []), *bars, *headers]))
    cell = run.training_time.cell if run.training_time else line.cell
    return Fault(line, cell, "heading_lost", f"{reason}; the run was stored without its device")
