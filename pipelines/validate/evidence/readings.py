"""Whether the printed characters give what a row stores, by kind of row, read with the check's own parser.

Each function takes a place and the stored row, and returns None where both agree, else what is wrong.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

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
from pipelines.vocabulary.lookup import Kind, key, suites
from pipelines.vocabulary.printed_names import read_platform
from pipelines.vocabulary.resolution import resolve_name

Row = Mapping[str, Any]
Reading = Callable[[Place, Row], str | None]

# Dimensions of which the stored value is the canonical name.
_KIND_OF: dict[str, Kind] = {
    "model": "models",
    "platform": "platforms",
    "framework": "frameworks",
    "dataset": "datasets",
}
_BOUNDS = ("eq", "gt", "lt", "approx")
# Times of MLPerf are printed in whole milliseconds.
_ROUNDING_S = 0.001
# A loss may be wrapped into the second line below its bar.
_WRAPPED_LINES = 2
# One spelling for words that say the same of a condition.
_SPELLINGS = (
    ("^c?bfloat", "bf"), ("^float", "fp"), ("^train.*", "train"), ("^infer.*|^predict|^generate|^eval$", "infer"),
    ("^median$", "p50"), ("^(?:average|avg|ave)$", "mean"), ("^(?:maximum|peak)$", "max"), ("^minimum$", "min"),
    ("^amp$", "mixed"), ("^bits$", "bit"), ("^std.+", "std"),
)  # fmt: skip
_PART = re.compile(r"\b(?:half|halv|third|quarter|fifth|tenth)", re.IGNORECASE)


def read_result(place: Place, row: Row) -> str | None:
    """The value and its interval in the canonical unit: `54,784`, `23h 43m`, `0.0719 MAE`, `1.2 million`."""
    if row["value_printed"] != place.text:
        return f"the result says that {row['value_printed']!r} is printed"
    if row.get("extractor") == "mlperf_training":
        return _compare(_stored(row, "value"), _scores(place))
    item = row.get("item")
    # `images/s` are items/s; `tokens` alone are a unit of their own.
    unit = row["unit"].replace(item, "items", 1) if item and row["unit"].startswith(f"{item}/") else row["unit"]
    found = [amount for text in place.texts() if (amount := measured(text, unit, row["unit_printed"]))]
    # A correction keeps the printed number beside its own.
    if (printed := row.get("value_uncorrected")) is not None:
        return _compare_value(printed, found)
    if row.get("extractor") == "program_log" and row.get("statistic") == "median":
        # Its interval is that of the quartiles; a program may print a share of 1 without any unit.
        return _compare_value(row["value"], found + [amount.times(100.0) for amount in found if unit == "%"])
    return _compare(_stored(row, "value"), _of_amounts(found, row["bound"]), _bound_fault(place, row))


def read_drawn(drawn: tuple[float, float, float], row: Row) -> str | None:
    """The value that a bar or point is drawn at, in whatever unit: value and interval are in one ratio to it."""
    scale = row["value"] / drawn[0] if drawn[0] else 1.0
    stored = row["value"], row["value_low"], row["value_high"]
    is_same = row["bound"] == "eq" and all(math.isclose(a, b * scale) for a, b in zip(stored, drawn, strict=True))
    return None if is_same else f"it is drawn at {drawn}, stored is {stored}"


def _stored(row: Row, name: str, unit: str = "") -> Range:
    return Range(row[f"{name}{unit}"], row[f"{name}_low{unit}"], row[f"{name}_high{unit}"])


def _of_amounts(found: Iterable[Amount], bound: str) -> Iterator[Range]:
    return (each for amount in found for each in ranges(amount, bound))


def _bound_fault(place: Place, row: Row) -> str | None:
    """What is wrong where the words before a number state another bound than the stored one."""
    said = said_bound(place.before)
    if said and _PART.search(place.text):
        # `less than half the cost` is an advantage of more than two.
        said = {"gt": "lt", "lt": "gt"}.get(said, said)
    return f"the words before it say {said}, stored is {row['bound']}" if said not in (None, row["bound"]) else None


def _scores(place: Place) -> Iterator[Range]:
    """The mean time of the runs in the folder of a run but for the fastest and the slowest tenth, scaled or not."""
    runs = place.opened.runs
    own = next(run for run in reversed(runs) if run.first <= place.line.number)
    times = sorted(run.time_s for run in runs if run.folder == own.folder)
    dropped = max(1, len(times) // 10)
    if place.text == str(own.stop) and (counted := times[dropped:-dropped]):
        mean = math.fsum(counted) / len(counted)
        for factor in (1.0, *place.opened.scaling_factors):
            yield Range(mean * factor, (mean - _ROUNDING_S) * factor, (mean + _ROUNDING_S) * factor)


def read_condition(place: Place, row: Row) -> str | None:
    """The value of a condition: `65,536` of a batch size, `H100` of a platform, under its canonical name as well."""
    dimension, value, name = row["dimension"], row["value"], row["name_printed"]
    if (words := row["value_printed"]) is not None:
        # A person has said what these words mean here.
        return None if words == place.text else f"the mapping speaks of {words!r}"
    if name is not None and value != name and value not in _canonical(_KIND_OF[dimension], name):
        return f"{name!r} does not mean the {dimension} {value!r}"
    wanted = value if name is None else name
    if _gives(dimension, place.text, wanted):
        return None
    # What carries no meaning may be left out (`Intel(R) Xeon(R)`), and a name may stand in two cells: the framework in
    # the heading and its version below, `Llama` beside `7B`.
    if name is not None and key(name) == key(place.text):
        return None
    rest = _rest_of_name(name, place.text) if name is not None else ""
    return None if rest and place.opened.prints(rest) else f"it gives no {dimension} {wanted!r}"


@lru_cache(1 << 16)
def _gives(dimension: str, text: str, value: str) -> bool:
    """Whether printed characters hold a value: its words in order, all of them, or what only the heading adds to."""
    # The same few cells stand in thousands of rows.
    said, wanted = _terms(text), _terms(value)
    joined = {"".join(said[low:high]) for low in range(len(said)) for high in range(low + 1, len(said) + 1)}
    if "".join(wanted) in joined or set(wanted) <= set(said):
        return True
    if dimension == "statistic":
        return f"{value.removeprefix('p')}" in said
    if dimension == "batch_size_kind":
        return any(sign in text.casefold() for sign in _BATCH_KINDS[value])
    if value.isdecimal():
        return float(value) in _numbers(text)
    # `Run Mode Data Parallel`: what no column holds is kept with its heading.
    endings = {"".join(wanted[low:]) for low in range(len(wanted))}
    return dimension in ("other", "tuning") and "".join(said) in endings | {wanted[0]}


_TERM = re.compile(r"\d+(?:[.,]\d+)*[^\W_]*|[^\W\d_]+\d*(?:\.\d+)*[^\W_]*")
_BATCH_KINDS = {
    "micro": ("micro", "mbs"),
    "per_device": ("per", "/", "local", "lbs"),
    "client": ("client",),
    "global": ("global", "gbs", "total"),
}


def _terms(text: str) -> list[str]:
    """The words and numbers of a text in one spelling: `1,024` is 1024, `float16` fp16, `Training` train."""
    found = []
    for term in _TERM.findall(text.casefold()):
        plain = re.sub(r"^v(?=\d)|(?<=\d),(?=\d{3})|(?<=\d)\.0$", "", term)
        for spelling, same in _SPELLINGS:
            plain = re.sub(spelling, same, plain)
        found.append(plain)
    return found


def _numbers(text: str) -> set[float]:
    """The counts that a text can state: `1k` is 1000 or 1024, `16 x 8` 128."""
    found = amounts(text)
    product = math.prod(amount.value for amount in found)
    thousands = {amount.value * scale for amount in found if amount.word.lower() == "k" for scale in (1000, 1024)}
    return (
        {amount.value for amount in found}
        | thousands
        | {product, *({1.0} if text.casefold() in ("single", "one") else ())}
    )


@lru_cache(1 << 12)
def _canonical(kind: Kind, printed: str) -> set[str | None]:
    """What a printed name means, in any suite."""
    row = {"kind": kind, "name_printed": printed}
    return {resolve_name(row | {"suite": suite})["name"] for suite in (None, *suites(kind))}


def _rest_of_name(name: str, text: str) -> str:
    """What a name has before or behind the printed words; nothing where it does not hold them whole."""
    plain = " ".join(text.split())
    if name.startswith(f"{plain} "):
        return name.removeprefix(plain)
    return name.removesuffix(plain) if name.endswith(f" {plain}") else ""


def read_claim(place: Place, row: Row) -> str | None:
    """The factor and its interval: `2.6x`, `>60x`, `31%`, `twice`, `half`, `2x-3x`, `12 to 9 minutes`."""
    found = [each for text in place.texts() for each in factors(text, row["bound"])]
    return _compare(_stored(row, "factor"), found, _bound_fault(place, row))


def read_repeat(place: Place, row: Row) -> str | None:
    """The factor of a claim that is printed again, such as a bar label: it may leave the words of a bound out."""
    found = [each for bound in _BOUNDS for each in factors(place.text, bound)]
    return _compare_value(row["factor"], found)


def read_price(place: Place, row: Row) -> str | None:
    """The price in dollars and its interval: `$149,995`, `US$2 million`."""
    found = [amount for text in place.texts() if (amount := measured(text, "USD", None))]
    return _compare(_stored(row, "price", "_usd"), _of_amounts(found, row["bound"]), _bound_fault(place, row))


def read_run(place: Place, row: Row) -> str | None:
    """The stated training time; where none is stated, the devices or the batch size of the line that starts the run."""
    if row.get("status") is not None:
        return _read_mlperf_run(place, row)
    if row["training_time_s"] is None:
        return _read_start(place, row)
    # A bare number is in seconds unless the line names another unit before it.
    unit = re.search(r"[(\[]([a-z]{1,12})[)\]]\W*$", place.before, re.IGNORECASE)
    found = measured(place.text, "s", unit[1] if unit else "s")
    return _compare_value(row["training_time_s"], [found] if found else [])


def _read_mlperf_run(place: Place, row: Row) -> str | None:
    """The time from the start of the run to the end that stands there, or how far it came."""
    run = next(run for run in reversed(place.opened.runs) if run.first <= place.line.number)
    if row["quality_reached"] is not None and not place.opened.prints_number(row["quality_reached"]):
        return f"the quality {row['quality_reached']} is printed nowhere"
    if row["training_time_s"] is None:
        return None
    found = (place.text, run.status or "unstated", (run.stop - run.start) / 1000)
    stored = (str(run.stop), row["status"], row["training_time_s"])
    return None if found == stored else f"the log says {found}, stored is {stored}"


def _read_start(place: Place, row: Row) -> str | None:
    text = place.line.text
    if place.cell != place.line.cell:
        return f"the line says {place.line.cell.text!r}"
    size = re.search(r"batch[\s_-]?size\W*(\d[\d,]*)", text, re.IGNORECASE)
    if size and row["batch_size"] is not None and int(size[1].replace(",", "")) != row["batch_size"]:
        return f"the line states the batch size {size[1]}"
    device, count = row["accelerator_printed"], row["accelerator_count"]
    if device and device in text and count not in (None, 1) and float(count) not in _numbers(text):
        return f"the line does not print {count} {device}"
    return None


def read_epoch(place: Place, row: Row) -> str | None:
    """The time of the epoch; steps, time of a step and loss are printed on its line, the loss may be wrapped."""
    found = measured(place.text, "s", "s")
    if found is None or not math.isclose(found.value, row["epoch_time_s"]):
        return f"it says {found.value if found else 'no time'}, stored is {row['epoch_time_s']} s"
    texts = place.opened.document.texts
    around = " ".join(texts[place.line.number - 1 : place.line.number + _WRAPPED_LINES])
    printed = {
        each.value * scale for each in amounts(around) for scale in (1.0, 1000.0 * (seconds_in(each.word) or 1.0))
    }
    for name in ("steps", "step_time_ms", "loss"):
        is_stated = row.get(name) is not None and math.isfinite(row[name])
        if is_stated and not any(math.isclose(row[name], value) for value in printed):
            return f"{name} {row[name]} is not printed beside it"
    return "no nan is printed beside it" if row.get("loss_is_nan") and "nan" not in around.lower() else None


def read_configuration(place: Place, row: Row) -> str | None:
    """The name of the platform, as printed and as the vocabulary knows it."""
    name = " ".join(place.text.split())
    if name != row["platform_printed"]:
        return f"it says {name!r}"
    entry = read_platform(name).entry
    known = entry.name if entry else name
    return None if known == row["platform"] else f"it means the platform {known!r}"


def read_submission(place: Place, row: Row) -> str | None:
    """The identifier itself."""
    return None if place.text == row["submission_id"] else f"it says {place.text!r}"


def read_chart_value(place: Place, row: Row) -> str | None:
    """The number printed at a bar, in the unit of its axis: `581`, `2.5M`, `>60x`."""
    found = measured(place.text, row["unit"] or "", row["unit_printed"])
    stored = Range(row["printed_value"], row["printed_low"], row["printed_high"])
    # The row's bound is that of its value, which may be the drawn one.
    return _compare(stored, (each for bound in _BOUNDS for each in (ranges(found, bound) if found else ())))


def _compare_value(stored: float, found: Iterable[Amount | Range]) -> str | None:
    return _compare(Range(stored, stored, stored), (Range(each.value, each.value, each.value) for each in found))


def _compare(stored: Range, readings: Iterable[Range], fault: str | None = None) -> str | None:
    found = [*readings]
    if any(reading.is_near(stored) for reading in found):
        return fault
    return f"it says {_shown(found[0])}, stored is {_shown(stored)}" if found else "no value can be read there"


def _shown(found: Range) -> str:
    return f"{found.value!r} ({found.low!r} to {found.high!r})"
