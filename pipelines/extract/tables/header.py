"""Which rows of a grid are headings, and what each column is: readings are enumerated and scored by the cells.

The best reading has to beat every other that gives other records. What one heading means belongs in `headings.py`,
the rows that a reading gives in `records.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from pipelines.extract.mentions import NAMES, find_mentions, fold, known_name, typed
from pipelines.extract.scope import Around, Stated
from pipelines.extract.tables.column_types import fits, is_measure, is_name, is_paired
from pipelines.extract.tables.headings import DURATION, Condition, Meaning, Named, understand, unit_of
from pipelines.extract.tables.values import cell_unit, is_nothing, is_numeric, read_evaluation, states_unit
from pipelines.read.document import Cell, Grid
from pipelines.values.durations import unit_seconds
from pipelines.values.numbers import parse_count
from pipelines.vocabulary.units import find_unit

_MEMORY = 1 << 16


@dataclass(frozen=True)
class Settings:
    """The tolerances of the search, found on fixtures of publishers that no rule was made for."""

    sample: int = 60
    """Rows of a long table by which a reading is scored."""
    max_depth: int = 4
    """Rows of headings, one below the other."""
    max_turned: int = 60
    """Columns of a table that may stand on its side."""
    many_columns: int = 12
    """Columns beyond which a table on its side is twice as unlikely."""
    least_share: float = 0.5
    """Share of cells that have to be numbers for a column to hold values."""
    margin: float = 0.12
    """By how much the best reading has to beat another one that gives other records."""
    least_score: float = 0.15
    """A reading below it says too little to be believed."""
    value: float = 2.0
    field: float = 1.5
    turned: float = 0.3
    depth: float = 0.1
    number_heading: float = 0.6
    named_twice: float = 0.5
    word_left: float = 0.04
    heading_in_body: float = 0.3
    """Against a reading whose first row of values holds words above all others' numbers."""


SETTINGS = Settings()


@dataclass(frozen=True)
class Column:
    """One column of a reading.

    Attributes:
        place: Its place in the (turned) grid, from 0.
        meaning: What its heading and its cells say that it is.
        cells: The heading's printed characters, by level of the meaning.
        is_label: Whether its cells are read by the mentions in them, as no heading says what they are.
    """

    place: int
    meaning: Meaning
    cells: tuple[Cell, ...]
    is_label: bool = False

    @cached_property
    def name(self) -> str:
        """The heading in one line."""
        return " ".join(text for cell in self.cells if (text := " ".join(cell.text.split())))

    @property
    def holds_values(self) -> bool:
        return self.meaning.role in ("value", "pivot")


@dataclass(frozen=True)
class Reading:
    """One way to understand a grid.

    Attributes:
        grid: The grid, on its side where `is_turned`.
        first: First row of the headings.
        depth: Rows of headings.
        columns: What each column is.
        corner: Metric and unit that stand above the names of a pivot, or None.
        score: How well the cells fit.
    """

    grid: Grid
    first: int
    depth: int
    columns: tuple[Column, ...]
    is_turned: bool = False
    corner: Meaning | None = None
    corner_cells: tuple[Cell, ...] = ()
    score: float = 0.0

    @property
    def body(self) -> range:
        """Rows below the headings."""
        return range(self.first + self.depth, len(self.grid.texts))

    @property
    def values(self) -> list[Column]:
        return [column for column in self.columns if column.holds_values]

    def described(self) -> str:
        """The reading in words."""
        side = "on its side, " if self.is_turned else ""
        rows = f"{self.depth} row{'s' * (self.depth > 1)} of headings"
        parts = [
            f"{column.name or 'column ' + str(column.place + 1)!s}: {_described(column)}" for column in self.columns
        ]
        return f"{side}{rows}; {', '.join(parts)}"


def _described(column: Column) -> str:
    meaning = column.meaning
    if meaning.role == "value" or meaning.role == "pivot":
        of = ", ".join(f"{c.dimension} {c.value}" for c in meaning.conditions)
        what = meaning.metric.value if meaning.metric else "values"
        return f"{what}{' of ' + of if of else ''}"
    return meaning.dimension or meaning.attribute or ("names" if column.is_label else meaning.role)


def turned(grid: Grid) -> Grid | None:
    """The grid with its columns as rows, or None where its rows differ in length or are too many."""
    if not grid.texts or len(grid.texts) > SETTINGS.max_turned:
        return None
    width = len(grid.texts[0])
    if width < 2 or any(len(row) != width for row in grid.texts):
        return None
    return replace(
        grid,
        texts=tuple(zip(*grid.texts, strict=True)),
        lines=tuple(zip(*grid.lines, strict=True)),
        starts=tuple(zip(*grid.starts, strict=True)),
        heading_rows=0,
        heading_columns=0,
        spans={(c, r): (fc, fr) for (r, c), (fr, fc) in grid.spans.items()},
    )


def readings(grid: Grid, around: Around) -> list[Reading]:
    """Every way to understand a grid that gives values, the best first."""
    found = list(_upright(grid, around))
    if (on_side := turned(grid)) is not None:
        # Nobody prints dozens of columns.
        against = SETTINGS.turned * (2 if len(grid.texts) > SETTINGS.many_columns else 1)
        on_its_side = [r for r in _upright(on_side, around) if not _names_other_things(r)]
        found += [replace(r, is_turned=True, score=r.score - against) for r in on_its_side]
    return sorted(found, key=lambda reading: -reading.score)


def _names_other_things(reading: Reading) -> bool:
    """True for `System` before `Cartpole` and `Reach`: the word names the column below it, and no row of chips."""
    first, texts = reading.columns[0], [row[0] for row in reading.grid.texts[reading.body.start :]]
    if first.meaning.dimension not in NAMES or first.is_label or reading.depth > 1:
        return False
    if first.meaning.dimension == "platform":
        return not _holds_chips(texts)
    # `Framework` before `Cartpole`, beside `PyTorch` and `JAX`
    is_named = any(one.dimension == first.meaning.dimension for c in reading.values for one in c.meaning.conditions)
    return is_named and not any(known_name(first.meaning.dimension, text) for text in texts)


def _holds_chips(texts: Sequence[str]) -> bool:
    """True where any of the names is that of a platform, or looks like one."""
    kinds = {m.kind for text in texts for m in find_mentions(text)}
    return not kinds.isdisjoint({"platform", "unknown_name"})


def _upright(grid: Grid, around: Around) -> Iterator[Reading]:
    first = next((n for n, row in enumerate(grid.texts) if len({t for t in row if t}) > 1), None)
    if first is None:
        return
    for depth in _depths(grid, first):
        if first + depth < len(grid.texts):
            reading = _read(grid, first, depth, around)
            if reading and reading.values:
                yield reading


def _depths(grid: Grid, first: int) -> list[int]:
    """How many rows of headings there may be; the file's own word leaves little choice."""
    told = grid.heading_rows - first
    depths = [told] if told > 0 else [1]
    while len(depths) <= SETTINGS.max_depth and _may_be_heading(grid.texts, first + depths[-1]):
        depths.append(depths[-1] + 1)
    return depths


def _may_be_heading(texts: Sequence[Sequence[str]], row: int) -> bool:
    """False for a row with a quantity in it; bare counts may stand below the name of a field."""
    if row >= len(texts) - 1:
        return False
    cells = [text for text in texts[row] if text]
    return not any(_is_data(text) for text in cells)


@lru_cache(_MEMORY)
def _is_data(text: str) -> bool:
    """True for what begins like a value and is no condition that a heading may state: `64,5`, `1,204 img/s`."""
    if is_numeric(text):
        return parse_count(text) is None
    return text[:1].isdigit() and not find_mentions(text) and not is_paired(text)


def _read(grid: Grid, first: int, depth: int, around: Around) -> Reading | None:
    width = max(len(row) for row in grid.texts[first : first + depth])
    body = grid.texts[first + depth : first + depth + SETTINGS.sample]
    # A title over the whole width says nothing of a column.
    rows = [row for row in body if len(row) == width and len({text for text in row if text}) > 1]
    # A row that lacks cells may have lost the names at its beginning, which is no fault of the reading.
    rows = [row for row in rows if row[-1]] or rows
    columns, score = [], 0.0
    fields = {row: found for row in range(first, first + depth) if (found := _field_of_row(grid, row))}
    for place in range(width):
        cells = _stack(grid, first, depth, place, fields)
        column, points = _column(place, cells, [row[place] for row in rows])
        columns.append(column)
        score += points
    if any(understand((cell.text,)).column in _WHOLE_HEADINGS for column in columns for cell in column.cells[:-1]):
        # `Metric` and `Value` stand above rows of any kind, and above no further heading.
        return None
    columns = _with_request_rate(columns)
    columns = _with_precisions(_with_models(_named_like_siblings(columns), rows), rows)
    columns = _without_software(columns, rows)
    score -= SETTINGS.number_heading * _lone_numbers(columns) + SETTINGS.named_twice * _named_twice(columns)
    columns, corner, cornered = _with_corner(columns, rows)
    first_row = {text for c in columns if c.holds_values for text in body[0][c.place : c.place + 1] if text}
    is_heading = len(first_row) > 1 and not any(is_nothing(text) or _is_valued(text) for text in first_row)
    has_metric = (
        corner is not None or any(c.meaning.role in ("measure", "unit") for c in columns) or _lends_metric(around)
    )
    columns = _with_siblings(columns, rows, around)
    valued = 0
    for at, column in enumerate(columns):
        meaning = column.meaning
        if meaning.role == "pivot" or (meaning.role == "value" and meaning.metric is None):
            texts = [row[column.place] for row in rows]
            if meaning.unit and (unit_seconds(meaning.unit.value) or lent_of_kind(around, meaning.unit.value)):
                score += 0.5
                valued += 1
                continue
            if not (has_metric or any(cell_unit(text) or states_unit(text) for text in texts)):
                if meaning.column == "evaluation":
                    continue
                # A number below a condition is a value only where something says of what.
                columns[at] = replace(column, meaning=replace(meaning, role="unknown"))
                continue
            score += 0.5
        valued += columns[at].holds_values
    if not valued:
        return None
    filled = sum(1 for c in columns if c.name or c.meaning.role != "unknown" or any(row[c.place] for row in rows)) or 1
    score = score / filled - SETTINGS.depth * (depth - 1) - SETTINGS.heading_in_body * is_heading
    return Reading(grid, first, depth, tuple(columns), corner=corner, corner_cells=cornered, score=score)


def _named_like_siblings(columns: Sequence[Column]) -> list[Column]:
    """Columns headed by a name that no vocabulary knows, beside others headed by known names of one kind at its level.

    `JetsonNano2GB` beside `T4` and `Adreno 660` is a platform, whatever it is.
    """
    named: dict[int, Counter[str]] = {}
    for column in columns:
        for condition in column.meaning.conditions if column.meaning.role in ("value", "pivot") else ():
            if condition.dimension in NAMES:
                named.setdefault(condition.level, Counter())[condition.dimension] += 1
    found = []
    for column in columns:
        meaning = column.meaning
        for level, cell in enumerate(column.cells):
            kinds = named.get(level, Counter())
            if len(kinds) != 1 or meaning.role not in ("value", "pivot", "unknown"):
                continue
            dimension, text = next(iter(kinds)), cell.text
            is_stated = any(c.dimension == dimension for c in meaning.conditions)
            if is_stated or not is_name(text) or any(m.kind not in _BESIDE_NAMES for m in find_mentions(text)):
                continue
            condition = Condition(dimension, " ".join(text.split()), level, 0, len(text))
            left = tuple(word for word in meaning.left if word not in text)
            role = "pivot" if meaning.role == "unknown" else meaning.role
            meaning = replace(meaning, role=role, conditions=(*meaning.conditions, condition), left=left)
        found.append(replace(column, meaning=meaning) if meaning is not column.meaning else column)
    return found


def _named_twice(columns: Sequence[Column]) -> int:
    """Columns of values whose headings name what a column of names names, too: one of both means something else."""
    fields = {c.meaning.dimension for c in columns if c.meaning.role == "field"} & set(NAMES)
    return sum(any(one.dimension in fields for one in c.meaning.conditions) for c in columns if c.holds_values)


def _with_request_rate(columns: list[Column]) -> list[Column]:
    """`RPS` in front of what is measured is how many requests were sent, and no result."""
    first = next((at for at, c in enumerate(columns) if c.holds_values), None)
    if first is None or sum(c.holds_values for c in columns) < 2:
        return columns
    meaning = columns[first].meaning
    unit = find_unit(meaning.unit.value) if meaning.unit else None
    is_alone = meaning.unit is not None and fold(columns[first].name) == fold(meaning.unit.value)
    if not is_alone or unit is None or unit.entry.facts.get("item") not in ("requests", "queries") or first:
        return columns
    return [replace(columns[0], meaning=Meaning("field", "request_rate", column="request_rate")), *columns[1:]]


def _with_models(columns: list[Column], rows: Sequence[Sequence[str]]) -> list[Column]:
    """The column of models, `Topology`, that its cells show where no heading says which column it is."""
    if any(
        c.meaning.dimension == "model" or any(o.dimension == "model" for o in c.meaning.conditions) for c in columns
    ):
        return columns
    for at, column in enumerate(columns):
        if column.holds_values or column.meaning.dimension or column.meaning.role not in ("field", "unknown"):
            continue
        names = {text for row in rows if (text := row[column.place]) and not is_nothing(text)}
        models = sum(any(m.kind == "model" for m in find_mentions(text)) for text in names)
        if len(names) > 1 and models * 5 >= len(names) * 3 and not any(map(is_numeric, names)):
            return [
                *columns[:at],
                replace(column, meaning=Meaning("field", "model", column="model")),
                *columns[at + 1 :],
            ]
    return columns


def _without_software(columns: list[Column], rows: Sequence[Sequence[str]]) -> list[Column]:
    """A lone column `System` of names none of which looks like a chip, `stable (Torch managers)`, is none of chips."""
    platforms = [column for column in columns if column.meaning.dimension == "platform"]
    if len(platforms) != 1 or platforms[0].name.casefold() != "system":
        return columns
    if _holds_chips([row[platforms[0].place] for row in rows]):
        return columns
    unknown = replace(platforms[0], meaning=Meaning("unknown", left=(platforms[0].name,)))
    return [unknown if column is platforms[0] else column for column in columns]


def _with_precisions(columns: list[Column], rows: Sequence[Sequence[str]]) -> list[Column]:
    """The one column of number formats where no heading says which it is: `float32` below `Mode` or `Type`."""
    if any(column.meaning.dimension == "precision" for column in columns):
        return columns
    found = []
    for column in columns:
        texts = {text for row in rows if (text := row[column.place]) and not is_nothing(text)}
        if not column.holds_values and texts and all(typed("precision", text) for text in texts):
            found.append(column)
    if len(found) != 1:
        return columns
    named = replace(found[0], meaning=Meaning("field", "precision", column="precision"))
    return [named if column is found[0] else column for column in columns]


def _with_siblings(columns: list[Column], rows: Sequence[Sequence[str]], around: Around) -> list[Column]:
    """Numbers below words that nobody knows, right beside those below known ones: all are values of one quantity.

    Where the words right above the table name a quantity with its unit, the numbers below all its headings are.
    """
    numbers = [c.place for c in columns if c.holds_values or (c.meaning.role == "unknown" and _is_of_numbers(c, rows))]
    # The last of the columns without a gap.
    block = [place for at, place in enumerate(numbers) if numbers[-1] - place == len(numbers) - 1 - at]
    inside = [columns[place] for place in block]
    is_pivot = any(c.meaning.role == "pivot" and c.meaning.conditions for c in inside)
    is_told = block[:1] == [1] and len(block) > 1 and all(c.meaning.role == "unknown" for c in inside)
    if not is_pivot and not (is_told and _tells_quantity(around)):
        return columns
    if any(c.meaning.role not in ("pivot", "unknown") for c in inside):
        return columns
    found = list(columns)
    for column in inside:
        if column.meaning.role == "unknown":
            left = Meaning("pivot", left=(column.name,), left_at=len(column.cells) - 1)
            found[column.place] = replace(column, meaning=left)
    return found


def _is_of_numbers(column: Column, rows: Sequence[Sequence[str]]) -> bool:
    present = [text for row in rows if (text := row[column.place]) and not is_nothing(text)]
    return bool(column.name and present) and sum(map(_is_valued, present)) >= SETTINGS.least_share * len(present)


def _tells_quantity(around: Around) -> bool:
    """True where the text right above a table names one metric and its unit: `Throughput [M transitions/s]`."""
    level = around.by_level[0] if around.by_level else {}
    metric, unit = level.get("metric"), level.get("unit")
    return bool(metric and unit and metric.level == "caption" and unit_of(metric.value, unit.value))


# Columns of headings that name no quantity, as they stand above several.
_WHOLE_HEADINGS = frozenset({"evaluation", "result"})
# What may stand in the name of something that no vocabulary knows.
_BESIDE_NAMES = frozenset({"unknown_name", "field"})


def _lone_numbers(columns: Sequence[Column]) -> int:
    """Numbers below the name of a field that stands above no other column: that is a row of data."""
    fields = Counter(cell for column in columns for cell in column.cells[:-1])
    lone = 0
    for column in columns:
        last = column.cells[-1].text if column.cells else ""
        if (
            len(column.cells) > 1
            and parse_count(last) is not None
            and max(fields[cell] for cell in column.cells[:-1]) == 1
        ):
            lone += 1
    return lone


def _field_of_row(grid: Grid, row: int) -> tuple[int, Cell] | None:
    """The field that a row of headings is named by at its left: `TP Size`, before `1`, `2` and `1`."""
    texts = grid.texts[row]
    first = next((at for at, text in enumerate(texts) if text), None)
    if first is None:
        return None
    above = grid.texts[row - 1] if row else ()
    named = [
        at
        for at in range(first, len(texts))
        if texts[at] and above[at : at + 1] != (texts[at],) and understand((texts[at],)).role == "field"
    ]
    counts = [at for at, text in enumerate(texts) if text and parse_count(text) is not None]
    if not named or not counts or named[-1] > counts[0]:
        return None
    at = named[-1]
    start = grid.starts[row][at]
    return at, Cell(texts[at], grid.lines[row][at], start, start + len(texts[at]))


def _stack(grid: Grid, first: int, depth: int, place: int, fields: Mapping[int, tuple[int, Cell]]) -> tuple[Cell, ...]:
    """The headings above a column from the top; a cell that spans several of them counts once."""
    found: list[Cell] = []
    for row in range(first, first + depth):
        texts = grid.texts[row]
        if place >= len(texts):
            continue
        text = texts[place]
        if not text and row < first + depth - 1:
            text, at = _spanned(grid, row, place)
        else:
            at = place
        cell = Cell(text, grid.lines[row][at], grid.starts[row][at], grid.starts[row][at] + len(text))
        if not text or any(cell == other for other in found):
            continue
        if row in fields and place > fields[row][0] and parse_count(text) is not None:
            found.append(fields[row][1])
        found.append(cell)
    return tuple(found)


def _spanned(grid: Grid, row: int, place: int) -> tuple[str, int]:
    """The heading to the left that a blank one above others belongs to, in files that cannot show what spans."""
    below = grid.texts[row + 1]
    if grid.layout in ("html", "rst") or place >= len(below) or not below[place]:
        return "", place
    left = next((at for at in range(place - 1, -1, -1) if grid.texts[row][at]), None)
    # The name of a single column stands above nothing.
    if left is None or not below[left]:
        return "", place
    return grid.texts[row][left], left


# Columns


def _column(place: int, cells: tuple[Cell, ...], texts: Sequence[str]) -> tuple[Column, float]:
    """What a column is, and how well its cells fit."""
    meaning = understand(tuple(cell.text for cell in cells))
    present = [text for text in texts if text and not is_nothing(text)]
    numbers = sum(map(_is_valued, present))
    # A word that stands for many missing ones, `NT` or `-/-`, counts once.
    words = len({text for text in present if not _is_valued(text)})
    numeric = numbers / (numbers + words) if present else 0.0
    column = Column(place, meaning, cells)
    points = -SETTINGS.word_left * min(len(meaning.left), 8) - SETTINGS.number_heading * meaning.numbers
    role = meaning.role
    if not present:
        return column, points + (0.3 if role in ("field", "value") else 0.0)
    if meaning.column == "evaluation":
        return _evaluated(column, present, points)
    if role == "value":
        if numeric >= SETTINGS.least_share:
            return column, points + SETTINGS.value * numeric
        if inferred := _inferred(column, present):
            # The corner of a pivot names what its cells are: `Throughput (img/s)` above the names of GPUs.
            return inferred, points + 0.5
        return column, points - 2.0
    if role == "field":
        dimension = meaning.dimension or ""
        is_half_known = bool(meaning.left) and dimension in ("framework", "platform")
        if is_half_known and not any(known_name(dimension, text) for text in present):
            # `Execution Engine` above `NPU/GPU`: neither the whole heading nor a cell is known.
            return _by_cells(replace(column, meaning=Meaning("unknown", left=(column.name,))), present), points
        fit = sum(fits(meaning, text) for text in present) / len(present)
        if fit >= SETTINGS.least_share:
            return column, points + SETTINGS.field * (2 * fit - 1)
        if inferred := _inferred(column, present):
            return inferred, points
        # Most cells cannot be what the heading seemed to say: it says something else.
        return _by_cells(replace(column, meaning=Meaning("unknown", left=(column.name,))), present), points - 1.5
    if role == "pivot":
        if numeric >= SETTINGS.least_share:
            return column, points + 1.0 * numeric
        if inferred := _inferred(column, present):
            return inferred, points
        return replace(column, meaning=replace(meaning, role="unknown")), points - 1.0
    if role in ("measure", "unit", "ignored"):
        return column, points + 1.0
    if numeric >= SETTINGS.least_share:
        pivot = _by_cells(column, present)
        return pivot, points + 0.5 * (pivot is not column)
    inferred = _inferred(column, present)
    return (inferred, points + 0.5) if inferred else (column, points)


def _by_cells(column: Column, present: Sequence[str]) -> Column:
    """A column of quantities in printed units below words that nobody knows: these tell its numbers from others."""
    if not column.name or sum(map(states_unit, present)) < SETTINGS.least_share * len(present):
        return column
    left = column.meaning.left or (column.name,)
    return replace(column, meaning=Meaning("pivot", left=left, left_at=len(column.cells) - 1))


@lru_cache(_MEMORY)
def _is_valued(text: str) -> bool:
    return is_numeric(text) or read_evaluation(text) is not None


def _evaluated(column: Column, present: Sequence[str], points: float) -> tuple[Column, float]:
    """A column `Metric`: qualities with their measure, or the names of what the row measures."""
    evaluated = sum(read_evaluation(text) is not None for text in present) / len(present)
    if evaluated >= SETTINGS.least_share:
        return column, points + SETTINGS.value * evaluated
    named = _inferred(column, present)
    return named or replace(column, meaning=Meaning("measure", column="measure")), points + 1.0


def _inferred(column: Column, present: Sequence[str]) -> Column | None:
    """A column of names whose heading does not say what they name."""
    distinct = list(dict.fromkeys(present))
    named = Counter(dimension for text in distinct for dimension in NAMES if known_name(dimension, text))
    named.update("precision" for text in distinct if typed("precision", text))
    if named:
        dimension, count = named.most_common(1)[0]
        if count * 5 >= len(distinct) * 3:
            return replace(column, meaning=Meaning("field", dimension, column=dimension), is_label=True)
    measures = sum(is_measure(text) for text in distinct)
    if measures * 5 >= len(distinct) * 3:
        return replace(column, meaning=Meaning("measure", column="measure"))
    if any(map(is_numeric, distinct)):
        return None
    stated = sum(
        any(m.kind not in ("field", "unknown_name", "comparison") for m in find_mentions(text)) for text in distinct
    )
    if stated * 2 >= len(distinct):
        return replace(column, meaning=Meaning("field", column="label"), is_label=True)
    return None


def _with_corner(
    columns: list[Column], body: Sequence[Sequence[str]]
) -> tuple[list[Column], Meaning | None, tuple[Cell, ...]]:
    """What the heading above the names of a pivot says of the other headings: `Batch size` above `1`, `8`;
    `tokens/s`.
    """
    corner, cells = None, tuple[Cell, ...]()
    for column in columns:
        if column.meaning.role in ("field", "measure") and column.cells:
            meaning = understand(tuple(cell.text for cell in column.cells))
            if meaning.role == "value" and (meaning.metric or meaning.unit):
                corner, cells = meaning, column.cells
            dimension = meaning.dimension if meaning.role == "field" else _field_in(column)
            if dimension and (dimension != column.meaning.dimension or column.is_label):
                columns = [_numbered(other, dimension, body) for other in columns]
    return columns, corner, cells


def _field_in(column: Column) -> str | None:
    r"""`Model \\ Batch size`: the field of a corner that the names below it are not."""
    for cell in column.cells:
        for mention in find_mentions(cell.text):
            if mention.kind == "field":
                meaning = understand((mention.value,))
                if meaning.dimension and meaning.dimension != column.meaning.dimension:
                    return meaning.dimension
    return None


def _numbered(column: Column, dimension: str, body: Sequence[Sequence[str]]) -> Column:
    """A column below a bare number, as a pivot over the values of a dimension."""
    meaning = column.meaning
    if meaning.role != "unknown" or len(column.cells) != 1 or column.is_label:
        return column
    value = typed(dimension, column.cells[0].text)
    present = [row[column.place] for row in body if row[column.place] and not is_nothing(row[column.place])]
    if value is None or dimension in NAMES or sum(map(is_numeric, present)) < SETTINGS.least_share * len(present):
        return column
    condition = Condition(dimension, value, 0, 0, len(column.cells[0].text))
    return replace(column, meaning=Meaning("pivot", conditions=(condition,)))


# `Training performance`: what was measured, something else says.
_VAGUE_WORDS = frozenset({"performance", "training performance", "speed", "cost", "efficiency", "output", "power"})


def lent_of_kind(around: Around, unit: str) -> Stated | None:
    """The metric of the nearest level that a unit fits: `TensorRT (ms)` below `Latency benchmark`."""
    for level in around.by_level:
        metric = level.get("metric")
        if metric and metric.cell.text.casefold() not in _VAGUE_WORDS and unit_of(metric.value, unit):
            return metric
    return None


def _lends_metric(around: Around) -> bool:
    return lent_metric(around) is not None


def lent_metric(around: Around) -> Meaning | None:
    """Metric, unit and statistic that the nearest level above a table names, all from that one level.

    Where none names a metric, the nearest one that names a unit of time: what it measures is a duration.
    """
    for level in around.by_level:
        if "metric" not in level and "unit" not in level:
            continue
        metric, unit = level.get("metric"), level.get("unit")
        if ("metric" in level and metric is None) or ("unit" in level and unit is None and metric is None):
            return None
        if metric and unit is None and metric.cell.text.casefold() in _VAGUE_WORDS:
            continue
        texts = tuple(dict.fromkeys(" ".join(s.cell.text.split()) for s in (metric, unit) if s))
        meaning = understand((f"{texts[0]} ({unit.cell.text})",)) if metric and unit else understand(texts)
        if meaning.role != "value" or meaning.metric is None:
            continue
        statistic = level.get("statistic")
        place = Named(statistic.value, 0, 0, 0) if statistic else None
        return replace(meaning, statistic=place, conditions=())
    for level in around.by_level:
        if (unit := level.get("unit")) and unit_seconds(unit.value):
            return Meaning("value", metric=Named(DURATION, 0, 0, 0), unit=Named(unit.value, 0, 0, 0))
    return None


# The choice


# Line and first character of a number -> all that a reading says of it
Said = Mapping[tuple[int, int], frozenset[object]]


@dataclass(frozen=True)
class Choice:
    """The reading that was chosen, or two that nothing decides between.

    Attributes:
        best: The best reading; None where the grid holds no results.
        other: Another reading that is as good and gives other records, or None.
    """

    best: Reading | None = None
    other: Reading | None = None


def choose(found: Sequence[Reading], records_of: Callable[[Reading], Said]) -> Choice:
    """The best of the readings; with it a second one where nothing decides between their records.

    Args:
        found: Readings, the best first.
        records_of: Function from a reading to what it says of each number. A pivot and its transpose are no tie, nor is
            a reading that says the same and less.
    """
    if not found or found[0].score < SETTINGS.least_score:
        return Choice()
    best = found[0]
    rivals = [other for other in found[1:] if best.score - other.score < SETTINGS.margin]
    if not rivals:
        return Choice(best)
    own = records_of(best)
    for rival in rivals:
        other = records_of(rival)
        if other and not all(own.get(place, frozenset()) >= said for place, said in other.items()):
            return Choice(best, rival)
    return Choice(best)
