"""Rows of one table that would be one benchmark: what tells them apart stands below a heading that no vocabulary knows.

`Techniques` above `FSDP` and `FSDP + torch.compile`: without these words two tests would share one key.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import fields, replace

from pipelines.extract.rows import Measurement, Row
from pipelines.extract.tables.cell_names import is_known_platform
from pipelines.extract.tables.context import Context
from pipelines.extract.tables.grid import ResultTable
from pipelines.extract.tables.nothing import is_nothing
from pipelines.read.document import Cell
from pipelines.values.numbers import parse_number
from pipelines.vocabulary.printed_names import read_model

# What a row measures and where it stands is no part of what was run.
_RESULT = frozenset(
    {
        "cell",
        "value",
        "value_low",
        "value_high",
        "bound",
        "unit_printed",
        "row_line",
        "headings_printed",
        "section_line",
        "ranking",
    }
)
_CONDITIONS = [field.name for field in fields(Measurement) if field.name not in _RESULT]
# A longer text is a remark.
_MAX_LENGTH = 60
# A column with more numbers than names is measured, whatever its heading says.
_MAX_NUMBERS = 0.5


def told_apart(table: ResultTable, found: Sequence[tuple[tuple[Cell, ...], Row]]) -> list[Row]:
    """What the rows of a table give, measurements with equal conditions told apart by the cells of unknown columns.

    Args:
        table: The table.
        found: Each measurement, price and reject with the row of cells it stands in.
    """
    alike: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for place, (_, measured) in enumerate(found):
        if isinstance(measured, Measurement):
            alike[tuple(getattr(measured, name) for name in _CONDITIONS)].append(place)
    columns = [column for column in _naming_columns(table) if _tells(column, found, alike.values())]
    return [_with_words(table, columns, *pair) for pair in found]


def _tells(column: int, found: Sequence[tuple[tuple[Cell, ...], Row]], alike: Iterable[Sequence[int]]) -> bool:
    """True for a column that tells rows of one table apart that are alike in all else."""
    return any(len({" ".join(found[place][0][column].text.split()) for place in places}) > 1 for places in alike)


def _with_words(table: ResultTable, columns: Sequence[int], row: tuple[Cell, ...], measured: Row) -> Row:
    """A measurement with the words of these columns among its attributes."""
    words = [_words(table, column, row[column]) for column in columns if not is_nothing(row[column])]
    if not words or not isinstance(measured, Measurement):
        return measured
    return replace(measured, attributes=", ".join([*([measured.attributes] if measured.attributes else []), *words]))


def without_contradicted(table: ResultTable, context: Context) -> Context:
    """The context without the platform or the model of the page where an unknown column names others row by row."""
    columns = [place for place, heading in enumerate(table.headings) if heading.column == "unknown"]
    texts = {" ".join(row[place].text.split()) for row in table.rows for place in columns}
    if context.platform and any(map(is_known_platform, texts)):
        context = replace(context, platform=None)
    if "model_printed" in context.stated and any(read_model(text).entry for text in texts):
        stated = {name: value for name, value in context.stated.items() if name != "model_printed"}
        context = replace(context, stated=stated)
    return context


def _naming_columns(table: ResultTable) -> list[int]:
    """Columns of short names below headings that no vocabulary knows."""
    found = []
    for place, heading in enumerate(table.headings):
        texts = [row[place].text.strip() for row in table.rows if not is_nothing(row[place])]
        numbers = sum(parse_number(text) is not None for text in texts)
        is_named = heading.column == "unknown" and bool(texts)
        if is_named and numbers <= _MAX_NUMBERS * len(texts) and max(map(len, texts)) <= _MAX_LENGTH:
            found.append(place)
    return found


def _words(table: ResultTable, column: int, cell: Cell) -> str:
    heading = " ".join(table.headings[column].cell.text.split())
    # A comma parts attributes.
    return f"{heading} {' '.join(cell.text.replace(',', ' ').split())}".strip()
