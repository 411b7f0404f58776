"""How often a source is looked at (`daily`, `12 hours`, `every 2 weeks`, `5 minutes`), and the years that count."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import TypeVar

# Python's calendar ends with the years 1 and 9999, and a time zone must not lead beyond it.
_YEARS = range(1970, 2201)
Day = TypeVar("Day", bound=date)

# A month has no fixed length; a source that is looked at monthly may be looked at every thirty days.
_UNITS = {
    "minute": timedelta(minutes=1),
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(weeks=1),
    "month": timedelta(days=30),
}
# No page of benchmarks changes more often, and no server that does not expect it is asked more often.
SHORTEST_ELSEWHERE = timedelta(hours=1)
_WORDS = {"hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month"}
# `12 hours`, `every 2 weeks`, `every day`
_CADENCE = re.compile(
    r"(?:every\s+)?(?:(?P<count>[1-9]\d{0,3})\s+)?(?P<unit>minute|hour|day|week|month)s?", re.IGNORECASE
)


def parse_cadence(text: str) -> timedelta:
    """The time between two looks at a source.

    Raises:
        ValueError: The text names no interval.
    """
    words = " ".join(text.split())
    if unit := _WORDS.get(words.lower()):
        return _UNITS[unit]
    match = _CADENCE.fullmatch(words)
    if not match:
        raise ValueError(f"{text!r} is no cadence; write daily, weekly, monthly, or such as `12 hours`")
    return int(match["count"] or 1) * _UNITS[match["unit"].lower()]


def within_years(day: Day) -> Day:
    """A day or a time of the years 1970 to 2200.

    Raises:
        ValueError: It is of another year.
    """
    if day.year not in _YEARS:
        raise ValueError(f"the year {day.year} is not between {_YEARS[0]} and {_YEARS[-1]}")
    return day
