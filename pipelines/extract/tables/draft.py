"""Drafts a mapping: what the vocabularies know about the tables of a page, and `?` for every open
question.

Nothing is guessed: what is not known is a question. What a mapping reads belongs in `preview.py`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, pairwise, takewhile, zip_longest
from typing import NamedTuple

import yaml

from pipelines.extract.mentions import NAMES, batch_kind, find_mentions, known_name
from pipelines.extract.named_quantities import quantity_of
from pipelines.extract.tables.cell_values import SWAPPED, WORDS, number_unit, read_condition
from pipelines.extract.tables.mapping import METRIC, STATISTIC, STATISTIC_WORD, UNIT
from pipelines.extract.tables.patterns import fold
from pipelines.extract.tables.printed import PrintedTable, tables_of
from pipelines.read.document import Document
from pipelines.terminal import plural, visible
from pipelines.values.precisions import parse_precision
from pipelines.vocabulary import lookup
from pipelines.vocabulary.dimensions import dimensions
from pipelines.vocabulary.units import METRIC_OF_UNIT, measure_of

ASK = "'?'"
_OPEN_NUMBER = f"{{metric: {ASK}, unit: {ASK}}}"
# Every benchmark has these, besides its task.
_OF_ALL = ("model", "platform")
_HEADER_ROWS, _SHOWN, _LONGEST, _LINES = 4, 3, 60, 8
# `Latency (ms)`, `Throughput [img/s]`, `Latency, ms`, `latency_ms`
_UNIT_BEHIND = re.compile(
    r"(?P<name>.*\S)(?<!per)(?:\s*[(\[](?P<inner>[^()\[\]]+)[)\]]|(?:,\s*|\s+in\s+|_|\s+)(?P<behind>\S+))"
)
# Characters to escape in a pattern; a blank stays, as it matches a run of blanks.
_ESCAPES = str.maketrans({sign: f"\\{sign}" for sign in r"\.^$*+?{}[]|()"})
# Canonical units that a heading without a unit does not imply.
_PRINTED_UNITS = ("items/", "s", "ms", "W", "J", "GB", "USD")


class Printed(NamedTuple):
    """A table with numbers, without rules and blank rows.

    `keys` are its headings as mappings compare them, `titles` the texts of title rows, `above`
    captions and headings, then sentences, nearest first, cut; `around` are the whole texts above
    and below it.
    """

    line: int
    headings: tuple[str, ...]
    keys: frozenset[str]
    rows: list[tuple[str, ...]]
    titles: list[str]
    above: tuple[str, ...]
    numbers: int
    around: tuple[str, ...]


def printed_in(document: Document, taken: Collection[int]) -> list[Printed]:
    """The tables of a document with numbers; `taken` are lines of other formats."""
    return [_printed(table) for table in tables_of(document, taken) if table.holds_numbers]


def _printed(table: PrintedTable) -> Printed:
    texts = [tuple(" ".join(text.split()) for text in row) for row in table.texts]
    first = next((n for n, row in enumerate(texts[:_HEADER_ROWS]) if len({*row} - {""}) > 1), 0)

    def is_over_others(row: int) -> bool:
        """Whether a heading is over several columns, or goes down to the next row."""
        cells, below = table.rows[row], table.rows[row + 1]
        return any(a is b for a, b in chain(pairwise(cells), zip(cells, below, strict=False)))

    last = first + len([*takewhile(is_over_others, range(first, min(first + 2, len(texts) - 2)))])
    parts = zip_longest(*texts[first : last + 1], fillvalue="")
    headings = tuple(" ".join(dict.fromkeys(filter(None, part))) for part in parts)
    below = [row for n, row in enumerate(texts) if n > last and any(row) and not table.is_rule(n)]
    titles = [row for row in below if len(headings) > 1 and len({*row} - {""}) == 1]
    above = tuple(
        p.text[:_LONGEST] for p in sorted(table.near, key=lambda p: p.level == "sentence")
    )
    return Printed(
        table.first_line, headings, frozenset(map(fold, headings)), [row for row in below if row not in titles],
        [max(row) for row in titles], above, sum(_unit_of(text) is not None for row in below for text in row),
        tuple(passage.text for passage in (*reversed(table.near), *table.below)),
    )  # fmt: skip


# Columns


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


def _column(heading: str, texts: Iterable[str], has_statistics: bool) -> _Column:
    """What the vocabularies know about a heading and its cells; `has_statistics` if several
    headings are statistics.
    """
    cells = [
        text for text in dict.fromkeys(texts) if text and text.casefold() not in WORDS["nothing"]
    ]
    units = [unit for text in cells if (unit := _unit_of(text)) is not None]
    match = _UNIT_BEHIND.fullmatch(heading)
    unit = (match["inner"] or match["behind"]).strip() if match else ""
    if match and match["behind"] and _is_statistic(unit):
        unit = ""
    bare, unit = (
        (match["name"], unit)
        if match and not unit.isdecimal() and measure_of(unit)
        else (heading, "")
    )
    known = lookup.find("headings", heading) or lookup.find("headings", bare)
    # `GPU hours` is no column of GPUs.
    is_other = known is not None and unit != "" and str(known.facts["column"]) in NAMES
    declared = _declared(heading, cells, known) if known and not is_other else None
    if len(units) * 2 < max(1, len(cells)):
        name = _name_of(cells)
        return declared or _Column(heading, cells, name or ASK, name)
    unit = unit or (units[0] if len({*units}) == 1 else "")
    if said := _measured(heading, unit) or _measured(bare, unit):
        return _Column(heading, cells, said, None, True)
    if declared and (declared.said != "ignore" or not unit):
        return declared
    if _is_statistic(heading):
        return _Column(heading, cells, _OPEN_NUMBER, STATISTIC if has_statistics else None, True)
    if measure_of(heading) or unit:
        return _Column(
            heading, cells, f"{{metric: {ASK}, unit: {_scalar(unit or heading)}}}", None, True
        )
    name = _name_of([heading])
    return _Column(heading, cells, _OPEN_NUMBER if name else ASK, name, True)


def _measured(heading: str, unit: str) -> str | None:
    """The metric and the conditions in a heading over numbers, if they are the whole heading."""
    left, stated = heading, dict[str, str]()
    for mention in find_mentions(heading):
        is_said = (
            mention.kind in (METRIC, UNIT, STATISTIC)
            or mention.kind in dimensions().keys() - NAMES.keys()
        )
        if not is_said or stated.setdefault(mention.kind, mention.value) != mention.value:
            return None
        left = left[: mention.start] + " " * (mention.end - mention.start) + left[mention.end :]
    if METRIC not in stated and (entry := lookup.find("metrics", heading)):
        left, stated[METRIC] = "", entry.name
    if METRIC not in stated or any(map(str.isalnum, left)):
        return None
    metric, unit = stated.pop(METRIC), stated.pop(UNIT, unit)
    entry = lookup.find("metrics", metric)
    canonical = str(entry.facts["unit"]) if entry else ""
    measure, wanted = measure_of(unit) if unit else None, measure_of(canonical)
    if measure and (other := METRIC_OF_UNIT.get((metric, measure.kind))):
        metric, wanted = other, measure
    if not unit and not canonical.startswith(_PRINTED_UNITS):
        unit, measure = canonical, wanted
    is_known = measure is not None and wanted is not None and measure.converts_to(wanted)
    said = {METRIC: metric, UNIT: _scalar(unit) if is_known else ASK}
    said |= {name: _scalar(value) for name, value in stated.items()}
    return "{" + ", ".join(f"{name}: {value}" for name, value in said.items()) + "}"


def _declared(heading: str, cells: list[str], entry: lookup.Entry) -> _Column:
    # On one page `Model` was the GPU: a column of names of another vocabulary is a question.
    name = {"result": UNIT, "evaluation": METRIC}.get(
        str(entry.facts["column"]), str(entry.facts["column"])
    )
    if entry.facts["column"] == "result":
        return _Column(heading, cells, _OPEN_NUMBER, None, True)
    if entry.name in WORDS["facts_of_a_model"]:
        return _Column(heading, cells, "model_facts")
    if name == "attribute" and entry.name not in WORDS["several_conditions"]:
        word = re.sub(r"\W+", "_", entry.name.casefold()).strip("_")
        labels = {one.label: one.name for one in dimensions().values()} | {
            one: one for one in dimensions()
        }
        name = (
            labels.get(entry.name)
            or labels.get(word)
            or (word if entry.facts.get("identity") else "ignore")
        )
    if name == "ignore":
        return _Column(heading, cells, name)
    # `Model` was the GPU on one page: names of another vocabulary alone are a question.
    kinds = [other for other in NAMES if any(known_name(other, text) for text in cells)]
    is_other = name in NAMES and kinds and name not in kinds
    if is_other or name == "attribute" or not all(_fits(name, text) for text in cells):
        return _Column(heading, cells)
    kind = batch_kind(heading) if name == "batch_size" else None
    return _Column(
        heading, cells, f"{{field: {name}, batch_size_kind: {kind}}}" if kind else name, name
    )


def _fits(name: str, text: str) -> bool:
    if name in (METRIC, UNIT):
        is_metric = lookup.find("metrics", text) or quantity_of(text)
        return is_metric is not None if name == METRIC else measure_of(text) is not None
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
    """The tables of one entry, the columns that it lists, and the dimensions stated by columns and
    titles.
    """

    def __init__(self, tables: list[Printed], columns: list[_Column], own: list[_Column]) -> None:
        self.tables, self.own = sorted(tables, key=lambda table: table.line), own
        self.titles = [*dict.fromkeys(title for table in self.tables for title in table.titles)]
        self.measured = [column.said for column in columns if column.is_value]
        unknown = [" ".join(column.cells) for column in columns if column.said == ASK]
        self.has_open_numbers = any(map(str.isdigit, " ".join(unknown)))
        self.stated = {column.states for column in columns} | {_name_of(self.titles)}
        if self.measured and all("price" in said for said in self.measured):
            # A price has no model.
            self.stated.add("model")


def draft(tables: Sequence[Printed], source: str) -> str:
    """The text of a draft, with `ASK` for each question; `source` is named in its header."""
    cells: dict[str, list[str]] = {}
    printed: dict[str, str] = {}
    for table in tables:
        for at, heading in enumerate(table.headings):
            printed.setdefault(fold(heading), heading)
            cells.setdefault(fold(heading), []).extend(
                row[at] for row in table.rows if at < len(row)
            )
    has_statistics = sum(map(_is_statistic, printed.values())) > 1
    filled = [key for key, heading in printed.items() if heading or any(cells[key])]
    columns = {key: _column(printed[key], cells[key], has_statistics) for key in filled}
    for table in tables:
        _ask_second(table, columns)
    layouts, shared = _layouts(tables, columns)
    stated = set[str | None]().union(*(layout.stated for layout in layouts))
    is_single = bool(tables) and all(len(layout.tables) == 1 for layout in layouts)
    asked = [name for name in ("task", *(_OF_ALL if is_single else ())) if name not in stated]
    lines = _constants(asked, tables)
    nothing = dict.fromkeys(
        text for column in cells.values() for text in column if text.casefold() in WORDS["nothing"]
    )
    lines += [f"missing: [{', '.join(map(_scalar, nothing))}]"] if nothing else []
    lines += _decimal(text for column in cells.values() for text in column)
    lines += [*_columns(shared), "tables:"]
    for layout in layouts:
        lines += _entry(
            layout, [name for name in _OF_ALL if name not in layout.stated.union(asked)]
        )
    if not tables:
        example = r"'(?P<model>\S+) (?P<value>[\d.]+) ms'"
        lines.append(
            "# Delete `tables` if all numbers are output of programs: `constants` say what it does not print."
        )
        lines.append(f"- rows: {ASK}  # no table is found: the pattern of a row, as {example}")
        lines.append(f"  columns: {{value: {_OPEN_NUMBER}}}")
    body = "".join(f"{visible(line)}\n" for line in lines)
    count = f"{plural(len(tables), 'table')} with {plural(sum(table.numbers for table in tables), 'number')}"
    return (
        f"# Draft for {source}: {count}; answer or delete {plural(body.count(ASK), 'question')} (?).\n"
        f"# The other lines are look-ups by heading: read them, too. `benchledger map {source}` previews the file.\n"
    ) + body


def _ask_second(table: Printed, columns: dict[str, _Column]) -> None:
    """Make a question of each column of a table that states the same as one before it."""
    stated = set[str]()
    for key in dict.fromkeys(map(fold, table.headings)):
        column = columns.get(key)
        if column is None or column.is_value or column.states is None:
            continue
        if column.states in stated:
            columns[key] = _Column(column.heading, column.cells)
        stated.add(column.states)


def _decimal(texts: Iterable[str]) -> list[str]:
    """The line about decimal commas, if some texts are numbers with them, and none is one without."""
    commas = list[str]()
    for text in texts:
        is_printed = number_unit(text) is not None
        is_swapped = number_unit(text.translate(SWAPPED)) is not None
        if is_printed and not is_swapped:
            return []
        if is_swapped and not is_printed:
            commas.append(text)
    if not commas:
        return []
    # `548,87` alone may be two numbers.
    is_sure = any(text.find(".") in range(text.find(",")) for text in commas)
    said = _scalar(",") if is_sure else ASK
    return [f"decimal: {said}  # {_quoted(commas)}: ',' where the page prints decimal commas"]


def _layouts(
    tables: Sequence[Printed], columns: dict[str, _Column]
) -> tuple[list[_Layout], list[_Column]]:
    """Tables grouped by headings, and the columns that no entry lists.

    Tables with the same or further headings are one layout. Its entry lists headings that
    distinguish it from the other layouts.
    """
    groups: list[list[Printed]] = []
    for table in sorted(tables, key=lambda table: len(table.keys)):
        if same := [group for group in groups if group[0].keys <= table.keys]:
            same[0].append(table)
        else:
            groups.append([table])
    every = [frozenset[str]().union(*(table.keys for table in group)) for group in groups]
    found, left = [], {*columns}
    for group, of_group in zip(groups, every, strict=True):
        others = [keys for keys in every if keys is not of_group]
        own = group[0].keys.difference(*others)
        for other in others:
            own |= {*sorted(group[0].keys - other)[:1]} if own <= other else set()
        parts = [
            [column for key, column in columns.items() if key in keys] for keys in (of_group, own)
        ]
        found.append(_Layout(group, *parts))
        left -= own
    shared = [column for key, column in columns.items() if key in left]
    return sorted(found, key=lambda layout: layout.tables[0].line), shared


def _constants(names: Sequence[str], tables: Sequence[Printed]) -> list[str]:
    lines = ["constants:"] if names else []
    for name in names:
        words = "training or inference"
        if kind := NAMES.get(name):
            pattern, above = (
                lookup.spelling_pattern(kind),
                (text for table in tables for text in table.above),
            )
            hints = dict.fromkeys(match[0] for text in above for match in pattern.finditer(text))
            numbers = sum(table.numbers for table in tables)
            words = f"{plural(numbers, 'number')}; the text above says {_quoted(hints) or 'none that is known'}"
            words += "; '!unnamed' if the page names none"
        lines.append(f"  {name}: {ASK}  # {words}")
    return lines


def _entry(layout: _Layout, lacking: Sequence[str]) -> Iterator[str]:
    """The lines of an entry; `lacking` are the dimensions that none of its columns states."""
    tables = layout.tables
    lines = ", ".join(str(table.line) for table in tables[:_LINES]) + ", ..." * (
        len(tables) > _LINES
    )
    numbers = sum(table.numbers for table in tables)
    yield f"# {plural(numbers, 'number')}, {plural(len(tables), 'table')}, line {lines}"
    if layout.measured or layout.has_open_numbers:
        levels = zip_longest(*(table.above for table in tables), fillvalue="")
        above = next((texts for level in levels if len(texts := dict.fromkeys(level)) > 1), None)
        words = f"; no column states {' or '.join(lacking)}" if lacking else ""
        what = "what the texts above say, as '(?P<platform>...)'"
        parts = (
            [f"headings: [{ASK}]  # {what}: {_quoted(above)}{words}"]
            if above
            else _constants(lacking, tables)
        )
        if titles := layout.titles:
            parts.append(
                f"titles: {_name_of(titles) or ASK}  # alone in their rows: {_quoted(titles)}"
            )
        parts += _columns(layout.own)
    else:
        parts = [
            f"skip: {ASK}  # true where it holds no results; no column is known to hold measured numbers"
        ]
        parts += _columns([_Column(column.heading, [], "ignore") for column in layout.own])
    yield from (f"{'  ' if n else '- '}{part}" for n, part in enumerate(parts or ["{}"]))


def _columns(columns: Sequence[_Column]) -> list[str]:
    """The lines of columns; columns with the same question share one."""
    lines, open_ones = ["columns:"] if columns else [], dict[tuple[object, ...], list[_Column]]()
    for column in columns:
        if ASK in column.said:
            open_ones.setdefault(column[2:], []).append(column)
        else:
            # Two columns cannot state the same dimension.
            is_second = column.said == "model_facts" and any(
                line.endswith(": model_facts") for line in lines
            )
            lines.append(f"  {_key([column])}: {'ignore' if is_second else column.said}")
    for same in open_ones.values():
        said = same[0].said
        samples = _quoted(dict.fromkeys(text for column in same for text in column.cells[:_SHOWN]))
        hint = (
            "; several headings: a line for each where they differ"
            if len(same) > 1 and said == ASK
            else ""
        )
        lines.append(f"  {_key(same)}: {said}  # {samples or 'no cells'}{hint}")
    return lines


def _key(columns: Sequence[_Column]) -> str:
    """A heading as printed, or a pattern of several; a condition in a heading becomes a group."""
    first = columns[0]
    joined = "|".join(column.heading.translate(_ESCAPES) or "^$" for column in columns)
    if first.is_value and first.states:
        return _scalar(f"/(?P<{first.states}>{joined})/")
    return _scalar(first.heading if first.heading and len(columns) == 1 else f"/{joined}/")


def _quoted(texts: Iterable[str]) -> str:
    return ", ".join(f'"{text[:_LONGEST]}"' for text in [*texts][:_SHOWN])


def _scalar(text: str) -> str:
    """A text as a YAML value within a list."""
    return yaml.safe_dump([text], default_flow_style=True, allow_unicode=True, width=math.inf)[1:-2]
