"""What the printed characters of each kind of row say, read with the readers' own parsers.

Each function takes a place and the stored row, and returns None where both say the same, else what was found instead.
The words of a bound may stand outside the characters (`over` 13x): then the row says which bound to read them with.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from pipelines.extract.charts.rows import in_scale
from pipelines.extract.charts.ticks import read_label
from pipelines.extract.logs.keras import read_bar, read_heading, read_training_time
from pipelines.extract.logs.mllog import score_at
from pipelines.extract.mentions import condition_value, find_mentions, typed
from pipelines.extract.named_quantities import read_quantity, read_unit
from pipelines.extract.prose.comparisons import Direction, advantage
from pipelines.extract.prose.factors import find_factors
from pipelines.extract.prose.numbers import find_changes, in_unit, read_dollars, read_multiple, read_time
from pipelines.extract.slides.titles import printed
from pipelines.read.document import Cell
from pipelines.validate.evidence.places import Place, Window, words_of
from pipelines.values.numbers import FACTOR, parse_count, read_factor
from pipelines.values.quantity import Bound, Quantity
from pipelines.vocabulary.lookup import Kind, key, suites
from pipelines.vocabulary.printed_names import read_platform
from pipelines.vocabulary.resolution import resolve_name

Row = Mapping[str, Any]
Reading = Callable[[Place, Row], str | None]

# Words for each bound, near ones too: "just over 9 minutes" ends at 10 minutes, "over 9 minutes" nowhere.
_WORDS: dict[Bound, tuple[str, ...]] = {
    "eq": ("",),
    "gt": ("over", "just over"),
    "lt": ("under", "just under"),
    "up_to": ("up to",),
    "approx": ("about",),
}
_UNREAD = "no value can be read there"
# Dimensions of which the stored value is the canonical name.
_KIND_OF: dict[str, Kind] = {
    "model": "models",
    "platform": "platforms",
    "framework": "frameworks",
    "dataset": "datasets",
}
# More of a rate, less of a time, and a time that is faster, which may be either.
_SAID_OF_SHARES: tuple[tuple[Direction, str | None], ...] = (("up", None), ("down", None), ("fast", "latency"))


def read_result(place: Place, row: Row) -> str | None:
    """The value and its interval in the canonical unit: `54,784`, `23h 43m`, `0.0719 MAE`, `1.2 million`."""
    if row["value_printed"] != place.text:
        return f"the result says that {row['value_printed']!r} is printed"
    if row.get("extractor") == "mlperf_training":
        return _read_score(place, row)
    if row.get("extractor") == "program_log" and row.get("statistic") == "median":
        return _read_steady_state(place, row)
    if (printed := row.get("value_uncorrected")) is not None:
        # A correction changes the value and its interval; what is printed is kept beside it, as a number alone.
        return None if any(value.value == printed for value in _values(place, row)) else _UNREAD
    stored = Quantity(row["value"], row["value_low"], row["value_high"], row["bound"])
    return _compare(stored, _values(place, row))


def _read_score(place: Place, row: Row) -> str | None:
    """The mean of the runs that count, one of which ends at the place."""
    logs = place.opened.mlperf_logs
    score = score_at(logs, place.cell)
    if score is None:
        return "no run in the middle of a score ends there"
    return _compare(Quantity(row["value"], row["value_low"], row["value_high"], row["bound"]), [score.quantity])


def _read_steady_state(place: Place, row: Row) -> str | None:
    """The median over the steps of a run, of which the one in the middle stands at the place."""
    state = place.opened.steady_states.get((place.cell, row["metric"]))
    if state is None:
        return "no step in the middle of a run's steps stands there"
    return _compare(Quantity(row["value"], row["value_low"], row["value_high"], row["bound"]), [state])


def _values(place: Place, row: Row) -> Iterator[Quantity]:
    printed = row["unit_printed"]
    # `images/s` is the unit `items/s` of what is counted.
    unit = row["unit"].replace(row["item"], "items", 1) if row.get("item") else row["unit"]
    # Below `Throughput (tokens/s/GPU)` the metric says that the items are one device's.
    scale = (read_unit(printed, unit) or read_unit(printed, f"{unit}/device")) if printed else None
    for text in place.texts():
        cell = Cell(text, place.line.number, place.start, place.start + len(text))
        if row["bound"] in ("eq", "approx") and (
            value := read_quantity(cell.text, unit, scale, row["bound"] == "approx")
        ):
            yield value.quantity
        for words in _WORDS[row["bound"]]:
            if scale and (number := read_multiple(text, words)):
                yield number.scaled(scale.scale)
            if unit in ("s", "ms") and (seconds := read_time(text, words)):
                yield in_unit(seconds, unit)


def read_condition(place: Place, row: Row) -> str | None:
    """The value of a condition: `65,536` of a batch size, `H100` of a platform, under its canonical name as well."""
    dimension, value, name = row["dimension"], row["value"], row["name_printed"]
    if (words := row["value_printed"]) is not None:
        # A person has said what these words mean here.
        return None if words == place.text else f"the mapping speaks of {words!r}"
    if name is not None and value != name and value not in _canonical(_KIND_OF[dimension], name):
        return f"{name!r} does not mean the {dimension} {value!r}"
    fault = _condition_fault(dimension, place.text, value if name is None else name)
    # What carries no meaning may be left out: `Intel(R) Xeon(R)`.
    if fault and name is not None and key(name) == key(place.text):
        return None
    # A name may stand in two cells: the framework in the heading and its version below, `Llama` beside `7B`.
    if fault and name is not None and (rest := _rest_of_name(name, place.text)) and place.opened.prints(rest):
        return None
    return fault


@lru_cache(1 << 16)
def _condition_fault(dimension: str, text: str, value: str) -> str | None:
    # The same few cells stand in thousands of rows.
    said, plain = condition_value(dimension, text), " ".join(text.split())
    # `V100 GPUs` names the platform `V100`, the container `nemo:25.02` a release.
    words = plain if said is None and dimension == "sdk_version" else said
    if (
        value in (said, typed(dimension, text), plain)
        or (words is not None and re.search(rf"(?<![\w.,]){re.escape(value)}(?!\w|[.,]\d)", words))
        or (dimension == "other" and _is_of_no_column(text, value))
    ):
        return None
    return f"it {f'says {said!r}' if said else f'gives no {dimension}'}, stored is {value!r}"


def _is_of_no_column(text: str, value: str) -> bool:
    """`Run Mode Data Parallel` of a cell below its heading, `Offline` of the heading `Offline (samples/s)`."""
    # `pp 512` of a column `Test` is kept as `Test pp512`.
    said = (" ".join(text.split()), "".join(text.split()), str(parse_count(text)))
    if value in said or value.endswith(tuple(f" {one}" for one in said)) or words_of(value) <= words_of(text):
        return True
    # Of two precisions of a row (`int8 + float16`) one is its precision.
    return any(value == mention.value for mention in find_mentions(text))


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
    stored = Quantity(row["factor"], row["factor_low"], row["factor_high"], row["bound"])
    return _compare(stored, _factors(place))


def read_repeat(place: Place, row: Row) -> str | None:
    """The factor of a claim that is printed again, such as a bar label: it may leave the words of a bound out."""
    readings = list(_factors(place))
    if any(reading.value == row["factor"] for reading in readings):
        return None
    return f"it says {_shown(readings[0])}, the claim is {row['factor']!r}" if readings else _UNREAD


def _factors(place: Place) -> Iterator[Quantity]:
    match = FACTOR.fullmatch(place.text)
    if match and (factor := read_factor(match)):
        yield factor
    for window in place.windows():
        for found in find_factors(window.text):
            if _is_at(place, window, (found.outer, found.start), found.end):
                # Whether a share is said to be more or less stands outside the characters.
                for direction, metric in _SAID_OF_SHARES if found.kind == "percent" else _SAID_OF_SHARES[:1]:
                    yield advantage(found, direction, metric)
        for _, change in find_changes(window.text):
            if _is_at(place, window, (change.factor.start,), change.factor.end):
                yield change.factor.quantity


def _is_at(place: Place, window: Window, starts: tuple[int, ...], end: int) -> bool:
    return window.start in starts and (end == window.end or (place.ends_line and end > window.end))


def read_price(place: Place, row: Row) -> str | None:
    """The price in dollars and its interval: `$149,995`, `US$2 million`."""
    stored = Quantity(row["price_usd"], row["price_low_usd"], row["price_high_usd"], row["bound"])
    return _compare(stored, _dollars(place, row))


def _dollars(place: Place, row: Row) -> Iterator[Quantity]:
    # In a table the currency may stand in the heading.
    unit = row.get("unit") or "USD"
    dollars = read_unit(unit, unit)
    for text in place.texts():
        for words in _WORDS[row["bound"]]:
            if price := read_dollars(text, words) or read_multiple(text, words):
                yield price
        if value := read_quantity(text, unit, dollars):
            yield value.quantity


def read_run(place: Place, row: Row) -> str | None:
    """The stated training time; where none is stated, the devices or the batch size of the line that starts the run."""
    if row.get("status") is not None:
        return _read_mlperf_run(place, row)
    if row["training_time_s"] is None:
        return _read_start(place, row)
    stated = read_training_time(place.line)
    if stated is None or stated.cell != place.cell:
        return "no training time is stated there"
    return None if stated.value == row["training_time_s"] else f"it says {stated.value} s"


def _read_mlperf_run(place: Place, row: Row) -> str | None:
    """The time from the start of the run to the end that stands there, or how far it came."""
    run = place.opened.mlperf_logs.run_at(place.line.number)
    if run is None or run.place != place.cell:
        return "no run of MLPerf ends there"
    found = (run.status, run.time_s, run.quality)
    stored = (row["status"], row["training_time_s"], row["quality_reached"])
    return None if found == stored else f"the log says {found}, stored is {stored}"


def _read_start(place: Place, row: Row) -> str | None:
    if place.cell != place.line.cell:
        return f"the line says {place.line.cell.text!r}"
    heading = read_heading(place.line)
    if heading and heading.device:
        is_same = (heading.device, heading.count) == (row["accelerator_printed"], row["accelerator_count"])
        return None if is_same else f"the heading names {heading.count or 'no number of'} {heading.device}"
    if heading and heading.batch_size and heading.batch_size.value != row["batch_size"]:
        return f"the line states the batch size {heading.batch_size.value}"
    return None


def read_epoch(place: Place, row: Row) -> str | None:
    """Time of the epoch, steps, time of a step, and the loss where it stands on the line of the bar."""
    bar = read_bar(place.line)
    if bar is None or bar.state != "finished" or bar.place != place.cell:
        return "no finished progress bar has its time there"
    if bar.epoch_time_s != row["epoch_time_s"]:
        return f"it says {bar.epoch_time_s} s"
    # A bar that counts samples has no steps; a loss may be wrapped into the next line.
    for name, found in (("steps", bar.total), ("step_time_ms", bar.step_time_ms)):
        if row[name] is not None and row[name] != found:
            return f"{name} beside it is {found}"
    if bar.loss is not None:
        is_nan = math.isnan(bar.loss)
        if is_nan != row["loss_is_nan"] or (not is_nan and bar.loss != row["loss"]):
            return f"the loss beside it is {bar.loss}"
    return None


def read_configuration(place: Place, row: Row) -> str | None:
    """The name of the platform, as printed and as the vocabulary knows it."""
    name = printed(place.text)
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
    unit = read_unit(row["unit_printed"], row["unit"]) if row["unit"] and row["unit_printed"] else None
    scale = unit.scale if unit else 1.0
    stored = Quantity(row["printed_value"], row["printed_low"], row["printed_high"])
    readings = (in_scale(read, scale) for read in read_label(place.text))
    # The row's bound is that of its value, which may be the drawn one.
    return _compare(stored, (Quantity(read.value, read.low, read.high) for read in readings))


def _compare(stored: Quantity, readings: Iterable[Quantity]) -> str | None:
    first = None
    for reading in readings:
        if reading == stored:
            return None
        first = first or reading
    return f"it says {_shown(first)}, stored is {_shown(stored)}" if first else _UNREAD


def _shown(quantity: Quantity) -> str:
    return f"{quantity.value!r} ({quantity.bound}, {quantity.low!r} to {quantity.high!r})"
