"""Headings that are only a condition (`H100`, `BS=8`): what is measured below them stands in the cells, in a column of
quantities beside them, or in the words above the table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from pipelines.extract.tables.footnote_marks import unmarked
from pipelines.extract.tables.grid import NUMBER_FIRST
from pipelines.extract.tables.headings import MEASURE, RESULT, Heading, Qualifier, unknown_heading
from pipelines.extract.tables.named_by_cells import named_by_cells
from pipelines.extract.tables.nothing import is_nothing
from pipelines.extract.tables.qualified import heading_of, heading_of_two, qualifier_in, qualifiers_in, read_as
from pipelines.extract.tables.unit_columns import with_results
from pipelines.read.document import Cell
from pipelines.values.durations import parse_duration
from pipelines.values.numbers import NUMBER_AND_UNIT, parse_count, parse_number
from pipelines.values.quantity import BOUND_WORDS
from pipelines.vocabulary.printed_names import read_model, read_platform
from pipelines.vocabulary.units import find_unit

Row = tuple[Cell, ...]
_MEAN = re.compile(r"mean|average|avg\.?", re.IGNORECASE)
# `Median`, `P99`, `Avg`
_STATISTIC = re.compile(r"mean|median|average|avg\.?|p\d{2}(?:\.\d)?", re.IGNORECASE)
# Rows below a heading that are looked at for what they hold.
_PROBE_ROWS = 12
# `>60`, `~12.3`
_BOUNDS = "".join({word for word in BOUND_WORDS if len(word) == 1})


def completed(headings: Sequence[Heading], rows: Sequence[Row], announced: Heading | None) -> list[Heading]:
    """The headings of a table with what its rows and the words above it add to them.

    Args:
        headings: What the headings alone say.
        rows: The rows below them.
        announced: Quantity that the words above the table name, or None.
    """
    columns = [[row[n] for row in rows[:_PROBE_ROWS] if len(row) > n] for n in range(len(headings))]
    found = [_told_by(heading, cells) for heading, cells in zip(headings, columns, strict=True)]
    found = with_results([_with_unit(heading, announced) for heading in found])
    has_measure = any(heading.column == MEASURE for heading in found)
    if announced and not any(heading.is_value for heading in found):
        found = [_statistic(heading, announced) for heading in found]
    values = [
        _of_cells(heading, cells, announced, has_measure=has_measure)
        for heading, cells in zip(found, columns, strict=True)
    ]
    values = list(_with_siblings(values, columns))
    if not any(heading.metric == RESULT for heading in values):
        # Nothing there is told by them: `Optimized for` above `Throughput` is a condition.
        values = [old if new.column == MEASURE else new for old, new in zip(headings, values, strict=True)]
    if values != found and values[0].column == "unknown" and (subject := subject_of(columns[0])):
        values[0] = replace(values[0], column=subject)
    values = named_by_cells(values, columns)
    return [unknown_heading(heading.cell) if heading.column == RESULT else heading for heading in values]


def _statistic(heading: Heading, announced: Heading) -> Heading:
    """`Mean`, `P99` as the statistic of the quantity that the words above the table name."""
    text = " ".join(unmarked(heading.cell).text.split())
    if heading.column != "unknown" or not _STATISTIC.fullmatch(text) or not announced.spelling:
        return heading
    if _MEAN.fullmatch(text):
        return replace(announced, cell=heading.cell)
    both = heading_of_two(replace(announced.cell, text=announced.spelling), heading.cell)
    return replace(both, qualifiers=()) if both.is_value and not both.qualifiers else heading


def subject_of(cells: Sequence[Cell]) -> str | None:
    """`model` or `platform` for cells that name known ones of the one kind and none of the other, else None."""
    texts = [" ".join(unmarked(cell).text.split()) for cell in cells if not is_nothing(cell)]
    kinds = {"model": any(read_model(t).entry or read_model(t, "MLPerf").entry for t in texts)}
    kinds["platform"] = any(read_platform(text).entry for text in texts)
    return next((kind for kind, is_named in kinds.items() if is_named), None) if sum(kinds.values()) == 1 else None


def kind_of_names(cells: Sequence[Cell]) -> str | None:
    """What the names of columns are: models, platforms, or conditions of one kind (`BF16`, `FP8`); None if unknown."""
    found = [qualifier_in(" ".join(unmarked(cell).text.split())) for cell in cells]
    kinds = {qualifier.column if qualifier else None for qualifier in found}
    conditions = kinds & {"precision", "batch_size", "sequence_length"}
    return subject_of(cells) or (conditions.pop() if len(kinds) == 1 and conditions else None)


def _told_by(heading: Heading, cells: Sequence[Cell]) -> Heading:
    """A heading of which the cells say more: quantities (`Throughput (seq/s)`), or `8x H100` below `Accelerators`."""
    named = [cell for cell in cells if not is_nothing(cell)]
    if heading.column in ("unknown", "evaluation"):
        return replace(heading, column=MEASURE) if _name_quantities(named) else heading
    if heading.column == "accelerator_count" and named and not any(parse_count(cell.text) for cell in named):
        is_platform = any(read_platform(" ".join(unmarked(cell).text.split())).entry for cell in named)
        return replace(heading, column="platform") if is_platform else heading
    return heading


def _with_siblings(headings: Sequence[Heading], columns: Sequence[Sequence[Cell]]) -> Iterator[Heading]:
    """The headings with unknown names among those of platforms, where the cells below carry their rate."""
    names_platforms = any(q.column == "platform" for heading in headings for q in heading.qualifiers)
    for heading, cells in zip(headings, columns, strict=True):
        text = " ".join(unmarked(heading.cell).text.split())
        if names_platforms and heading.column == "unknown" and text and (read := _rate_of(cells, heading.cell)):
            yield replace(read, qualifiers=(Qualifier("platform", text),))
        else:
            yield heading


def _rate_of(cells: Sequence[Cell], place: Cell) -> Heading | None:
    """A throughput where all cells that hold something are numbers with a unit of one: `9,000 tokens/sec`."""
    matches = [NUMBER_AND_UNIT.fullmatch(cell.text.strip()) for cell in cells if not is_nothing(cell)]
    found = {unit.canonical if match and (unit := find_unit(match["unit"])) else None for match in matches}
    return read_as("Throughput", place) if found == {"items/s"} else None


def _name_quantities(cells: Sequence[Cell]) -> bool:
    """True for cells of which one is a measured quantity and none a condition; conditions are rows of another table."""
    found = [heading_of(cell) for cell in cells if not NUMBER_FIRST.match(cell.text)]
    measured = [heading.column == "metric" and heading.metric != "price" for heading in found]
    return (
        len(found) == len(cells)
        and any(measured)
        and all(
            is_measured or heading.column == "unknown" for heading, is_measured in zip(found, measured, strict=True)
        )
    )


def _with_unit(heading: Heading, announced: Heading | None) -> Heading:
    """A quantity without a unit with the one that the words above the table give for it."""
    if announced is None or heading.unit or heading.metric != announced.metric:
        return heading
    return replace(heading, unit=announced.unit)


def _of_cells(heading: Heading, cells: Sequence[Cell], announced: Heading | None, *, has_measure: bool) -> Heading:
    """A heading that is only a condition, or only `Result`, with the quantity of the cells below it."""
    own = qualifiers_in(" ".join(unmarked(heading.cell).text.split())) if not heading.qualifiers else ()
    qualifiers = own or heading.qualifiers
    if heading.column == RESULT:
        qualifiers = ()
    elif heading.column != "unknown" or not qualifiers:
        return heading
    named = [cell for cell in cells if not is_nothing(cell)]
    if has_measure:
        return replace(heading, column="metric", metric=RESULT, qualifiers=qualifiers)
    read = _rate_of(cells, heading.cell)
    if read is None and announced and named and all(_is_number(cell, announced) for cell in named):
        read = replace(announced, cell=heading.cell)
    return replace(read, qualifiers=qualifiers) if read else heading


def _is_number(cell: Cell, announced: Heading) -> bool:
    text = unmarked(cell).text.strip().lstrip(_BOUNDS)
    if announced.canonical_unit == "%":
        return parse_number(text.rstrip("%")) is not None
    is_time = announced.canonical_unit in ("s", "ms") and parse_duration(text) is not None
    return is_time or parse_number(text) is not None
