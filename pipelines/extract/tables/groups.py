"""Rows of a grid that print one name and nothing else: a title of the rows below them, up to the next."""

from __future__ import annotations

from collections.abc import Sequence

from pipelines.extract.tables.conditions import conditions_in
from pipelines.extract.tables.facts import heading_facts
from pipelines.extract.tables.headings import Heading
from pipelines.extract.tables.platform_named import read_platform_in
from pipelines.read.document import Cell
from pipelines.vocabulary.printed_names import read_platform

# Words in a name; a longer text is a note.
_MAX_WORDS = 8
# Columns whose cells are never the name of a device.
_NO_DEVICES = frozenset(
    {"model", "batch_size", "precision", "sequence_length", "image_size", "accelerator_count", "task", "metric"}
)


def is_lone_group(cell: Cell, headings: Sequence[Heading]) -> bool:
    """True for a known platform on a line of its own between cells of a table none of whose columns could hold it."""
    if len(cell.text.split()) > _MAX_WORDS or read_platform(cell.text).entry is None:
        return False
    return all(heading.column in _NO_DEVICES or heading_facts(heading).get("number") for heading in headings)


def is_group(row: Sequence[Cell], headings: Sequence[Heading]) -> bool:
    """True for a row with a platform, or a model, of which the table has no column: `**H100**` above its rows."""
    if not row or row[0].is_blank or any(not cell.is_blank for cell in row[1:]):
        return False
    text = row[0].text
    if len(text.split()) > _MAX_WORDS:
        return False
    columns = {heading.column for heading in headings} | {q.column for heading in headings for q in heading.qualifiers}
    if "platform" not in columns and read_platform_in(text) is not None:
        return True
    return "model" not in columns and "model_printed" in conditions_in([text])
