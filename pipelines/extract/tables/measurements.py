"""Numbers that a mapping has read as rows: a `Measurement` or a `Price` each, and their conditions, each once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from pipelines.extract.condition_fields import fields_of
from pipelines.extract.rows import Condition, Measurement, Price
from pipelines.extract.scope import Stated
from pipelines.extract.tables.apply import Block
from pipelines.extract.tables.mapping import STATISTIC, UNIT
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
_NUMBERS = ("batch_size", "epoch")


class Conditions:
    """The conditions of a document's numbers, each place of each once, in the order in which they are met."""

    def __init__(self) -> None:
        self.rows: list[Condition] = []
        self._numbers: dict[tuple[str, Statement], int] = {}

    def number(self, name: str, stated: Statement, section: str | None, section_line: int | None) -> int:
        """The number of a condition; a new one is kept."""
        known = self._numbers.setdefault((name, stated), len(self.rows))
        if known == len(self.rows):
            value, level, text, line, start = stated
            cell = Cell(text, line, start, start + len(text)) if line else _NO_PLACE
            words = text if line and not _says(name, text, value) else None
            self.rows.append(
                Condition(
                    cell=cell,
                    section=section,
                    section_line=section_line,
                    number=known,
                    dimension=name,
                    value=value,
                    level=level,
                    value_printed=words,
                )  # fmt: skip
            )
        return known


@lru_cache(1 << 16)
def _says(name: str, text: str, value: str) -> bool:
    """Whether printed words say a value themselves; else a mapping has given it to them."""
    try:
        return read_condition(name, " ".join(text.split())) == value
    except ValueError:
        return False


def rows_of(block: Block, conditions: Conditions, *, defines_pairs: bool) -> Iterator[Measurement | Price]:
    """The rows of a block of numbers.

    Args:
        block: The numbers.
        conditions: Where their conditions are kept.
        defines_pairs: Whether the document says what X and Y of a precision `X.Y` are.
    """
    heading = block.table.heading
    section, line = (heading.text, heading.pieces[0].line) if heading else (None, None)
    fields = _fields(block, defines_pairs=defines_pairs)
    stated = {**_parts_of_names(block), **_following(block, fields), **block.conditions}
    numbers = [
        [None if one is None else conditions.number(name, one, section, line) for one in column]
        for name, column in stated.items()
    ]
    headings = " | ".join(dict.fromkeys(text for text in block.table.texts[0] if text)) or None
    suffix = f"_{block.statistic.replace('.', '_')}" if block.statistic not in (None, "mean") else ""  # type: ignore[union-attr]
    for at, (cell, value, row, own) in enumerate(zip(block.cells, block.values, block.rows, fields, strict=True)):
        if block.metric == "price":
            yield Price(
                cell=cell, section=section, section_line=line, platform_printed=own["platform_printed"],
                price_usd=value.value, price_low_usd=value.low, price_high_usd=value.high, bound=value.bound,
            )  # fmt: skip
            continue
        held = tuple(sorted({number for column in numbers if (number := column[at]) is not None}))
        yield Measurement(
            cell=cell, section=section, section_line=line, metric=block.metric + suffix, value=value.value,
            value_low=value.low, value_high=value.high, bound=value.bound, unit=block.unit,
            unit_printed=block.unit_printed or None, item=block.item, higher_is_better=block.higher_is_better,
            row_line=min(block.table.lines[row]), headings_printed=headings, conditions=held, **own,
        )  # fmt: skip


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


def _following(block: Block, fields: Sequence[dict[str, Any]]) -> dict[str, Column]:
    """What follows from other conditions by the vocabulary, and is printed nowhere."""
    found: dict[str, Column] = {}
    for name in ("suite", "accelerator_count"):
        if name not in block.conditions:
            column = [Statement(str(own[name]), "vocabulary") if own[name] is not None else None for own in fields]
            found |= {name: column} if any(column) else {}
    return found


def _fields(block: Block, *, defines_pairs: bool) -> list[dict[str, Any]]:
    """The columns of each row; rows of equal conditions share one dictionary."""
    names = [name for name in block.conditions if name not in (UNIT, STATISTIC)]
    at = [n for n, name in enumerate(names) if name in _JOINED]
    joined: dict[tuple[str | None, ...], dict[str, Any]] = {}
    known: dict[tuple[str | None, ...], dict[str, Any]] = {}
    found = []
    columns = [block.values_of(name) for name in names]
    for row in zip(*columns, strict=True) if columns else [()] * len(block.rows):
        if (fields := known.get(row)) is None:
            key = tuple(row[n] for n in at)
            if (shared := joined.get(key)) is None:
                values = {names[n]: value for n, value in zip(at, key, strict=True) if value is not None}
                shared = joined[key] = fields_of({n: Stated(n, v, _NO_PLACE, "row") for n, v in values.items()})
            fields = known[row] = shared | _own(dict(zip(names, row, strict=True)), defines_pairs=defines_pairs)
        found.append(fields)
    return found


def _own(values: dict[str, str | None], *, defines_pairs: bool) -> dict[str, Any]:
    """The columns that are one condition each, and the attributes of the benchmark."""
    found: dict[str, Any] = {name: value for name in _WORDS if (value := values.get(name)) is not None}
    found |= {name: int(value) for name in _NUMBERS if (value := values.get(name)) is not None}
    attributes = {f"{label_of(name)} {value}" for name, value in values.items() if value and is_attribute(name)}
    # In one order, whatever the order of the columns: they are a part of the benchmark's identity.
    found["attributes"] = ", ".join(sorted(attributes)) or None
    if defines_pairs and (bits := parse_precision(values.get("precision") or "")):
        found |= {"activation_bits": bits.activation_bits, "weight_bits": bits.weight_bits}
    return found


def is_attribute(name: str) -> bool:
    """Whether a condition without a column of its own is part of what was measured."""
    known = dimensions().get(name)
    return known.label is not None if known else identity_of(name) is not Identity.NONE
