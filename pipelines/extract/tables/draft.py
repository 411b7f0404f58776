"""A draft of a mapping: what the vocabularies know of the tables of a page, and `?` for every open question.

Look-ups only: a heading of headings.yml or metrics.yml, a unit, a column of which every cell is a name of one vocabulary.
Nothing is ranked or searched, and what is not known is asked. What a mapping makes of a page belongs in `preview.py`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import zip_longest

from pipelines.extract.mentions import batch_kind
from pipelines.extract.printed_values import is_nothing
from pipelines.extract.tables.statements import read_condition
from pipelines.extract.tables.mapping import dimension_word
from pipelines.extract.tables.printed import Table, fold
from pipelines.terminal import visible
from pipelines.values.durations import parse_duration
from pipelines.values.numbers import NUMBER
from pipelines.values.precisions import parse_precision
from pipelines.vocabulary.dimensions import dimensions
from pipelines.vocabulary.lookup import Entry, Kind, find, spelling_pattern
from pipelines.vocabulary.units import METRIC_OF_UNIT, measure_of

ASK = "'?'"
# `~12.3 ms`, `$1.5`, `54,784 images/s`
_CELL = re.compile(rf"(?:[~<>\u2248\u2264\u2265]=?\s*)?(?:US)?\$?\s?[-\u2212+]?{NUMBER}\s*(?P<unit>[^\d\s].*)?")
# `Latency (ms)`, `Throughput [img/s]`, `Latency, ms`, `latency_ms`
_UNIT_BEHIND = re.compile(r"(?P<name>.*\S)(?:\s*[(\[](?P<inner>[^()\[\]]+)[)\]]|(?:,\s*|\s+in\s+|_|\s+)(?P<behind>\S+))")
_STATISTIC = re.compile(r"\b(?:(?P<mean>mean|avg\.?|average)|(?P<min>min(?:imum)?)|(?P<max>max(?:imum)?))(?!\w)", re.IGNORECASE)
_PERCENTILE = re.compile(r"(?P<metric>\w+)_p(?P<number>\d+(?:_\d)?)")
_NUMBER_IN_HEADING = re.compile(r"\d[\d,]*")
_NAMES: tuple[tuple[Kind, str], ...] = (
    ("models", "model"), ("platforms", "platform"), ("frameworks", "framework"), ("datasets", "dataset"),
)  # fmt: skip
# What every benchmark is of, beside its task.
_OF_ALL = ("model", "platform")
# Entries of headings.yml that describe the model itself.
_FACTS_OF_A_MODEL = frozenset({"Parameters", "FLOPs", "Layers", "Attention Heads", "Hidden Size"})
_HEADER_ROWS, _SHOWN, _LISTED = 4, 3, 60


@dataclass(frozen=True, slots=True)
class Printed:
    """A table that holds numbers.

    Attributes:
        line: Its first line.
        headings: Text of each heading.
        rows: The cells below the headings, rows that hold one text alone left out.
        titles: The texts of those.
        above: Captions and headings above it, then sentences, nearest first.
        numbers: How many cells are numbers.
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
    first = next((n for n, row in enumerate(texts[:_HEADER_ROWS]) if len({*row} - {""}) > 1), 0)
    last = first
    # A heading over several columns, or several rows, has others below it.
    while last + 2 < len(texts) and last - first < 2 and any((last, c) in table.spans for c in range(len(texts[last]))):
        last += 1
    rows = [row for n, row in enumerate(texts) if n > last and not table.is_rule(n) and any(row)]
    alone = [{*row} - {""} for row in rows]
    width = max(len(row) for row in texts[first : last + 1])
    parts = [[row[c] for row in texts[first : last + 1] if c < len(row) and row[c]] for c in range(width)]
    return Printed(
        table.first_line,
        tuple(" ".join(dict.fromkeys(part)) for part in parts),
        tuple(row for row, words in zip(rows, alone, strict=True) if len(words) > 1 or width == 1),
        tuple(words.copy().pop() for words in alone if len(words) == 1 and width > 1),
        tuple(p.text[:_LISTED] for p in sorted(table.near, key=lambda p: p.level == "sentence")),
        sum(1 for row in rows for text in row if number_unit(text) is not None),
    )


@cache
def number_unit(text: str) -> str | None:
    """The unit behind a number, "" for a number alone; None for other texts."""
    match = _CELL.fullmatch(text)
    unit = (match["unit"] or "").strip() if match else None
    if unit == "" or (unit and measure_of(unit)):
        return unit
    return "s" if parse_duration(text) else None


# What the vocabularies know of a column


@dataclass
class _Column:
    """The columns of one heading: `said` is what the draft says of them, with `?` where something is open.

    Attributes:
        heading: Text of the heading.
        cells: The distinct texts below it.
        field: The dimension that it states, or None.
        is_value: Whether its cells are measured numbers.
        said: What the mapping says of it.
        pattern: Pattern of headings that are asked about together, or "".
        kind: Columns of one kind are asked about together; "" where nothing is open.
    """

    heading: str
    cells: list[str]
    field: str | None = None
    is_value: bool = False
    said: str = ASK
    pattern: str = ""
    kind: str = "words"

    @property
    def key(self) -> str:
        return fold(self.heading)


def _column(heading: str, cells: Sequence[str]) -> _Column:
    column = _Column(heading, list(dict.fromkeys(text for text in cells if text and not is_nothing(text))))
    units = [unit for text in column.cells if (unit := number_unit(text)) is not None]
    is_numeric = len(units) * 2 > len(column.cells)
    bare, unit = _name_and_unit(heading)
    unit = unit or (units[0] if is_numeric and {*units} == {units[0]} else "")
    metric, statistic = _metric(heading, bare)
    known = find("headings", heading) or find("headings", bare)
    if metric is None and known and "metric" in known.facts:
        metric = str(known.facts["metric"])
    if metric and is_numeric:
        _measured(column, metric, unit, statistic)
    elif known:
        _known(column, known)
    elif is_numeric and (measure_of(heading) or unit):
        column.is_value, unit = True, unit or heading
        column.said, column.kind = f"{{metric: {ASK}, unit: {_scalar(unit)}}}", f"metric in {unit}"
    elif is_numeric and (name := _name_of([heading])):
        column.is_value, column.field = True, name
        column.said, column.kind = f"{{metric: {ASK}, unit: {ASK}}}", f"numbers of {name}"
        column.pattern = f"(?P<{name}>{_escaped(heading)})"
    elif is_numeric:
        column.kind = "numbers"
        if len(_NUMBER_IN_HEADING.findall(heading)) == 1:
            before, after = _NUMBER_IN_HEADING.split(heading)
            stated = find("headings", before.strip(" =:-"))
            name = _dimension_of(stated) if stated else None
            column.pattern = _escaped(before) + (rf"(?P<{name}>\d+)" if name else r"\d+") + _escaped(after)
            column.is_value, column.kind = True, column.pattern
            column.said = f"{{metric: {ASK}, unit: {ASK}}}" if name else ASK
    elif column.cells and (name := _name_of(column.cells)):
        column.field, column.said, column.kind = name, name, ""
    return column


def _name_and_unit(heading: str) -> tuple[str, str]:
    match = _UNIT_BEHIND.fullmatch(heading)
    unit = (match["inner"] or match["behind"]).strip() if match else ""
    return (match["name"], unit) if match and not unit.isdecimal() and measure_of(unit) else (heading, "")


def _metric(heading: str, bare: str) -> tuple[str | None, str | None]:
    """The metric of a heading and its statistic."""
    word = _STATISTIC.search(heading)
    without = " ".join(_STATISTIC.sub(" ", bare).split())
    entry = find("metrics", heading) or find("metrics", bare) or (find("metrics", without) if word else None)
    if entry is None:
        return None, None
    if match := _PERCENTILE.fullmatch(entry.name):
        return match["metric"], f"p{match['number'].replace('_', '.')}"
    return entry.name, word.lastgroup if word else None


def _measured(column: _Column, metric: str, unit: str, statistic: str | None) -> None:
    entry = find("metrics", metric)
    canonical = measure_of(str(entry.facts["unit"])) if entry else None
    measure = measure_of(unit) if unit else None
    if measure and (other := METRIC_OF_UNIT.get((metric, measure.kind))):
        metric, canonical = other, measure
    is_open = measure is None or (canonical is not None and not measure.converts_to(canonical))
    if not unit and canonical and canonical.kind in _WITHOUT_UNIT:
        unit, is_open = canonical.kind, False
    parts = [f"metric: {metric}", f"unit: {ASK if is_open else _scalar(unit)}"]
    column.said = "{" + ", ".join(parts + ([f"statistic: {statistic}"] if statistic else [])) + "}"
    column.is_value, column.kind = True, f"unit of {column.said}" if is_open else ""


_WITHOUT_UNIT = frozenset({"%", "ratio", "MAE", "MRR", "mAP", "mIoU", "F1", "DICE", "AUC", "WER", "CER", "BLEU", "ROUGE"})


def _known(column: _Column, entry: Entry) -> None:
    """What an entry of headings.yml says of a column, where each of its cells can be that."""
    name = _dimension_of(entry)
    if name is None:
        if entry.name == "Result":
            column.is_value, column.said, column.kind = True, f"{{metric: {ASK}, unit: {ASK}}}", "numbers"
        elif entry.facts.get("column") == "attribute" and not {"/", "Test"} & {*entry.name, entry.name}:
            column.said, column.kind = ("model_facts" if entry.name in _FACTS_OF_A_MODEL else "ignore"), ""
        return
    others = [kind for kind, other in _NAMES if other != name]
    own = [kind for kind, other in _NAMES if other == name]
    is_other = any(find(kind, text) for kind in others for text in column.cells)
    if own and is_other and not any(find(own[0], text) for text in column.cells):
        return
    if all(_fits(name, text) for text in column.cells):
        kind = batch_kind(column.heading) if name == "batch_size" else None
        said = f"{{field: {name}, batch_size_kind: {kind}}}" if kind else name
        column.field, column.said, column.kind = name, said, ""


def _dimension_of(entry: Entry) -> str | None:
    """The dimension that a heading of headings.yml states; None for several, and for what is none."""
    column = str(entry.facts.get("column"))
    word = re.sub(r"\W+", "_", entry.name.casefold()).strip("_")
    if column in dimensions() or column == "unit":
        return column
    if column == "evaluation":
        return "metric"
    if column != "attribute" or "/" in entry.name or "phases" in entry.facts or entry.name in _FACTS_OF_A_MODEL:
        return None
    labels = {known.label: known.name for known in dimensions().values() if known.label}
    if entry.name in labels or word in dimensions():
        return labels.get(entry.name, word)
    try:
        return dimension_word(word) if entry.facts.get("identity") else None
    except ValueError:
        return None


def _fits(name: str, text: str) -> bool:
    if name == "metric":
        return find("metrics", text) is not None
    if name == "unit":
        return measure_of(text) is not None
    try:
        read_condition(name, text)
    except ValueError:
        return False
    return name != "precision" or parse_precision(text) is not None


def _name_of(texts: Collection[str]) -> str | None:
    """The dimension of which every text is a known name."""
    if all(parse_precision(text) for text in texts):
        return "precision"
    return next((name for kind, name in _NAMES if all(find(kind, text) for text in texts)), None)


# Layouts: tables of equal headings


@dataclass
class _Layout:
    """Tables that one entry is about, and the headings that all of them have."""

    tables: list[Printed]
    headings: set[str]
    every: set[str] = field(default_factory=set)


def _layouts(tables: Sequence[Printed]) -> list[_Layout]:
    """Tables by their headings; where nothing but a further heading tells two layouts apart, they are one."""
    found: dict[frozenset[str], _Layout] = {}
    for table in tables:
        headings = {fold(heading) for heading in table.headings}
        layout = found.setdefault(frozenset(headings), _Layout([], headings, headings))
        layout.tables.append(table)
    layouts = sorted(found.values(), key=lambda layout: len(layout.headings))
    kept: list[_Layout] = []
    for layout in layouts:
        if smaller := next((one for one in kept if one.headings <= layout.headings), None):
            smaller.tables += layout.tables
            smaller.every |= layout.headings
        else:
            kept.append(layout)
    for layout in kept:
        layout.tables.sort(key=lambda table: table.line)
    return sorted(kept, key=lambda layout: layout.tables[0].line)


def _own(layout: _Layout, layouts: Sequence[_Layout]) -> set[str]:
    """The headings that an entry declares: those of no other layout, and what else tells it apart from each of them."""
    others = [other for other in layouts if other is not layout]
    shared = {heading for other in others for heading in other.every}
    own = layout.headings - shared
    for other in others:
        if own <= other.every:
            own |= {next(heading for heading in sorted(layout.headings) if heading not in other.every)} if (
                layout.headings - other.every
            ) else set()
    return own


# The draft


@dataclass
class Draft:
    """A draft of a mapping.

    Attributes:
        text: The file.
        questions: How many `?` it has.
    """

    text: str
    questions: int


def draft(tables: Sequence[Printed], source: str) -> Draft:
    """A draft for tables that hold numbers.

    Args:
        tables: The tables of a page.
        source: Name of the source, for the first line.
    """
    cells: dict[str, list[str]] = {}
    printed: dict[str, str] = {}
    for table in tables:
        for at, heading in enumerate(table.headings):
            printed.setdefault(fold(heading), heading)
            cells.setdefault(fold(heading), []).extend(row[at] for row in table.rows if at < len(row))
    columns = {key: _column(heading, cells[key]) for key, heading in printed.items() if heading or any(cells[key])}
    layouts = _layouts(tables)
    owns = [_own(layout, layouts) for layout in layouts]
    shared = {key for layout in layouts for key in layout.every} - {key for own in owns for key in own}
    lines = [*_constants(_asked_everywhere(layouts, columns), tables)]
    lines += _missing(cells)
    if shared_lines := [*_lines([columns[key] for key in columns if key in shared])]:
        lines += ["columns:", *(f"  {line}" for line in shared_lines)]
    lines.append("tables:")
    everywhere = {name for name, _ in _asked_everywhere(layouts, columns)}
    for layout, own in zip(layouts, owns, strict=True):
        lines += _entry(layout, [columns[key] for key in columns if key in own], columns, everywhere)
    body = "".join(f"{visible(line)}\n" for line in lines)
    count = body.count(ASK)
    numbers = sum(table.numbers for table in tables)
    head = f"# Draft for {source}: {len(tables)} tables with {numbers} numbers, {count} questions. Answer each '?', or delete its line.\n"
    head += f"# What is not a '?' is a look-up by heading: read it, too. `benchledger map {source}` shows what becomes of the page.\n"
    return Draft(head + body, count)


def _stated(layout: _Layout, columns: dict[str, _Column]) -> set[str]:
    fields = {columns[key].field for key in layout.every if key in columns}
    titles = [title for table in layout.tables for title in table.titles]
    return {name for name in fields if name} | ({_name_of(titles) or "" } if titles else set())


def _asked_everywhere(layouts: Sequence[_Layout], columns: dict[str, _Column]) -> list[tuple[str, str]]:
    """The dimensions that no column of the page states."""
    stated = set().union(*(_stated(layout, columns) for layout in layouts))
    several = any(len(layout.tables) > 1 for layout in layouts)
    asked = [("task", "training or inference")] if "task" not in stated else []
    return asked + [(name, "") for name in _OF_ALL if name not in stated and not several]


def _constants(asked: Sequence[tuple[str, str]], tables: Sequence[Printed], indent: str = "") -> Iterator[str]:
    if asked:
        yield f"{indent}constants:"
    for name, words in asked:
        yield f"{indent}  {name}: {ASK}  # {words or _hint(name, tables)}"


def _hint(name: str, tables: Sequence[Printed]) -> str:
    kind = next(kind for kind, other in _NAMES if other == name)
    texts = [match[0] for table in tables for text in table.above for match in spelling_pattern(kind).finditer(text)]
    found = ", ".join(f'"{text}"' for text in [*dict.fromkeys(texts)][:_SHOWN])
    return f"{sum(table.numbers for table in tables)} numbers; " + (f"the text above says {found}" if found else "not found above")


def _missing(cells: dict[str, list[str]]) -> list[str]:
    texts = dict.fromkeys(text for column in cells.values() for text in column if text and is_nothing(text))
    return [f"missing: [{', '.join(map(_scalar, texts))}]"] if texts else []


def _entry(layout: _Layout, own: Sequence[_Column], columns: dict[str, _Column], everywhere: set[str]) -> Iterator[str]:
    tables = layout.tables
    lines = ", ".join(str(table.line) for table in tables[:8]) + (", ..." if len(tables) > 8 else "")
    numbers = sum(table.numbers for table in tables)
    yield f"# {numbers} numbers in {len(tables)} table{'s' * (len(tables) > 1)}, line {lines}"
    before = "- "
    parts: list[str] = []
    known = [columns[key] for key in layout.every if key in columns]
    if not any(column.is_value or column.kind == "numbers" for column in known):
        parts.append(f"skip: {ASK}  # true, if it holds no results; no column is known to hold measured numbers")
        own = [_Column(column.heading, [], said="ignore", kind="") for column in own]
    else:
        levels = zip_longest(*(table.above for table in tables), fillvalue="")
        above: list[str] = next((texts for level in levels if len(texts := [*dict.fromkeys(level)]) > 1), [])
        lacking = [name for name in _OF_ALL if name not in _stated(layout, columns) | everywhere]
        if len(above) > 1:
            shown = " | ".join(f'"{text}"' for text in above[:_SHOWN])
            words = f"; {', '.join(lacking)} in no column" if lacking else ""
            parts.append(f"headings: [{ASK}]  # what do the texts above say, as '(?P<platform>...)': {shown}{words}")
        else:
            parts += _constants([(name, "") for name in lacking], tables)
        if titles := [*dict.fromkeys(title for table in tables for title in table.titles)]:
            shown = ", ".join(f'"{title[:_LISTED]}"' for title in titles[:_SHOWN])
            parts.append(f"titles: {_name_of(titles) or ASK}  # alone in their rows: {shown}")
        blank = [c.heading for c in known if c.field and not c.is_value and _repeats(c, tables)]
        parts += [f"# fill_down?  blank cells below {', '.join(map(repr, blank))}"] if blank else []
    if lines_of := [*_lines(own)]:
        parts += ["columns:", *(f"  {line}" for line in lines_of)]
    for part in parts or ["{}"]:
        if part.startswith("#") and before == "- ":
            yield f"  {part}"
            continue
        yield before + part
        before = "  "


def _repeats(column: _Column, tables: Sequence[Printed]) -> bool:
    """Whether a blank cell is below a filled one."""
    places = [(table, at) for table in tables for at, heading in enumerate(table.headings) if fold(heading) == column.key]
    return any(
        before[at : at + 1] not in ((), ("",)) and row[at : at + 1] == ("",)
        for table, at in places
        for before, row in zip(table.rows, table.rows[1:], strict=False)
    )


def _lines(columns: Sequence[_Column]) -> Iterator[str]:
    """What a draft says of columns; those of one kind that are asked about stand together."""
    facts = False
    for column in columns:
        if not column.kind:
            said, facts = ("ignore" if facts else column.said, True) if column.said == "model_facts" else (column.said, facts)
            yield f"{_heading_key([column])}: {said}"
    kinds: dict[str, list[_Column]] = {}
    for column in columns:
        if column.kind:
            kinds.setdefault(column.kind, []).append(column)
    for same in kinds.values():
        samples = [text for column in same for text in column.cells[:_SHOWN]][:_SHOWN]
        shown = ", ".join(f'"{text[:_LISTED]}"' for text in samples)
        hint = "; several headings: split them where they differ" if len(same) > 1 and same[0].said == ASK else ""
        yield f"{_heading_key(same)}: {same[0].said}  # {shown or 'no cells'}{hint}"


def _heading_key(columns: Sequence[_Column]) -> str:
    """One heading as it is printed, or a pattern of several."""
    first = columns[0]
    if len(columns) == 1 and not first.pattern.startswith("(?P<") and "(?P<" not in first.pattern:
        return _scalar(first.heading) if first.key else "'/^$/'"
    if not first.pattern or not first.is_value:
        return _scalar(f"/{'|'.join(_escaped(column.heading) if column.heading else '^$' for column in columns)}/")
    if first.field and len(columns) > 1:
        return _scalar(f"/(?P<{first.field}>{'|'.join(_escaped(column.heading) for column in columns)})/")
    return _scalar(f"/{first.pattern}/")


def _escaped(text: str) -> str:
    return re.sub(r"([\\.^$*+?{}\[\]|()])", r"\\\1", text)


def _scalar(text: str) -> str:
    """A text as YAML writes it."""
    is_plain = re.fullmatch(r"[A-Za-z(][\w ./()+-]*", text) and not text.endswith(" ") and text not in ("null", "true", "false")
    return text if is_plain else "'" + visible(text, keep="").replace("'", "''") + "'"
