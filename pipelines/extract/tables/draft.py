"""Drafts a mapping: what the vocabularies know about the tables of a page, and `?` for every open
question.

Nothing is guessed: what is not known is a question. Its text is in `draft.jinja`. What a mapping
reads belongs in `preview.py`.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from itertools import chain, pairwise, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from jinja2 import StrictUndefined, Template

from pipelines.extract.mentions import NAMES, batch_kind, find_mentions, known_name
from pipelines.extract.named_quantities import fact, quantity_of, read_unit
from pipelines.extract.tables.cell_values import SWAPPED, WORDS, number_unit
from pipelines.extract.tables.language import (
    METRIC,
    STATISTIC,
    STATISTIC_WORD,
    UNIT,
    read_condition,
)
from pipelines.extract.tables.layouts import layouts_of
from pipelines.extract.tables.patterns import fold
from pipelines.extract.tables.printed import PrintedTable, tables_of
from pipelines.read.document import Cell, Document
from pipelines.terminal import plural, visible
from pipelines.values.precisions import parse_precision
from pipelines.vocabulary import lookup
from pipelines.vocabulary.dimensions import dimensions
from pipelines.vocabulary.units import METRIC_OF_UNIT, measure_of

ASK = "'?'"
_OPEN, _FACTS = "?", "model_facts"
# Every benchmark has these, besides its task.
_OF_ALL = ("model", "platform")
_HEADER_ROWS, _SHOWN, _LONGEST = 4, 3, 60
# `Latency (ms)`, `Throughput [img/s]`, `Latency, ms`, `latency_ms`
_UNIT_BEHIND = re.compile(
    r"(?P<name>.*\S)(?<!per)(?:\s*[(\[](?P<inner>[^()\[\]]+)[)\]]|(?:,\s*|\s+in\s+|_|\s+)(?P<behind>\S+))"
)
# Characters to escape in a pattern; a blank stays, as it matches a run of blanks.
_ESCAPES = str.maketrans({sign: f"\\{sign}" for sign in r"\.^$*+?{}[]|()"})
# Canonical units that a heading without a unit does not imply.
_PRINTED_UNITS = ("items/", "s", "ms", "W", "J", "GB", "USD")
# What a heading over measured numbers may say.
_OF_NUMBERS = {METRIC, UNIT, STATISTIC, *dimensions()} - NAMES.keys()


class Printed(NamedTuple):
    """A table with numbers, without rules and blank rows.

    `keys` are its headings as mappings compare them, `titles` the texts of title rows, `above`
    captions and headings, then sentences, nearest first, cut; `around` are the whole texts above
    and below it, `path` is the list of records.
    """

    line: int
    headings: tuple[str, ...]
    keys: frozenset[str]
    rows: list[tuple[str, ...]]
    titles: list[str]
    above: tuple[str, ...]
    numbers: int
    around: tuple[str, ...]
    path: str


def printed_in(document: Document, taken: Collection[int]) -> list[Printed]:
    """The tables of a document with numbers that no layout reads; `taken` are lines of other formats."""
    tables = (table for table in tables_of(document, taken) if table.holds_numbers)
    return [_printed(table) for table in tables if not layouts_of(table)]


def _printed(table: PrintedTable) -> Printed:
    texts = [tuple(" ".join(text.split()) for text in row) for row in table.texts]
    first = next((n for n, row in enumerate(texts[:_HEADER_ROWS]) if len({*row} - {""}) > 1), 0)
    last = first
    while last < min(first + 2, len(texts) - 2) and _is_over_others(*table.rows[last : last + 2]):
        last += 1
    parts = zip_longest(*texts[first : last + 1], fillvalue="")
    headings = tuple(" ".join(dict.fromkeys(filter(None, part))) for part in parts)
    below = [row for n, row in enumerate(texts) if n > last and any(row) and not table.is_rule(n)]
    titles = []
    if len(headings) > 1 and not table.path:
        titles = [row for row in below if len({*row} - {""}) == 1]
    nearest = sorted(table.near, key=lambda passage: passage.level == "sentence")
    return Printed(
        line=table.first_line,
        headings=headings,
        keys=frozenset(map(fold, headings)),
        rows=[row for row in below if row not in titles],
        titles=[max(row) for row in titles],
        above=tuple(passage.text[:_LONGEST] for passage in nearest),
        numbers=sum(_unit_of(text) is not None for text in chain.from_iterable(below)),
        around=tuple(passage.text for passage in (*reversed(table.near), *table.below)),
        path=table.path,
    )


def _is_over_others(row: Sequence[Cell], below: Sequence[Cell]) -> bool:
    """Whether a heading is over several columns, or goes down to the next row."""
    return any(a is b for a, b in chain(pairwise(row), zip(row, below, strict=False)))


# Columns


class _Column(NamedTuple):
    """The columns of one heading.

    Attributes:
        heading: The heading.
        cells: The distinct texts below it.
        said: Their text in the draft, with `?` for open questions.
        states: The dimension stated by the cells, or by the heading of measured numbers.
        is_value: Whether the cells are measured numbers.
    """

    heading: str
    cells: list[str]
    said: str = ASK
    states: str | None = None
    is_value: bool = False


def _flow(value: Any) -> str:
    """A value as YAML in one line."""
    text = yaml.safe_dump(
        value, default_flow_style=True, allow_unicode=True, width=math.inf, sort_keys=False
    )
    return text.removesuffix("\n")


def _scalar(text: str) -> str:
    """A text as a YAML value within a list."""
    return _flow([text])[1:-1]


_OPEN_NUMBER = _flow({METRIC: _OPEN, UNIT: _OPEN})


def _unit_of(text: str) -> str | None:
    """The unit after a number, with a decimal point or comma, "" for a number alone; None for other
    texts.
    """
    unit = number_unit(text)
    if unit is None:
        unit = number_unit(text.translate(SWAPPED))
    # `7B` is a count of parameters.
    return None if unit == "B" else unit


def _is_statistic(heading: str) -> bool:
    """Whether a heading is one word such as `Min` or `P95`, which is no unit then."""
    return STATISTIC_WORD.fullmatch(heading.casefold()) is not None


def _unit_behind(heading: str) -> tuple[str, str]:
    """A heading without the unit at its end, and the unit; "" where it has none."""
    match = _UNIT_BEHIND.fullmatch(heading)
    if match is None or (match["behind"] and _is_statistic(match["behind"])):
        return heading, ""
    unit = (match["inner"] or match["behind"]).strip()
    is_unit = not unit.isdecimal() and measure_of(unit) is not None
    return (match["name"], unit) if is_unit else (heading, "")


def _column(heading: str, texts: Iterable[str], has_statistics: bool) -> _Column:
    """What the vocabularies know about a heading and its cells; `has_statistics` if several
    headings are statistics.
    """
    cells = [
        text for text in dict.fromkeys(texts) if text and text.casefold() not in WORDS["nothing"]
    ]
    units = [unit for unit in map(_unit_of, cells) if unit is not None]
    bare, unit = _unit_behind(heading)
    known = lookup.find("headings", heading) or lookup.find("headings", bare)
    # `GPU hours` is no column of GPUs.
    is_other = known is not None and unit != "" and known.facts["column"] in NAMES
    declared = _declared(heading, cells, known) if known and not is_other else None
    if len(units) * 2 < max(1, len(cells)):
        name = _name_of(cells)
        return declared or _Column(heading, cells, name or ASK, name)
    if not unit and len({*units}) == 1:
        unit = units[0]
    if said := _measured(heading, unit) or _measured(bare, unit):
        return _Column(heading, cells, said, is_value=True)
    if declared and (declared.said != "ignore" or not unit):
        return declared
    if _is_statistic(heading):
        return _Column(heading, cells, _OPEN_NUMBER, STATISTIC if has_statistics else None, True)
    if measure_of(heading) or unit:
        said = _flow({METRIC: _OPEN, UNIT: unit or heading})
        return _Column(heading, cells, said, is_value=True)
    name = _name_of([heading])
    return _Column(heading, cells, _OPEN_NUMBER if name else ASK, name, True)


def _measured(heading: str, unit: str) -> str | None:
    """The metric and the conditions in a heading over numbers, if they are the whole heading."""
    left, stated = heading, dict[str, str]()
    for kind, value, start, end in find_mentions(heading):
        if kind not in _OF_NUMBERS or stated.setdefault(kind, value) != value:
            return None
        left = left[:start] + " " * (end - start) + left[end:]
    if METRIC not in stated and (entry := lookup.find("metrics", heading)):
        left, stated[METRIC] = "", entry.name
    if METRIC not in stated or any(map(str.isalnum, left)):
        return None
    metric, unit = stated.pop(METRIC), stated.pop(UNIT, unit)
    if unit and (measure := measure_of(unit)):
        metric = METRIC_OF_UNIT.get((metric, measure.kind), metric)
    canonical = fact(metric, "unit") or ""
    if not unit and not canonical.startswith(_PRINTED_UNITS):
        unit = canonical
    is_known = unit and read_unit(unit, canonical)
    return _flow({METRIC: metric, UNIT: unit if is_known else _OPEN} | stated)


def _declared(heading: str, cells: list[str], entry: lookup.Entry) -> _Column:
    """A column of the vocabulary of headings; a question where its cells do not fit."""
    name = str(entry.facts["column"])
    if name == "result":
        return _Column(heading, cells, _OPEN_NUMBER, is_value=True)
    if name == "ignore":
        return _Column(heading, cells, name)
    if name == _FACTS:
        return _Column(heading, cells, name, name)
    # `Model` was the GPU on one page: names of another vocabulary alone are a question.
    kinds = [other for other in NAMES if any(known_name(other, text) for text in cells)]
    is_other = name in NAMES and kinds and name not in kinds
    if is_other or name == "several" or not all(_fits(name, text) for text in cells):
        return _Column(heading, cells)
    kind = batch_kind(heading) if name == "batch_size" else None
    said = _flow({"field": name, "batch_size_kind": kind}) if kind else name
    return _Column(heading, cells, said, name)


def _fits(name: str, text: str) -> bool:
    if name == METRIC:
        return bool(lookup.find("metrics", text) or quantity_of(text))
    if name == UNIT:
        return measure_of(text) is not None
    try:
        read_condition(name, text)
    except ValueError:
        return False
    return name != "precision" or parse_precision(text) is not None


def _name_of(texts: Collection[str]) -> str | None:
    """The dimension of which every text is a known name."""
    if not texts or all(map(parse_precision, texts)):
        return "precision" if texts else None
    return next((name for name in NAMES if all(known_name(name, text) for text in texts)), None)


# The draft


class _Layout:
    """The tables of one entry, with the columns that it lists.

    Attributes:
        titles: The texts of their title rows.
        above: The nearest texts above them that differ; None if all are the same.
        stated: The dimensions stated by columns and titles.
        is_measured: Whether any column holds measured numbers, as far as one can know.
    """

    def __init__(self, tables: list[Printed], columns: list[_Column], own: list[_Column]) -> None:
        self.tables = sorted(tables, key=lambda table: table.line)
        self.titles = [*dict.fromkeys(title for table in self.tables for title in table.titles)]
        levels = zip_longest(*(table.above for table in self.tables), fillvalue="")
        self.above = next((texts for texts in map(dict.fromkeys, levels) if len(texts) > 1), None)
        measured = [column.said for column in columns if column.is_value]
        unknown = [" ".join(column.cells) for column in columns if column.said == ASK]
        self.is_measured = bool(measured) or any(map(str.isdigit, " ".join(unknown)))
        ignored = [_Column(column.heading, [], "ignore") for column in own]
        self.own = own if self.is_measured else ignored
        self.stated = {column.states for column in columns} | {_name_of(self.titles)}
        if measured and all("price" in said for said in measured):
            # A price has no model.
            self.stated.add("model")

    def lacking(self, asked: Collection[str]) -> list[str]:
        """The dimensions that nothing states, but for those that are asked for all tables."""
        return [name for name in _OF_ALL if name not in self.stated and name not in asked]


def draft(tables: Sequence[Printed], source: str) -> str:
    """The text of a draft, with `ASK` for each question; `source` is named in its header."""
    printed: dict[str, str] = {}
    cells = defaultdict[str, list[str]](list)
    for table in tables:
        for at, heading in enumerate(table.headings):
            printed.setdefault(fold(heading), heading)
            cells[fold(heading)] += [row[at] for row in table.rows if at < len(row)]
    has_statistics = sum(map(_is_statistic, printed.values())) > 1
    columns = {
        key: _column(heading, cells[key], has_statistics)
        for key, heading in printed.items()
        if heading or any(cells[key])
    }
    for table in tables:
        _ask_second(table, columns)
    layouts, shared = _layouts(tables, columns)
    stated = {name for layout in layouts for name in layout.stated}
    is_asked_once = all(len(layout.tables) == 1 for layout in layouts)
    asked = ("task", *_OF_ALL) if is_asked_once else ("task",)
    texts = [*chain.from_iterable(cells.values())]
    commas = _decimal_commas(texts)
    template = Template(
        Path(__file__).with_name("draft.jinja").read_text("utf-8"),
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    text = template.render(
        ask=ASK,
        open_number=_OPEN_NUMBER,
        source=source,
        tables=tables,
        asked=[name for name in asked if name not in stated],
        missing=[text for text in dict.fromkeys(texts) if text.casefold() in WORDS["nothing"]],
        commas=commas,
        # `548,87` alone may be two numbers.
        has_both_signs=any(text.find(".") in range(text.find(",")) for text in commas),
        shared=shared,
        layouts=layouts,
        flow=_flow,
        key=_key,
        name_of=_name_of,
        names_above=_names_above,
        plural=plural,
        questions=_questions,
        quoted=_quoted,
    )
    return visible(text)


def _ask_second(table: Printed, columns: dict[str, _Column]) -> None:
    """Make a question of each column of a table that states the same as one before it; second facts
    of a model are ignored.
    """
    stated = set[str]()
    for key in dict.fromkeys(map(fold, table.headings)):
        column = columns.get(key)
        if column is None or column.is_value or column.states is None:
            continue
        if column.states in stated:
            is_fact = column.states == _FACTS
            columns[key] = _Column(column.heading, column.cells, "ignore" if is_fact else ASK)
        stated.add(column.states)


def _decimal_commas(texts: Iterable[str]) -> list[str]:
    """The texts that are numbers only with a decimal comma; none if one has a decimal point."""
    commas = list[str]()
    for text in texts:
        is_printed = number_unit(text) is not None
        is_swapped = number_unit(text.translate(SWAPPED)) is not None
        if is_printed and not is_swapped:
            return []
        if is_swapped and not is_printed:
            commas.append(text)
    return commas


def _layouts(
    tables: Sequence[Printed], columns: dict[str, _Column]
) -> tuple[list[_Layout], list[_Column]]:
    """Tables grouped by headings, and the columns that no entry lists.

    Tables with the same or further headings are one layout. Its entry lists headings that
    distinguish it from the other layouts.
    """
    groups: dict[frozenset[str], list[Printed]] = {}
    for table in sorted(tables, key=lambda table: len(table.keys)):
        first = next((keys for keys in groups if keys <= table.keys), table.keys)
        groups.setdefault(first, []).append(table)
    unions = {
        first: first.union(*(table.keys for table in group)) for first, group in groups.items()
    }
    found, left = [], {*columns}
    for first, group in groups.items():
        others = [keys for other, keys in unions.items() if other != first]
        own = first.difference(*others)
        for other in others:
            own |= {*sorted(first - other)[:1]} if own <= other else set()
        read = [column for key, column in columns.items() if key in unions[first]]
        listed = [column for key, column in columns.items() if key in own]
        found.append(_Layout(group, read, listed))
        left -= own
    shared = [column for key, column in columns.items() if key in left]
    return sorted(found, key=lambda layout: layout.tables[0].line), shared


def _names_above(kind: str, tables: Iterable[Printed]) -> list[str]:
    """The known names of a kind in the texts above tables."""
    above = "\n".join(text for table in tables for text in table.above)
    return [match[0] for match in lookup.spelling_pattern(NAMES[kind]).finditer(above)]


def _questions(columns: Iterable[_Column]) -> list[list[_Column]]:
    """The columns that are questions; those with the same question together."""
    same: dict[tuple[object, ...], list[_Column]] = {}
    for column in columns:
        if ASK in column.said:
            same.setdefault(column[2:], []).append(column)
    return [*same.values()]


def _key(columns: Sequence[_Column]) -> str:
    """A heading as printed, or a pattern of several; a condition in a heading becomes a group."""
    first = columns[0]
    joined = "|".join(column.heading.translate(_ESCAPES) or "^$" for column in columns)
    if first.is_value and first.states:
        return _scalar(f"/(?P<{first.states}>{joined})/")
    return _scalar(first.heading if first.heading and len(columns) == 1 else f"/{joined}/")


def _quoted(texts: Iterable[str]) -> str:
    """The first of some texts, each once."""
    shown = [visible(text[:_LONGEST], keep="") for text in [*dict.fromkeys(texts)][:_SHOWN]]
    return ", ".join(f'"{text}"' for text in shown)
