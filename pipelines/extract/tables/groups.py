"""Rows of a grid that print one name and nothing else: a title of the rows below them, up to the next."""

from __future__ import annotations

from collections.abc import Sequence

from pipelines.extract.tables.conditions import conditions_in
from pipelines.extract.tables.headings import Heading
from pipelines.extract.tables.platform_named import read_platform_in
from pipelines.read.document import Cell

# Words in a name; a longer text is a note.
_MAX_WORDS = 8


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
