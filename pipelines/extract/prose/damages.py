"""Numbers whose printed form is damaged: `1,6x`, `4.Ox`, `58,1l2 images per second`. They are never repaired."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pipelines.extract.prose.factors import Kind
from pipelines.extract.prose.metrics import metrics_in
from pipelines.extract.prose.phrases import read_phrase
from pipelines.extract.prose.times import time_unit
from pipelines.values.durations import UNIT
from pipelines.values.numbers import NUMBER
from pipelines.vocabulary.lookup import find, spelling_pattern

# Digits, what reading by machine makes of them, points and commas in any order, at least one digit: `4.O`, `58,1l2`,
# `1,6`; or groups set apart by blanks, of which only the last would be read: `58 112`
_TOKEN = re.compile(
    r"(?<![\w.,/$:-])(?:\d{1,3}(?:\s\d{3})+|(?=[OoIlSB.,]*\d)[\dOoIlSB.,]*[\dOoIlSB])(?![\d.,]\d)(?=[^\w]|[a-zA-Z\u00d7])"
)
_BLANKS = re.compile(r"\s*")
_SOUND = re.compile(rf"{NUMBER}(?=[^\d]|$)")
_TIMES = re.compile(r"\s?[xX\u00d7](?![\w/])|[\s-]times\b|[\s-]?fold\b")
_PERCENT = re.compile(r"\s?(?:%|percent\b|per\s+cent\b)", re.IGNORECASE)
_DURATION = re.compile(rf"[\s-]?(?:{UNIT})(?![\w/])", re.IGNORECASE)
_REACH = 80


@dataclass(frozen=True, slots=True)
class Damage:
    """Characters that should be a number and are none, and why."""

    start: int
    end: int
    reason: str


def find_damages(plain: str) -> Iterator[Damage]:
    """Every damaged factor that is compared, rate, and time of a metric in a sentence, in order."""
    for match in _TOKEN.finditer(plain):
        start, end = match.span()
        if _SOUND.fullmatch(match[0]):
            continue
        unit = _unit_behind(plain, start, end)
        if unit:
            yield Damage(start, unit, f"{plain[start:end]!r} is no number: a letter, a point or a comma in it is wrong")


def _unit_behind(plain: str, start: int, end: int) -> int | None:
    """End of the unit that makes the characters a factor, a share, a rate or a time; None where none does."""
    before = plain[max(0, start - _REACH) : start]
    kinds: tuple[tuple[re.Pattern[str], Kind], ...] = ((_TIMES, "times"), (_PERCENT, "percent"))
    for pattern, kind in kinds:
        if (unit := pattern.match(plain, end)) and read_phrase(
            plain[unit.end() : unit.end() + _REACH], before, plain[start : unit.end()], kind
        ):
            return unit.end()
    blanks = _BLANKS.match(plain, end)
    printed = spelling_pattern("units").match(plain, blanks.end() if blanks else end)
    entry = find("units", printed[0]) if printed else None
    if entry and entry.facts.get("unit") == "items/s":
        return end
    named = any(time_unit(name) for name, _, _ in metrics_in(plain))
    return end if named and _DURATION.match(plain, end) else None
