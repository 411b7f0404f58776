"""The rows that one slide gives, and what its other numerals are."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

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
    printed,
    read_headlines,
    read_repeats,
)
from pipelines.extract.slides.notes import Notes, parts_of, read_notes, remarks_of
from pipelines.read.document import Cell, Line
from pipelines.values.quantity import Quantity

_URL = re.compile(r"\(?https?://\S+", re.IGNORECASE)
# `1x`: the bar that the others are compared with
_BASELINE_BAR = re.compile(r"1(?:\.0+)?\s?[xX×]")
# A longer line of a slide is a sentence, not a label.
_MAX_LABEL = 80


@dataclass(frozen=True, slots=True)
class SlideContext:
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


def read_context(slide: Slide) -> SlideContext:
    """A slide with its notes read."""
    notes, title = read_notes(slide), slide.title
    # A title may be printed twice.
    used = notes.lines | {line.number for line in slide.lines if title and line.cell.text == title.cell.text}
    lines = tuple(line for line in slide.lines if line.number not in used)
    model = title.model if title else None
    if notes.topic:
        model = better_spelled(model, parts_of(notes.topic)[0].text)
    return SlideContext(slide, notes, lines, model)


def read_configurations(context: SlideContext) -> Iterator[Configuration | Reject]:
    """One row per side of the notes, and a reject for each line of notes whose system cannot be read."""
    for side in context.notes.sides:
        yield replace(
            side, model_printed=context.model, section=context.section, section_line=context.section_line
        )  # fmt: skip
    for cell in context.notes.unread:
        yield context.reject(cell, "unread_configuration", "a line of the notes whose system cannot be read")


def read_claims(context: SlideContext) -> tuple[list[Claim | Reject], list[Line]]:
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


def _claim(headline: Headline, context: SlideContext) -> Claim:
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


def read_measurements(context: SlideContext, bars: Bars) -> Iterator[Measurement | Reject]:
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


def _measurement(context: SlideContext, axis: QuantityName, cell: Cell, number: Quantity) -> Measurement:
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


def mark_slide(
    extraction: Extraction, context: SlideContext, rest: Sequence[Line], page_numbers: Collection[int]
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


def mark_bars(extraction: Extraction, bars: Bars) -> None:
    """Ticks, and numbers at bars: those that are no measurements stand at a bar whose axis is not known."""
    for cell, _ in bars.ticks:
        extraction.roles[cell.line] = ("condition", "axis_ticks")
        extraction.marks.append(Mark(cell, "condition", "axis_ticks"))
    for cell in (*(cell for cell, _ in bars.values), *bars.unsure):
        extraction.marks.append(Mark(cell, "unparsed", "bar_without_axis"))
