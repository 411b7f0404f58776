"""The rows of one slide: claims, measurements, and what its lines say beside them for the accounting."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from pipelines.extract.contract import Extraction, Mark
from pipelines.extract.named_quantities import QuantityName, read_name
from pipelines.extract.rows import Claim, Measurement, Reject
from pipelines.extract.slides.labels import Bars, Headline, counted_systems, read_bars, read_headlines, read_repeats
from pipelines.extract.slides.notes import Comparison, Notes, common, compare, read_notes
from pipelines.extract.slides.splitting import Slide, is_marker, notes_head
from pipelines.extract.slides.titles import better_spelled, printed
from pipelines.read.document import Cell, Line
from pipelines.values.quantity import Quantity


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


def read_claims(context: SlideContext) -> tuple[list[Claim | Reject], list[Line]]:
    """The claims of a slide with what cannot be read as one, and its visible lines that are no headlines.

    A factor that a headline has stated before, and a bar label with the factor of a headline, are further evidence of
    that claim: rows with `repeats_line`.
    """
    claims: dict[Headline, Claim] = {}
    rows: list[Claim | Reject] = []
    rest: list[Line] = []
    visible = [line for line in context.lines if not line.is_blank]
    for line, following in zip_longest(visible, visible[1:]):
        headlines, damages = read_headlines(line.cell, following.text if following else "")
        for headline in headlines:
            first = _same(headline, claims)
            claim = _claim(headline, context)
            if first:
                claim = replace(claim, repeats_line=first.cell.line)
            else:
                claims[headline] = claim
            rows.append(claim)
        rows += [
            context.reject(damage.cell, "unread_headline", damage.reason, "sentence", damage.text) for damage in damages
        ]
        if not headlines and not damages:
            rest.append(line)
    for repeat in read_repeats(rest, list(claims)):
        if repeat.headline is None:
            reason = "a factor at a bar that no headline of the slide states: what it compares is not known"
            rows.append(context.reject(repeat.cell, "unread_label", reason, "row", repeat.cell.text))
            continue
        claim = claims[repeat.headline]
        rows.append(
            replace(
                claim,
                cell=repeat.cell,
                factor=repeat.factor.value,
                factor_low=repeat.factor.low,
                factor_high=repeat.factor.high,
                bound=repeat.factor.bound,
                repeats_line=claim.cell.line,
            )
        )
    return rows, rest


def _same(headline: Headline, claims: dict[Headline, Claim]) -> Claim | None:
    """The claim that an earlier headline of the slide has already made, in other or the same words."""
    for known, claim in claims.items():
        if (known.factor, known.metric) == (headline.factor, headline.metric):
            return claim
    return None


def _claim(headline: Headline, context: SlideContext) -> Claim:
    comparison = context.comparison
    words = [headline.condition, *comparison.conditions]
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
        subject_printed=comparison.subject_name,
        baseline_printed=comparison.baseline_name,
        subject_sdk_version=common(side.sdk_version for side in comparison.subject),
        baseline_sdk_version=common(side.sdk_version for side in comparison.baseline),
        conditions="; ".join(dict.fromkeys(word for word in words if word)) or None,
        sentence=headline.text,
    )


def read_measurements(
    context: SlideContext, lines: Sequence[Line], on_axes: Collection[Cell] = ()
) -> list[Measurement | Reject]:
    """One row per number at a bar, in the unit of the chart's one axis title; without such a title there are none.

    A dump does not say whose bar a number stands at, so the rows name no platform; the order of labels is no evidence.
    """
    unsure = context.slide.unsure
    bars = read_bars([line for line in lines if line.number not in unsure], on_axes)
    between = read_bars([line for line in lines if line.number in unsure], on_axes)
    if between.axes:
        reason = "the number stands between two slides whose border nothing marks, and may be either slide's"
        return [_unread(context, cell, reason) for cell in (*(cell for cell, _ in between.values), *between.unsure)]
    axes = {(axis.metric, axis.unit): axis for axis in bars.axes}
    if not axes:
        return []
    if len(axes) > 1:
        reason = "the chart has several axes, and which of them the number belongs to is not printed"
        return [_unread(context, cell, reason) for cell, _ in bars.values]
    (axis,) = axes.values()
    rows: list[Measurement | Reject] = [_measurement(context, axis, cell, value) for cell, value in bars.values]
    reason = "a number that can be neither a bar nor one of the ticks read on the axis"
    return rows + [_unread(context, cell, reason) for cell in bars.unsure]


def _unread(context: SlideContext, cell: Cell, reason: str) -> Reject:
    return context.reject(cell, "unread_label", reason, "row", cell.text)


def _measurement(context: SlideContext, axis: QuantityName, cell: Cell, printed: Quantity) -> Measurement:
    if axis.metric is None or axis.unit is None:
        raise ValueError(f"an axis without metric or unit: {axis.cell.text!r}")
    value = printed.scaled(axis.unit.scale)
    comparison = context.comparison
    sides = (*comparison.subject, *comparison.baseline, *comparison.others)
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
        dataset_printed=common(side.dataset or comparison.topic_dataset for side in sides) or comparison.topic_dataset,
    )


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
