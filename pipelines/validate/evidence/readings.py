"""Whether the printed characters give what a row stores, by kind of row, read with the check's own
parser.

Each function takes a place and the stored row, and returns None where both agree, else what is
wrong.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, combinations
from pathlib import Path
from typing import Any, cast

from pipelines.extract.contract import Medium, gives_scores, medium_of
from pipelines.validate.evidence.parser import (
    Amount,
    Range,
    amounts,
    factors,
    measured,
    ranges,
    said_bound,
    seconds_in,
)
from pipelines.validate.evidence.places import Place
from pipelines.vocabulary.dimensions import dimensions
from pipelines.vocabulary.lookup import Kind, key, suites
from pipelines.vocabulary.resolution import resolve_name
from pipelines.yaml_files import load_yaml

Row = Mapping[str, Any]
Reading = Callable[[Place, Row], str | None]

_BOUNDS = ("eq", "gt", "lt", "approx")
# Times of MLPerf are printed in whole milliseconds.
_ROUNDING_S = 0.001
# A loss may be wrapped into the second line below its bar.
_WRAPPED_LINES = 2
_WORDS = load_yaml(Path(__file__).with_suffix(".yml"))
_PART = re.compile(r"\b(?:half|halv|third|quarter|fifth|tenth)", re.IGNORECASE)
_TERM = re.compile(r"\d+(?:[.,]\d+)*[^\W_]*|[^\W\d_]+\d*(?:\.\d+)*[^\W_]*")


def _differs(row: Row, columns: str, found: Iterable[Sequence[Any]]) -> str | None:
    """None where a reading is what a row stores in these columns: a value, or a value with its
    interval.
    """
    stored = [row[name] for name in columns.split()]
    first: Sequence[Any] = ()
    for reading in found:
        values = reading[: len(stored)]
        # Equal but for the rounding of binary fractions.
        if all(map(_is_near, stored, values)):
            return None
        first = first or values
    if not first:
        return "no value can be read there"
    return f"the text gives {_shown(*first)}, stored is {_shown(*stored)}"


def _is_near(one: float, two: float) -> bool:
    return math.isclose(one, two, rel_tol=1e-10, abs_tol=1e-9)


def _shown(value: float, *interval: float) -> str:
    return f"{value!r} ({interval[0]!r} to {interval[1]!r})" if interval else f"{value!r}"


def _amounts(place: Place, unit: str, printed: str | None) -> Iterator[Amount]:
    # What follows on the next line is only read where the place itself does not give the value.
    return filter(None, (measured(text, unit, printed) for text in place.texts()))


def _ranges(found: Iterable[Amount], *bounds: str) -> Iterator[Range]:
    return (each for amount in found for bound in bounds for each in ranges(amount, bound))


def _interval_differs(
    place: Place, row: Row, columns: str, found: Iterable[Sequence[Any]]
) -> str | None:
    """As `_differs`, and what is wrong where the words before a number state another bound than the
    stored one.
    """
    if fault := _differs(row, columns, found):
        return fault
    said = said_bound(place.before)
    if said and _PART.search(place.text):
        # `less than half the cost` is an advantage of more than two.
        said = {"gt": "lt", "lt": "gt"}.get(said, said)
    if said in (None, row["bound"]):
        return None
    return f"the words before it give {said}, stored is {row['bound']}"


def read_result(place: Place, row: Row) -> str | None:
    """The value and its interval in the canonical unit: `54,784`, `23h 43m`, `0.0719 MAE`,
    `1.2 million`.
    """
    if row["value_printed"] != place.text:
        return f"the result has {row['value_printed']!r} as printed"
    if gives_scores(row.get("extractor", "")):
        return _differs(row, "value value_low value_high", _scores(place))
    item, unit = row.get("item"), row["unit"]
    # `images/s` are items/s; `tokens` alone are a separate unit.
    if item and unit.startswith(f"{item}/"):
        unit = unit.replace(item, "items", 1)
    found = _amounts(place, unit, row["unit_printed"])
    # A correction keeps the printed number beside its own.
    if row.get("value_uncorrected") is not None:
        return _differs(row, "value_uncorrected", found)
    if row.get("statistic") == "median" and medium_of(row.get("extractor", "")) is Medium.LOG:
        # Its interval is that of the quartiles; a program may print a share of 1 without any unit.
        amounts_there = [*found]
        shares = [amount.times(100.0) for amount in amounts_there if unit == "%"]
        return _differs(row, "value", amounts_there + shares)
    intervals = _ranges(found, row["bound"])
    return _interval_differs(place, row, "value value_low value_high", intervals)


def _scores(place: Place) -> Iterator[Range]:
    """The mean time of the runs in the folder of a run but for the fastest and the slowest tenth,
    scaled or not.
    """
    folder = place.run.folder
    times = sorted(run.time_s for run in place.opened.runs if run.folder == folder)
    dropped = max(1, len(times) // 10)
    if place.run.stop in _numbers(place.text) and (counted := times[dropped:-dropped]):
        mean = math.fsum(counted) / len(counted)
        for factor in (1.0, *place.opened.scaling_factors):
            yield Range(mean * factor, (mean - _ROUNDING_S) * factor, (mean + _ROUNDING_S) * factor)


def read_condition(place: Place, row: Row) -> str | None:
    """The value of a condition: `65,536` of a batch size, `H100` of a platform, under its canonical
    name as well.
    """
    dimension, value, name = row["dimension"], row["value"], row["name_printed"]
    if (words := row["value_printed"]) is not None:
        # A person has said what these words mean here.
        return None if words == place.text else f"the mapping has {words!r}"
    if name is not None and (fault := _name_fault(dimension, value, name)):
        return fault
    wanted = value if name is None else name
    is_given = _gives(dimension, place.text, wanted) or (name and _is_named(place, name))
    return None if is_given else f"it gives no {dimension} {wanted!r}"


def _is_named(place: Place, name: str) -> bool:
    """Whether a place prints a name but for what carries no meaning (`Intel(R) Xeon(R)`), or one of
    two cells that make it: the framework above its version, `Llama` beside `7B`.
    """
    plain = " ".join(place.text.split())
    rest = name.removeprefix(f"{plain} ")
    if rest == name:
        rest = name.removesuffix(f" {plain}")
    return key(name) == key(plain) or (rest != name and place.opened.prints(rest))


def _name_fault(dimension: str, value: str, name: str) -> str | None:
    kind = cast(Kind, dimensions()[dimension].vocabulary)
    is_meant = value == name or value in _canonical(kind, name)
    return None if is_meant else f"{name!r} does not resolve to the {dimension} {value!r}"


@lru_cache(1 << 16)
def _gives(dimension: str, text: str, value: str) -> bool:
    """Whether printed characters hold a value: its words in order, all of them, or what only the
    heading adds to.
    """
    # Thousands of rows repeat the same few cells.
    said, wanted = _terms(text), _terms(value)
    joined = {"".join(said[low:high]) for low, high in combinations(range(len(said) + 1), 2)}
    if "".join(wanted) in joined or set(wanted) <= set(said):
        return True
    if dimension == "statistic":
        # `99.90 percentile`
        return value.removeprefix("p") in (*said, *(f"{number:g}" for number in _numbers(text)))
    if dimension == "batch_size_kind":
        return any(sign in text.casefold() for sign in _WORDS["batch_size_kinds"][value])
    if value.isdecimal():
        return float(value) in _numbers(text)
    # `Run Mode Data Parallel`: what no column holds is kept with its heading.
    endings = {wanted[0], *("".join(wanted[low:]) for low in range(len(wanted)))}
    return dimension in ("other", "tuning") and "".join(said) in endings


def _terms(text: str) -> list[str]:
    """The words and numbers of a text in one spelling: `1,024` is 1024, `float16` fp16, `Training`
    train.
    """
    found = []
    for term in _TERM.findall(text.casefold()):
        plain = re.sub(r"^v(?=\d)|(?<=\d),(?=\d{3})|(?<=\d)\.0$", "", term)
        for spelling, same in _WORDS["spellings"].items():
            plain = re.sub(spelling, same, plain)
        found.append(plain)
    return found


def _numbers(text: str) -> set[float]:
    """The counts that a text can state: `1k` is 1000 or 1024, `16 x 8` 128."""
    found = amounts(text)
    values = [amount.value for amount in found]
    counts = {*values, math.prod(values)}
    for amount in found:
        if amount.word.lower() == "k":
            counts |= {amount.value * 1000, amount.value * 1024}
    if text.casefold() in ("single", "one"):
        counts.add(1.0)
    return counts


@lru_cache(1 << 12)
def _canonical(kind: Kind, printed: str) -> set[str | None]:
    """What a printed name means, in any suite."""
    row = {"kind": kind, "name_printed": printed}
    return {resolve_name(row | {"suite": suite})["name"] for suite in (None, *suites(kind))}


def read_claim(place: Place, row: Row) -> str | None:
    """The factor and its interval: `2.6x`, `>60x`, `31%`, `twice`, `half`, `2x-3x`,
    `12 to 9 minutes`.
    """
    found = chain.from_iterable(factors(text, row["bound"]) for text in place.texts())
    return _interval_differs(place, row, "factor factor_low factor_high", found)


def read_repeat(place: Place, row: Row) -> str | None:
    """The factor of a claim that is printed again, such as a bar label: it may leave the words of a
    bound out.
    """
    found = (factors(place.text, bound) for bound in _BOUNDS)
    return _differs(row, "factor", chain.from_iterable(found))


def read_price(place: Place, row: Row) -> str | None:
    """The price in dollars and its interval: `$149,995`, `US$2 million`."""
    found = _ranges(_amounts(place, "USD", None), row["bound"])
    return _interval_differs(place, row, "price_usd price_low_usd price_high_usd", found)


def read_run(place: Place, row: Row) -> str | None:
    """The stated training time; where none is stated, the devices or the batch size of the line
    that starts the run.
    """
    if row.get("status") is not None:
        return _read_mlperf_run(place, row)
    if row["training_time_s"] is None:
        return _read_start(place, row)
    # A bare number is in seconds unless the line names another unit before it.
    unit = re.search(r"[(\[]([a-z]{1,12})[)\]]\W*$", place.before, re.IGNORECASE)
    found = measured(place.text, "s", unit[1] if unit else "s")
    return _differs(row, "training_time_s", [found] if found else [])


def _read_mlperf_run(place: Place, row: Row) -> str | None:
    """The time from the start of the run to its printed end, or how far it came."""
    run = place.run
    if row["quality_reached"] is not None and row["quality_reached"] not in place.opened.numbers:
        return f"the quality {row['quality_reached']} is not printed"
    if row["training_time_s"] is None:
        return None
    status = run.status if isinstance(run.status, str) and run.status else "unstated"
    found = (status, (run.stop - run.start) / 1000)
    stored = (row["status"], row["training_time_s"])
    if found == stored and run.stop in _numbers(place.text):
        return None
    return f"the log has {found}, stored is {stored}"


def _read_start(place: Place, row: Row) -> str | None:
    text = place.line.text
    if place.cell != place.line.cell:
        return f"the line has {place.line.cell.text!r}"
    size = re.search(r"batch[\s_-]?size\W*(\d[\d,]*)", text, re.IGNORECASE)
    if size and row["batch_size"] not in (None, int(size[1].replace(",", ""))):
        return f"the line states the batch size {size[1]}"
    device, count = row["accelerator_printed"], row["accelerator_count"]
    if device and device in text and count not in (None, 1) and float(count) not in _numbers(text):
        return f"the line does not print {count} {device}"
    return None


def read_epoch(place: Place, row: Row) -> str | None:
    """The time of the epoch; steps, time of a step and loss are printed on its line, the loss may
    be wrapped.
    """
    found = measured(place.text, "s", "s")
    if fault := _differs(row, "epoch_time_s", [found] if found else []):
        return fault
    first = place.line.number - 1
    around = " ".join(place.opened.document.texts[first : first + 1 + _WRAPPED_LINES])
    printed = set[float]()
    for amount in amounts(around):
        scale = 1000.0 * (seconds_in(amount.word) or 1.0)
        printed |= {amount.value, amount.value * scale}
    for name in ("steps", "step_time_ms", "loss"):
        is_stated = row.get(name) is not None and math.isfinite(row[name])
        if is_stated and not any(math.isclose(row[name], value) for value in printed):
            return f"{name} {row[name]} is not printed beside it"
    if row.get("loss_is_nan") and "nan" not in around.lower():
        return "no nan is printed beside it"
    return None


def read_configuration(place: Place, row: Row) -> str | None:
    """The name of the platform, as printed and as the vocabulary knows it."""
    name = " ".join(place.text.split())
    if name != row["platform_printed"]:
        return f"it says {name!r}"
    return _name_fault("platform", row["platform"], name)


def read_submission(place: Place, row: Row) -> str | None:
    """The identifier itself."""
    return None if place.text == row["submission_id"] else f"it says {place.text!r}"


def read_chart_value(place: Place, row: Row) -> str | None:
    """The number printed at a bar, in the unit of its axis: `581`, `2.5M`, `>60x`."""
    found = measured(place.text, row["unit"] or "", row["unit_printed"])
    # The row's bound is that of its value, which may be the drawn one.
    return _differs(
        row, "printed_value printed_low printed_high", _ranges([found] if found else [], *_BOUNDS)
    )


# How a place is read, by the table whose row it is.
OF_TABLE: dict[str, Reading] = {
    "results": read_result,
    "result_conditions": read_condition,
    "claims": read_claim,
    "training_runs": read_run,
    "training_epochs": read_epoch,
    "prices": read_price,
    "configurations": read_configuration,
    "submissions": read_submission,
    "chart_values": read_chart_value,
}
COLUMNS = {name: layout.split() for name, layout in _WORDS["columns"].items()}
