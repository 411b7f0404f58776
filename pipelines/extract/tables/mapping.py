"""What a `mapping.yml` can say: what the tables of a source mean where inference cannot know.

Its words are checked against what the project knows, and an error names the one that may be meant. How the file is
loaded belongs in `mapping_file.py`, how a mapping is laid upon a printed table in `mapped_tables.py`.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Sequence
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    model_validator,
)
from pydantic_core import PydanticCustomError
from rapidfuzz import fuzz, process

from pipelines.values.durations import unit_seconds
from pipelines.values.numbers import parse_number
from pipelines.vocabulary.lookup import find
from pipelines.vocabulary.resolution import suggest
from pipelines.vocabulary.units import find_unit

# What a heading, a row title or a person can state of a measured value, beside what the value is.
DIMENSIONS: tuple[str, ...] = (
    "task", "stage", "suite", "division", "submission_id", "scenario", "model", "model_size", "variant",
    "platform", "accelerator_count", "nodes", "sdk_version", "framework", "dataset", "precision", "batch_size",
    "batch_size_kind", "sequence_length", "input_length", "output_length", "concurrency", "request_rate",
    "tensor_parallel", "pipeline_parallel", "data_parallel", "expert_parallel", "quantization", "image_size",
    "metric", "statistic", "unit", "other",
)  # fmt: skip
_COUNTS = frozenset(
    {
        *("accelerator_count", "nodes", "batch_size", "sequence_length", "input_length", "output_length"),
        *("concurrency", "tensor_parallel", "pipeline_parallel", "data_parallel", "expert_parallel"),
    }
)
BATCH_KINDS = ("global", "per_device", "micro", "client")
IGNORE, VALUE, INFERRED, MENTIONS = "ignore", "value", "inferred", "mentions"
# What a column can be beside a dimension or a metric.
COLUMN_WORDS = (IGNORE, VALUE, INFERRED, MENTIONS)
# In place of a heading: all columns that are not named.
OTHERS = "others"
# In place of a constant: nothing is stated of it, whatever is printed around the table.
NONE = "none"
_STATISTICS = ("mean", "min", "max", "std", "p50", "p90", "p95", "p99", "p99.9")
# `p50`, `p99.9`
_PERCENTILE = re.compile(r"p\d{1,2}(?:\.\d{1,3})?")
# Units that no vocabulary has to list: they are the canonical ones of their metrics.
_PLAIN_UNITS = frozenset({"%", "USD", "ratio", "MAE", "MRR"})
# Below this likeness (0 to 100) a suggestion is noise.
_LIKE_ENOUGH = 60
# Longer words cannot be meant, and are not repeated in an error.
LONGEST_WORD = 60


def fold(text: str) -> str:
    """A heading without what carries no meaning: case, blanks, punctuation.

    `Throughput-Average(seq/sec)` is `Throughput Average (seq/sec)`; a heading of signs alone stays what it is.
    """
    plain = unicodedata.normalize("NFKC", text).casefold()
    return " ".join("".join(sign if sign.isalnum() else " " for sign in plain).split()) or plain.strip()


def nearest(word: str, known: Collection[str]) -> str | None:
    """The known word most like another one, or None when none is like it; for people to judge, never applied."""
    best = process.extractOne(
        word, known, scorer=fuzz.WRatio, processor=str.casefold, score_cutoff=_LIKE_ENOUGH if len(word) > 2 else 90
    )
    return str(best[0]) if best else None


def fault(words: str, *at: str | int) -> PydanticCustomError:
    """An error in a mapping; `at` leads from the part that is checked to the one that is wrong."""
    return PydanticCustomError("mapping", "{words}", {"words": words, "at": at})


def unknown_word(
    what: str, word: str, meant: str | None, more: str = "", at: Sequence[str | int] = ()
) -> PydanticCustomError:
    """An error about a word, with the one that may be meant."""
    hint = f"; did you mean {meant!r}?" if meant else more
    return fault(f"{word[:LONGEST_WORD]!r} is no {what}{hint}", *at)


def dimension_word(word: str) -> str:
    """A dimension."""
    if word not in DIMENSIONS:
        raise unknown_word("field", word, nearest(word, DIMENSIONS), f"; known are: {', '.join(DIMENSIONS)}")
    return word


def field_word(word: str) -> str:
    """A dimension, or what else a column can be."""
    if word in COLUMN_WORDS:
        return word
    if word not in DIMENSIONS:
        known = (*DIMENSIONS, *COLUMN_WORDS)
        raise unknown_word("field", word, nearest(word, known), f"; known are: {', '.join(known)}")
    return word


def metric_word(word: str) -> str:
    """Canonical name of a metric."""
    entry = find("metrics", word)
    if entry is None:
        raise unknown_word("metric", word, suggest("metrics", word), "; those known stand in vocabulary/metrics.yml")
    return entry.name


def unit_word(word: str) -> str:
    """A unit that the vocabulary, or a clock, knows."""
    if word not in _PLAIN_UNITS and find_unit(word) is None and unit_seconds(word) is None:
        raise unknown_word("unit", word, suggest("units", word), "; those known stand in vocabulary/units.yml")
    return word


def statistic_word(word: str) -> str:
    """A statistic or a percentile."""
    if word not in _STATISTICS and not _PERCENTILE.fullmatch(word):
        raise unknown_word("statistic", word, nearest(word, _STATISTICS), f"; known are: {', '.join(_STATISTICS)}")
    return word


def batch_kind_word(word: str) -> str:
    """What a batch size counts."""
    if word not in BATCH_KINDS:
        known = ", ".join(BATCH_KINDS)
        raise unknown_word("kind of a batch size", word, nearest(word, BATCH_KINDS), f"; known are: {known}")
    return word


def check_constant(dimension: str, value: str) -> str:
    """A constant, refused where its dimension takes no such value."""
    if value == NONE and dimension not in ("metric", "unit"):
        return value
    checks = {"metric": metric_word, "unit": unit_word, "statistic": statistic_word, "batch_size_kind": batch_kind_word}
    if dimension in _COUNTS and parse_number(value) is None:
        raise unknown_word(f"number, and `{dimension}` must be one", value, None)
    return checks[dimension](value) if dimension in checks else value


# More rows of headings than any table has.
_MOST_HEADER_ROWS = 10


def _checked(check: Any) -> Any:
    """A string that is checked as a word once it is known to be one."""
    return BeforeValidator(lambda word: check(word) if isinstance(word, str) and word else word)


def _headings(given: Any) -> Any:
    """`others` or a list: of two types that do not fit pydantic would complain of both."""
    if given == OTHERS or (isinstance(given, list) and given and all(isinstance(word, str) for word in given)):
        return given
    raise fault("`headings` must be `others` or a list of headings")


_Word = Annotated[str, Field(min_length=1)]
Dimension = Annotated[_Word, _checked(dimension_word)]
FieldName = Annotated[_Word, _checked(field_word)]
Metric = Annotated[_Word, _checked(metric_word)]
Unit = Annotated[_Word, _checked(unit_word)]
Statistic = Annotated[_Word, _checked(statistic_word)]
BatchKind = Annotated[_Word, _checked(batch_kind_word)]


def _are_values(constants: dict[str, str]) -> dict[str, str]:
    """Wrong ones are refused where they stand."""
    for dimension, value in constants.items():
        try:
            check_constant(dimension, value)
        except PydanticCustomError as error:
            raise fault(error.message(), dimension) from error
    return constants


Constants = Annotated[dict[Dimension, _Word], AfterValidator(_are_values)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ColumnMapping(_Strict):
    """What a column is: a field, measured values, or nothing of interest.

    Attributes:
        field: A dimension; `ignore`; `inferred` for what its heading and cells say; `mentions` for cells that say
            for themselves what they state (`8x H100, FP8`); `value` for numbers whose metric stands elsewhere; None
            with a `metric`.
        kind: Of a `batch_size`, what it counts.
        metric: Canonical name of what is measured.
        statistic: `mean`, `p99`; None when not stated.
        unit: Unit of the cells, as `vocabulary/units.yml` has it; None where heading or cells print it.
        per_device: Whether the values are those of one of several accelerators.
        constants: What holds for its values, by dimension, nearer than what holds for the table.
    """

    field: FieldName | None = None
    kind: BatchKind | None = None
    metric: Metric | None = None
    statistic: Statistic | None = None
    unit: Unit | None = None
    per_device: bool = False
    constants: Constants = {}

    @model_validator(mode="before")
    @classmethod
    def _from_word(cls, given: Any) -> Any:
        """`Network: model`, `Latency: latency` and `Scripts: ignore` in short."""
        if not isinstance(given, str):
            return given
        if not given:
            raise fault("nothing is said of it: name its field, or `ignore` it")
        is_metric = given not in (*DIMENSIONS, *COLUMN_WORDS) and find("metrics", given) is not None
        return {"metric": given} if is_metric else {"field": given}

    @model_validator(mode="after")
    def _is_one_thing(self) -> ColumnMapping:
        if (self.field is None) == (self.metric is None) and self.field != VALUE:
            raise fault("a column is either a `field` or has a `metric`")
        if self.kind and self.field != "batch_size":
            raise fault("`kind` says what a batch size counts: it goes with `field: batch_size`")
        if (self.statistic or self.unit or self.per_device) and not self.is_value:
            raise fault("`statistic`, `unit` and `per_device` go with a `metric`")
        if self.constants and not (self.is_value or self.is_inferred):
            raise fault("`constants` of a column go with its measured values; those of rows stand beside `columns`")
        return self

    @property
    def is_value(self) -> bool:
        """Whether measured values stand in it."""
        return self.metric is not None or self.field == VALUE

    @property
    def is_inferred(self) -> bool:
        """Whether its heading and its cells decide what it is."""
        return self.field == INFERRED

    @property
    def is_ignored(self) -> bool:
        """Whether nothing is read of it."""
        return self.field == IGNORE


class Unpivot(_Strict):
    """Columns of measured values whose headings are values of one field, such as a column for each platform.

    Attributes:
        headings: `others` for all columns that `columns` does not name, or their headings.
        field: What the headings name.
        metric: Canonical name of what is measured in all of them.
        unit: Unit of the cells; None where headings or cells print it.
        statistic: As of a column.
        per_device: As of a column.
    """

    headings: Annotated[Literal["others"] | list[_Word], BeforeValidator(_headings)]
    field: Dimension
    metric: Metric | None = None
    unit: Unit | None = None
    statistic: Statistic | None = None
    per_device: bool = False

    @property
    def listed(self) -> list[str]:
        """The headings that it names; none where it takes all others."""
        return self.headings if isinstance(self.headings, list) else []

    @property
    def column(self) -> ColumnMapping:
        """What each of its columns is."""
        field = None if self.metric else VALUE
        return ColumnMapping.model_construct(
            field=field, metric=self.metric, unit=self.unit, statistic=self.statistic, per_device=self.per_device
        )


class TableMapping(_Strict):
    """What tables of one layout mean.

    Attributes:
        section: Caption of the tables, or any heading above them; without it all tables with these headings.
        header_rows: Rows of headings; without it those under which the declared headings are found.
        columns: What each column is, by heading: "" is a column without one, and `others` says of all that are not
            named that they are `inferred` or to `ignore`. Without, the table is read as inferred.
        constants: What holds for every row, by dimension, nearer than anything printed; `none` for what is not stated.
        fill_down: Headings of columns in which a blank cell repeats the one above it.
        titles: What the rows name that hold one text alone, for those below them.
        unpivot: Columns whose headings are values themselves.
        transposed: Whether the table lies on its side: its headings stand in its first columns.
    """

    section: _Word | None = None
    header_rows: int | None = Field(default=None, ge=1, le=_MOST_HEADER_ROWS)
    columns: dict[str, ColumnMapping] = {}
    constants: Constants = {}
    fill_down: list[_Word] = []
    titles: Dimension | None = None
    unpivot: Unpivot | None = None
    transposed: bool = False
    _line: int = PrivateAttr(default=1)

    @property
    def line(self) -> int:
        """Line of the file that it begins on."""
        return self._line

    @property
    def declares_columns(self) -> bool:
        """Whether its columns are a person's word, and not inferred."""
        return bool(self._headings or self.unpivot or (self.others and self.others.is_ignored))

    @property
    def is_ignored(self) -> bool:
        """Whether nothing is read of its table."""
        return bool(self.columns) and all(column.is_ignored for column in self.columns.values()) and not self.unpivot

    @property
    def others(self) -> ColumnMapping | None:
        """What the columns are that nothing names; None where there must not be any."""
        return self.columns.get(OTHERS)

    @property
    def declared(self) -> dict[str, str]:
        """The headings that it names, as written, by their folded form."""
        return {fold(heading): heading for heading in (*self._headings, *self.fill_down)}

    @property
    def _headings(self) -> list[str]:
        """The headings of `columns` and `unpivot`."""
        own = [heading for heading in self.columns if heading != OTHERS]
        return [*own, *self.unpivot.listed] if self.unpivot else own

    @model_validator(mode="after")
    def _is_whole(self) -> TableMapping:
        if not self.model_fields_set - {"section"}:
            raise fault("it says nothing of its table: name its `columns`, or give `constants`")
        times = Counter(map(fold, self._headings))
        if twice := [heading for heading in self._headings if times[fold(heading)] > 1]:
            at = ("columns", twice[-1]) if twice[-1] in self.columns else ("unpivot",)
            raise fault(f"the heading {twice[-1]!r} is declared twice", *at)
        for number, heading in enumerate(self.fill_down if self.declares_columns and not self.others else ()):
            if fold(heading) not in times:
                raise unknown_word(
                    "declared column", heading, nearest(heading, self._headings), at=("fill_down", number)
                )
        fields = {column.field: heading for heading, column in self.columns.items()}
        fields |= {self.unpivot.field: "unpivot"} if self.unpivot else {}
        if both := [name for name, value in self.constants.items() if name in fields and value != NONE]:
            reason = f"`{both[0]}` is a constant and what {fields[both[0]]!r} says: which one counts?"
            raise fault(reason, "constants", both[0])
        self._others_are_left()
        if self._headings or self.unpivot:
            self._has_values()
        return self

    def _others_are_left(self) -> None:
        """One rule for the columns that nothing names, and one that needs no heading."""
        if self.others is None:
            return
        if not (self.others.is_inferred or self.others.is_ignored):
            raise fault("`others` are `inferred` or to `ignore`: name those that are something else", "columns", OTHERS)
        if self.unpivot and self.unpivot.headings == OTHERS:
            raise fault("`others` are named twice: which one counts?", "unpivot", "headings")

    def _has_values(self) -> None:
        """What is measured must be said, or nothing would be read, or guessed."""
        columns = [*self.columns.values(), *([self.unpivot.column] if self.unpivot else [])]
        values = [column for column in columns if column.is_value]
        if not values and not any(column.is_inferred for column in columns) and not self.is_ignored:
            reason = (
                "no column holds measured values: give one of them a `metric`, say what to `unpivot`, or `ignore` all"
            )
            raise fault(reason)
        fields = {column.field for column in columns} | {self.unpivot.field if self.unpivot else None}
        if "metric" not in fields | set(self.constants) and any(column.metric is None for column in values):
            reason = "what is measured is not said: give a `metric`, a column that is the `metric`, or a constant"
            raise fault(reason)


class Mapping(_Strict):
    """A whole `mapping.yml`.

    Attributes:
        checked: True when a person vouches for it; a draft is not used by builds.
        tables: What its tables mean; the order decides between those that fit a table equally well.
    """

    checked: bool = False
    tables: Annotated[list[TableMapping], BeforeValidator(lambda given: given or [])]

    @model_validator(mode="after")
    def _says_something(self) -> Mapping:
        if self.checked and not self.tables:
            raise fault("`tables` is empty: a mapping that is checked says what they mean", "tables")
        return self
