"""What a cell of each column may look like; one that cannot be its column's shows that a row is shifted or damaged."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from pipelines.extract.tables.attribute_cells import fits_attribute, fits_target, is_damaged_setting
from pipelines.extract.tables.cell_names import (
    DIVISIONS,
    SUBMISSION,
    fits_name,
    fits_platform,
    is_known_platform,
    is_plain_text,
    names_setting,
)
from pipelines.extract.tables.headings import RESULT, Heading, Unit, read_unit
from pipelines.extract.tables.nothing import is_nothing
from pipelines.read.document import Cell
from pipelines.read.wrong_characters import WRONG_CHARACTERS
from pipelines.values.batch_sizes import parse_batch_sizes
from pipelines.values.durations import is_doubtful, parse_clock, parse_duration
from pipelines.values.multiples import parse_multiple
from pipelines.values.numbers import NUMBER, NUMBER_AND_UNIT, parse_count, parse_number
from pipelines.values.precisions import parse_precision
from pipelines.values.quantity import Quantity
from pipelines.values.ratios import BOUND
from pipelines.values.versions import parse_sdk
from pipelines.vocabulary.lookup import find

# `First`, `2nd`, `11th`, `3`
_RANK = re.compile(
    r"first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\d+(?:st|nd|rd|th)?|winner|runner-up",
    re.IGNORECASE,
)
# `224x224`, `896`, `16x224x224`
_IMAGE_SIZE = re.compile(r"\d+(?:\s*[x×]\s*\d+)*", re.IGNORECASE)
# `0.0719 MAE`, `75.9% accuracy`, `.96 Hit Rate at 10`, `-5.8 Training Loss`
_EVALUATION = re.compile(rf"(?P<sign>[-\u2212]?)(?P<number>{NUMBER}|\.\d+)\s*(?P<percent>%)?\s*(?P<metric>[A-Za-z].*)")
# `>60`, `~12.3`, `about 9 minutes`, `up to 400 images/sec`
_BOUNDED = re.compile(rf"(?P<bound>{BOUND})\s*(?P<rest>\S.*)", re.IGNORECASE)
# `.76 Top1`, `0.93 Dice`, `75.90% classification`, `-5.8 Training Loss`
_QUALITY = re.compile(r"[-\u2212]?\.?\d[\d.,]*\s*%?\s*[A-Za-z][\w .@+-]*")
# `132.19 ± 0.55`, `12.3 +/- 0.4 ms`: the mean, and how far the runs lie apart
_DEVIATION = re.compile(
    r"(?P<mean>\d[\d.,]*(?:\s?[A-Za-z/%]+)?)\s*(?:\u00b1|\+/?-)\s*\d[\d.,]*(?P<unit>\s?[A-Za-z/%]+)?"
)
# `21.4 ms (-46.0%)`, `1,234 (1.5x)`: how it compares with another value
_COMPARED = re.compile(
    r"(?P<value>\S.*?)\s*\(\s*[-+\u2212]?\d[\d.,]*\s*(?:%|[x\u00d7])(?:\s[a-z ]+)?\s*\)", re.IGNORECASE
)
# Quantities that a bare number says nothing of.
_UNIT_NEEDED = frozenset({"items/s", "s", "ms", "%", "USD"})
# `6G images/sec`: thousands of millions in a second nobody prints so; it may have been `67` or `60`
_GLUED_BILLION = re.compile(r"G\s")
# Nobody prints thousands of these by a letter: `12M` below `Time` is twelve minutes.
_TIMES_AND_SHARES = frozenset({"s", "ms", "%"})
# `$149,995`, `US$ 149,995`
_CURRENCY = re.compile(r"(?:US)?\$\s?")


def read_value(cell: Cell, heading: Heading) -> tuple[Quantity, Unit] | None:
    """The value of a `metric` cell in canonical units and the unit it is printed in, or None when it cannot be read.

    The unit in the cell goes before that in the heading; without either there is no value: a bare `0.76` or `28.1`
    below `Accuracy` may be a share, a percentage or another score. `>60` and `about 12.3` are read with their bounds.
    """
    canonical = heading.canonical_unit or ""
    words, text = _bound_of(cell.text.strip())
    words = words or ("~" if heading.is_approximate else "")
    if (compared := _COMPARED.fullmatch(text)) and heading.canonical_unit not in ("%", "ratio"):
        text = compared["value"]
    if deviation := _DEVIATION.fullmatch(text):
        text = f"{deviation['mean']}{deviation['unit'] or ''}"
    value: tuple[Quantity, Unit] | None = None
    if canonical.startswith("USD") and (currency := _CURRENCY.match(text)):
        text, heading = text[currency.end() :], replace(heading, unit=Unit(currency[0].strip(), canonical, 1.0))
    number = parse_number(text, words)
    if number is None and heading.unit and canonical not in _TIMES_AND_SHARES:
        number = parse_multiple(text, words)
    if number is not None:
        if heading.unit is not None:
            value = number.scaled(heading.unit.scale), heading.unit
        elif canonical not in _UNIT_NEEDED or (1 < number.value <= 100 and _is_share(heading)):
            value = number, Unit("", canonical, 1.0)
    elif canonical in ("s", "ms") and is_doubtful(text, heading.unit.printed if heading.unit else None):
        return None
    elif canonical in ("s", "ms"):
        # `12:34` may be hours and minutes or minutes and seconds.
        clock = parse_clock(text) if text.count(":") == 2 and not words else None
        if duration := parse_duration(text, words) or clock:
            value = duration.scaled(1000 if canonical == "ms" else 1), Unit("", canonical, 1.0)
    elif (match := NUMBER_AND_UNIT.fullmatch(text)) and not _GLUED_BILLION.match(match["unit"]):
        unit, number = read_unit(match["unit"], canonical), parse_number(match["number"], words)
        value = (number.scaled(unit.scale), unit) if unit and number else None
    return value if value and value[0].value >= 0 else None


def _is_share(heading: Heading) -> bool:
    """True for a share that is never more than all: `42.57` below `MFU` can only be a percentage."""
    return bool((entry := find("metrics", heading.metric or "")) and entry.facts.get("share"))


def number_of(cell: Cell) -> Cell:
    """The characters of a cell's value; the words of a bound stand outside them, as they do in a sentence."""
    cell = cell.stripped()
    if compared := _COMPARED.fullmatch(cell.text):
        cell = cell.matched(compared, "value")
    if deviation := _DEVIATION.fullmatch(cell.text):
        return cell.matched(deviation, "mean")
    bounded = _BOUNDED.fullmatch(cell.text)
    if not bounded:
        return cell
    cell = cell.matched(bounded, "rest")
    match = NUMBER_AND_UNIT.fullmatch(cell.text)
    return cell.matched(match, "number") if match and parse_duration(cell.text) is None else cell


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
    if heading.metric == RESULT:
        # What it is the row says in another cell.
        return any(map(str.isdigit, text)) and not is_known_platform(text)
    number = parse_number(text)
    return heading.unit is None and number is not None and number.value >= 0


def read_evaluation(cell: Cell) -> tuple[Quantity, str, str] | None:
    """Value, canonical metric and unit of a cell such as `0.0719 MAE`, or None.

    A percentage needs its sign, unless it is a share that names its measure (`.76 Top1`); other metrics have none.
    """
    match = _EVALUATION.fullmatch(cell.text.strip())
    entry = find("metrics", match["metric"]) if match else None
    number = parse_number(_whole(match)) if match else None
    if match is None or entry is None or number is None:
        return None
    unit = str(entry.facts["unit"])
    if unit == "%" and not match["percent"] and not match["sign"] and number.value < 1:
        return number.scaled(100), entry.name, unit
    return (number, entry.name, unit) if (unit == "%") == bool(match["percent"]) else None


def _whole(match: re.Match[str]) -> str:
    """The number of an evaluation with the zero that `.96` leaves out."""
    number = match["number"]
    return match["sign"] + (f"0{number}" if number.startswith(".") else number)


def _fits_sdk(text: str) -> bool:
    return parse_sdk(text) is not None


_FITS: dict[str, Callable[[str], bool]] = {
    "model": lambda text: fits_name("model", text) and not names_setting(text),
    # A variant may repeat the model or the dataset.
    "variant": lambda text: fits_name("variant", text, ("platform", "framework")) and not is_damaged_setting(text),
    "platform": fits_platform,
    "accelerator_count": lambda text: parse_count(text) is not None,
    "sdk_version": _fits_sdk,
    "framework": lambda text: fits_name("framework", text),
    "framework_version": lambda text: parse_count(text) is None and not is_known_platform(text),
    "dataset": lambda text: fits_name("dataset", text),
    "batch_size": lambda text: parse_batch_sizes(text) is not None,
    "precision": lambda text: parse_precision(text) is not None,
    "sequence_length": lambda text: parse_count(text) is not None,
    "image_size": lambda text: _IMAGE_SIZE.fullmatch(text) is not None,
    "task": is_plain_text,
    "division": lambda text: text.casefold() in DIVISIONS,
    "submission_id": lambda text: SUBMISSION.fullmatch(text) is not None,
    "quality_target": lambda text: fits_target(text) and not SUBMISSION.fullmatch(text),
    "ranking": lambda text: _RANK.fullmatch(text) is not None,
    "unit": lambda text: True,
    "measure": lambda text: True,
    "result": lambda text: True,
    "unknown": lambda text: True,
}

# Without these a row says nothing: a blank one here shows a shifted row.
_NEVER_BLANK = frozenset({"model", "platform"})


def fits(cell: Cell, heading: Heading) -> bool:
    """True when the cell can be one of this column; blank cells fit wherever a row may leave something out."""
    if is_nothing(cell):
        return heading.column not in _NEVER_BLANK
    if "\t" in cell.text.strip() or WRONG_CHARACTERS.search(cell.text) or not cell.text.strip("?\u00c2 "):
        # Lines of a page that were joined, or another character than was printed: whatever it is, it is not the cell.
        return False
    if heading.column == "metric":
        return read_value(cell, heading) is not None or _may_be_value(cell.text.strip(), heading)
    if heading.column == "evaluation":
        return read_evaluation(cell) is not None
    if heading.column == "attribute":
        return fits_attribute(cell.text.strip(), heading)
    return _FITS[heading.column](cell.text.strip())
