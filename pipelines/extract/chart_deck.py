"""Decks of chart slides, dumped as text: a headline, the configurations behind it, and what the bars are labelled with.

One slide compares two systems on one model and task. Tables belong in `results_page`, sentences in `claim_prose`.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence

from pipelines.extract.contract import Extraction
from pipelines.extract.rows import Claim, Configuration, Measurement, Reject
from pipelines.extract.slides.damaged import is_damaged_label
from pipelines.extract.slides.labels import is_headline, is_label, read_headlines
from pipelines.extract.slides.notes import configurations, is_stray_note
from pipelines.extract.slides.rows import SlideContext, mark_slide, read_claims, read_context, read_measurements
from pipelines.extract.slides.splitting import notes_head, page_number_lines, split_slides
from pipelines.extract.slides.titles import may_be_title, read_system, read_title
from pipelines.extract.vector_charts.rows import tick_cells
from pipelines.read.document import Cell, Document, Line

FORMAT = "chart_deck"
DESCRIPTION = "text dumps of slide decks: a title `MODEL : TASK`, a headline with a factor, notes on both systems."
ROWS = (Claim, Configuration, Measurement, Reject)
PRIORITY = 20


def recognise(document: Document) -> float:
    """0.95 for slide titles, notes and headlines with a factor; 0.8 and 0.4 without headlines and notes; else 0."""
    if not any(may_be_title(text) and read_title(Line(0, text).cell) for text in document.texts):
        return 0.0
    lines = [line for line in document.lines if not line.is_blank]
    has_notes = any(notes_head(line.cell) is not None for line in lines)
    has_headlines = any(is_headline(line.cell) for line in lines)
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
    extraction.lines |= joined.keys()
    page_numbers = page_number_lines(slides)
    on_axes = tick_cells(document)
    for slide in slides:
        extraction.lines |= {line.number for line in slide.lines}
        context = read_context(slide)
        claims, rest = read_claims(context)
        extraction.rows += claims
        extraction.rows += configurations(
            context.comparison, model=context.model, section=context.section, section_line=context.section_line
        )
        extraction.rows += read_measurements(
            context, [line for line in rest if line.number not in page_numbers], on_axes
        )
        extraction.rows += [
            context.reject(cell, "unread_parameter", reason, "row", cell.text) for cell, reason in context.notes.damages
        ]
        extraction.rows += _stray(context, rest)
        reason = "the line begins like a system with its configuration and cannot be read: who is compared is not known"
        extraction.rows += [
            context.reject(cell, "unread_configuration", reason, "row", cell.text) for cell in context.notes.unread
        ]
        mark_slide(extraction, context, rest, page_numbers, on_axes)
    extraction.rows += [_reject_joined(line) for line in joined.values()]
    return extraction


def _stray(context: SlideContext, rest: Sequence[Line]) -> Iterator[Reject]:
    """The labels that are none: numbers with a letter in them, and lines that can only belong to notes."""
    for line in rest:
        cell = line.cell
        if is_damaged_label(cell):
            reason = f"{cell.text!r} looks like the number at a bar and cannot be read as one"
            yield context.reject(cell, "unread_label", reason, "row", cell.text)
        elif is_stray_note(cell):
            reason = "the line says how a system was run or who measured it, and stands outside the notes of a slide"
            yield context.reject(cell, "unread_configuration", reason, "row", cell.text)


def _reject_joined(line: Line) -> Reject:
    reason = "several lines of a slide stand on this one, joined by tabs: what belongs to what is not known"
    return Reject(
        cell=line.cell, rule="lines_joined", reason=reason, row_json=json.dumps(line.text, ensure_ascii=False)
    )


def _is_joined(line: Line) -> bool:
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
