"""A reading of a grid to records: the measured numbers of each row with everything that is stated of them.

Columns are understood once per distinct text. What the words around the table state is asked of `scope.py`; which
fields a
row of the warehouse has belongs in `measurements.py`.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from pipelines.extract.mentions import NAMES, field_of, find_mentions, known_name, typed
from pipelines.extract.scope import Around, Stated
from pipelines.extract.tables.column_checks import (
    AMBIGUOUS,
    Damage,
    check_columns,
    is_ambiguous,
    writes_decimal_commas,
)
from pipelines.extract.tables.header import Column, Reading, fits, lent_metric, lent_of_kind
from pipelines.extract.tables.headings import Meaning, Named, canonical_unit, entry_of, is_length, understand, unit_of
from pipelines.extract.tables.values import (
    Unit,
    Value,
    cell_unit,
    is_nothing,
    is_numeric,
    metric_in_unit,
    read_evaluation,
    read_value,
)
from pipelines.read.document import Cell
from pipelines.values.durations import unit_seconds
from pipelines.values.numbers import parse_count
from pipelines.vocabulary.lookup import find
from pipelines.vocabulary.printed_names import read_model, read_platform
from pipelines.vocabulary.units import find_unit

_MEMORY = 1 << 15
# In a table of so few rows one name may be left out; in a longer one a single blank cell has lost it.
_SHORT_TABLE = 4
_MINUTE = 60
# `7B` below `Size`
_SIZE = re.compile(r"\d+(?:\.\d+)?[BM]", re.IGNORECASE)
_OF_SIZE = re.compile(r"\b(?:size|param(?:eter)?s)\b", re.IGNORECASE)
# `MindSpore Version`, `PyTorch version`
_OF_VERSION = re.compile(r"(?P<name>.{2,60}?)\sversion", re.IGNORECASE)
# A longer text is a remark, which tells no benchmark from another.
_LONGEST_SPARE = 60


class Part(NamedTuple):
    """What a cell states, with its characters within the cell."""

    dimension: str
    value: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Record:
    """One measured number.

    Attributes:
        cell: The characters of the number.
        metric: Canonical metric.
        statistic: `p99`, `mean` ... or None.
        value: Value and unit.
        stated: Conditions by dimension, the nearest level's each.
        others: Further conditions that are no dimension of their own: attributes and words left over.
        row: Row of the grid.
        column: Column of the reading.
    """

    cell: Cell
    metric: str
    statistic: Stated | None
    value: Value
    stated: dict[str, Stated]
    others: tuple[Stated, ...]
    row: int
    column: Column
    around: Around

    @property
    def said(self) -> frozenset[object]:
        """What tells the number from others, each fact by itself."""
        metric, statistic, dims, others, item = self.identity
        return frozenset({("metric", metric), ("statistic", statistic), ("item", item), *dims, *others})

    @property
    def identity(self) -> tuple[str, str | None, frozenset[tuple[str, str]], frozenset[tuple[str, str]], str | None]:
        """What tells a number from the others of its document: equal ones say two things of one benchmark."""
        dims = frozenset((name, stated.value) for name, stated in self.stated.items() if name not in _NO_IDENTITY)
        return (
            self.metric,
            self.statistic.value if self.statistic else None,
            dims,
            frozenset((stated.dimension, stated.value) for stated in self.others if not is_weak(stated.dimension)),
            self.value.unit.item,
        )


# A unit tells nothing apart, and a remark may differ between rows of one benchmark.
_NO_IDENTITY = frozenset({"unit", "metric"})


@dataclass
class Records:
    """What a table gives.

    Attributes:
        records: The measured numbers, by row, then by column.
        damages: Rows and cells that cannot be what their column holds, with the reason.
        unread: Cells of value columns that give no value, with the reason.
        titles: Rows that hold for those below them.
    """

    records: list[Record] = field(default_factory=list)
    damages: list[Damage] = field(default_factory=list)
    unread: list[tuple[Cell, str, int]] = field(default_factory=list)
    titles: list[Cell] = field(default_factory=list)


def assemble(
    reading: Reading, around: Around, units: dict[str, Unit | None] | None = None, limit: int | None = None
) -> Records:
    """The records that a reading of a grid gives.

    Args:
        reading: The reading.
        around: What holds for the table.
        units: Units that footnotes give for a dataset or a model, None for one that no vocabulary knows; `""` is all.
        limit: Rows to read, for a sample.
    """
    return _Assembly(reading, around, units or {}).run(limit)


class _Assembly:
    def __init__(self, reading: Reading, around: Around, units: dict[str, Unit | None]) -> None:
        self.reading, self.grid, self.around, self.units = reading, reading.grid, around, units
        self.width = len(reading.columns)
        self.found = Records()
        self.labels = [c for c in reading.columns if c.meaning.role == "field"]
        self.values = reading.values
        first = min((c.place for c in self.values), default=0)
        self.prints_release = any(
            c.meaning.dimension == "sdk_version" or c.meaning.attribute == "Container" for c in reading.columns
        ) or any((c.meaning.canonical or "").startswith("USD") for c in self.values)
        batches = [c for c in self.labels if c.meaning.dimension == "batch_size"]
        batches.sort(key=lambda c: _BATCHES.get(c.meaning.batch_kind or "", 1))
        self.batch_column = batches[0].place if batches else None
        self.spare = [c for c in reading.columns if c.meaning.role == "unknown" and c.place < first]
        self.names_rows = any(self._holds_names(column) for column in self.spare)
        self.measures = [c for c in reading.columns if c.meaning.role in ("measure", "unit")]
        self.lent = None if self._holds_settings() else lent_metric(around)
        self._scopes: dict[int, dict[str, Stated]] = {}
        self._headed: dict[int, tuple[dict[str, Stated], tuple[Stated, ...]]] = {}
        self.has_commas = False
        self.stated_by_rows: frozenset[str] = frozenset()
        self.header = {tuple(self.grid.texts[row]) for row in range(reading.first, reading.first + reading.depth)}

    def _holds_names(self, column: Column) -> bool:
        """True for a column of names of models that no vocabulary knows: words with a number or a joint in each."""
        texts = {row[column.place] for row in self.grid.texts[self.reading.body.start :] if len(row) > column.place}
        named = sum(any(m.kind in ("unknown_name", "model") for m in find_mentions(text)) for text in texts)
        return len(texts) > 1 and named * 2 > len(texts)

    def _holds_settings(self) -> bool:
        """True for a table whose rows are named like fields, or whose numbers stand among words.

        Those are the settings of a run, `Optimizer`, `Learning rate`, and not what the words around it measure.
        """
        rows = self.grid.texts[self.reading.body.start :]
        names = {row[0] for row in rows if row and (not self.values or self.values[0].place > 0)}
        if any(understand((name,)).role == "field" for name in names):
            return True
        values = {row[c.place] for row in rows for c in self.values if c.place < len(row)}
        return not all(is_numeric(text) or is_nothing(text) or read_evaluation(text) for text in values)

    def run(self, limit: int | None) -> Records:
        rows = list(self.reading.body)[:limit]
        whole: list[int] = []
        placed: dict[int, tuple[tuple[str, ...], tuple[int, ...], tuple[int, ...]]] = {}
        scopes: dict[int, Around] = {}
        around = self.around
        for row in rows:
            texts = self.grid.texts[row]
            if texts in self.header or not any(texts):
                continue
            if title := self._title(row):
                self.found.titles.append(title)
                around = self.around.within(title)
                continue
            cells = self._fitted(row)
            if cells is None:
                self._damage(row, self._misfit(texts))
                continue
            placed[row] = cells
            scopes[row] = around
            whole.append(row)
        self._fill_down(whole, placed)
        checked = check_columns(self.reading, whole, placed)
        self.found.damages += checked
        damaged = {damage.row for damage in checked}
        self.has_commas = writes_decimal_commas(self.reading, whole, placed)
        self.stated_by_rows = self._of_labels(placed[row][0] for row in whole)
        for row in whole:
            if row not in damaged:
                self._row(row, *placed[row], scopes[row])
        return self.found

    def _of_labels(self, rows: Iterable[Sequence[str]]) -> frozenset[str]:
        """The names that columns without a heading for them state in some of the rows."""
        labels = [column for column in self.labels if column.meaning.column == "label"]
        texts = {(column, row[column.place]) for row in rows for column in labels}
        parts = (part for column, text in texts for part in parts_of(column.meaning, text, column.name))
        return frozenset(part.dimension for part in parts if part.dimension in NAMES)

    # Rows

    def _cell(self, texts: Sequence[str], lines: Sequence[int], starts: Sequence[int], at: int) -> Cell:
        return Cell(texts[at], lines[at], starts[at], starts[at] + len(texts[at]))

    def _damage(self, row: int, reason: str) -> None:
        cells = tuple(
            self._cell(self.grid.texts[row], self.grid.lines[row], self.grid.starts[row], at)
            for at in range(len(self.grid.texts[row]))
        )
        self.found.damages.append(Damage(row, cells, reason))

    def _misfit(self, texts: Sequence[str]) -> str:
        return f"{len(texts)} cells stand where {self.width} are expected; the row is cut or has a cell too many"

    def _title(self, row: int) -> Cell | None:
        """The one text of a row that is no value: it holds for the rows below it."""
        texts = self.grid.texts[row]
        present = {text for text in texts if text}
        if len(present) != 1 or self.width < 2:
            return None
        text = next(iter(present))
        at = texts.index(text)
        if is_numeric(text) or is_nothing(text) or at > 0:
            return None
        spans = len(texts) == 1 or (row, 1) in self.grid.spans or sum(bool(t) for t in texts) > 1
        if not spans and not any(m.kind in _TITLED for m in find_mentions(text)):
            # A row that only names its model has lost its values, unless what it says is a condition.
            return (
                None
                if len(texts) == self.width
                and self.reading.columns[0].meaning.dimension in NAMES
                and not _is_bold(text)
                else self._cell(texts, self.grid.lines[row], self.grid.starts[row], at)
            )
        return self._cell(texts, self.grid.lines[row], self.grid.starts[row], at)

    def _fitted(self, row: int) -> tuple[tuple[str, ...], tuple[int, ...], tuple[int, ...]] | None:
        """The cells of a row, one for each column; None where they are too many or where they belong is not clear."""
        texts, lines, starts = self.grid.texts[row], self.grid.lines[row], self.grid.starts[row]
        while len(texts) > self.width and not texts[-1]:
            texts, lines, starts = texts[:-1], lines[:-1], starts[:-1]
        if len(texts) == self.width and (texts[-1] or self.grid.holds_records or self._fit(texts, 0)):
            return texts, lines, starts
        if len(texts) == self.width:
            # A file pads a row that lacks its first cells at the end.
            printed = next(n for n in range(len(texts), 0, -1) if texts[n - 1])
            texts, lines, starts = texts[:printed], lines[:printed], starts[:printed]
        missing = self.width - len(texts)
        if missing <= 0 or self.grid.holds_records:
            return None
        # A name printed once for several rows was left out: the cells move right where only that fits. A row of which
        # only values are left says nothing of its own.
        leading, kept = self.reading.columns[:missing], self.reading.columns[missing:]
        is_left_out = all(c.meaning.role == "field" for c in leading) and any(c.meaning.role == "field" for c in kept)
        if is_left_out and self._fit(texts, missing) and not self._fit(texts, 0):
            blank = ("",) * missing
            return (*blank, *texts), (lines[0],) * missing + tuple(lines), (starts[0],) * missing + tuple(starts)
        if self.grid.layout == "markdown":
            # What no row says is left out at the end.
            return (
                (*texts, *("",) * missing),
                tuple(lines) + (lines[-1],) * missing,
                tuple(starts) + (starts[-1],) * missing,
            )
        return None

    def _fit(self, texts: Sequence[str], shift: int) -> bool:
        for at, text in enumerate(texts):
            if not text or is_nothing(text):
                continue
            meaning = self.reading.columns[at + shift].meaning
            if meaning.role == "field" and not fits(meaning, text):
                return False
            if meaning.role in ("value", "pivot") and not is_numeric(text):
                return False
        return True

    def _fill_down(
        self, rows: Sequence[int], placed: dict[int, tuple[tuple[str, ...], tuple[int, ...], tuple[int, ...]]]
    ) -> None:
        """Fill leading blank cells of names from the row above, where a table prints a name once for several rows."""
        leading: list[int] = []
        for column in self.reading.columns:
            if column.meaning.role != "field":
                break
            leading.append(column.place)
        fillable = []
        for place in leading:
            blanks = sum(not placed[row][0][place] for row in rows[1:])
            repeats = any(
                placed[a][0][place] and placed[a][0][place] == placed[b][0][place] and (b, place) not in self.grid.spans
                for a, b in itertools.pairwise(rows)
            )
            if blanks and not repeats and (blanks > 1 or len(rows) <= _SHORT_TABLE) and not self.grid.holds_records:
                fillable.append(place)
        for above, row in itertools.pairwise(rows):
            texts, lines, starts = placed[row]
            upper = placed[above]
            filled = 0
            for place in leading:
                if texts[place] or place not in fillable:
                    break
                filled = place + 1
            if filled:
                placed[row] = (
                    upper[0][:filled] + texts[filled:], upper[1][:filled] + lines[filled:], upper[2][:filled] +
                    starts[filled:],
                )  # fmt: skip

    # Values

    def _row(self, row: int, texts: Sequence[str], lines: Sequence[int], starts: Sequence[int], around: Around) -> None:
        own: dict[str, Stated] = {}
        others: list[Stated] = []
        for column in self.labels:
            at = column.place
            text = texts[at]
            if not text or is_nothing(text):
                continue
            line, start = lines[at], starts[at]
            for part in parts_of(column.meaning, text, column.name):
                cell = Cell(text[part.start : part.end], line, start + part.start, start + part.end)
                dimension = part.dimension
                if dimension == "batch_size" and at != self.batch_column:
                    # A share of the batch that another column prints whole.
                    dimension = f"{column.meaning.batch_kind or 'other'}_{dimension}"
                stated = Stated(dimension, part.value, cell, "row")
                if is_other(part.dimension):
                    others.append(stated)
                elif dimension in own:
                    self._second(own, others, stated, column)
                else:
                    own[dimension] = stated
        if "model" in own and (size := self._size_of(own["model"], texts, lines, starts)):
            own["model_size"] = size
        for column in self.labels:
            if column.place == self.batch_column and column.meaning.batch_kind and column.cells:
                kind = Stated("batch_size_kind", column.meaning.batch_kind, column.cells[-1], "column_heading")
                own.setdefault("batch_size_kind", kind)
            named = _OF_VERSION.fullmatch(column.name) if column.meaning.column == "framework_version" else None
            if named and known_name("framework", named["name"]):
                place = column.cells[-1].part(0, len(named["name"]))
                own.setdefault("framework", Stated("framework", named["name"], place, "column_heading"))
            for condition in column.meaning.conditions:
                place = column.cells[condition.level].part(condition.start, condition.end)
                own.setdefault(
                    condition.dimension, Stated(condition.dimension, condition.value, place, "column_heading")
                )
        for column in self.spare:
            text = texts[column.place]
            if text and not is_nothing(text) and len(text) <= _LONGEST_SPARE:
                cell = self._cell(texts, lines, starts, column.place)
                others.append(Stated(f"~{column.name}", " ".join(text.split()), cell, "row"))
        measure = self._measure(texts, lines, starts)
        for column in self.values:
            at = column.place
            text = texts[at]
            if not text or is_nothing(text):
                continue
            self._value(
                row, column, Cell(text, lines[at], starts[at], starts[at] + len(text)), own, others, measure, around
            )

    def _at(self, column: Column, texts: Sequence[str], lines: Sequence[int], starts: Sequence[int]) -> Cell:
        return self._cell(texts, lines, starts, column.place)

    def _size_of(
        self, model: Stated, texts: Sequence[str], lines: Sequence[int], starts: Sequence[int]
    ) -> Stated | None:
        """The size of a model that another column prints, where only both together are a known model."""
        if known_name("model", model.value):
            return None
        for column in self.reading.columns:
            size = "".join(texts[column.place].split())
            if _SIZE.fullmatch(size) and _OF_SIZE.search(column.name) and known_name("model", f"{model.value} {size}"):
                return Stated("model_size", size, self._at(column, texts, lines, starts), "row")
        return None

    def _second(self, own: dict[str, Stated], others: list[Stated], stated: Stated, column: Column) -> None:
        """A second column of one kind: `System` beside `Accelerator`, a micro batch beside a global one."""
        first = own[stated.dimension]
        if stated.value == first.value and stated.cell.text == first.cell.text:
            return
        if stated.dimension in NAMES:
            known, other = first, stated
            if not known_name(stated.dimension, first.value) and known_name(stated.dimension, stated.value):
                known, other = stated, first
            own[stated.dimension] = known
            label = _FIRST_OF_TWO.get(stated.dimension, column.name) if other is first else column.name
            others.append(Stated(f"+{label}", other.value, other.cell, other.level))
        else:
            others.append(Stated(f"+{column.name}", stated.value, stated.cell, stated.level))

    def _measure(
        self, texts: Sequence[str], lines: Sequence[int], starts: Sequence[int]
    ) -> tuple[Meaning, list[Stated]] | None:
        """What the cells of a row say is measured in it."""
        named: Meaning | None = None
        stated: list[Stated] = []
        for column in self.measures:
            text = texts[column.place]
            if not text or is_nothing(text):
                continue
            words = (
                f"{text} ({stated_text})"
                if (stated_text := self._unit_text(texts)) and column.meaning.role == "measure"
                else text
            )
            meaning = understand((words,))
            if meaning.role != "value" and column.meaning.role == "unit":
                meaning = understand((f"({text})",))
            is_named = any(texts[c.place] for c in self.measures if c.meaning.role == "measure")
            if (
                meaning.metric is None
                and not is_named
                and column.meaning.role == "unit"
                and (seconds := unit_seconds(text))
            ):
                # A result in a unit of time alone: how long a training takes, or an answer.
                meaning = understand((f"{'Latency' if seconds < _MINUTE else 'Time to Train'} ({text})",))
            if meaning.role != "value" or (named is not None and named.metric is not None):
                continue
            named = meaning
            start = starts[column.place]
            for kind in ("metric", "statistic", "unit"):
                if (part := getattr(meaning, kind)) is not None and part.end <= len(text):
                    cell = Cell(text[part.start : part.end], lines[column.place], start + part.start, start + part.end)
                    stated.append(Stated(kind, part.value, cell, "row"))
            for condition in meaning.conditions:
                if condition.end <= len(text):
                    cell = Cell(
                        text[condition.start : condition.end],
                        lines[column.place],
                        start + condition.start,
                        start + condition.end,
                    )
                    stated.append(Stated(condition.dimension, condition.value, cell, "row"))
        return (named, stated) if named else None

    def _unit_text(self, texts: Sequence[str]) -> str | None:
        return next((texts[c.place] for c in self.measures if c.meaning.role == "unit" and texts[c.place]), None)

    def _value(
        self,
        row: int,
        column: Column,
        cell: Cell,
        own: dict[str, Stated],
        others: Sequence[Stated],
        measure: tuple[Meaning, list[Stated]] | None,
        around: Around,
    ) -> None:
        meaning, of_heading, heading_others = column.meaning, *self._of_heading(column)
        outside = self._scope(around)
        if not self.stated_by_rows <= own.keys():
            # What rows say for themselves, the words around the table don't say for a row that is silent.
            outside = {name: s for name, s in outside.items() if name not in self.stated_by_rows}
        stated = {**outside, **of_heading, **own}
        release = stated.get("sdk_version")
        is_own = release is None or release.level in ("row", "cell")
        # The release of one vendor's software says nothing of another's chip, and that of the page nothing of a row
        # that has a place for its own, of a submission or a price.
        if (
            release
            and not is_own
            and (self.prints_release or "submission_id" in stated or _is_foreign(release, stated))
        ):
            del stated["sdk_version"]
        also = [*others, *heading_others]
        statistic = of_heading.get("statistic")
        if measure:
            for part in measure[1]:
                if part.dimension not in ("metric", "unit", "statistic"):
                    stated[part.dimension] = part
            statistic = next((part for part in measure[1] if part.dimension == "statistic"), statistic)
        named = meaning if meaning.metric else None
        if measure and measure[0].metric:
            named = named or measure[0]
        if meaning.column == "evaluation":
            value = read_evaluation(cell.text)
            if value is None:
                self.found.unread.append((cell, f"{cell.text!r} names no known measure of quality", row))
                return
            self._keep(row, column, cell, value.metric or "", None, value, stated, also, around)
            return
        corner = self.reading.corner
        if named is None and corner and corner.metric:
            named = corner
        if named is None and meaning.unit and (lent := lent_of_kind(around, meaning.unit.value)):
            named = Meaning("value", metric=Named(lent.value, 0, 0, 0))
        if named is None:
            named = self.lent
            if named and statistic is None:
                statistic = self._lent_statistic(around)
        metric = named.metric.value if named and named.metric else None
        printed = cell_unit(cell.text)
        if metric and printed and named is self.lent and unit_of(metric, printed) is None:
            # What the words around the table measure is no quantity of this kind.
            lent = lent_of_kind(around, printed)
            metric, statistic = lent.value if lent else None, None
        if metric is None and printed:
            own_meaning = understand((f"({printed})",))
            metric = own_meaning.metric.value if own_meaning.metric else None
        if metric is None:
            self.found.unread.append((cell, f"nothing says what {cell.text!r} measures", row))
            return
        if printed:
            metric = metric_in_unit(metric, printed)
        unit = self._unit(metric, meaning, measure[0] if measure else None, named, stated, around)
        if unit is _UNREAD_NOTE:
            self.found.unread.append(
                (cell, "a footnote gives this row a unit that pipelines/vocabulary/units.yml does not know", row)
            )
            return
        canonical = canonical_unit(metric) or ""
        if self.has_commas and is_ambiguous(cell.text):
            self.found.unread.append((cell, AMBIGUOUS, row))
            return
        value = read_value(cell.text, canonical, unit, meaning.is_approximate)
        is_vague = not any(map(str.isdigit, column.name)) and metric == "accuracy"
        if value and is_vague and not value.unit.printed and "model" in own and "%" not in cell.text:
            # Rows of different models may name different measures by this word: 28.1 may be a BLEU score.
            value = None
        if value is None and canonical == "%":
            value = read_evaluation(cell.text)
            metric = value.metric or metric if value else metric
        if value is None and (behind := _conditions_behind(cell.text)):
            # `0.308 images/s (batch size = 8)`
            end, found = behind
            value = read_value(cell.text[:end].rstrip(), canonical, unit, meaning.is_approximate)
            for behind_it in found if value else ():
                place = cell.part(behind_it.start, behind_it.end)
                stated[behind_it.dimension] = Stated(behind_it.dimension, behind_it.value, place, "cell")
        if value is None:
            self.found.unread.append((cell, _why_unread(cell.text, column, unit), row))
            return
        self._keep(row, column, cell, metric, statistic, value, stated, also, around)

    def _keep(
        self,
        row: int,
        column: Column,
        cell: Cell,
        metric: str,
        statistic: Stated | None,
        value: Value,
        stated: dict[str, Stated],
        also: Sequence[Stated],
        around: Around,
    ) -> None:
        stated.pop("statistic", None)
        if (canonical_unit(metric) or "") not in _OF_RUNS and "model" in stated:
            # How the latency beside it was measured says nothing of a quality.
            stated = {
                name: s for name, s in stated.items() if name not in _SETUP or s.level not in ("sentence", "page")
            }
        if self.names_rows and (model := stated.get("model")) and model.level in ("sentence", "page"):
            # Each row has a name of its own, under a heading that nobody knows.
            del stated["model"]
        self.found.records.append(
            Record(
                cell.part(value.start, value.end), metric, statistic, value, stated, tuple(also), row, column, around
            )
        )

    def _of_heading(self, column: Column) -> tuple[dict[str, Stated], tuple[Stated, ...]]:
        """What a heading states of the values below it."""
        if column.place not in self._headed:
            meaning, stated, others = column.meaning, dict[str, Stated](), list[Stated]()
            for condition in meaning.conditions:
                cell = column.cells[condition.level].part(condition.start, condition.end)
                one = Stated(condition.dimension, condition.value, cell, "column_heading")
                if is_other(condition.dimension):
                    others.append(one)
                else:
                    stated[condition.dimension] = one
            for kind in ("metric", "unit", "statistic"):
                part = getattr(meaning, kind)
                if part is not None and part.level < len(column.cells):
                    stated[kind] = Stated(
                        kind, part.value, column.cells[part.level].part(part.start, part.end), "column_heading"
                    )
            if meaning.left and column.cells:
                cell = column.cells[min(meaning.left_at, len(column.cells) - 1)]
                others.append(Stated("left", " ".join(meaning.left), cell, "column_heading"))
            self._headed[column.place] = stated, tuple(others)
        return self._headed[column.place]

    def _scope(self, around: Around) -> dict[str, Stated]:
        if id(around) not in self._scopes:
            found = {d: s for level in around.by_level for d in level if (s := around.stated(d)) is not None}
            for dimension in ("metric", "unit", "statistic", "submission_id", "lengths"):
                found.pop(dimension, None)
            self._scopes[id(around)] = found
        return self._scopes[id(around)]

    def _lent_statistic(self, around: Around) -> Stated | None:
        for level in around.by_level:
            if "metric" in level or "unit" in level:
                return level.get("statistic")
        return None

    def _unit(
        self,
        metric: str,
        meaning: Meaning,
        measure: Meaning | None,
        named: Meaning | None,
        stated: dict[str, Stated],
        around: Around,
    ) -> Unit | None:
        if (of_row := stated.get("unit")) and of_row.level == "row" and (unit := unit_of(metric, of_row.value)):
            return unit
        for source in (meaning, measure, named):
            if source and source.unit and (unit := unit_of(metric, source.unit.value)):
                if metric == "throughput" and self.units:
                    noted = self._noted(stated)
                    return noted or unit
                return unit
        if metric == "throughput" and self.units:
            noted = self._noted(stated) or self.units.get("")
            if noted:
                return noted
        corner = self.reading.corner
        if corner and corner.unit and (unit := unit_of(metric, corner.unit.value)):
            return unit
        for level in around.by_level:
            if "unit" in level:
                told = level["unit"]
                unit = unit_of(metric, told.value) if told else None
                if unit or told is None:
                    return unit
        return None

    def _noted(self, stated: dict[str, Stated]) -> Unit | None:
        for dimension in ("dataset", "model"):
            if dimension in stated and (name := _canonical(dimension, stated[dimension].value)) in self.units:
                return self.units[name] or _UNREAD_NOTE
        return None


_UNREAD_NOTE = Unit("", "", 0.0)
# Titles over rows that say how these were run.
_TITLED = frozenset(
    {
        "platform",
        "precision",
        "batch_size",
        "sequence_length",
        "task",
        "suite",
        "framework",
        "scenario",
        "accelerator_count",
        "input_length",
        "output_length",
    }
)
# `CUDA` below `Backend`
_BACKENDS = frozenset({"cuda", "rocm", "hip", "metal", "vulkan", "sycl", "opencl", "cpu", "blas", "cann", "musa"})
# Conditions of which a number may have several.
_OTHERS = frozenset({"mode", "dataset_split", "left"})


def is_other(dimension: str) -> bool:
    """True for a condition that has no column: `+Optimizer` tells benchmarks apart, `-Server` does not, `~Kind` may."""
    return dimension in _OTHERS or dimension[0] in "+-~"


def is_weak(dimension: str) -> bool:
    """True for what counts only where nothing else tells two numbers of a table apart, or never."""
    return dimension == "left" or dimension[0] in "-~"


# Of several columns of batches the one of the whole step is the batch size.
_BATCHES = {"global": 0, "": 1, "client": 2, "per_device": 3, "micro": 4}
# Units of what a run costs; anything else is a quality.
_OF_RUNS = frozenset(
    {"items/s", "items/s/device", "items/s/user", "items/s/W", "s", "ms", "TFLOPS/device", "W", "USD", "USD/h", "%"}
)
_SETUP = frozenset({"platform", "accelerator_count", "batch_size", "precision", "framework"})
# What the first of two columns of names is, where the second one names the known thing.
_FIRST_OF_TWO = {"platform": "System", "model": "Benchmark"}


def _is_bold(text: str) -> bool:
    return text.startswith("**")


# Whose software a name tells.
_VENDORS = {
    "synapseai": "Intel",
    "gaudi": "Intel",
    "rocm": "AMD",
    "neuron": "AWS",
    "poplar": "Graphcore",
    "-py3": "NVIDIA",
}


def _is_foreign(release: Stated, stated: Mapping[str, Stated]) -> bool:
    platform = read_platform(stated["platform"].value).entry if "platform" in stated else None
    vendor = next((vendor for word, vendor in _VENDORS.items() if word in release.cell.text.casefold()), None)
    return platform is not None and vendor is not None and platform.facts.get("vendor") != vendor


def _canonical(dimension: str, printed: str) -> str:
    entry = find("datasets", printed) if dimension == "dataset" else read_model(printed).entry
    return entry.name if entry else printed


@lru_cache(_MEMORY)
def parts_of(meaning: Meaning, text: str, name: str) -> tuple[Part, ...]:
    """What a cell of a field states."""
    whole = (0, len(text))
    dimension = meaning.dimension
    if dimension is None:
        return tuple(_of_attribute(meaning, text, name))
    if dimension == "lengths":
        return tuple(_of_lengths(text))
    if dimension == "batch_size":
        value = typed(dimension, text)
        return (Part(dimension, value, *whole),) if value else ()
    if dimension == "accelerator_count" and " x " in f" {text.replace('x', ' x ')} ":
        factors = [parse_count(part.strip()) for part in text.lower().split("x")]
        if len(factors) == 2 and all(factors):
            first = len(text.lower().partition("x")[0].rstrip())
            return (Part("nodes", str(factors[0]), 0, first), Part(dimension, typed(dimension, text) or "", *whole))
    if dimension == "task" and typed(dimension, text) not in ("training", "inference"):
        # `Text Generation`, `Image Classification`: what the model does, which is another test.
        return (Part("+Task", text, *whole),)
    if dimension == "framework" and text.casefold() in _BACKENDS:
        # What a framework was compiled for; its own name stands elsewhere.
        return (Part("+Backend", text, *whole),)
    if dimension in NAMES:
        return tuple(_of_name(dimension, text))
    value = typed(dimension, text)
    if value is None:
        # `640x640` below `Input` is the size of a picture.
        kinds = (dimension, "image_size") if is_length(dimension) else (dimension,)
        mention = next((m for m in find_mentions(text) if m.kind in kinds), None)
        if mention:
            return (Part(mention.kind, mention.value, mention.start, mention.end),)
        return tuple(_of_label(text)) if dimension == "scenario" else ()
    return (Part(dimension, value, *whole),)


def _of_attribute(meaning: Meaning, text: str, name: str) -> Iterator[Part]:
    whole = (0, len(text))
    if meaning.column == "label":
        yield from _of_label(text)
        return
    if meaning.column == "framework_version" and _is_of_other_software(name):
        yield Part(f"-{name}", text, *whole)
        return
    if meaning.column in ("variant", "quality_target", "ranking", "framework_version", "unit"):
        if meaning.column == "variant" and find_unit(text):
            # `frames/s` below `Variant` says what the row counts.
            yield Part("unit", text, *whole)
        else:
            yield Part(meaning.column, " ".join(text.split()), *whole)
            for mention in find_mentions(text) if meaning.column == "variant" else ():
                if mention.kind in ("stage", "sequence_length", "image_size"):
                    yield Part(*mention)
        return
    entry = entry_of(meaning)
    if entry is None:
        return
    yield Part(f"{'+' if meaning.is_identity else '-'}{entry.name}", typed(entry.name, text) or text, *whole)


def _is_of_other_software(heading: str) -> bool:
    """`X-LINUX-AI version`: it is no version of the framework that another column names."""
    named = _OF_VERSION.fullmatch(heading)
    if named is None or known_name("framework", named["name"]):
        return False
    return field_of(heading) is None


def _of_label(text: str) -> Iterator[Part]:
    """What the mentions of a cell state, and the words beside them: `L40S BASE BF16`."""
    mentions = [
        m
        for m in find_mentions(text)
        if m.kind not in ("field", "metric", "unit", "comparison", "unknown_name", "bound")
    ]
    for mention in mentions:
        yield Part(mention.kind, mention.value.rpartition(":")[2], mention.start, mention.end)
    rest = _beside(text, [(m.start, m.end) for m in mentions])
    if rest:
        yield Part("left", rest, 0, len(text))


def _beside(text: str, places: Sequence[tuple[int, int]]) -> str:
    masked = list(text)
    for start, end in places:
        masked[start:end] = " " * (end - start)
    words = "".join(masked).replace("(", " ").replace(")", " ").replace("[", " ").replace("]", " ").split()
    return " ".join(word for word in words if any(map(str.isalnum, word)) or word == "+").strip(" +-,;:/|@")


def _of_name(dimension: str, text: str) -> Iterator[Part]:
    """A name and the conditions beside it: `Llama 3.1 8B (TP=8)`, `Llama 2 70B INT8`, `CTranslate2 1.2.1 (int8)`."""
    plain = " ".join(text.split())
    if known_name(dimension, plain):
        yield Part(dimension, plain, 0, len(text))
        for mention in find_mentions(text):
            if dimension == "model" and mention.kind in ("stage", "image_size"):
                yield Part(*mention)
        return
    mentions = find_mentions(text)
    named = next((m for m in mentions if m.kind == dimension), None)
    beside = [m for m in mentions if m.kind in _BESIDE_NAME]
    if named and beside and not _beside(text, [(m.start, m.end) for m in (named, *beside)]):
        yield Part(dimension, named.value, named.start, named.end)
        for mention in beside:
            yield Part(mention.kind, mention.value.rpartition(":")[2], mention.start, mention.end)
        return
    # `BERT-Large (FP16, BS=1)`, `acme-7B (TP=8)`: brackets that hold nothing but conditions
    opening = text.find("(")
    if opening > 0 and text.rstrip().endswith(")"):
        inside = [m for m in beside if m.start > opening]
        if inside and not _beside(text[opening:], [(m.start - opening, m.end - opening) for m in inside]):
            yield Part(dimension, " ".join(text[:opening].split()), 0, len(text[:opening].rstrip()))
            for mention in inside:
                yield Part(mention.kind, mention.value.rpartition(":")[2], mention.start, mention.end)
            return
    yield Part(dimension, plain, 0, len(text))


_BESIDE_NAME = frozenset(
    {"precision", "batch_size", "sequence_length", "tensor_parallel", "pipeline_parallel", "quantization", "kv_cache",
    "mode",
     "accelerator_count", "input_length", "output_length", "data_parallel", "expert_parallel"}
)  # fmt: skip


def _of_lengths(text: str) -> Iterator[Part]:
    """`128/2048`, `128, 128`: what a language model is given, and what it is asked for."""
    for sign in ("/", ",", ":", "|", "-", "+"):
        left, found, right = text.partition(sign)
        if found:
            first, second = typed("input_length", left), typed("output_length", right)
            if first and second and first.isdigit() and second.isdigit():
                yield Part("input_length", first, 0, len(left.rstrip()))
                yield Part("output_length", second, len(text) - len(right.lstrip()), len(text))
                return
    yield Part("+Input/Output Length", " ".join(text.split()), 0, len(text))


@lru_cache(_MEMORY)
def _conditions_behind(text: str) -> tuple[int, tuple[Part, ...]] | None:
    """A value cell with conditions in brackets behind the number: where these begin, and what they state."""
    opening = text.find("(")
    if opening <= 0 or not text.endswith(")"):
        return None
    found = [m for m in find_mentions(text) if m.start > opening and m.kind in _BESIDE_NAME]
    if not found or _beside(text[opening:], [(m.start - opening, m.end - opening) for m in found]):
        return None
    return opening, tuple(Part(m.kind, m.value.rpartition(":")[2], m.start, m.end) for m in found)


def _why_unread(text: str, column: Column, unit: Unit | None) -> str:
    if unit is None and is_numeric(text) and cell_unit(text) is None:
        return f"neither {text!r} nor its heading {column.name!r} names a unit"
    return f"{text!r} cannot be read as a value of the column {column.name!r}"


def said_of_numbers(records: Records) -> dict[tuple[int, int], frozenset[object]]:
    """What records say of each number, by its line and first character, for the comparison of readings."""
    return {(record.cell.line, record.cell.start): record.said for record in records.records}
