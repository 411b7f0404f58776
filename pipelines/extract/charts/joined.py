"""Lines of a slide that were joined into one by tabs: which label stood at which bar is then not known."""

from __future__ import annotations

from pipelines.extract.charts.headlines import read_headlines
from pipelines.extract.charts.labels import is_label
from pipelines.extract.charts.notes import is_stray_note
from pipelines.extract.charts.slides import notes_head
from pipelines.extract.charts.systems import read_system
from pipelines.extract.charts.titles import read_title
from pipelines.read.document import Cell, Line


def is_joined(line: Line) -> bool:
    """True where a part between tabs is more than a word at a bar: a title, a headline, a note, a number, an axis."""
    cell = line.cell
    if "\t" not in cell.text:
        return False
    start, parts = 0, []
    for text in cell.text.split("\t"):
        parts.append(cell.part(start, start + len(text)).stripped())
        start += len(text) + 1
    return any(_says_something(part) for part in parts if not part.is_blank)


def _says_something(part: Cell) -> bool:
    system = read_system(part)
    return (
        read_title(part) is not None
        or notes_head(part) is not None
        or any(read_headlines(part))
        or is_label(part)
        or is_stray_note(part)
        or (system is not None and system.count is not None)
    )
