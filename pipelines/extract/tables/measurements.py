"""Numbers that a mapping has read as rows: a `Measurement` or a `Price` each, their conditions, and what is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, cast

from pipelines.extract.conditions import Column, Stated, Statements, columns_of
from pipelines.extract.contract import Extraction, Mark, Status
from pipelines.extract.rows import Measurement, Price, Reject, Row, RowColumns
from pipelines.extract.tables.blocks import NumberBlock, Result
from pipelines.extract.tables.statements import read_condition
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
    extraction = Extraction()
    text = "\n".join(document.texts)
    defines_pairs = "X.Y" in text and _PAIR_NOTE.search(text) is not None
    for block in result.blocks:
        if block.rows:
            extraction.columns.append(_rows_of(block, result.statements, defines_pairs=defines_pairs))
    extraction.rows += [_in_section(refusal, result) for refusal in result.refusals]
    if extraction.columns:
        conditions = result.statements.to_rows()
        facts = (conditions.fields["dimension"], conditions.fields["value"], conditions.texts, conditions.lines)
        conditions.fields["value_printed"] = [
            None if not line or text == value or _says(name, text, value) else text
            for name, value, text, line in zip(*facts, strict=True)
        ]
        extraction.columns.append(conditions)
    for number in range(len(result.tables)):
        _account(extraction, result, number)
    return extraction


@lru_cache(1 << 16)
def _says(name: str, text: str, value: str) -> bool:
    """Whether printed words say a value themselves; else a mapping has given it to them."""
    try:
        return read_condition(name, " ".join(text.split())) == value
    except ValueError:
        return False


def _rows_of(block: NumberBlock, statements: Statements, *, defines_pairs: bool) -> RowColumns:
    size, heading = len(block.rows), block.claim.heading
    section = (heading.text, heading.pieces[0].line) if heading else (None, None)
    stated_values = {name: statements.values_of(column) for name, column in block.conditions.items()}
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
        declared = block.claim.entry.source.metrics.get(block.metric)
        own |= {
            "metric": block.metric + suffix, "unit": block.unit, "unit_printed": block.unit_printed or None,
            "item": block.item, "higher_is_better": declared.higher_is_better if declared else None,
            "headings_printed": " | ".join(dict.fromkeys(text for text in block.table.texts[0] if text)) or None,
        }  # fmt: skip
        # What follows from other conditions by the vocabulary is printed nowhere.
        following: dict[str, Column] = {}
        for name in _FOLLOWING:
            if name in fields and name not in block.conditions:
                stated = {
                    each: statements.add(Stated(name, str(each), level="vocabulary"))
                    for each in {*fields[name]} - {None}
                }
                following[name] = [stated.get(each, 0) for each in fields[name]]
        columns_stated = (following | conditions_of(block, statements)).values()
        numbers = [statements.number(column, *section) for column in columns_stated]
        of_rows: list[tuple[int, ...]] = list(zip(*numbers, strict=True)) if numbers else [()] * size
        if any(-1 in column for column in numbers):
            of_rows = [tuple(number for number in row if number >= 0) for row in of_rows]
        lowest = [min(block.table.lines[row]) for row in block.rows]
        columns = {**fields, "value": value, "value_low": low, "value_high": high, "bound": bound}
        columns |= {"row_line": lowest, "conditions": of_rows}
    shared = {name: [one] * size for name, one in own.items()}
    return RowColumns(kind, block.texts, block.lines, block.starts, shared | columns)


def conditions_of(block: NumberBlock, statements: Statements) -> dict[str, Column]:
    """What a block states of its numbers, with the stage, phase and sizes that a variant, or a model, prints."""
    found: dict[str, Column] = {}
    for whole in ("model", "variant"):
        column = block.conditions.get(whole, [])
        printed = list(zip(map(statements.texts.__getitem__, column), statements.values_of(column), strict=True))
        parts = {each: _parts_of(*each) for each in set(printed) if each[1]}
        for row, each in enumerate(printed) if any(parts.values()) else ():
            for name, value, low, high in parts.get(each, ()):
                one = statements[column[row]]
                part = Stated(name, value, one.cell.part(low, high), one.level)
                found.setdefault(name, [0] * len(printed))[row] = statements.add(part)
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


def _in_section(refusal: Reject, result: Result) -> Reject:
    """A reject with the heading of the table that it is in."""
    lines = ((number, table.first_line, table.last_line) for number, table in enumerate(result.tables))
    at = next((number for number, first, last in lines if first <= refusal.cell.line <= last), None)
    heading = result.heading(at) if at is not None else None
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
