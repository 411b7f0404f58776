"""Numbers that a mapping has read as rows: a `Measurement` or a `Price` each, and their conditions, each once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import repeat

from pipelines.extract.condition_fields import fields_of
from pipelines.extract.tables.apply import Block, Statement, read_condition
from pipelines.extract.tables.mapping import METRIC, STATISTIC, UNIT
from pipelines.extract.rows import Condition, Measurement, Price
from pipelines.extract.scope import Stated
from pipelines.read.document import Cell
from pipelines.values.precisions import parse_precision
from pipelines.values.variants import places_in
from pipelines.vocabulary.dimensions import Identity, dimensions, identity_of, label_of

_NO_PLACE = Cell("", 1, 0, 0)
# Columns of a row that several dimensions give together; all the others are one dimension each.
_JOINED = (
    "suite", "task", "stage", "phase", "model", "model_size", "variant", "platform", "accelerator_count", "nodes",
    "accelerators_per_node", "framework", "framework_version", "dataset", "submission_id", "image_size", "tuning",
    "sequence_length",
)  # fmt: skip
_WORDS = ("sdk_version", "precision", "division", "quality_target", "ranking")
_NUMBERS = ("batch_size", "epoch")


class Conditions:
    """The conditions of a document's numbers, each place of each once, in the order in which they are met."""

    def __init__(self) -> None:
        self.rows: list[Condition] = []
        self._numbers: dict[tuple[str, Statement], int] = {}

    def number(self, name: str, statement: Statement, section: str | None, section_line: int | None) -> int:
        """The number of a condition; a new one is kept."""
        key = name, statement
        known = self._numbers.get(key)
        if known is None:
            known = self._numbers[key] = len(self.rows)
            value, level, text, line, start = statement
            cell = Cell(text, line, start, start + len(text)) if line else _NO_PLACE
            self.rows.append(
                Condition(
                    cell=cell, section=section, section_line=section_line, number=known, dimension=name, value=value,
                    level=level, value_printed=text if line and not _says(name, text, value) else None,
                )  # fmt: skip
            )
        return known


@lru_cache(1 << 16)
def _says(name: str, text: str, value: str) -> bool:
    """Whether printed words say a value themselves."""
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
    names = [name for name in block.conditions if name != METRIC]
    fields = _fields(block, names, defines_pairs=defines_pairs)
    for name, column in _parts_of_names(block):
        if name not in block.conditions:
            names.append(name)
            block.conditions[name] = column
    for name in ("suite", "accelerator_count"):
        if name not in block.conditions:
            # What follows from other conditions is printed nowhere.
            values = [own[name] for own in fields]
            if any(value is not None for value in values):
                names.append(name)
                block.conditions[name] = [None if v is None else (str(v), "vocabulary", "", 0, 0) for v in values]
    stated = [list(block.column(name)) for name in names]
    numbers = [
        [None if one is None else conditions.number(name, one, section, line) for one in column]
        for name, column in zip(names, stated, strict=True)
    ]
    held = [tuple(sorted(n for n in row if n is not None)) for row in zip(*numbers, strict=True)] if numbers else repeat(())
    headings = " | ".join(dict.fromkeys(text for text in block.table.texts[0] if text)) or None
    metric = block.metric
    if block.statistic and block.statistic != "mean":
        metric = f"{metric}_{block.statistic.replace('.', '_')}"
    is_price = metric == "price"
    for (text, at, start), value, row, known, own in zip(
        block.cells, block.values, block.rows, held, fields, strict=False
    ):
        cell = Cell(text, at, start, start + len(text))
        if is_price:
            yield Price(
                cell=cell, section=section, section_line=line, platform_printed=own["platform_printed"],
                price_usd=value.value, price_low_usd=value.low, price_high_usd=value.high, bound=value.bound,
            )  # fmt: skip
            continue
        yield Measurement(
            cell=cell, section=section, section_line=line, metric=metric, value=value.value, value_low=value.low,
            value_high=value.high, bound=value.bound, unit=block.unit, unit_printed=block.unit_printed or None,
            item=block.item, higher_is_better=block.higher_is_better, row_line=min(block.table.lines[row]), headings_printed=headings, conditions=known,
            **own,
        )  # fmt: skip


def _parts_of_names(block: Block) -> Iterator[tuple[str, list[Statement | None]]]:
    """The stage, the phase and the sizes that a variant, or else the name of a model, prints."""
    found: dict[str, list[Statement | None]] = {}
    for whole in ("variant", "model"):
        for row, statement in enumerate(block.column(whole)):
            if statement is None or not statement[3] or statement[0] != " ".join(statement[2].split()):
                continue
            _, level, text, line, start = statement
            for name, (low, high) in places_in(text).items():
                column = found.setdefault(name, [None] * len(block.rows))
                if column[row] is None:
                    column[row] = (read_condition(name, text[low:high]), level, text[low:high], line, start + low)
    yield from found.items()


def _fields(block: Block, names: Sequence[str], *, defines_pairs: bool) -> list[dict[str, object]]:
    """The columns of each row; rows of equal conditions share one dictionary."""
    used = [name for name in names if name not in (UNIT, STATISTIC)]
    columns = [block.values_of(name) for name in used]
    known: dict[tuple[str | None, ...], dict[str, object]] = {}
    joined: dict[tuple[str | None, ...], dict[str, object]] = {}
    at = [n for n, name in enumerate(used) if name in _JOINED]
    found = []
    for row in zip(*columns, strict=True) if columns else repeat((), len(block.rows)):
        if (fields := known.get(row)) is None:
            key = tuple(row[n] for n in at)
            if (shared := joined.get(key)) is None:
                stated = {used[n]: value for n, value in zip(at, key, strict=True) if value is not None}
                shared = joined[key] = _joined(stated)
            fields = known[row] = shared | _own(dict(zip(used, row, strict=True)), defines_pairs=defines_pairs)
        found.append(fields)
    return found


def _joined(values: dict[str, str]) -> dict[str, object]:
    return fields_of({name: Stated(name, value, _NO_PLACE, "row") for name, value in values.items()})


def _own(values: dict[str, str | None], *, defines_pairs: bool) -> dict[str, object]:
    found: dict[str, object] = {name: value for name in _WORDS if (value := values.get(name)) is not None}
    found |= {name: int(value) for name in _NUMBERS if (value := values.get(name)) is not None}
    attributes = sorted({f"{label_of(n)} {v}" for n, v in values.items() if v is not None and is_attribute(n)})
    found["attributes"] = ", ".join(attributes) or None
    bits = parse_precision(values.get("precision") or "") if defines_pairs else None
    if bits:
        found |= {"activation_bits": bits.activation_bits, "weight_bits": bits.weight_bits}
    return found


def is_attribute(name: str) -> bool:
    """Whether a condition without a column of its own is part of what was measured."""
    known = dimensions().get(name)
    return known.label is not None if known else identity_of(name) is not Identity.NONE
