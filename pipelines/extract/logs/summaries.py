"""The results of programs: the summaries that they end with, and the steady state of their steps.

How their lines are read belongs in `program_log`.
"""

from __future__ import annotations

import re
import statistics
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from pipelines.extract.conditions import Stated
from pipelines.extract.logs.programs import ProgramEntry, stated_in
from pipelines.extract.named_quantities import Unit
from pipelines.read.document import Cell, Line
from pipelines.values.numbers import parse_count
from pipelines.values.quantity import Quantity

# By which of several ways a program counts or estimates
MEASURED_AS = "measured_as"
# Fewer steps show no steady state.
_MIN_STEPS = 3
# The highest percentile that benchmarks of servers print is P99: where more requests are lost, it
# is not of all.
_LOST_SHARE = 0.01
# Groups that say what became of the requests, or whether a result counts.
_COUNTED = frozenset({"completed", "failed", "valid", "invalid"})
# So many interquartile ranges beyond the quartiles a value is an outlier (Tukey's fences).
_FENCE = 1.5


@dataclass(eq=False)
class Summary:
    """The conditions of a summary, of a line with a result, or of the steps of one run.

    `above` is the last line above it that no entry reads; `others` are the arguments of its command
    that state no dimension; `counted` are the requests by what became of them, and the line that
    says whether it counts; `part_of` is the summary that it continues; `steps` are what the steps
    print, by metric, on `lines`.
    """

    entry: ProgramEntry
    first: Cell
    above: str
    stated: dict[str, Stated]
    others: dict[str, Stated]
    is_logged: bool = False
    counted: dict[str, Cell] = field(default_factory=dict)
    part_of: Summary | None = None
    has_results: bool = False
    last_step: int = -1
    steps: dict[tuple[str, str | None], list[LogResult]] = field(
        default_factory=lambda: defaultdict(list)
    )
    lines: list[Line] = field(default_factory=list)

    @property
    def whole(self) -> Summary:
        """The summary of the whole run."""
        return self.part_of or self

    def fault(self) -> str | None:
        """Why its results are no results of the program; None if they are.

        A share of the requests that is larger than `_LOST_SHARE` was not answered, or the program
        says so.
        """
        if verdict := self.counted.get("invalid"):
            text = " ".join(verdict.text.split())
            return f"{self.entry.name} prints `{text}`: a run without results that count"
        if self.entry.has_verdict and "valid" not in self.counted:
            return f"{self.entry.name} does not report that this result is valid"
        failed, completed = self._count("failed"), self._count("completed")
        if failed > _LOST_SHARE * (failed + completed):
            lost = (
                f"{failed:,} of {failed + completed:,} requests failed, more than {_LOST_SHARE:.0%}"
            )
            return f"{lost}: what {self.entry.name} prints is of those that were answered"
        return None

    def settings(self) -> set[tuple[str, str]]:
        """Name and value of its conditions."""
        return {(each.dimension, each.value) for each in self.stated.values()}

    def state(self, match: re.Match[str], cell: Cell) -> bool:
        """Takes what a line says of the requests, or of the whole result; above its results also
        its conditions, below them False.
        """
        counted = [name for name, text in match.groupdict().items() if name in _COUNTED and text]
        for name in counted:
            self.counted[name] = cell if name == "invalid" else cell.matched(match, name)
        if "failed" in counted and (count := self._count("failed")):
            printed = Stated("failed_requests", str(count), self.counted["failed"], "row")
            self.stated["failed_requests"] = printed
        if not (counted or self.has_results):
            self.stated |= stated_in(match, cell, "row")
            return True
        return bool(counted)

    def _count(self, name: str) -> int:
        return (parse_count(self.counted[name].text) or 0) if name in self.counted else 0


@dataclass
class LogResult:
    """One result that a log prints, in the canonical unit.

    `stated` are conditions of its own; of what is printed nowhere, such as the number of steps, the
    cell is empty.
    """

    summary: Summary
    cell: Cell
    metric: str
    statistic: str | None
    quantity: Quantity
    unit: Unit
    stated: dict[str, Stated]
    rank: int

    @property
    def conditions(self) -> dict[str, Stated]:
        return self.summary.stated | self.stated

    def state(self, name: str, value: str) -> None:
        """Adds a condition that is printed nowhere."""
        self.stated[name] = Stated(name, value, level="vocabulary")

    @property
    def key(self) -> tuple[object, ...]:
        """What it is of: results of one key are the same measurement."""
        said = frozenset(
            (each.dimension, each.value)
            for each in self.conditions.values()
            if each.cell.text or each.dimension == MEASURED_AS
        )
        return self.metric, self.statistic, self.unit.item, self.summary.entry.task, said


def steady_state(results: Sequence[LogResult]) -> LogResult | None:
    """The step in the middle of those after warm-up (of an even number the lower one), with the
    interval of quartiles.

    The steps of the warm-up are those at the beginning that are slower than Tukey's fence of all
    steps. None where too few are left.
    """
    if len(results) < _MIN_STEPS:
        return None
    # Of a time more is slower, of a rate less.
    sign = 1 if results[0].unit.name in ("s", "ms") else -1
    slowness = [sign * result.quantity.value for result in results]
    first, _, third = statistics.quantiles(slowness, n=4, method="inclusive")
    fence = third + _FENCE * (third - first)
    warm_up = next(at for at, each in enumerate(slowness) if each <= fence)
    values = [result.quantity.value for result in results[warm_up:]]
    if len(values) < _MIN_STEPS:
        return None
    middle = results[warm_up + values.index(statistics.median_low(values))]
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    printed = middle.quantity
    quantity = printed._replace(
        low=min(float(f"{low:.12g}"), printed.low),
        high=max(float(f"{high:.12g}"), printed.high),
    )
    steady = replace(middle, statistic="median", quantity=quantity, stated=dict(middle.stated))
    for result in results:
        for name, each in result.stated.items():
            # What changes from step to step holds for none of them.
            if name in middle.stated and middle.stated[name].value != each.value:
                steady.stated.pop(name, None)
    steady.state("statistic", "median")
    steady.state("steps", str(len(values)))
    if warm_up:
        steady.state("warm_up_steps", str(warm_up))
    return steady
