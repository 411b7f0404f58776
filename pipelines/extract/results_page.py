"""Result pages: tables of measured numbers, read as the mapping of their source says."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence

from pipelines.extract.contract import Extraction, Mark
from pipelines.extract.tables.apply import Refusal, Result, apply
from pipelines.extract.tables.entries import Rules
from pipelines.extract.tables.measurements import Conditions, rows_of
from pipelines.extract.tables.printed import Table, tables_of
from pipelines.extract.rows import Condition, Measurement, Price, Reject
from pipelines.read.document import Document

FORMAT = "results_page"
DESCRIPTION = "tables of measured values, read as the mapping of their source says."
ROWS = (Measurement, Condition, Price, Reject)
PRIORITY = 30

# `X is the precision for storing the activations & gradients, and Y is ... the weights`
_PAIR_NOTE = re.compile(
    r"\bX\.Y\b[^\n]{0,200}?\bX\b[^\n.;]{0,200}activation[^\n]{0,200}\bY\b[^\n]{0,200}weight", re.IGNORECASE
)
_HEADING = ("table_header", "table_heading")


def recognise(document: Document) -> float:
    """0.9 where a table with numbers is in the document, else 0."""
    return 0.9 if any(table.holds_numbers for table in tables_of(document, ())) else 0.0


def extract(document: Document, taken: Collection[int], mapping: Sequence[Rules] | None = None) -> Extraction:
    """One `Measurement` per measured cell of every table that the mapping claims, one `Price` per list price.

    A table that it does not claim, a row and a cell that are not as it says are in the rejects.
    """
    tables = tables_of(document, taken, [(rules.line, rules.rows) for rules in mapping or () if rules.rows])
    result = apply(document, tables, mapping or ())
    if mapping is None:
        result.refusals = [refusal for refusal in result.refusals if refusal.rule != "section_gone"]
    return to_rows(document, result)


def to_rows(document: Document, result: Result) -> Extraction:
    """What a mapping has made of a document, as rows with the accounting of its tables."""
    extraction, conditions = Extraction(), Conditions()
    defines_pairs = any("X.Y" in text and _PAIR_NOTE.search(text) for text in document.texts)
    for block in result.blocks:
        extraction.rows += rows_of(block, conditions, defines_pairs=defines_pairs)
    extraction.rows += [_reject(document, refusal, result) for refusal in result.refusals]
    extraction.rows += conditions.rows
    for number, table in enumerate(result.tables):
        _account(extraction, result, number, table)
    return extraction


def _account(extraction: Extraction, result: Result, number: int, table: Table) -> None:
    """Say what the lines and the cells of a table are that no row is about."""
    if not table.holds_numbers and result.claims[number] is None:
        return
    extraction.lines |= {line for row in table.lines for line in row}
    headings = result.headings.get(number)
    if headings is not None:
        extraction.roles |= {part.line: _HEADING for heading in headings for part in heading.parts}
        ignored = [n for n, heading in enumerate(headings) if heading.column is None or not heading.column.specs]
        marks = ((row, n) for row in range(len(table.texts)) for n in ignored if n < len(table.texts[row]))
        extraction.marks += [Mark(table.cell(*place), "ignored", "mapping_ignores") for place in marks]
        return
    rule = result.refused.get(number)
    claimed = result.claims[number]
    status, why = ("unparsed", rule or "no_mapping") if not (claimed and claimed.entry.skip) else ("ignored", "mapping_ignores")
    for row, texts in enumerate(table.texts):
        for column, text in enumerate(texts):
            if any(map(str.isdigit, text)):
                extraction.marks.append(Mark(table.cell(row, column), status, why))  # type: ignore[arg-type]


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
