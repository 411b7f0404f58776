"""What the vocabularies know of a column of a table, for a draft: look-ups by its heading and its cells, no scores.

How columns become a draft belongs in `draft.py`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from pipelines.extract.mentions import batch_kind
from pipelines.extract.printed_values import is_nothing
from pipelines.extract.tables.mapping import dimension_word
from pipelines.extract.tables.statements import read_condition
from pipelines.terminal import visible
from pipelines.values.durations import parse_duration
from pipelines.values.numbers import NUMBER
from pipelines.values.precisions import parse_precision
from pipelines.vocabulary.dimensions import dimensions
from pipelines.vocabulary.lookup import Entry, Kind, find
from pipelines.vocabulary.units import METRIC_OF_UNIT, measure_of

ASK = "'?'"
# `~12.3 ms`, `$1.5`, `54,784 images/s`
_CELL = re.compile(rf"(?:[~<>\u2248\u2264\u2265]=?\s*)?(?:US)?\$?\s?[-\u2212+]?{NUMBER}\s*(?P<unit>[^\d\s].*)?")
# `Latency (ms)`, `Throughput [img/s]`, `Latency, ms`, `latency_ms`
_UNIT_BEHIND = re.compile(
    r"(?P<name>.*\S)(?:\s*[(\[](?P<inner>[^()\[\]]+)[)\]]|(?:,\s*|\s+in\s+|_|\s+)(?P<behind>\S+))"
)
_STATISTIC = re.compile(r"\b(?:(?P<mean>mean|avg\.?|average)|(?P<min>min(imum)?)|(?P<max>max(imum)?))(?!\w)", re.I)
_PERCENTILE = re.compile(r"(?P<metric>\w+)_p(?P<number>\d+(?:_\d)?)")
_NUMBER_IN_HEADING = re.compile(r"\d[\d,]*")
# What needs no backslash in a pattern, and a text that needs no quotes in YAML
_SPECIAL = re.compile(r"([\\.^$*+?{}\[\]|()])")
_PLAIN = re.compile(r"(?!(?:null|true|false)$)[A-Za-z(](?:[\w ./()+-]*[\w./()+-])?")
KINDS: dict[str, Kind] = {"model": "models", "platform": "platforms", "framework": "frameworks", "dataset": "datasets"}
# Entries of headings.yml that describe the model itself, and those that hold several things in a cell.
_FACTS_OF_A_MODEL = frozenset({"Parameters", "FLOPs", "Layers", "Attention Heads", "Hidden Size"})
_SEVERAL = frozenset({"Input/Output Length", "TP/PP/DP", "Test"})
_UNITS_OF_NO_KIND = ("items/", "s", "ms", "W", "J", "GB", "USD")


@cache
def number_unit(text: str) -> str | None:
    """The unit behind a number, "" for a number alone; None for other texts."""
    match = _CELL.fullmatch(text)
    unit = (match["unit"] or "").strip() if match else None
    if unit == "" or (unit and measure_of(unit)):
        return unit
    return "s" if parse_duration(text) else None


@dataclass
class ColumnFacts:
    """The columns of one heading.

    Attributes:
        heading: Text of the heading.
        cells: The distinct texts below it.
        said: What the draft says of them, with `?` where something is open.
        kind: Open columns of one kind are asked about in one question; "" where nothing is open.
        states: The dimension that its cells or its heading state, or None.
        is_value: Whether its cells may be measured numbers.
        pattern: What to match headings of its kind by, or "".
    """

    heading: str
    cells: Sequence[str]
    said: str = ASK
    kind: str = "words"
    states: str | None = None
    is_value: bool = False
    pattern: str = ""


def column_facts(heading: str, texts: Iterable[str]) -> ColumnFacts:
    """What is known of the column of a heading with these cells."""
    cells = [text for text in dict.fromkeys(texts) if text and not is_nothing(text)]
    units = [unit for text in cells if (unit := number_unit(text)) is not None]
    is_numeric = bool(units) and len(units) * 2 >= len(cells)
    match = _UNIT_BEHIND.fullmatch(heading)
    unit = (match["inner"] or match["behind"]).strip() if match else ""
    bare, unit = (match["name"], unit) if match and not unit.isdecimal() and measure_of(unit) else (heading, "")
    unit = unit or (units[0] if is_numeric and len({*units}) == 1 else "")
    known = find("headings", heading) or find("headings", bare)
    if is_numeric and (found := _metric(heading, bare, known)):
        said, is_open = _measured(*found, unit)
        return ColumnFacts(heading, cells, said, f"unit of {said}" if is_open else "", is_value=True)
    if known:
        return _known(heading, cells, known)
    if is_numeric and (measure_of(heading) or unit):
        said = f"{{metric: {ASK}, unit: {scalar(unit or heading)}}}"
        return ColumnFacts(heading, cells, said, said, is_value=True)
    open_number = f"{{metric: {ASK}, unit: {ASK}}}"
    if is_numeric and (name := name_of([heading])):
        return ColumnFacts(
            heading, cells, open_number, f"numbers of {name}", name, is_value=True, pattern=f"(?P<{name}>{{}})"
        )
    if is_numeric and len(_NUMBER_IN_HEADING.findall(heading)) == 1:
        before, after = _NUMBER_IN_HEADING.split(heading)
        stated = find("headings", before.strip(" =:-"))
        name = _dimension_of(stated) if stated else None
        number = rf"(?P<{name}>\d+)" if name else r"\d+"
        pattern = escaped(before) + number + escaped(after)
        return ColumnFacts(heading, cells, open_number if name else ASK, pattern, name, is_value=True, pattern=pattern)
    if is_numeric:
        return ColumnFacts(heading, cells, kind="numbers", is_value=True)
    name = name_of(cells) if cells else None
    return ColumnFacts(heading, cells, name, "", name) if name else ColumnFacts(heading, cells)


def _metric(heading: str, bare: str, known: Entry | None) -> tuple[str, str | None] | None:
    """The metric of a heading and its statistic."""
    word = _STATISTIC.search(heading)
    without = " ".join(_STATISTIC.sub(" ", bare).split())
    entry = find("metrics", heading) or find("metrics", bare) or (find("metrics", without) if word else None)
    if entry is None:
        return (str(known.facts["metric"]), None) if known and "metric" in known.facts else None
    if match := _PERCENTILE.fullmatch(entry.name):
        return match["metric"], f"p{match['number'].replace('_', '.')}"
    return entry.name, word.lastgroup if word else None


def _measured(metric: str, statistic: str | None, unit: str) -> tuple[str, bool]:
    """What a draft says of a metric in a unit, and whether the unit is open."""
    entry = find("metrics", metric)
    canonical = str(entry.facts["unit"]) if entry else ""
    measure, wanted = measure_of(unit) if unit else None, measure_of(canonical)
    if measure and (other := METRIC_OF_UNIT.get((metric, measure.kind))):
        metric, wanted = other, measure
    if not unit and not canonical.startswith(_UNITS_OF_NO_KIND):
        unit, measure = canonical, wanted
    is_open = measure is None or wanted is None or not measure.converts_to(wanted)
    parts = [f"metric: {metric}", f"unit: {ASK if is_open else scalar(unit)}"]
    return "{" + ", ".join(parts + ([f"statistic: {statistic}"] if statistic else [])) + "}", is_open


def _known(heading: str, cells: list[str], entry: Entry) -> ColumnFacts:
    """What an entry of headings.yml says of a column, where each of its cells can be that."""
    name = _dimension_of(entry)
    if entry.facts.get("column") == "result":
        return ColumnFacts(heading, cells, f"{{metric: {ASK}, unit: {ASK}}}", "result", is_value=True)
    if name is None:
        is_open = entry.facts.get("column") != "attribute" or entry.name in _SEVERAL
        said = "model_facts" if entry.name in _FACTS_OF_A_MODEL else "ignore"
        return ColumnFacts(heading, cells) if is_open else ColumnFacts(heading, cells, said, "")
    # `Model` was the GPU on one page: names of another vocabulary alone are a question.
    kinds = [kind for kind in KINDS.values() if any(find(kind, text) for text in cells)]
    is_other = name in KINDS and kinds and KINDS[name] not in kinds
    if is_other or not all(_fits(name, text) for text in cells):
        return ColumnFacts(heading, cells)
    kind = batch_kind(heading) if name == "batch_size" else None
    return ColumnFacts(heading, cells, f"{{field: {name}, batch_size_kind: {kind}}}" if kind else name, "", name)


def _dimension_of(entry: Entry) -> str | None:
    """The dimension that a heading of headings.yml states; None for several, and for what is none."""
    column = str(entry.facts.get("column"))
    if column in dimensions() or column in ("unit", "evaluation"):
        return "metric" if column == "evaluation" else column
    if column != "attribute" or entry.name in _SEVERAL | _FACTS_OF_A_MODEL:
        return None
    word = re.sub(r"\W+", "_", entry.name.casefold()).strip("_")
    labels = {known.label: known.name for known in dimensions().values() if known.label}
    if entry.name in labels or word in dimensions():
        return labels.get(entry.name, word)
    try:
        return dimension_word(word) if entry.facts.get("identity") else None
    except ValueError:
        return None


def _fits(name: str, text: str) -> bool:
    if name in ("metric", "unit"):
        return find("metrics", text) is not None if name == "metric" else measure_of(text) is not None
    try:
        read_condition(name, text)
    except ValueError:
        return False
    return name != "precision" or parse_precision(text) is not None


def name_of(texts: Collection[str]) -> str | None:
    """The dimension of which every text is a known name."""
    if all(parse_precision(text) for text in texts):
        return "precision"
    return next((name for name, kind in KINDS.items() if all(find(kind, text) for text in texts)), None)


def escaped(text: str) -> str:
    """A text as a pattern that fits it alone."""
    return _SPECIAL.sub(r"\\\1", text)


def scalar(text: str) -> str:
    """A text as YAML writes it."""
    return text if _PLAIN.fullmatch(text) else "'" + visible(text, keep="").replace("'", "''") + "'"
