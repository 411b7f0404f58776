"""Numbers that a mapping has read as rows: a `Measurement` or a `Price` each, their conditions, and what is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import count
from typing import Any, cast

from pipelines.extract.conditions import columns_of
from pipelines.extract.contract import Extraction, Mark, Status
from pipelines.extract.rows import Condition, Measurement, Price, Reject, Row, RowColumns
from pipelines.extract.tables.blocks import NumberBlock, Result
from pipelines.extract.tables.printed import PrintedTable
from pipelines.extract.tables.statements import Statement, Statements, read_condition
from pipelines.read.document import Document
from pipelines.values.variants import places_in

# `X is the precision for storing the activations & gradients, and Y is ... the weights`
_PAIR_NOTE = re.compile(
    r"\bX\.Y\b[^\n]{0,200}?\bX\b[^\n.;]{0,200}activation[^\n]{0,200}\bY\b[^\n]{0,200}weight", re.IGNORECASE
)
_HEADING = ("table_header", "table_heading")
# What the vocabulary adds to a row.
_FOLLOWING = ("suite", "accelerator_count")


def to_rows(document: Document, result: Result) -> Extraction:
    """What a mapping has made of a document, as rows with the accounting of its tables."""
    extraction, conditions = Extraction(), _Conditions()
    text = "\n".join(document.texts)
    defines_pairs = "X.Y" in text and _PAIR_NOTE.search(text) is not None
    for block in result.blocks:
        if block.rows:
            extraction.columns.append(_rows_of(block, conditions, defines_pairs=defines_pairs))
    extraction.rows += [_in_section(refusal, result.tables) for refusal in result.refusals]
    if extraction.columns:
        extraction.columns.append(conditions.columns())
    for number in range(len(result.tables)):
        _account(extraction, result, number)
    return extraction


class _Conditions:
    """The conditions of a document's numbers, each place of each once, in the order in which they are met."""

    def __init__(self) -> None:
        self._stated: list[Statement] = []
        self._names: list[str] = []
        self._sections: list[tuple[str | None, int | None]] = []
        self._numbers: dict[str, dict[Statement | None, int | None]] = {}

    def numbers(self, name: str, column: Statements, section: tuple[str | None, int | None]) -> list[int | None]:
        """The numbers of the conditions in a column; new ones are kept."""
        known = self._numbers.setdefault(name, {None: None})
        fresh = [one for one in dict.fromkeys(column) if one not in known]
        known.update(zip(fresh, count(len(self._stated)), strict=False))
        self._stated += [one for one in fresh if one]
        self._names += [name] * len(fresh)
        self._sections += [section] * len(fresh)
        return list(map(known.__getitem__, column))

    def columns(self) -> RowColumns:
        """All of them as rows."""
        values, levels, texts, lines, starts = zip(*self._stated, strict=True) if self._stated else ((),) * 5
        words = [
            None if not line or text == value or _says(name, text, value) else text
            for name, value, text, line in zip(self._names, values, texts, lines, strict=True)
        ]
        fields: dict[str, Sequence[Any]] = {
            "section": [text for text, _ in self._sections], "section_line": [line for _, line in self._sections],
            "number": range(len(values)), "dimension": self._names, "value": values, "level": levels,
            "value_printed": words,
        }  # fmt: skip
        return RowColumns(Condition, texts, lines, starts, fields)


@lru_cache(1 << 16)
def _says(name: str, text: str, value: str) -> bool:
    """Whether printed words say a value themselves; else a mapping has given it to them."""
    try:
        return read_condition(name, " ".join(text.split())) == value
    except ValueError:
        return False


def _rows_of(block: NumberBlock, conditions: _Conditions, *, defines_pairs: bool) -> RowColumns:
    size, heading = len(block.rows), block.table.heading
    section = (heading.text, heading.pieces[0].line) if heading else (None, None)
    texts, lines, starts = zip(*block.places, strict=True)
    stated_values = {name: block.values_of(name) for name in block.conditions}
    fields = columns_of(stated_values, size, defines_pairs=defines_pairs)
    value, low, high, bound = ([getattr(q, n) for q in block.values] for n in ("value", "low", "high", "bound"))
    own: dict[str, Any] = {"section": section[0], "section_line": section[1]}
    columns: dict[str, Sequence[Any]]
    if block.metric == "price":
        kind: type[Row] = Price
        columns = {"price_usd": value, "price_low_usd": low, "price_high_usd": high, "bound": bound}
        columns["platform_printed"] = fields.get("platform_printed", [None] * size)
    else:
        kind = Measurement
        suffix = f"_{block.statistic.replace('.', '_')}" if block.statistic not in (None, "mean") else ""
        own |= {
            "metric": block.metric + suffix, "unit": block.unit, "unit_printed": block.unit_printed or None,
            "item": block.item, "higher_is_better": block.higher_is_better,
            "headings_printed": " | ".join(dict.fromkeys(text for text in block.table.texts[0] if text)) or None,
        }  # fmt: skip
        # What follows from other conditions by the vocabulary is printed nowhere.
        following = {
            name: list(map({v: Statement(str(v), "vocabulary") for v in {*fields[name]} - {None}}.get, fields[name]))
            for name in _FOLLOWING if name in fields and name not in block.conditions
        }  # fmt: skip
        stated = following | conditions_of(block)
        numbers = _by_row([conditions.numbers(name, column, section) for name, column in stated.items()], size)
        lowest = [min(block.table.lines[row]) for row in block.rows]
        columns = {**fields, "value": value, "value_low": low, "value_high": high, "bound": bound}
        columns |= {"row_line": lowest, "conditions": numbers}
    return RowColumns(kind, texts, lines, starts, {name: [one] * size for name, one in own.items()} | columns)


def _by_row(numbers: Sequence[list[int | None]], size: int) -> list[tuple[int, ...]]:
    """The numbers of the conditions of each row; what is not stated has none."""
    rows = list(zip(*numbers, strict=True)) if numbers else [()] * size
    if any(None in column for column in numbers):
        return [tuple(number for number in row if number is not None) for row in rows]
    return cast(list[tuple[int, ...]], rows)


def conditions_of(block: NumberBlock) -> dict[str, Statements]:
    """What a block states of its numbers, with the stage, phase and sizes that a variant, or a model, prints."""
    found: dict[str, Statements] = {}
    for whole in ("model", "variant"):
        stated = ((row, one) for row, one in enumerate(block.conditions.get(whole, ())) if one)
        for row, one in stated:
            for name, value, low, high in _parts_of(one.text, one.value):
                part = Statement(value, one.level, one.text[low:high], one.line, one.start + low)
                found.setdefault(name, [None] * len(block.rows))[row] = part
    return {**found, **block.conditions}


@lru_cache(1 << 16)
def _parts_of(text: str, value: str) -> tuple[tuple[str, str, int, int], ...]:
    found = []
    # What a mapping says stands for its words as a whole.
    for name, (low, high) in places_in(text).items() if value == " ".join(text.split()) else ():
        try:
            found.append((name, read_condition(name, text[low:high]), low, high))
        except ValueError:
            continue
    return tuple(found)


# What is refused, and the accounting of tables


def _in_section(refusal: Reject, tables: Sequence[PrintedTable]) -> Reject:
    """A reject with the heading of the table that it is in."""
    table = next((t for t in tables if t.first_line <= refusal.cell.line <= t.last_line), None)
    heading = table.heading if table else None
    section, line = (heading.text, heading.pieces[0].line) if heading else (None, None)
    row = refusal.row_json or json.dumps([refusal.cell.text], ensure_ascii=False)
    return replace(refusal, section=section, section_line=line, row_json=row)


def _account(extraction: Extraction, result: Result, number: int) -> None:
    """Say what the lines and the cells of a table are that no row is about."""
    table, claim, rule = result.tables[number], result.claims.get(number), result.refused.get(number)
    if claim is None and not table.holds_numbers:
        return
    extraction.lines.update(*table.lines)
    columns: Iterable[int] | None = None
    if claim and rule is None and not claim.entry.skip:
        extraction.roles |= {part.line: _HEADING for heading in claim.headings for part in heading.passage.pieces}
        columns = [at for at, heading in enumerate(claim.headings) if heading.is_ignored]
    status, why = ("unparsed", rule) if rule else ("ignored", "mapping_ignores")
    for row, texts in enumerate(table.texts) if columns is None or columns else ():
        at = [n for n in columns if n < len(texts)] if columns is not None else [
            n for n, text in enumerate(texts) if any(map(str.isdecimal, text))
        ]  # fmt: skip
        extraction.marks += [Mark(table.cell(row, n), cast(Status, status), why) for n in at]
