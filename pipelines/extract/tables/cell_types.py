"""What a cell of each column may look like; one that cannot be its column's shows that a row is shifted or damaged."""

from __future__ import annotations

import re
from collections.abc import Callable

from pipelines.extract.tables.headings import Heading, Unit, read_unit
from pipelines.read.document import Cell
from pipelines.values.batch_sizes import parse_batch_sizes
from pipelines.values.durations import parse_clock, parse_duration
from pipelines.values.numbers import NUMBER, parse_count, parse_number
from pipelines.values.precisions import parse_precision
from pipelines.values.quantity import Quantity
from pipelines.values.ratios import BOUND
from pipelines.values.versions import parse_sdk
from pipelines.vocabulary.lookup import find
from pipelines.vocabulary.printed_names import read_platform, read_versioned

# `SDK 3.1`, which is unmistakable; a bare `3.1` may be anything
_SDK_WORD = re.compile(r"SDK\s*\d[\w.]*", re.IGNORECASE)
# `2.0-2045`, `4.1-0053`, `1.0-1025`
_SUBMISSION = re.compile(r"\d+\.\d+(?:\.\d+)?-\d{1,5}")
# `First`, `2nd`, `11th`, `3`
_RANK = re.compile(
    r"first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\d+(?:st|nd|rd|th)?|winner|runner-up",
    re.IGNORECASE,
)
# `224x224`, `896`, `16x224x224`
_IMAGE_SIZE = re.compile(r"\d+(?:\s*[x×]\s*\d+)*", re.IGNORECASE)
# `0.0719 MAE`, `75.9% accuracy`
_EVALUATION = re.compile(rf"(?P<number>{NUMBER})\s*(?P<percent>%)?\s*(?P<metric>[A-Za-z].*)")
# `70688 tokens/sec`, `153.58 min`
_NUMBER_AND_UNIT = re.compile(rf"(?P<number>{NUMBER})\s*(?P<unit>[^\d\s].*)")
# `>60`, `~12.3`, `about 9 minutes`, `up to 400 images/sec`
_BOUNDED = re.compile(rf"(?P<bound>{BOUND})\s*(?P<rest>\S.*)", re.IGNORECASE)
# `.76 Top1`, `0.93 Dice`, `75.90% classification`, `93.5 F1`
_QUALITY = re.compile(r"\.?\d[\d.,]*\s*%?\s*[A-Za-z][\w .@+-]*")
# Quantities that a bare number says nothing of.
_UNIT_NEEDED = frozenset({"items/s", "s", "ms"})
# What tables print for "nothing"
_NOTHING = frozenset({"", "-", "--", "\u2013", "\u2014", "n/a", "na", "n.a.", "tbd", "none"})
_DIVISIONS = frozenset({"closed", "open", "preview", "rdi", "available"})


def is_nothing(cell: Cell) -> bool:
    """True for a blank cell and for what is printed in place of a value (`-`, `N/A`)."""
    return cell.text.strip().casefold() in _NOTHING


def read_value(cell: Cell, heading: Heading) -> tuple[Quantity, Unit] | None:
    """The value of a `metric` cell in canonical units and the unit it is printed in, or None when it cannot be read.

    The unit in the cell goes before the unit in the heading; without either there is no value, except a percentage
    above 1: what is at most 1 may be a share or a percentage. `>60` and `about 12.3` are read with their bounds.
    """
    canonical = heading.canonical_unit or ""
    words, text = _bound_of(cell.text.strip())
    value: tuple[Quantity, Unit] | None = None
    if (number := parse_number(text, words)) is not None:
        if heading.unit is not None:
            value = number.scaled(heading.unit.scale), heading.unit
        elif canonical not in _UNIT_NEEDED and (canonical != "%" or 1 < number.value <= 100):
            value = number, Unit("", canonical, 1.0)
    elif canonical in ("s", "ms"):
        # `12:34` may be hours and minutes or minutes and seconds.
        clock = parse_clock(text) if text.count(":") == 2 and not words else None
        if duration := parse_duration(text, words) or clock:
            value = duration.scaled(1000 if canonical == "ms" else 1), Unit("", canonical, 1.0)
    elif match := _NUMBER_AND_UNIT.fullmatch(text):
        unit, number = read_unit(match["unit"], canonical), parse_number(match["number"], words)
        value = (number.scaled(unit.scale), unit) if unit and number else None
    return value if value and value[0].value >= 0 else None


def _bound_of(text: str) -> tuple[str, str]:
    """The words of a bound before a number (`>`, `up to`) and what stands behind them."""
    match = _BOUNDED.fullmatch(text)
    return (match["bound"], match["rest"]) if match else ("", text)


def _may_be_value(text: str, heading: Heading) -> bool:
    """True for what is plainly a value of the column although it cannot be read.

    A number without any unit, and a quality in another measure (`0.93 Dice`) where a percentage is expected.
    """
    if heading.canonical_unit == "%" and _QUALITY.fullmatch(text):
        return True
    number = parse_number(text)
    return heading.unit is None and number is not None and number.value >= 0


def read_evaluation(cell: Cell) -> tuple[Quantity, str, str] | None:
    """Value, canonical metric and unit of a cell such as `0.0719 MAE`, or None.

    A percentage needs its sign, unless it is above 1; other metrics have none.
    """
    match = _EVALUATION.fullmatch(cell.text.strip())
    entry = find("metrics", match["metric"]) if match else None
    number = parse_number(match["number"]) if match else None
    if match is None or entry is None or number is None:
        return None
    unit = str(entry.facts["unit"])
    if (unit == "%" and not match["percent"] and number.value <= 1) or (unit != "%" and match["percent"]):
        return None
    return number, entry.name, unit


def _is_plain_text(text: str) -> bool:
    """True for words that are surely neither a number nor a release nor a precision."""
    return (
        parse_number(text) is None
        and not _SDK_WORD.fullmatch(text)
        and parse_precision(text) is None
        and not _SUBMISSION.fullmatch(text)
    )


def _is_known_platform(text: str) -> bool:
    return read_platform(text).entry is not None


def _is_known_framework(text: str) -> bool:
    return read_versioned("frameworks", text).entry is not None


def _fits_model(text: str) -> bool:
    return _is_plain_text(text) and not _is_known_platform(text)


def _fits_platform(text: str) -> bool:
    if _is_known_platform(text):
        return True
    known_as_other = _is_known_framework(text) or find("datasets", text) or find("models", text) or find("units", text)
    return _is_plain_text(text) and not known_as_other and any(character.isalpha() for character in text)


def _fits_framework(text: str) -> bool:
    if _is_known_framework(text):
        return True
    return _is_plain_text(text) and not _is_known_platform(text) and find("datasets", text) is None


def _fits_dataset(text: str) -> bool:
    return _is_plain_text(text) and not _is_known_platform(text) and not _is_known_framework(text)


def _fits_sdk(text: str) -> bool:
    return parse_sdk(text) is not None


def _fits_quality(text: str) -> bool:
    return _is_plain_text(text) and any(character.isdigit() for character in text)


_FITS: dict[str, Callable[[str], bool]] = {
    "model": _fits_model,
    "variant": _fits_model,
    "platform": _fits_platform,
    "accelerator_count": lambda text: parse_count(text) is not None,
    "sdk_version": _fits_sdk,
    "framework": _fits_framework,
    "framework_version": lambda text: parse_count(text) is None and not _is_known_platform(text),
    "dataset": _fits_dataset,
    "batch_size": lambda text: parse_batch_sizes(text) is not None,
    "precision": lambda text: parse_precision(text) is not None,
    "sequence_length": lambda text: parse_count(text) is not None,
    "image_size": lambda text: _IMAGE_SIZE.fullmatch(text) is not None,
    "task": _is_plain_text,
    "division": lambda text: text.casefold() in _DIVISIONS,
    "submission_id": lambda text: _SUBMISSION.fullmatch(text) is not None,
    "quality_target": _fits_quality,
    "ranking": lambda text: _RANK.fullmatch(text) is not None,
    "attribute": lambda text: True,
    "unknown": lambda text: True,
}

# Without these a row says nothing: a blank one here shows a shifted row.
_NEVER_BLANK = frozenset({"model", "platform"})


def fits(cell: Cell, heading: Heading) -> bool:
    """True when the cell can be one of this column; blank cells fit wherever a row may leave something out."""
    if is_nothing(cell):
        return heading.column not in _NEVER_BLANK
    if heading.column == "metric":
        return read_value(cell, heading) is not None or _may_be_value(cell.text.strip(), heading)
    if heading.column == "evaluation":
        return read_evaluation(cell) is not None
    return _FITS[heading.column](cell.text.strip())
