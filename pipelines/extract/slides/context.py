"""What holds for all rows of one slide: title, model, sides of the comparison. The rows are made beside this module."""

from __future__ import annotations

import json
from dataclasses import dataclass

from pipelines.extract.rows import Reject
from pipelines.extract.slides.comparison import Comparison, compare
from pipelines.extract.slides.labels import counted_systems
from pipelines.extract.slides.notes import Notes, read_notes
from pipelines.extract.slides.splitting import Slide
from pipelines.extract.slides.titles import better_spelled, printed
from pipelines.read.document import Cell, Line


@dataclass(frozen=True, slots=True)
class SlideContext:
    """One slide with its notes read.

    Attributes:
        slide: The slide.
        notes: What its notes say.
        lines: Its lines that are neither notes nor title, blank ones too: headlines and labels.
        model: Model as printed, in the better spelling of title and notes.
        comparison: The systems compared, by role.
    """

    slide: Slide
    notes: Notes
    lines: tuple[Line, ...]
    model: str | None
    comparison: Comparison

    @property
    def task(self) -> str | None:
        """`training` or `inference`, as the title says."""
        return self.slide.title.task if self.slide.title else None

    @property
    def section(self) -> str | None:
        """The title as printed."""
        return printed(self.slide.title.cell.text) if self.slide.title else None

    @property
    def section_line(self) -> int:
        """The title's line; without a title the first line with something on it, which the rows then share."""
        return self.slide.title.cell.line if self.slide.title else self.slide.first_visible.number

    def reject(self, cell: Cell, rule: str, reason: str, scope: str, text: str) -> Reject:
        """A reject that stands under this slide's title."""
        return Reject(
            cell=cell,
            section=self.section,
            section_line=self.section_line,
            rule=rule,
            reason=reason,
            scope=scope,
            row_json=json.dumps(text, ensure_ascii=False),
        )


def read_context(slide: Slide) -> SlideContext:
    """A slide with its notes read."""
    notes = read_notes(slide)
    title = slide.title
    # A title may be printed twice.
    titles = {line.number for line in slide.lines if title and line.cell.text == title.cell.text}
    used = notes.lines | titles
    lines = tuple(line for line in slide.lines if line.number not in used)
    model = title.model if title else None
    if notes.topic:
        model = better_spelled(model, notes.topic.segments[0].text)
    return SlideContext(slide, notes, lines, model, compare(notes, counted_systems(lines)))
