"""Runs that a log prints twice below different headings: one of the headings is not theirs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pipelines.extract.logs.runs import Fault, RunDraft

_NUMBER = re.compile(r"\d+\.\d+|\d+")
# `54.37938559206668`: no second run takes a time with the same so many digits
_LONG_TIME = 12


def repeated_runs(runs: Iterable[RunDraft]) -> Iterator[tuple[RunDraft, list[Fault]]]:
    """The runs that repeat an earlier one below another heading, each with what of it was not let in."""
    seen: dict[str, RunDraft] = {}
    for run in runs:
        time = _long_time(run)
        if time is None:
            continue
        first = seen.setdefault(time, run)
        if _differ(first, run):
            yield run, list(_faults(run, first))


def _long_time(run: RunDraft) -> str | None:
    text = run.training_time.cell.text if run.training_time else ""
    digits = text.replace(".", "").strip("0")
    return text if _NUMBER.fullmatch(text) and len(digits) >= _LONG_TIME else None


def _differ(first: RunDraft, run: RunDraft) -> bool:
    """Whether two runs state different devices or batch sizes; what only one of them states is no difference."""
    devices = [(draft.device.name, draft.device.count) for draft in (first, run) if draft.device]
    sizes = {draft.batch_size for draft in (first, run) if draft.batch_size}
    return len(set(devices)) > 1 or len(sizes) > 1


def _faults(run: RunDraft, first: RunDraft) -> Iterator[Fault]:
    where = f", which begins in line {first.first_line.number}" if first.first_line else ""
    reason = f"the run repeats the numbers of an earlier one{where}, below another heading"
    for part in run.parts:
        yield from (Fault(bar.line, bar.place, "run_repeated", reason) for bar in part.bars)
    if run.training_time and run.first_line:
        yield Fault(run.first_line, run.training_time.cell, "run_repeated", reason)
