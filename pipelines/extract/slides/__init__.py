"""Decks of chart slides: a headline, the configurations behind it, and what the bars are labelled with, as text.

One slide compares two systems on one model and task. Tables belong in `results_page`, sentences in `claim_prose`, what
is drawn in `charts`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection

from pipelines.extract.charts.rows import tick_cells
from pipelines.extract.contract import Extraction
from pipelines.extract.rows import Claim, Configuration, Measurement, Reject
from pipelines.extract.slides.labels import is_label, read_bars, read_headlines
from pipelines.extract.slides.notes import configurations, is_note, read_system
from pipelines.extract.slides.rows import mark_bars, mark_slide, read_claims, read_context, read_measurements
from pipelines.extract.slides.splitting import notes_head, page_number_lines, split_slides
from pipelines.extract.slides.titles import may_be_title, read_title
from pipelines.read.document import Document, Line

FORMAT = "slides"
DESCRIPTION = "text dumps of slide decks: a title `MODEL : TASK`, a headline with a factor, notes on both systems."
ROWS = (Claim, Configuration, Measurement, Reject)
PRIORITY = 20


def recognise(document: Document) -> float:
    """0.95 for slide titles, notes and headlines with a factor; 0.8 and 0.4 without headlines and notes; else 0."""
    if not any(may_be_title(text) and read_title(Line(0, text).cell) for text in document.texts):
        return 0.0
    lines = [line for line in document.lines if not line.is_blank]
    has_notes = any(notes_head(line.cell) is not None for line in lines)
    has_headlines = any(read_headlines(line.cell) for line in lines)
    if has_notes:
        return 0.95 if has_headlines else 0.8
    return 0.4 if has_headlines else 0.0


def extract(document: Document, taken: Collection[int]) -> Extraction:
    """The rows of every slide; empty for a document that is no deck.

    Returns:
        One `Claim` per factor of a headline, and one with `repeats_line` per bar label that repeats it; one
        `Configuration` per system in the notes; one `Measurement` per number at a bar, where an axis says what it is.
        Headlines, notes and labels that look like facts and cannot be read stand in the rejects.
    """
    extraction = Extraction()
    if not recognise(document):
        return extraction
    lines = list(document.without(frozenset(taken)))
    joined = {line.number: line for line in lines if _is_joined(line)}
    # Emptied, so that what stands around them stays apart.
    lines = [Line(line.number, "") if line.number in joined else line for line in lines]
    slides = split_slides(lines, joined)
    page_numbers, on_axes = page_number_lines(slides), tick_cells(document)
    extraction.lines |= joined.keys() | {line.number for slide in slides for line in slide.lines}
    for slide in slides:
        context = read_context(slide)
        claims, rest = read_claims(context)
        extraction.rows += claims
        extraction.rows += configurations(
            context.comparison, model=context.model, section=context.section, section_line=context.section_line
        )
        bare = [line for line in rest if line.number not in page_numbers]
        extraction.rows += read_measurements(context, bare, on_axes)
        extraction.rows += [
            context.reject(cell, "unread_configuration", "a line of the notes whose system cannot be read")
            for cell in (*context.notes.unread, *(line.cell for line in rest if is_note(line.cell)))
        ]
        mark_slide(extraction, context, rest, page_numbers)
        mark_bars(extraction, read_bars(bare, on_axes))
    reason = "several lines of a slide stand on this one, joined by tabs: what belongs to what is not known"
    extraction.rows += [
        Reject(cell=line.cell, rule="lines_joined", reason=reason, row_json=json.dumps(line.text, ensure_ascii=False))
        for line in joined.values()
    ]
    return extraction


def _is_joined(line: Line) -> bool:
    """True where a part between tabs is more than a word at a bar: a title, a headline, a note, a number, an axis."""
    return "\t" in line.cell.text and any(
        read_title(part) is not None
        or notes_head(part) is not None
        or any(read_headlines(part))
        or is_label(part)
        or is_note(part)
        or ((system := read_system(part)) is not None and system.count is not None)
        for match in re.finditer(r"[^\t]+", line.cell.text)
        if not (part := line.cell.matched(match).stripped()).is_blank
    )
