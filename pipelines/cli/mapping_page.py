"""The preview of a mapping as one local page: the printed table left, the stored rows right. No script, no address."""

from __future__ import annotations

from pathlib import Path

from pipelines.cli.mapping_preview import SourcePreview, sections, summary
from pipelines.extract.tables.preview import TablePreview
from pipelines.own_files import replace_file
from pipelines.report.rendering import environment

# Rows of each table; nobody reads more of one beside another.
_MOST_ROWS = 500


def write_page(shown: SourcePreview, path: Path) -> None:
    """Write the page, whole or not at all."""
    template = environment().get_template("mapping.html")
    found = [part for part in sections(shown) if part[1] != ["heading", "becomes", "first_printed", "stored_as"]]
    text = template.render(shown=shown, summary=summary(shown), sections=found[:-1], stated=_stated, most=_MOST_ROWS)
    replace_file(path, text.encode())


def _stated(table: TablePreview) -> list[str]:
    """The dimensions that any number of a table has, in the order in which they are met."""
    return list(dict.fromkeys(name for number in table.numbers for name in number.conditions))
