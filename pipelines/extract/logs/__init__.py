"""What logs of all kinds have in common: their results, what of them gives none, and the accounting of their lines.

Rows are made in `training_log`, `program_log` and `mlperf_training`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from pipelines.extract.conditions import Stated, Statements
from pipelines.extract.contract import Extraction, Mark, Status
from pipelines.extract.named_quantities import Unit
from pipelines.extract.rows import Condition, Measurement, Reject
from pipelines.read.document import Cell, Document
from pipelines.values.quantity import Quantity

# What a line is: its role, and status and rule of its numerals.
LineRole = tuple[str, Status, str]
# The place of a condition that is printed nowhere
NO_PLACE = Cell("", 1, 0, 0)


def rejected(cell: Cell, rule: str, reason: str, scope: str = "row", **section: Any) -> Reject:
    """What of a log gives no row: its place, the rule, and the sentence a user reads; `scope` is what is lost."""
    text = json.dumps({"text": cell.text}, ensure_ascii=False)
    return Reject(cell=cell, rule=rule, reason=reason, scope=scope, row_json=text, **section)


def measured(
    cell: Cell, metric: str, value: Quantity, unit: Unit, said: Iterable[Stated], statements: Statements, **columns: Any
) -> Measurement:
    """A result of a log, with the conditions that hold for it; section, line and other columns are in `columns`."""
    place = columns["section"], columns["section_line"]
    return Measurement(
        cell=cell,
        metric=metric,
        value=value.value,
        value_low=value.low,
        value_high=value.high,
        bound=value.bound,
        unit=unit.name,
        unit_printed=unit.printed,
        item=unit.item,
        conditions=tuple(sorted({*statements.number(map(statements.add, said), *place)})),
        **columns,
    )


def account(
    extraction: Extraction, document: Document, lines: Mapping[int, LineRole], *, are_whole: bool = False
) -> None:
    """Notes what each line is that was read; `are_whole` where digits in names are no names, on lines without rows."""
    placed = {row.cell.line for row in extraction.rows if not isinstance(row, Condition) or row.is_printed}
    for number, (role, status, rule) in lines.items():
        extraction.lines.add(number)
        if not (text := document.texts[number - 1]).strip():
            continue
        extraction.roles[number] = (role, rule)
        if are_whole and number not in placed:
            extraction.whole[number] = (status, rule)
        else:
            extraction.marks.append(Mark(Cell(text, number, 0, len(text)), status, rule))
