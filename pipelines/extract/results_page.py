"""Result pages: tables of measured numbers, read as the mapping of their source says."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from typing import cast

from pipelines.extract.contract import Extraction, Mark, Status
from pipelines.extract.rows import Condition, Measurement, Price, Reject
from pipelines.extract.tables.ambiguous import refuse_ambiguous
from pipelines.extract.tables.apply import Refusal, Result, apply
from pipelines.extract.tables.claims import tables_for
from pipelines.extract.tables.entries import Rules
from pipelines.extract.tables.measurements import Conditions, rows_of
from pipelines.extract.tables.printed import Table, tables_of
from pipelines.read.document import Document

FORMAT = "results_page"
DESCRIPTION = "tables of measured values, read as the mapping of their source says."
ROWS = (Measurement, Condition, Price, Reject)
PRIORITY = 30

# `X is the precision for storing the activations & gradients, and Y is ... the weights`
_PAIR_NOTE = re.compile(
    r"\bX\.Y\b[^\n]{0,200}?\bX\b[^\n.;]{0,200}activation[^\n]{0,200}\bY\b[^\n]{0,200}weight", re.IGNORECASE
)
_DIGIT = re.compile(r"\d")
_HEADING = ("table_header", "table_heading")


def recognise(document: Document) -> float:
    """0.9 where a table with numbers is in the document, else 0."""
    return 0.9 if any(table.holds_numbers for table in tables_of(document, ())) else 0.0


def extract(document: Document, taken: Collection[int], mapping: Sequence[Rules] | None = None) -> Extraction:
    """One `Measurement` per measured cell of every table that the mapping claims, one `Price` per list price.

    A table that it does not claim, a row and a cell that are not as it says are in the rejects.
    """
    tables = tables_for(document, taken, mapping or ())
    result = apply(document, tables, mapping or ())
    refuse_ambiguous(result)
    return to_rows(document, result)


def to_rows(document: Document, result: Result) -> Extraction:
    """What a mapping has made of a document, as rows with the accounting of its tables."""
    extraction, conditions = Extraction(), Conditions()
    defines_pairs = any("X.Y" in text and _PAIR_NOTE.search(text) for text in document.texts)
    for block in result.blocks:
        if block.rows:
            extraction.columns.append(rows_of(block, conditions, defines_pairs=defines_pairs))
    extraction.rows += [_reject(document, refusal, result) for refusal in result.refusals]
    if extraction.columns:
        extraction.columns.append(conditions.columns())
    for number, table in enumerate(result.tables):
        _account(extraction, result, number, table)
    return extraction


def _account(extraction: Extraction, result: Result, number: int, table: Table) -> None:
    """Say what the lines and the cells of a table are that no row is about."""
    claim, rule = result.claims.get(number), result.refused.get(number)
    if claim is None and not table.holds_numbers:
        return
    extraction.lines |= {line for row in table.lines for line in row}
    if claim and rule is None and not claim.rules.entry.skip:
        extraction.roles |= {part.line: _HEADING for heading in claim.headings for part in heading.parts}
        ignored = [n for n, heading in enumerate(claim.headings) if heading.column is None or not heading.column.specs]
        cells = (table.cell(row, n) for row, texts in enumerate(table.texts) for n in ignored if n < len(texts))
        extraction.marks += [Mark(cell, "ignored", "mapping_ignores") for cell in cells]
        return
    status, why = ("unparsed", rule) if rule else ("ignored", "mapping_ignores")
    places = ((row, n) for row, texts in enumerate(table.texts) for n, text in enumerate(texts) if _DIGIT.search(text))
    extraction.marks += [Mark(table.cell(*place), cast(Status, status), why) for place in places]


def _reject(document: Document, refusal: Refusal, result: Result) -> Reject:
    table = next((t for t in result.tables if t.first_line <= refusal.cell.line <= t.last_line), None)
    heading = table.heading if table else None
    return Reject(
        cell=refusal.cell,
        section=heading.text if heading else None,
        section_line=heading.pieces[0].line if heading else None,
        rule=refusal.rule,
        reason=refusal.reason,
        scope=refusal.scope,
        row_json=json.dumps(list(refusal.texts) or [refusal.cell.text], ensure_ascii=False),
    )
