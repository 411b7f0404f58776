"""What the lines of a slide say beside its rows, for the accounting of lines and numerals."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from pipelines.extract.contract import Extraction, Mark
from pipelines.extract.named_quantities import read_name
from pipelines.extract.slides.context import SlideContext
from pipelines.extract.slides.labels import Bars, read_bars
from pipelines.extract.slides.splitting import is_marker, notes_head
from pipelines.read.document import Cell, Line

_URL = re.compile(r"\(?https?://\S+", re.IGNORECASE)
# `1x`: the bar that the others are compared with
_BASELINE_BAR = re.compile(r"1(?:\.0+)?\s?[xX×]")
# `80GB` on the line below `A100`
_MEMORY = re.compile(r"\d+\s?GB")
# A longer line of a slide is a sentence, not a label.
_MAX_LABEL = 80


def mark_slide(
    extraction: Extraction, context: SlideContext, rest: Sequence[Line], page_numbers: Collection[int],
    on_axes: Collection[Cell] = (),
) -> None:  # fmt: skip
    """Note the role of every line of a slide that no row stands on, and what its numerals are.

    Args:
        extraction: Where it is noted.
        context: The slide.
        rest: Its lines that are neither notes, title nor headline.
        page_numbers: Lines that only number slides.
        on_axes: Numbers that label an axis, where the drawing of the slide tells.
    """
    slide = context.slide
    labels = {line.number for line in rest}
    for line in slide.lines:
        if line.is_blank:
            continue
        number = line.number
        if _URL.fullmatch(line.cell.text):
            extraction.roles[number] = ("boilerplate", "url")
        elif slide.title and line.cell.text == slide.title.cell.text:
            extraction.roles[number] = ("heading", "chart_title")
            extraction.marks.append(Mark(line.cell, "name", "extracted_name"))
        elif number in context.notes.lines:
            is_head = notes_head(line.cell) is not None
            extraction.roles[number] = ("heading" if is_head else "condition", "chart_notes")
            extraction.marks.append(Mark(line.cell, "condition", "chart_notes"))
        elif number in page_numbers or is_marker(line.cell):
            extraction.roles[number] = ("boilerplate", "page_number")
            extraction.marks.append(Mark(line.cell, "ignored", "page_number"))
        elif _BASELINE_BAR.fullmatch(line.cell.text):
            extraction.roles[number] = ("condition", "baseline_bar")
            extraction.marks.append(Mark(line.cell, "condition", "baseline_bar"))
        elif (heading := read_name(line.cell)) and heading.metric and heading.unit:
            extraction.roles[number] = ("heading", "chart_axis")
        elif _MEMORY.fullmatch(line.cell.text):
            extraction.roles[number] = ("condition", "chart_label")
            extraction.marks.append(Mark(line.cell, "name", "memory_of_platform"))
        elif number in labels:
            is_label = len(line.text) <= _MAX_LABEL
            extraction.roles[number] = ("condition", "chart_label") if is_label else ("prose", "slide_text")
    _mark_bars(extraction, read_bars((line for line in rest if line.number not in page_numbers), on_axes))


def _mark_bars(extraction: Extraction, bars: Bars) -> None:
    """Ticks, and numbers at bars: those that are no measurements stand at a bar whose axis is not known."""
    for cell in bars.ticks:
        extraction.roles[cell.line] = ("condition", "axis_ticks")
        extraction.marks.append(Mark(cell, "condition", "axis_ticks"))
    for cell in (*(cell for cell, _ in bars.values), *bars.unsure):
        extraction.marks.append(Mark(cell, "unparsed", "bar_without_axis"))
