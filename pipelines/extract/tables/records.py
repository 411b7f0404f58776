"""A reading of a grid to records: the measured numbers of each row with everything that is stated of them.

What the words around the table state is asked of `scope.py`; which fields a row of the warehouse has belongs in
`measurements.py`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pipelines.extract.mentions import NAMES, find_mentions, known_name, typed
from pipelines.extract.scope import Around, Stated
from pipelines.extract.tables.cells import OF_VERSION, conditions_behind, is_other, is_weak, parts_of
from pipelines.extract.tables.header import Column, Reading, lent_metric, lent_of_kind
from pipelines.extract.tables.headings import DURATION, Meaning, Named, canonical_unit, understand, unit_of
from pipelines.extract.tables.row_alignment import (
    AMBIGUOUS,
    Damage,
    Row,
    align_rows,
    is_ambiguous,
    writes_decimal_commas,
)
from pipelines.extract.tables.values import (
    Unit,
    Value,
    cell_unit,
    is_nothing,
    is_numeric,
    metric_in_unit,
    read_evaluation,
    read_value,
    states_time,
)
from pipelines.read.document import Cell
from pipelines.values.durations import parse_duration, unit_seconds
from pipelines.vocabulary.lookup import find
from pipelines.vocabulary.printed_names import read_model, read_platform

_MEMORY = 1 << 15
_MINUTE = 60
# `7B` below `Size`
_SIZE = re.compile(r"\d+(?:\.\d+)?[BM]", re.IGNORECASE)
_OF_SIZE = re.compile(r"\b(?:size|param(?:eter)?s)\b", re.IGNORECASE)
# A longer text is a remark, which tells no benchmark from another.
_LONGEST_SPARE = 60


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
        of_test = [o for o in self.others if not is_weak(o.dimension) and o.dimension != MEASURED]
        metric, statistic, dims, others, item = self.identity_with(of_test)
        return frozenset({("metric", metric), ("statistic", statistic), ("item", item), *dims, *others})

    @property
    def is_of_something(self) -> bool:
        """Whether anything tells whose number it is: a name, or the settings of its row and its heading."""
        if self.metric == "price" or not _SUBJECTS.isdisjoint(self.stated):
            return True
        own = {name for name, stated in self.stated.items() if stated.level in _OF_TABLE}
        return self.metric != DURATION and not _SETTINGS_OF_RUNS.isdisjoint(own)

    @property
    def identity(self) -> Identity:
        """What tells a number from the others of its document: equal ones say two things of one benchmark."""
        return self.identity_with([other for other in self.others if not is_weak(other.dimension)])

    def identity_with(self, others: Iterable[Stated]) -> Identity:
        """The same with these conditions beside the dimensions."""
        dims = frozenset((name, stated.value) for name, stated in self.stated.items() if name not in _NO_IDENTITY)
        statistic = self.statistic.value if self.statistic else None
        named = frozenset((other.dimension, other.value) for other in others)
        return self.metric, statistic, dims, named, self.value.unit.item


# Metric, statistic, dimensions, other conditions, what is counted
Identity = tuple[str, str | None, frozenset[tuple[str, str]], frozenset[tuple[str, str]], str | None]
# What a duration is of, in the words of its heading: they may stand in either, and say the same of a number.
MEASURED = "+Measured"
# A unit tells nothing apart, and a remark may differ between rows of one benchmark.
_NO_IDENTITY = frozenset({"unit", "metric"})
# What a result may be of, where its page names no model.
_SUBJECTS = frozenset({"model", "platform", "dataset", "framework"})
_FAR = frozenset({"caption", "heading", "sentence", "page"})
# With what a table itself says that an unnamed model or system was run.
_OF_TABLE = frozenset({"cell", "row", "row_title", "column_heading", "caption", "heading"})
_SETTINGS_OF_RUNS = frozenset(
    {
        *("batch_size", "sequence_length", "input_length", "output_length", "concurrency", "request_rate", "nodes"),
        *("accelerator_count", "tensor_parallel", "pipeline_parallel", "data_parallel", "expert_parallel", "precision"),
    }
)


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
        headed = {(c.dimension, c.value) for column in self.values for c in column.meaning.conditions}
        several = Counter(dimension for dimension, _ in headed)
        self.pivoted = frozenset(dimension for dimension, number in several.items() if number > 1) - frozenset(NAMES)
        self._scopes: dict[int, dict[str, Stated]] = {}
        self._headed: dict[int, tuple[dict[str, Stated], tuple[Stated, ...]]] = {}
        self.has_commas = False
        self.stated_by_rows: frozenset[str] = frozenset()

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
        if sum(understand((name,)).role == "field" for name in names) * 3 >= max(len(names), 1):
            return True
        # By rows: a word in several rows stands for what was not measured (`NT`), one of a setting in one.
        texts = Counter(text for row in rows for text in {row[c.place] for c in self.values if c.place < len(row)})
        words = [n for text, n in texts.items() if not (is_numeric(text) or is_nothing(text) or read_evaluation(text))]
        return any(number == 1 for number in words) or len(words) > 1

    def run(self, limit: int | None) -> Records:
        aligned = align_rows(self.reading, limit)
        self.found.titles += aligned.titles.values()
        self.found.damages += aligned.damages
        self.has_commas = writes_decimal_commas(self.reading, aligned.rows.values())
        self.stated_by_rows = self._of_labels(aligned.rows.values())
        around = self.around
        for number in sorted({*aligned.rows, *aligned.titles}):
            if title := aligned.titles.get(number):
                around = self.around.within(title)
            else:
                self._row(number, aligned.rows[number], around)
        return self.found

    def _of_labels(self, rows: Iterable[Row]) -> frozenset[str]:
        """The names that columns without a heading for them state in some of the rows."""
        labels = [column for column in self.labels if column.meaning.column == "label"]
        texts = {(column, row.texts[column.place]) for row in rows for column in labels}
        parts = (part for column, text in texts for part in parts_of(column.meaning, text, column.name))
        return frozenset(part.dimension for part in parts if part.dimension in NAMES)

    # Values

    def _row(self, row: int, cells: Row, around: Around) -> None:
        own: dict[str, Stated] = {}
        others: list[Stated] = []
        columns: dict[str, Column] = {}
        for column in self.labels:
            at = column.place
            text = cells.texts[at]
            if not text or is_nothing(text):
                continue
            for part in parts_of(column.meaning, text, column.name):
                cell = cells.cell(at).part(part.start, part.end)
                dimension = part.dimension
                if dimension == "statistic" and (part.start or part.end * 2 < len(text)):
                    # `37.8 -> 38.2 (Max 38.2)` says nothing of the row, `P99 latency` does.
                    continue
                if dimension == "batch_size" and self.batch_column not in (None, at):
                    # A share of the batch that another column prints whole.
                    dimension = f"{column.meaning.batch_kind or 'other'}_{dimension}"
                stated = Stated(dimension, part.value, cell, "row")
                if is_other(part.dimension):
                    others.append(stated)
                elif dimension in own:
                    self._second(own, others, stated, columns, column)
                else:
                    own[dimension], columns[dimension] = stated, column
        quantized = own.get("quantization")
        if quantized and "precision" not in own and (precision := typed("precision", quantized.cell.text)):
            # `BF16` among `AWQ` and `GPTQ-Int4`: the row that is not quantized.
            own["precision"] = quantized._replace(dimension="precision", value=precision)
        if "model" in own and (size := self._size_of(own["model"], cells)):
            own["model_size"] = size
        for column in self.labels:
            if column.place == self.batch_column and column.meaning.batch_kind and column.cells:
                kind = Stated("batch_size_kind", column.meaning.batch_kind, column.cells[-1], "column_heading")
                own.setdefault("batch_size_kind", kind)
            named = OF_VERSION.fullmatch(column.name) if column.meaning.column == "framework_version" else None
            if named and known_name("framework", named["name"]):
                place = column.cells[-1].part(0, len(named["name"]))
                own.setdefault("framework", Stated("framework", named["name"], place, "column_heading"))
            for condition in column.meaning.conditions:
                place = column.cells[condition.level].part(condition.start, condition.end)
                own.setdefault(
                    condition.dimension, Stated(condition.dimension, condition.value, place, "column_heading")
                )
        for column in self.spare:
            text = cells.texts[column.place]
            if text and not is_nothing(text) and len(text) <= _LONGEST_SPARE:
                cell = cells.cell(column.place)
                others.append(Stated(f"~{column.name}", " ".join(text.split()), cell, "row"))
        measured = {c.place + 1: c for c in self.measures}
        # `Metric | Server | Metric | Offline`: each value has what it measures right before it.
        is_by_value = len(self.values) > 1 and all(c.place in measured for c in self.values)
        measure = None if is_by_value else self._measure(cells, self.measures)
        for column in self.values:
            text = cells.texts[column.place]
            if text and not is_nothing(text):
                if is_by_value:
                    measure = self._measure(cells, [measured[column.place]])
                self._value(row, column, cells.cell(column.place), own, others, measure, around)

    def _size_of(self, model: Stated, cells: Row) -> Stated | None:
        """The size of a model that another column prints, where only both together are a known model."""
        if known_name("model", model.value):
            return None
        for column in self.reading.columns:
            size = "".join(cells.texts[column.place].split())
            if _SIZE.fullmatch(size) and _OF_SIZE.search(column.name) and known_name("model", f"{model.value} {size}"):
                return Stated("model_size", size, cells.cell(column.place), "row")
        return None

    def _second(
        self,
        own: dict[str, Stated],
        others: list[Stated],
        stated: Stated,
        columns: Mapping[str, Column],
        column: Column,
    ) -> None:
        """A second column of one kind: `System` beside `Accelerator`, a micro batch beside a global one."""
        first = own[stated.dimension]
        if stated.value == first.value and stated.cell.text == first.cell.text:
            return
        if stated.dimension in NAMES:
            known, other = first, stated
            if column.is_label and not columns[stated.dimension].is_label:
                # `Draft` behind `Model`: what the heading calls the model is the one that was measured.
                others.append(Stated(f"+{column.name}", stated.value, stated.cell, stated.level))
                return
            is_known = [known_name(stated.dimension, one.value) for one in (first, stated)]
            # `Model` behind `Architecture`: the heading that is the word itself names it.
            if is_known == [False, True] or (is_known == [False, False] and column.name.casefold() == stated.dimension):
                known, other = stated, first
            own[stated.dimension] = known
            label = _FIRST_OF_TWO.get(stated.dimension, column.name) if other is first else column.name
            others.append(Stated(f"+{label}", other.value, other.cell, other.level))
        else:
            others.append(Stated(f"+{column.name}", stated.value, stated.cell, stated.level))

    def _measure(self, cells: Row, columns: Sequence[Column]) -> tuple[Meaning, list[Stated]] | None:
        """What the cells of a row say is measured in it."""
        named: Meaning | None = None
        stated: list[Stated] = []
        for column in columns:
            text = cells.texts[column.place]
            if not text or is_nothing(text):
                continue
            words = (
                f"{text} ({stated_text})"
                if (stated_text := self._unit_text(cells, columns)) and column.meaning.role == "measure"
                else text
            )
            meaning = understand((words,))
            if meaning.role != "value" and column.meaning.role == "unit":
                meaning = understand((f"({text})",))
            is_named = any(cells.texts[c.place] for c in columns if c.meaning.role == "measure")
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
            cell = cells.cell(column.place)
            for kind in ("metric", "statistic", "unit"):
                if (part := getattr(meaning, kind)) is not None and part.end <= len(text):
                    stated.append(Stated(kind, part.value, cell.part(part.start, part.end), "row"))
            for condition in meaning.conditions:
                if condition.end <= len(text):
                    place = cell.part(condition.start, condition.end)
                    stated.append(Stated(condition.dimension, condition.value, place, "row"))
        return (named, stated) if named else None

    def _unit_text(self, cells: Row, columns: Sequence[Column]) -> str | None:
        return next((text for c in columns if c.meaning.role == "unit" and (text := cells.texts[c.place])), None)

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
        # `FP32` and `INT8` above two columns of one quantity tell these apart, whatever a row says of all its numbers.
        stated |= {name: s for name, s in of_heading.items() if name in self.pivoted}
        if (
            "quantization" in stated
            and "quantization" not in outside
            and stated.get("precision") is outside.get("precision")
        ):
            # `GPTQ-Int4` in a row below `BF16` in the words around: how it is quantized says what it is computed in.
            stated.pop("precision", None)
        version, framework = stated.get("framework_version"), stated.get("framework")
        if version and version.level in _FAR and (framework is None or framework.cell.line != version.cell.line):
            # The version of another framework than that of the row.
            del stated["framework_version"]
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
        statistic = of_heading.get("statistic") or own.get("statistic")
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
        if metric is None and self._is_timed(cell.text, meaning, measure[0] if measure else None):
            metric = DURATION
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
        if value is None and (behind := conditions_behind(cell.text)):
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

    def _named_duration(self, column: Column, row: int) -> Iterator[Stated]:
        """The words that say, for people, of what a time is: those of its heading, or of its row."""
        if column.cells and (column.meaning.left or (column.meaning.unit and not column.meaning.conditions)):
            cell = column.cells[min(column.meaning.left_at, len(column.cells) - 1)]
            yield Stated(MEASURED, " ".join(cell.text.split()), cell, "column_heading")
        for measure in self.measures if column.place not in {c.place for c in self.measures} else ():
            text, start = self.grid.texts[row][measure.place], self.grid.starts[row][measure.place]
            if text and measure.meaning.role == "measure":
                cell = Cell(text, self.grid.lines[row][measure.place], start, start + len(text))
                yield Stated(MEASURED, " ".join(text.split()), cell, "row")

    def _is_timed(self, text: str, meaning: Meaning, measure: Meaning | None) -> bool:
        """Whether a cell, its heading, its row or the corner of its table names a unit of time and no other."""
        if cell_unit(text) or parse_duration(text):
            return states_time(text)
        units = [source.unit.value for source in (meaning, measure, self.reading.corner) if source and source.unit]
        return bool(units) and unit_seconds(units[0]) is not None

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
        if metric == DURATION:
            also = [*also, *self._named_duration(column, row)]
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
# Of several columns of batches the one of the whole step is the batch size.
_BATCHES = {"global": 0, "": 1, "client": 2, "per_device": 3, "micro": 4}
# Units of what a run costs; anything else is a quality.
_OF_RUNS = frozenset(
    {"items/s", "items/s/device", "items/s/user", "items/s/W", "s", "ms", "TFLOPS/device", "W", "USD", "USD/h", "%"}
)
_SETUP = frozenset({"platform", "accelerator_count", "batch_size", "precision", "framework"})
# What the first of two columns of names is, where the second one names the known thing.
_FIRST_OF_TWO = {"platform": "System", "model": "Benchmark"}


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


def _why_unread(text: str, column: Column, unit: Unit | None) -> str:
    if unit is None and is_numeric(text) and cell_unit(text) is None:
        return f"neither {text!r} nor its heading {column.name!r} names a unit"
    return f"{text!r} cannot be read as a value of the column {column.name!r}"


def said_of_numbers(records: Records) -> dict[tuple[int, int], frozenset[object]]:
    """What records say of each number, by its line and first character, for the comparison of readings."""
    return {(record.cell.line, record.cell.start): record.said for record in records.records}
