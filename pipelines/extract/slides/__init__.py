"""Decks of chart slides: a headline, the configurations behind it, and what the bars are labelled with, as text.

One slide compares two systems on one model and task. Tables belong in `results_page`, sentences in `claim_prose`, what
is drawn in `charts`.
"""

from __future__ import annotations

from collections.abc import Collection

from pipelines.extract.charts.rows import tick_cells
from pipelines.extract.contract import Extraction
from pipelines.extract.rows import Claim, Configuration, Measurement, Reject
from pipelines.extract.slides.deck import (
    is_notes_head,
    page_number_lines,
    read_bars,
    read_headlines,
    read_title,
    split_slides,
)
from pipelines.extract.slides.notes import is_note
from pipelines.extract.slides.rows import (
    mark_bars,
    mark_slide,
    read_claims,
    read_configurations,
    read_context,
    read_measurements,
)
from pipelines.read.document import Document, Line

FORMAT = "slides"
DESCRIPTION = "text dumps of slide decks: a title `MODEL : TASK`, a headline with a factor, notes on both systems."
ROWS = (Claim, Configuration, Measurement, Reject)
PRIORITY = 20


def recognise(document: Document) -> float:
    """0.95 for slide titles, notes and headlines with a factor; 0.8 and 0.4 without headlines and notes; else 0."""
    if not any(":" in text and read_title(Line(0, text).cell) for text in document.texts):
        return 0.0
    has_headlines = any(not line.is_blank and any(read_headlines(line.cell)) for line in document.lines)
    if any(is_notes_head(line.cell) for line in document.lines):
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
    on_axes = tick_cells(document)
    slides = split_slides(list(document.without(frozenset(taken))))
    page_numbers = page_number_lines(slides)
    for slide in slides:
        extraction.lines |= {line.number for line in slide.lines}
        context = read_context(slide)
        if reason := slide.fault:
            cells = [line.cell for line in slide.lines if any(map(str.isdigit, line.text))]
            extraction.rows += [context.reject(cell, "slides_not_parted", reason) for cell in cells]
            continue
        claims, rest = read_claims(context)
        bars = read_bars([line for line in rest if line.number not in page_numbers], on_axes)
        extraction.rows += claims
        extraction.rows += read_configurations(context)
        extraction.rows += read_measurements(context, bars)
        extraction.rows += [
            context.reject(line.cell, "unread_configuration", "a line of notes behind the notes of its slide")
            for line in rest
            if is_note(line.cell)
        ]
        mark_slide(extraction, context, rest, page_numbers)
        mark_bars(extraction, bars)
    return extraction
