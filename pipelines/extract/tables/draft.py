"""A draft of a mapping: what the vocabularies know of the tables of a page, and `?` for every open question.

Nothing is ranked or searched, and what is not known is asked. What a mapping makes of a page belongs in `preview.py`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from pipelines.extract.mentions import batch_kind
from pipelines.extract.tables.patterns import fold
from pipelines.extract.tables.printed import Table
from pipelines.extract.tables.specs import dimension_word
from pipelines.extract.tables.statements import number_unit, read_condition
from pipelines.terminal import visible
from pipelines.values.precisions import parse_precision
from pipelines.vocabulary.dimensions import dimensions
from pipelines.vocabulary.lookup import Entry, Kind, find, spelling_pattern
from pipelines.vocabulary.units import METRIC_OF_UNIT, measure_of

_ASK = "'?'"
_OPEN_NUMBER = f"{{metric: {_ASK}, unit: {_ASK}}}"
# What every benchmark is of, beside its task.
_OF_ALL = ("model", "platform")
_KINDS: dict[str, Kind] = {"model": "models", "platform": "platforms", "framework": "frameworks", "dataset": "datasets"}
_HEADER_ROWS, _SHOWN, _LONGEST, _LINES = 4, 3, 60, 8
# Printed where nothing was measured, or why not.
_NOTHING = frozenset(
    {
        *("-", "--", "---", "\u2013", "\u2014", "/", "none", "null", "nan", "n/a", "na", "n.a.", "n/s", "#n/a"),
        *("tbd", "tba", "todo", "pending", "wip", "coming soon", "oom", "out of memory", "not supported"),
        *("unsupported", "not available", "not tested", "not applicable", "dnf", "did not run", "fail", "failed"),
    }
)
# `Latency (ms)`, `Throughput [img/s]`, `Latency, ms`, `latency_ms`
_UNIT_BEHIND = re.compile(
    r"(?P<name>.*\S)(?:\s*[(\[](?P<inner>[^()\[\]]+)[)\]]|(?:,\s*|\s+in\s+|_|\s+)(?P<behind>\S+))"
)
_STATISTIC = re.compile(r"\b(?:(?P<mean>mean|avg\.?|average)|(?P<min>min(imum)?)|(?P<max>max(imum)?))(?!\w)", re.I)
_PERCENTILE = re.compile(r"(?P<metric>\w+)_p(?P<number>\d+(?:_\d)?)")
# What needs no backslash in a pattern, and a text that needs no quotes in YAML
_SPECIAL = re.compile(r"([\\.^$*+?{}\[\]|()])")
_PLAIN = re.compile(r"(?!(?:null|true|false)$)[A-Za-z(](?:[\w ./()+-]*[\w./()+-])?")
# Entries of headings.yml that describe the model itself, and those that hold several things in a cell.
_FACTS_OF_A_MODEL = frozenset({"Parameters", "FLOPs", "Layers", "Attention Heads", "Hidden Size"})
_SEVERAL = frozenset({"Input/Output Length", "TP/PP/DP", "Test"})
_UNITS_OF_NO_KIND = ("items/", "s", "ms", "W", "J", "GB", "USD")


@dataclass(frozen=True, slots=True)
class Printed:
    """A table that holds numbers, without rules and blank rows.

    `titles` are the texts alone in their rows, `above` captions and headings, then sentences, nearest first.
    """

    line: int
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    titles: tuple[str, ...]
    above: tuple[str, ...]
    numbers: int


def tables_with_numbers(tables: Iterable[Table]) -> list[Printed]:
    """The tables that hold numbers, as a draft sees them."""
    return [_printed(table) for table in tables if table.holds_numbers and table.rows_of is None]


def _printed(table: Table) -> Printed:
    texts = [tuple(" ".join(text.split()) for text in row) for row in table.texts]
    first = last = next((n for n, row in enumerate(texts[:_HEADER_ROWS]) if len({*row} - {""}) > 1), 0)
    # A heading over several columns, or several rows, has others below it.
    while last + 2 < len(texts) and last - first < 2 and any((last, c) in table.spans for c in range(len(texts[last]))):
        last += 1
    parts = zip_longest(*texts[first : last + 1], fillvalue="")
    headings = tuple(" ".join(dict.fromkeys(filter(None, part))) for part in parts)
    rows, titles = [], []
    for number, row in enumerate(texts[last + 1 :], start=last + 1):
        if len(headings) > 1 and len({*row} - {""}) == 1:
            titles += [max(row)] if not table.is_rule(number) else []
        elif any(row) and not table.is_rule(number):
            rows.append(row)
    above = tuple(p.text[:_LONGEST] for p in sorted(table.near, key=lambda p: p.level == "sentence"))
    return Printed(table.first_line, headings, tuple(rows), tuple(titles), above, table.count_numbers())


# Columns


@dataclass
class _Column:
    """What the vocabularies know of the columns of one heading.

    Attributes:
        cells: The distinct texts below it.
        said: What the draft says of them, with `?` where something is open.
        kind: Open columns of one kind are asked about in one question; "" where nothing is open.
        states: The dimension that its cells or its heading state, or None.
    """

    heading: str
    cells: Sequence[str]
    said: str = _ASK
    kind: str = "words"
    states: str | None = None
    is_value: bool = False


def _column(heading: str, texts: Iterable[str]) -> _Column:
    cells = [text for text in dict.fromkeys(texts) if text and text.casefold() not in _NOTHING]
    units = [unit for text in cells if (unit := number_unit(text)) is not None]
    match = _UNIT_BEHIND.fullmatch(heading)
    unit = (match["inner"] or match["behind"]).strip() if match else ""
    bare, unit = (match["name"], unit) if match and not unit.isdecimal() and measure_of(unit) else (heading, "")
    known = find("headings", heading) or find("headings", bare)
    if len(units) * 2 < max(1, len(cells)):
        name = _name_of(cells)
        return _known(heading, cells, known) if known or not name else _Column(heading, cells, name, "", name)
    unit = unit or (units[0] if len({*units}) == 1 else "")
    if found := _metric(heading, bare, known):
        said, is_open = _measured(*found, unit)
        return _Column(heading, cells, said, f"unit of {said}" if is_open else "", is_value=True)
    if known and ((column := _known(heading, cells, known)).said != "ignore" or not unit):
        return column
    if measure_of(heading) or unit:
        said = f"{{metric: {_ASK}, unit: {_scalar(unit or heading)}}}"
        return _Column(heading, cells, said, said, is_value=True)
    if name := _name_of([heading]):
        return _Column(heading, cells, _OPEN_NUMBER, f"numbers of {name}", name, is_value=True)
    return _Column(heading, cells, kind="numbers", is_value=True)


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
    parts = [f"metric: {metric}", f"unit: {_ASK if is_open else _scalar(unit)}"]
    return "{" + ", ".join(parts + ([f"statistic: {statistic}"] if statistic else [])) + "}", is_open


def _known(heading: str, cells: list[str], entry: Entry | None) -> _Column:
    """What an entry of headings.yml says of a column, where each of its cells can be that."""
    if entry is None:
        return _Column(heading, cells)
    if entry.facts.get("column") == "result":
        return _Column(heading, cells, _OPEN_NUMBER, "result", is_value=True)
    name = _dimension_of(entry)
    if name is None:
        is_open = entry.facts.get("column") != "attribute" or entry.name in _SEVERAL
        said = "model_facts" if entry.name in _FACTS_OF_A_MODEL else "ignore"
        return _Column(heading, cells) if is_open else _Column(heading, cells, said, "")
    # `Model` was the GPU on one page: names of another vocabulary alone are a question.
    kinds = [kind for kind in _KINDS.values() if any(find(kind, text) for text in cells)]
    is_other = name in _KINDS and kinds and _KINDS[name] not in kinds
    if is_other or not all(_fits(name, text) for text in cells):
        return _Column(heading, cells)
    kind = batch_kind(heading) if name == "batch_size" else None
    return _Column(heading, cells, f"{{field: {name}, batch_size_kind: {kind}}}" if kind else name, "", name)


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


def _name_of(texts: Collection[str]) -> str | None:
    """The dimension of which every text is a known name."""
    if not texts or all(map(parse_precision, texts)):
        return "precision" if texts else None
    return next((name for name, kind in _KINDS.items() if all(find(kind, text) for text in texts)), None)


# The draft


@dataclass
class _Layout:
    """Tables that one entry is about: the headings that all of them have, those of any, and those it declares."""

    tables: list[Printed]
    headings: set[str]
    every: set[str]
    own: set[str] = field(default_factory=set)

    @property
    def numbers(self) -> int:
        """How many cells are numbers."""
        return sum(table.numbers for table in self.tables)

    @property
    def titles(self) -> list[str]:
        """The texts alone in their rows."""
        return list(dict.fromkeys(title for table in self.tables for title in table.titles))


def _layouts(tables: Sequence[Printed]) -> list[_Layout]:
    """Tables by their headings; those that only have further headings are of one layout.

    A layout declares the headings of no other one, and what else tells it from each of them.
    """
    kept: list[_Layout] = []
    for table in sorted(tables, key=lambda table: len({*table.headings})):
        headings = {fold(heading) for heading in table.headings}
        if layout := next((one for one in kept if one.headings <= headings), None):
            layout.tables = sorted([*layout.tables, table], key=lambda table: table.line)
            layout.every |= headings
        else:
            kept.append(_Layout([table], headings, {*headings}))
    for layout in kept:
        others = [other.every for other in kept if other is not layout]
        layout.own = layout.headings.difference(*others)
        for other in others:
            layout.own |= {*sorted(layout.headings - other)[:1]} if layout.own <= other else set()
    return sorted(kept, key=lambda layout: layout.tables[0].line)


@dataclass(frozen=True, slots=True)
class Draft:
    """The text of a draft, and how many `?` it has."""

    text: str
    questions: int


def draft(tables: Sequence[Printed], source: str) -> Draft:
    """A draft for tables that hold numbers; `source` is for its first line."""
    cells: dict[str, list[str]] = {}
    printed: dict[str, str] = {}
    for table in tables:
        for at, heading in enumerate(table.headings):
            printed.setdefault(fold(heading), heading)
            cells.setdefault(fold(heading), []).extend(row[at] for row in table.rows if at < len(row))
    columns = {key: _column(heading, cells[key]) for key, heading in printed.items() if heading or any(cells[key])}
    layouts = _layouts(tables)
    stated = [_stated(layout, columns) for layout in layouts]
    is_stated = set[str]().union(*stated)
    asked = [] if "task" in is_stated else ["task"]
    if tables and all(len(layout.tables) == 1 for layout in layouts):
        asked += [name for name in _OF_ALL if name not in is_stated]
    lines = _constants(asked, tables)
    nothing = dict.fromkeys(text for column in cells.values() for text in column if text.casefold() in _NOTHING)
    lines += [f"missing: [{', '.join(map(_scalar, nothing))}]"] if nothing else []
    own = set[str]().union(*(layout.own for layout in layouts))
    lines += _columns([column for key, column in columns.items() if key not in own])
    lines.append("tables:")
    for layout, names in zip(layouts, stated, strict=True):
        lines += _entry(layout, columns, names | {*asked})
    if not tables:
        example = r"'(?P<model>\S+) (?P<value>[\d.]+) ms'"
        lines.append(f"- rows: {_ASK}  # no table is found: the pattern of a row, as {example}")
        lines.append(f"  columns: {{value: {_OPEN_NUMBER}}}")
    body = "".join(f"{visible(line)}\n" for line in lines)
    count, numbers = body.count(_ASK), sum(table.numbers for table in tables)
    head = (
        f"# Draft for {source}: {len(tables)} tables with {numbers} numbers; answer or delete {count} questions (?).\n"
        f"# The other lines are look-ups by heading: read them, too. `benchledger map {source}` previews the file.\n"
    )
    return Draft(head + body, count)


def _stated(layout: _Layout, columns: Mapping[str, _Column]) -> set[str]:
    """The dimensions that columns or titles of a layout state; a price is of no model."""
    known = [columns[key] for key in layout.every if key in columns]
    found = {column.states for column in known} | {_name_of(layout.titles)}
    measured = [column.said for column in known if column.is_value]
    found |= {"model"} if measured and all("price" in said for said in measured) else set()
    return {name for name in found if name}


def _constants(names: Sequence[str], tables: Sequence[Printed]) -> list[str]:
    lines = ["constants:"] if names else []
    for name in names:
        words = "training or inference"
        if kind := _KINDS.get(name):
            above = [text for table in tables for text in table.above]
            hints = dict.fromkeys(match[0] for text in above for match in spelling_pattern(kind).finditer(text))
            numbers = sum(table.numbers for table in tables)
            words = f"{numbers} numbers; the text above says {_quoted(hints) or 'none that is known'}"
        lines.append(f"  {name}: {_ASK}  # {words}")
    return lines


def _entry(layout: _Layout, columns: Mapping[str, _Column], stated: set[str]) -> Iterator[str]:
    tables = layout.tables
    lines = ", ".join(str(table.line) for table in tables[:_LINES]) + ", ..." * (len(tables) > _LINES)
    yield f"# {layout.numbers} numbers, {len(tables)} table{'s' * (len(tables) > 1)}, line {lines}"
    declared = [column for key, column in columns.items() if key in layout.own]
    parts: list[str] = []
    if not any(columns[key].is_value for key in layout.every if key in columns):
        parts.append(f"skip: {_ASK}  # true where it holds no results; no column is known to hold measured numbers")
        declared = [_Column(column.heading, (), "ignore", "") for column in declared]
    else:
        lacking = [name for name in _OF_ALL if name not in stated]
        levels = zip_longest(*(table.above for table in tables), fillvalue="")
        if above := next((texts for level in levels if len(texts := dict.fromkeys(level)) > 1), None):
            words = f"; no column states {' or '.join(lacking)}" if lacking else ""
            what = "what the texts above say, as '(?P<platform>...)'"
            parts.append(f"headings: [{_ASK}]  # {what}: {_quoted(above)}{words}")
        else:
            parts += _constants(lacking, tables)
        if titles := layout.titles:
            parts.append(f"titles: {_name_of(titles) or _ASK}  # alone in their rows: {_quoted(titles)}")
    parts += _columns(declared)
    yield from (f"{'  ' if n else '- '}{part}" for n, part in enumerate(parts or ["{}"]))


def _columns(columns: Sequence[_Column]) -> list[str]:
    """What a draft says of columns; those of one kind that are asked about have one line."""
    lines = ["columns:"] if columns else []
    facts = [column for column in columns if column.said == "model_facts"]
    for column in columns:
        if not column.kind:
            # Two columns cannot state one thing.
            lines.append(f"  {_key([column])}: {'ignore' if column in facts[1:] else column.said}")
    for kind in dict.fromkeys(column.kind for column in columns if column.kind):
        same = [column for column in columns if column.kind == kind]
        samples = _quoted(dict.fromkeys(text for column in same for text in column.cells[:_SHOWN]))
        hint = "; several headings: a line for each where they differ" if len(same) > 1 and same[0].said == _ASK else ""
        lines.append(f"  {_key(same)}: {same[0].said}  # {samples or 'no cells'}{hint}")
    return lines


def _key(columns: Sequence[_Column]) -> str:
    """One heading as it is printed, or a pattern of several; a heading that states something itself is captured."""
    first = columns[0]
    joined = "|".join(_SPECIAL.sub(r"\\\1", column.heading) or "^$" for column in columns)
    if first.is_value and first.states:
        return _scalar(f"/(?P<{first.states}>{joined})/")
    return _scalar(first.heading if first.heading and len(columns) == 1 else f"/{joined}/")


def _quoted(texts: Iterable[str]) -> str:
    """The first of some texts, for a comment."""
    return ", ".join(f'"{text[:_LONGEST]}"' for text in [*texts][:_SHOWN])


def _scalar(text: str) -> str:
    """A text as YAML writes it."""
    return text if _PLAIN.fullmatch(text) else "'" + visible(text, keep="").replace("'", "''") + "'"
