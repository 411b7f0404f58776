"""Changes printed as two values: `time-to-train fell from 12 to 9 minutes`. Printed factors: `comparisons.py`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from pipelines.extract.prose.comparisons import Comparison, Unread
from pipelines.extract.prose.factors import Factor
from pipelines.extract.prose.metrics import metrics_in
from pipelines.extract.prose.times import read_time, time_unit
from pipelines.values.durations import UNIT
from pipelines.values.numbers import NUMBER, parse_number
from pipelines.values.quantity import Quantity
from pipelines.vocabulary.lookup import find, spelling_pattern

_TIME = rf"{NUMBER}[\s-]?(?:{UNIT})(?![\w/])(?:(?:,|\s+and)?\s+{NUMBER}\s?(?:{UNIT})(?![\w/])){{0,3}}"
_CHANGES = (
    # `from 12 to 9 minutes`, `from 1 hour 30 minutes to 40 minutes`
    re.compile(
        rf"\bfrom\s+(?P<span>(?:(?P<old>{_TIME})|(?P<old_number>{NUMBER}))\s+(?:down\s+|up\s+)?to\s+(?:just\s+|only\s+)?(?P<new>{_TIME}))",
        re.IGNORECASE,
    ),
    # `from 1,000 to 1,500 images per second`
    re.compile(
        rf"\bfrom\s+(?P<span>(?P<old_number>{NUMBER})(?:\s+(?P<old_rate>[a-z]+(?:\s?/\s?|\s+per\s+)[a-z]+))?\s+(?:down\s+|up\s+)?to\s+"
        rf"(?P<new_number>{NUMBER}))\s+(?P<rate>[a-z]+(?:\s?/\s?|\s+per\s+)[a-z]+)",
        re.IGNORECASE,
    ),
    # `9 minutes, down from 12 minutes`, `9 minutes (down from 12)`
    re.compile(
        rf"(?<![\w.,/$-])(?P<span>(?P<new>{_TIME}),?\s+\(?(?:down|up)\s+from\s+(?:(?P<old>{_TIME})|(?P<old_number>{NUMBER})))",
        re.IGNORECASE,
    ),
    # `1,500 images per second, up from 1,000`
    re.compile(
        rf"(?<![\w.,/$-])(?P<span>(?P<new_number>{NUMBER})\s+(?P<rate>[a-z]+(?:\s?/\s?|\s+per\s+)[a-z]+),?\s+\(?(?:down|up)\s+from\s+(?P<old_number>{NUMBER}))",
        re.IGNORECASE,
    ),
)
_SAYS_CHANGE = re.compile(
    r"\b(?:reduc|cut|improv|drop|decreas|lower|short|fell|fall|went|brought|bring|down|increas|rais|grew|rose|up|took|push)\w*\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Ends:
    old: Quantity
    new: Quantity
    metric: str | None
    is_time: bool


def new_values(plain: str) -> frozenset[int]:
    """First characters of the values that hold after each change: these are results, the old ones are not."""
    return frozenset(match.start("new" if ends.is_time else "new_number") for match, ends in _matches(plain))


def find_changes(plain: str) -> Iterator[Comparison | Unread]:
    """One comparison per change whose direction and metric are clear; an unclear one is unread."""
    for match, ends in _matches(plain):
        start, end = match.span("span")
        better, worse = (ends.old, ends.new) if ends.is_time else (ends.new, ends.old)
        ratio = Quantity(
            better.value / worse.value, better.low / worse.high, better.high / worse.low if worse.low > 0 else math.inf
        )
        factor = Factor(match.start(), start, end, "times", ratio)
        if ends.metric is None or not _SAYS_CHANGE.search(plain) or ratio.value <= 1:
            yield Unread(factor, "two values of one quantity; which metric changed, or for the better, is not stated")
        else:
            yield Comparison(factor, ratio, ends.metric, False)


def _matches(plain: str) -> Iterator[tuple[re.Match[str], _Ends]]:
    for match in (match for pattern in _CHANGES for match in pattern.finditer(plain)):
        if ends := _ends(plain, match):
            yield match, ends


def _ends(plain: str, match: re.Match[str]) -> _Ends | None:
    """Both values in one unit; None where they are no times and no rates."""
    groups = match.groupdict()
    if groups.get("new"):
        unit = re.sub(rf"^{NUMBER}[\s-]?", "", match["new"])
        old, new = read_time(groups["old"] or f"{match['old_number']} {unit}"), read_time(match["new"])
        metrics = {name for name, _, _ in metrics_in(plain) if time_unit(name)}
        if not metrics and re.search(r"\btrain(?:ing|s|ed)?\b", plain, re.IGNORECASE):
            metrics = {"time_to_train"}
    else:
        printed = spelling_pattern("units").match(plain, match.start("rate"))
        entry = find("units", printed[0]) if printed else None
        if entry is None or entry.facts.get("unit") != "items/s":
            return None
        old, new, metrics = parse_number(match["old_number"]), parse_number(match["new_number"]), {"throughput"}
    if old is None or new is None or min(old.value, new.value) <= 0:
        return None
    return _Ends(old, new, metrics.pop() if len(metrics) == 1 else None, bool(groups.get("new")))
