"""`mapping.yml`: what the tables of a source mean where inference cannot know, as a person has checked it.

The format and its loading. How a mapping is laid upon a printed table belongs in `mapped_table.py`.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    ValidationError,
    model_validator,
)
from pydantic_core import ErrorDetails, PydanticCustomError

from pipelines.extract.tables.located_yaml import LocatedError, Place, read_located
from pipelines.extract.tables.mapping_words import (
    COLUMN_WORDS,
    DIMENSIONS,
    IGNORE,
    INFERRED,
    LONGEST_WORD,
    NONE,
    OTHERS,
    VALUE,
    batch_kind_word,
    check_constant,
    dimension_word,
    fault,
    field_word,
    fold,
    metric_word,
    nearest,
    statistic_word,
    unit_word,
    unknown_word,
)
from pipelines.vocabulary.lookup import find

MAPPING_FILE = "mapping.yml"

# More rows of headings than any table has.
_MOST_HEADER_ROWS = 10


@dataclass(frozen=True, slots=True)
class MappingFile:
    """The mapping of a source as the store lists it: where it is, and the sha256 of its bytes."""

    path: Path
    sha256: str


class MappingError(Exception):
    """A mapping that does not say what it must; the message names file, line, and the word that may be meant."""

    def __init__(self, path: Path, reason: str, line: int | None = None, column: int | None = None) -> None:
        place = "/".join(path.parts[-3:]) + "".join(f":{part}" for part in (line, column) if part)
        super().__init__(f"{place}: {reason}")
        self.reason, self.line, self.column = reason, line, column


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


def load_mapping(path: Path) -> Mapping:
    """The mapping of a source, checked field by field.

    Raises:
        MappingError: The file is no YAML, too large or too deep, or a field, type, name or unit in it is wrong.
    """
    try:
        content, places = read_located(path)
    except LocatedError as error:
        raise MappingError(path, str(error), error.line, error.column) from error
    if not isinstance(content, dict):
        raise MappingError(path, "a mapping must hold fields with values, such as `checked: true`", 1)
    try:
        mapping = Mapping.model_validate(content)
    except ValidationError as error:
        # A field that is misspelt is missing, too: what is there and wrong says more.
        first = min(error.errors(), key=lambda fault: fault["type"] != "extra_forbidden")
        line, column = _place_of((*first["loc"], *first.get("ctx", {}).get("at", ())), places)
        raise MappingError(path, _worded(first), line, column) from error
    for number, table in enumerate(mapping.tables):
        table._line = places["tables", number][0]
    return mapping


def load_listed(listed: MappingFile) -> Mapping:
    """The mapping of a source, whose bytes are those that the store has listed.

    Raises:
        MappingError: As of `load_mapping`, or the file was changed since.
    """
    mapping = load_mapping(listed.path)
    if hashlib.sha256(listed.path.read_bytes()).hexdigest() != listed.sha256:
        raise MappingError(listed.path, "it was changed while the build was running; build again")
    return mapping


def _place_of(loc: tuple[int | str, ...], places: dict[Place, tuple[int, int]]) -> tuple[int, int]:
    """Where the field of an error stands, or what is nearest around it: what is missing stands nowhere."""
    while loc and loc not in places:
        loc = loc[:-1]
    return places.get(loc, (1, 1))


_MODELS: tuple[type[BaseModel], ...] = (Mapping, TableMapping, ColumnMapping, Unpivot)
_TYPES = {
    "int_parsing": "must be a whole number",
    "bool_parsing": "must be true or false",
    "string_type": "must be text",
    "string_too_short": "is empty",
    "too_short": "is empty",
    "missing": "is missing",
    "list_type": "must be a list",
    "dict_type": "must hold fields with values",
    "model_type": "must hold fields with values",
    "model_attributes_type": "must hold fields with values",
}


def _worded(error: ErrorDetails) -> str:
    """What is wrong with a field, as a sentence for whoever wrote it."""
    where = ".".join(str(part) for part in error["loc"] if part != "[key]")
    if error["type"] == "extra_forbidden":
        word = str(error["loc"][-1])
        known = _known_beside(error["loc"])
        meant = nearest(word, known)
        hint = f"did you mean {meant!r}?" if meant else f"known are: {', '.join(known)}"
        return f"there is no field {word[:LONGEST_WORD]!r} here; {hint}"
    if error["type"] == "mapping":
        return error["msg"]
    return f"`{where}` {_TYPES.get(error['type'], error['msg'])}"


def _known_beside(loc: tuple[int | str, ...]) -> list[str]:
    """The fields that may stand where an unknown one does."""
    inner = [part for part in loc[:-1] if not isinstance(part, int)]
    model: type[BaseModel] = Mapping
    if inner[-1:] == ["unpivot"]:
        model = Unpivot
    elif "columns" in inner:
        model = ColumnMapping
    elif inner == ["tables"]:
        model = TableMapping
    return list(model.model_fields)
