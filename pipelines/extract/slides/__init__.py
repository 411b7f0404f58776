"""Decks of chart slides: a headline, the configurations behind it, and what the bars are labelled with, as text.

One slide compares two systems on one model and task. Tables belong in `results_page`, sentences in `claim_prose`, what
is drawn in `charts`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from pipelines.extract.charts.rows import tick_cells
from pipelines.extract.contract import Extraction, Mark
from pipelines.extract.named_quantities import QuantityName, read_name
from pipelines.extract.rows import Claim, Configuration, Measurement, Reject
from pipelines.extract.slides.deck import (
    Bars,
    Headline,
    Slide,
    better_spelled,
    is_axis_title,
    is_notes_head,
    page_number_lines,
    printed,
    read_bars,
    read_headlines,
    read_repeats,
    read_title,
    split_slides,
)
from pipelines.extract.slides.notes import Notes, is_note, parts_of, read_notes, remarks_of
from pipelines.read.document import Cell, Document, Line
from pipelines.values.quantity import Quantity

FORMAT = "slides"
DESCRIPTION = "text dumps of slide decks: a title `MODEL : TASK`, a headline with a factor, notes on both systems."
ROWS = (Claim, Configuration, Measurement, Reject)
PRIORITY = 20

_URL = re.compile(r"\(?https?://\S+", re.IGNORECASE)
# `1x`: the bar that the others are compared with
_BASELINE_BAR = re.compile(r"1(?:\.0+)?\s?[xX×]")
# A longer line of a slide is a sentence, not a label.
_MAX_LABEL = 80


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
        context = _read_context(slide)
        if reason := slide.fault:
            cells = [line.cell for line in slide.lines if any(map(str.isdigit, line.text))]
            extraction.rows += [context.reject(cell, "slides_not_parted", reason) for cell in cells]
            continue
        claims, rest = _read_claims(context)
        bars = read_bars([line for line in rest if line.number not in page_numbers], on_axes)
        extraction.rows += claims
        extraction.rows += _read_configurations(context)
        extraction.rows += _read_measurements(context, bars)
        extraction.rows += [
            context.reject(line.cell, "unread_configuration", "a line of notes behind the notes of its slide")
            for line in rest
            if is_note(line.cell)
        ]
        _mark_slide(extraction, context, rest, page_numbers)
        _mark_bars(extraction, bars)
    return extraction


@dataclass(frozen=True, slots=True)
class _SlideContext:
    """One slide with its notes read.

    Attributes:
        slide: The slide.
        notes: What its notes say.
        lines: Its lines that are neither notes nor title, blank ones too: headlines and labels.
        model: Model as printed, in the better spelling of title and notes.
    """

    slide: Slide
    notes: Notes
    lines: tuple[Line, ...]
    model: str | None

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

    def reject(self, cell: Cell, rule: str, reason: str, scope: str = "row") -> Reject:
        """A reject that stands under this slide's title."""
        text = json.dumps(cell.text, ensure_ascii=False)
        return Reject(
            cell=cell, section=self.section, section_line=self.section_line, rule=rule, reason=reason, scope=scope,
            row_json=text,
        )  # fmt: skip


def _read_context(slide: Slide) -> _SlideContext:
    """A slide with its notes read."""
    notes, title = read_notes(slide), slide.title
    # A title may be printed twice.
    used = notes.lines | {line.number for line in slide.lines if title and line.cell.text == title.cell.text}
    lines = tuple(line for line in slide.lines if line.number not in used)
    model = title.model if title else None
    if notes.topic:
        model = better_spelled(model, parts_of(notes.topic)[0].text)
    return _SlideContext(slide, notes, lines, model)


def _read_configurations(context: _SlideContext) -> Iterator[Configuration | Reject]:
    """One row per side of the notes, and a reject for each line of notes whose system cannot be read."""
    for side in context.notes.sides:
        yield replace(
            side, model_printed=context.model, section=context.section, section_line=context.section_line
        )  # fmt: skip
    for cell in context.notes.unread:
        yield context.reject(cell, "unread_configuration", "a line of the notes whose system cannot be read")


def _read_claims(context: _SlideContext) -> tuple[list[Claim | Reject], list[Line]]:
    """The claims of a slide with what cannot be read as one, and its visible lines that are no headlines.

    A factor that a headline has stated before, and a bar label with the factor of a headline, are further evidence of
    that claim: rows with `repeats_line`.
    """
    claims: dict[Headline, Claim] = {}
    rows: list[Claim | Reject] = []
    rest: list[Line] = []
    for line in context.lines:
        headlines = [] if line.is_blank else read_headlines(line.cell)
        for headline in headlines:
            if headline.is_worse:
                reason = "the headline says that the subject is worse"
                rows.append(context.reject(headline.cell, "unread_headline", reason, "sentence"))
                continue
            said = (headline.factor, headline.metric)
            first = next((claim for known, claim in claims.items() if (known.factor, known.metric) == said), None)
            claim = _claim(headline, context)
            if first is None:
                claims[headline] = claim
            rows.append(replace(claim, repeats_line=first.cell.line) if first else claim)
        if not headlines and not line.is_blank:
            rest.append(line)
    for cell, factor, repeated in read_repeats(rest, list(claims)):
        if repeated is None:
            reason = "a factor at a bar that no headline of the slide states: what it compares is not known"
            rows.append(context.reject(cell, "unread_label", reason))
            continue
        claim = claims[repeated]
        rows.append(
            replace(
                claim, cell=cell, factor=factor.value, factor_low=factor.low, factor_high=factor.high,
                bound=factor.bound, repeats_line=claim.cell.line,
            )
        )  # fmt: skip
    return rows, rest


def _claim(headline: Headline, context: _SlideContext) -> Claim:
    notes = context.notes
    words = dict.fromkeys([headline.condition or "", *notes.conditions])
    return Claim(
        cell=headline.cell,
        section=context.section,
        section_line=context.section_line,
        factor=headline.factor.value,
        factor_low=headline.factor.low,
        factor_high=headline.factor.high,
        bound=headline.factor.bound,
        metric=headline.metric,
        task=context.task,
        model_printed=context.model,
        subject_printed=notes.common("platform_printed", "subject"),
        baseline_printed=notes.common("platform_printed", "baseline"),
        subject_sdk_version=notes.common("sdk_version", "subject"),
        baseline_sdk_version=notes.common("sdk_version", "baseline"),
        conditions="; ".join(word for word in words if word) or None,
        sentence=headline.text,
    )


def _read_measurements(context: _SlideContext, bars: Bars) -> Iterator[Measurement | Reject]:
    """One row per number at a bar, in the unit of the chart's one axis title; without such a title there are none.

    A dump does not say whose bar a number stands at, so the rows name no platform; the order of labels is no evidence.
    """
    axes = {(axis.metric, axis.unit): axis for axis in bars.axes}
    if len(axes) > 1:
        reason = "the chart has several axes, and which of them the number belongs to is not printed"
        yield from (context.reject(cell, "unread_label", reason) for cell, _ in bars.values)
    elif axes:
        (axis,) = axes.values()
        yield from (_measurement(context, axis, cell, value) for cell, value in bars.values)
        reason = "a number that can be neither a bar nor one of the ticks read on the axis"
        yield from (context.reject(cell, "unread_label", reason) for cell in bars.unsure)


def _measurement(context: _SlideContext, axis: QuantityName, cell: Cell, number: Quantity) -> Measurement:
    if axis.unit is None:
        raise ValueError(f"an axis without a unit: {axis.cell.text!r}")
    value = number.scaled(axis.unit.scale)
    return Measurement(
        cell=cell,
        section=context.section,
        section_line=context.section_line,
        metric=axis.metric,
        value=value.value,
        value_low=value.low,
        value_high=value.high,
        bound=value.bound,
        unit=axis.unit.name,
        unit_printed=axis.unit.printed,
        item=axis.unit.item,
        task=context.task,
        model_printed=context.model,
        dataset_printed=context.notes.common("dataset_printed") or context.notes.dataset,
    )


def _mark_slide(
    extraction: Extraction, context: _SlideContext, rest: Sequence[Line], page_numbers: Collection[int]
) -> None:
    """Note the role of every line of a slide that no row stands on; what their numerals are, the accounting tells."""
    slide = context.slide
    labels = {line.number for line in rest}
    for line in slide.lines:
        cell, number = line.cell, line.number
        if line.is_blank:
            continue
        if _URL.fullmatch(cell.text):
            extraction.roles[number] = ("boilerplate", "url")
        elif slide.title and cell.text == slide.title.cell.text:
            extraction.roles[number] = ("heading", "chart_title")
        elif number in context.notes.lines:
            extraction.roles[number] = ("heading" if is_notes_head(cell) else "condition", "chart_notes")
            extraction.marks += [Mark(part, "condition", "chart_notes") for part in remarks_of(cell)]
        elif number in page_numbers:
            extraction.roles[number] = ("boilerplate", "page_number")
            extraction.marks.append(Mark(cell, "ignored", "page_number"))
        elif _BASELINE_BAR.fullmatch(cell.text):
            extraction.roles[number] = ("condition", "baseline_bar")
            extraction.marks.append(Mark(cell, "condition", "baseline_bar"))
        elif is_axis_title(read_name(cell)):
            extraction.roles[number] = ("heading", "chart_axis")
        elif number in labels:
            is_label = len(line.text) <= _MAX_LABEL
            extraction.roles[number] = ("condition", "chart_label") if is_label else ("prose", "slide_text")


def _mark_bars(extraction: Extraction, bars: Bars) -> None:
    """Ticks, and numbers at bars: those that are no measurements stand at a bar whose axis is not known."""
    for cell, _ in bars.ticks:
        extraction.roles[cell.line] = ("condition", "axis_ticks")
        extraction.marks.append(Mark(cell, "condition", "axis_ticks"))
    for cell in (*(cell for cell, _ in bars.values), *bars.unsure):
        extraction.marks.append(Mark(cell, "unparsed", "bar_without_axis"))
