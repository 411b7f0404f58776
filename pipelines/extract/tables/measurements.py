"""Numbers that a mapping has read as rows: a `Measurement` or a `Price` each, and their conditions, each once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import repeat
from typing import Any

from pipelines.extract.condition_fields import fields_of
from pipelines.extract.rows import Condition, Measurement, Price, RowColumns
from pipelines.extract.scope import Stated
from pipelines.extract.tables.apply import Block
from pipelines.extract.tables.statements import Column, Statement, read_condition
from pipelines.read.document import Cell
from pipelines.values.precisions import parse_precision
from pipelines.values.variants import places_in
from pipelines.vocabulary.dimensions import Identity, dimensions, identity_of, label_of

_NO_PLACE = Cell("", 1, 0, 0)
# Dimensions that give the columns of a row together; all the others are one column each.
_JOINED = frozenset(
    {"suite", "task", "stage", "phase", "model", "model_size", "variant", "platform", "accelerator_count", "nodes"}
    | {"accelerators_per_node", "framework", "framework_version", "dataset", "submission_id", "image_size", "tuning"}
    | {"sequence_length"}
)
_WORDS = ("sdk_version", "precision", "division", "quality_target", "ranking")
_NOTHING = {None}
_NUMBERS = ("batch_size", "epoch")


class Conditions:
    """The conditions of a document's numbers, each place of each once, in the order in which they are met."""

    def __init__(self) -> None:
        self._stated: list[tuple[str, Statement]] = []
        self._sections: list[tuple[str | None, int | None]] = []
        # Numbers by the object, which is kept so that no other takes its place; those of a table are told by their text.
        self._kept: list[Column] = []
        self._numbers: dict[int, int | None] = {id(None): None}
        self._of_tables: dict[tuple[str, Statement], int] = {}

    def numbers(self, name: str, column: Column, section: tuple[str | None, int | None]) -> list[int | None]:
        """The numbers of conditions; new ones are kept."""
        fresh = {id(one): one for one in column if one is not None}
        fresh = {key: one for key, one in fresh.items() if key not in self._numbers}
        if fresh:
            self._kept.append(column)
            of_rows = [one for one in fresh.values() if one.level in ("row", "cell")]
            first = len(self._stated)
            self._numbers.update(zip(map(id, of_rows), range(first, first + len(of_rows)), strict=True))
            self._stated += zip(repeat(name), of_rows, strict=False)
            for key, one in fresh.items() if len(of_rows) < len(fresh) else ():
                if key not in self._numbers:
                    self._numbers[key] = number = self._of_tables.setdefault((name, one), len(self._stated))
                    self._stated += [(name, one)] if number == len(self._stated) else []
            self._sections += [section] * (len(self._stated) - len(self._sections))
        return list(map(self._numbers.__getitem__, map(id, column)))

    def columns(self) -> RowColumns:
        """All of them as rows."""
        names = [name for name, _ in self._stated]
        values, texts = [one.value for _, one in self._stated], [one.text for _, one in self._stated]
        lines, starts = [one.line for _, one in self._stated], [one.start for _, one in self._stated]
        words = [
            None if not line or _says(name, text, value) else text
            for name, value, text, line in zip(names, values, texts, lines, strict=True)
        ]
        fields: dict[str, Sequence[Any]] = {
            "section": [text for text, _ in self._sections],
            "section_line": [line for _, line in self._sections], "number": range(len(names)), "dimension": names,
            "value": values, "level": [one.level for _, one in self._stated], "value_printed": words,
        }  # fmt: skip
        return RowColumns(Condition, texts, lines, starts, fields)


@lru_cache(1 << 16)
def _says(name: str, text: str, value: str) -> bool:
    """Whether printed words say a value themselves; else a mapping has given it to them."""
    try:
        return read_condition(name, " ".join(text.split())) == value
    except ValueError:
        return False


def rows_of(block: Block, conditions: Conditions, *, defines_pairs: bool) -> RowColumns:
    """The rows of a block of numbers.

    Args:
        block: The numbers.
        conditions: Where their conditions are kept.
        defines_pairs: Whether the document says what X and Y of a precision `X.Y` are.
    """
    count, heading = len(block.rows), block.table.heading
    section = (heading.text, heading.pieces[0].line) if heading else (None, None)
    fields = _fields(block, defines_pairs=defines_pairs)
    texts, lines, starts = zip(*block.cells, strict=True)
    quantities = {name: [getattr(value, name) for value in block.values] for name in ("value", "low", "high", "bound")}
    shared: dict[str, Sequence[Any]] = {
        "section": [section[0]] * count,
        "section_line": [section[1]] * count,
        "bound": quantities["bound"],
    }
    if block.metric == "price":
        prices = {f"price{part}_usd": quantities[part[1:] or "value"] for part in ("", "_low", "_high")}
        platforms = {"platform_printed": fields.get("platform_printed", [None] * count)}
        return RowColumns(Price, texts, lines, starts, shared | prices | platforms)
    suffix = f"_{block.statistic.replace('.', '_')}" if block.statistic and block.statistic != "mean" else ""
    stated = {**_parts_of_names(block), **_following(block, fields), **block.conditions}
    numbers = [conditions.numbers(name, column, section) for name, column in stated.items()]
    own = {
        "metric": block.metric + suffix, "unit": block.unit, "unit_printed": block.unit_printed or None,
        "item": block.item, "higher_is_better": block.higher_is_better,
        "headings_printed": " | ".join(dict.fromkeys(text for text in block.table.texts[0] if text)) or None,
    }  # fmt: skip
    columns: dict[str, Sequence[Any]] = {
        **shared,
        **{name: [value] * count for name, value in own.items()},
        **fields,
        "value": quantities["value"],
        "value_low": quantities["low"],
        "value_high": quantities["high"],
        "row_line": [min(block.table.lines[row]) for row in block.rows],
        "conditions": [sorted({*held} - _NOTHING) for held in zip(*numbers, strict=True)] if numbers else [[]] * count,
    }
    return RowColumns(Measurement, texts, lines, starts, columns)


def conditions_of(block: Block) -> dict[str, Column]:
    """What a block states of its numbers, with the parts that names print."""
    return {**_parts_of_names(block), **block.conditions}


def _parts_of_names(block: Block) -> dict[str, Column]:
    """The stage, the phase and the sizes that a variant, or else the name of a model, prints."""
    found: dict[str, Column] = {}
    for whole in ("model", "variant"):
        for row, stated in enumerate(block.conditions.get(whole, ())):
            # What a mapping says stands for its words as a whole.
            if stated is None or stated.value != " ".join(stated.text.split()):
                continue
            for name, value, low, high in _parts_of(stated.text):
                part = Statement(value, stated.level, stated.text[low:high], stated.line, stated.start + low)
                found.setdefault(name, [None] * len(block.rows))[row] = part
    return found


@lru_cache(1 << 12)
def _parts_of(text: str) -> tuple[tuple[str, str, int, int], ...]:
    found = []
    for name, (low, high) in places_in(text).items():
        try:
            found.append((name, read_condition(name, text[low:high]), low, high))
        except ValueError:
            continue
    return tuple(found)


def _following(block: Block, fields: Mapping[str, Sequence[Any]]) -> dict[str, Column]:
    """What follows from other conditions by the vocabulary, and is printed nowhere."""
    found: dict[str, Column] = {}
    for name in ("suite", "accelerator_count"):
        values = fields.get(name)
        if values is not None and name not in block.conditions:
            known = {value: Statement(str(value), "vocabulary") for value in set(values) if value is not None}
            found[name] = [known.get(value) for value in values]
    return found


def _fields(block: Block, *, defines_pairs: bool) -> dict[str, Sequence[Any]]:
    """The columns of the rows that conditions fill; one that is null in all rows is left out."""
    found = dict(_joined_columns(block))
    for name in (*_WORDS, *_NUMBERS):
        if name in block.conditions:
            values = block.values_of(name)
            found[name] = values if name in _WORDS else [None if value is None else int(value) for value in values]
    names = sorted(name for name in block.conditions if is_attribute(name))
    if names:
        rows = list(zip(*(block.values_of(name) for name in names), strict=True))
        # In one order, whatever the order of the columns: they are a part of the benchmark's identity.
        labels = [label_of(name) for name in names]
        joined = {
            row: ", ".join(sorted({f"{label} {value}" for label, value in zip(labels, row, strict=True) if value}))
            or None
            for row in set(rows)
        }
        found["attributes"] = [joined[row] for row in rows]
    if defines_pairs and "precision" in block.conditions:
        bits = {value: parse_precision(value or "") for value in set(found["precision"])}
        for name in ("activation_bits", "weight_bits"):
            found[name] = [getattr(bits[value], name, None) for value in found["precision"]]
    return found


def _joined_columns(block: Block) -> Iterator[tuple[str, Sequence[Any]]]:
    names = [name for name in block.conditions if name in _JOINED]
    columns = [block.values_of(name) for name in names]
    rows = list(zip(*columns, strict=True)) if names else list(repeat((), len(block.rows)))
    known = {}
    for row in set(rows):
        values = {name: value for name, value in zip(names, row, strict=True) if value is not None}
        known[row] = fields_of({name: Stated(name, value, _NO_PLACE, "row") for name, value in values.items()})
    own = {*_WORDS, *_NUMBERS, "attributes", "activation_bits", "weight_bits"} - {"sequence_length"}
    for name in next(iter(known.values()), {}):
        of_row = {row: fields[name] for row, fields in known.items()}
        if name not in own and any(value is not None for value in of_row.values()):
            yield name, [of_row[row] for row in rows]


def is_attribute(name: str) -> bool:
    """Whether a condition without a column of its own is part of what was measured."""
    known = dimensions().get(name)
    if known is None:
        return name not in ("unit", "metric") and identity_of(name) is not Identity.NONE
    return known.label is not None
