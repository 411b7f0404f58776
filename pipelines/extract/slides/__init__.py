"""Decks of chart slides as text: headlines, configurations, and the labels of bars.

One slide compares two systems on one model and task. Tables belong in `results_page`, sentences in
`claim_prose`, what is drawn in `charts`.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

from pipelines.extract.charts.chart_tables import tick_cells
from pipelines.extract.contract import Extraction, Format, Mark, Medium, Status
from pipelines.extract.rows import Claim, Configuration, Measurement, Reject, interval
from pipelines.extract.slides.deck import (
    Bars,
    DeckLine,
    fault_of,
    page_number_lines,
    printed,
    read_bars,
    read_line,
    read_title,
    split_slides,
)
from pipelines.extract.slides.notes import is_note, read_notes, remarks_of
from pipelines.read.document import Cell, Document
from pipelines.values.quantity import Quantity

FORMAT = Format(
    name="slides",
    description="text dumps of slide decks: a title `MODEL : TASK`, a headline with a factor, notes on both systems.",
    rows=(Claim, Configuration, Measurement, Reject),
    priority=20,
    medium=Medium.SLIDE,
)

# A longer line of a slide is a sentence, not a label.
_MAX_LABEL = 80
_STATUSES: dict[str, Status] = {"page_number": "ignored", "baseline_bar": "condition"}
_ROLES = {
    "url": ("boilerplate", "url"),
    "notes": ("heading", "chart_notes"),
    "title": ("heading", "chart_title"),
    "axis": ("heading", "chart_axis"),
}


def recognise(document: Document) -> float:
    """0.95 for slide titles, notes and headlines with a factor; 0.8 and 0.4 without headlines and
    notes; else 0.
    """
    if not any(":" in line.text and read_title(line.cell) for line in document.lines):
        return 0.0
    kinds = {read_line(line).kind for line in document.lines}
    if "notes" in kinds:
        return 0.95 if "headline" in kinds else 0.8
    return 0.4 if "headline" in kinds else 0.0


def extract(document: Document, taken: Collection[int]) -> Extraction:
    """The rows of every slide; empty for a document that is no deck.

    Returns:
        One `Claim` per factor of a headline, and one with `repeats_line` per bar label that repeats
        it; one `Configuration` per system in the notes; one `Measurement` per number at a bar,
        where an axis says what it is. Headlines, notes and labels that look like facts and cannot
        be read stand in the rejects.
    """
    extraction = Extraction()
    if not recognise(document):
        return extraction
    on_axes = tick_cells(document)
    slides = split_slides(list(document.without(frozenset(taken))))
    page_numbers = page_number_lines(slides)
    for lines in slides:
        extraction.lines |= {line.cell.line for line in lines}
        slide = _Slide(lines, page_numbers)
        if reason := fault_of(lines):
            cells = [line.cell for line in lines if any(map(str.isdigit, line.cell.text))]
            extraction.rows += [slide.reject(cell, "slides_not_parted", reason) for cell in cells]
            continue
        bars = read_bars(slide.labels, on_axes)
        extraction.rows += [*slide.claims(), *slide.configurations(), *slide.measurements(bars)]
        slide.mark(extraction, bars)
    return extraction


class _Slide:
    """The rows of one slide."""

    def __init__(self, lines: Sequence[DeckLine], page_numbers: Collection[int]) -> None:
        self.lines = [line for line in lines if line.kind != "blank"]
        self.page_numbers = page_numbers
        # Without a title the rows of a slide share its first line.
        titles = [line for line in self.lines if line.kind == "title"]
        title = titles[0] if titles else self.lines[0]
        self.notes = read_notes(lines, title.model)
        read = {*self.notes.lines, *page_numbers, *(line.cell.line for line in titles)}
        others = [line for line in self.lines if line.cell.line not in read]
        self.headlines = [line for line in others if line.kind == "headline"]
        self.labels = [line for line in others if line.kind != "headline"]
        self.model = self.notes.model or title.model
        self.place: dict[str, Any] = {
            "section": printed(title.cell.text) if titles else None,
            "section_line": title.cell.line,
        }
        self.said = self.place | {"task": title.task, "model_printed": self.model}

    def reject(self, cell: Cell, rule: str, reason: str, scope: str = "row") -> Reject:
        text = json.dumps(cell.text, ensure_ascii=False)
        return Reject(cell=cell, rule=rule, reason=reason, scope=scope, row_json=text, **self.place)

    def claims(self) -> Iterator[Claim | Reject]:
        """The claims, and what cannot be read as one.

        A factor that a headline has stated before, and a bar label with the factor of a headline,
        are further evidence of that claim: rows with `repeats_line`.
        """
        claims: dict[tuple[Quantity, str | None], Claim] = {}
        notes = self.notes
        for line in self.headlines:
            for comparison, condition in line.comparisons:
                cell = line.cell.part(comparison.factor.outer, comparison.factor.end)
                if comparison.is_reversed:
                    # The deck's own system is never said to be the worse one.
                    reason = "the headline states that the subject is worse"
                    yield self.reject(cell, "unread_headline", reason, "sentence")
                    continue
                words = [condition] if condition else []
                claim = Claim(
                    cell=cell,
                    **interval(comparison.quantity, "factor"),
                    **self.said,
                    metric=comparison.metric,
                    subject_printed=notes.common("platform_printed", "subject"),
                    baseline_printed=notes.common("platform_printed", "baseline"),
                    subject_sdk_version=notes.common("sdk_version", "subject"),
                    baseline_sdk_version=notes.common("sdk_version", "baseline"),
                    conditions="; ".join(dict.fromkeys([*words, *notes.conditions])) or None,
                    sentence=printed(line.cell.text),
                )
                first = claims.setdefault((comparison.quantity, comparison.metric), claim)
                yield claim if first is claim else replace(claim, repeats_line=first.cell.line)
        for line in self.labels:
            for cell, factor in line.numbers if line.kind == "factor" else ():
                same = [claim for claim in claims.values() if claim.factor == factor.value]
                if same:
                    fields = interval(factor, "factor")
                    yield replace(same[0], cell=cell, repeats_line=same[0].cell.line, **fields)
                elif factor.value != 1:
                    # `1x` is the bar that the others are compared with.
                    reason = "a factor at a bar that is not in a headline of the slide: its comparison is unknown"
                    yield self.reject(cell, "unread_label", reason)

    def configurations(self) -> Iterator[Configuration | Reject]:
        """One row per side of the notes, and a reject for each line of notes whose system cannot be
        read.
        """
        for side in self.notes.sides:
            dataset = side.dataset_printed or self.notes.dataset
            yield replace(side, model_printed=self.model, dataset_printed=dataset, **self.place)
        reason = "a line of the notes with an unreadable system name"
        for cell in self.notes.unread:
            yield self.reject(cell, "unread_configuration", reason)
        for line in self.labels:
            if is_note(line.cell):
                reason = "a line of notes after the notes of its slide"
                yield self.reject(line.cell, "unread_configuration", reason)

    def measurements(self, bars: Bars) -> Iterator[Measurement | Reject]:
        """One row per number at a bar, in the unit of the chart's one axis title; without such a
        title there are none.

        A dump does not say whose bar a number stands at, so the rows name no platform; the order of
        labels is no evidence.
        """
        axes = {(axis.metric, axis.statistic, axis.unit) for axis in bars.axes if axis.unit}
        if len(axes) > 1:
            reason = "the chart has several axes, and the axis of the number is not printed"
            yield from (self.reject(cell, "unread_label", reason) for cell, _ in bars.values)
            return
        for metric, statistic, unit in axes:
            for cell, number in bars.values:
                yield Measurement(
                    cell=cell,
                    **interval(number.scaled(unit.scale), "value"),
                    **self.said,
                    metric=metric,
                    statistic=statistic,
                    unit=unit.name,
                    unit_printed=unit.printed,
                    item=unit.item,
                    dataset_printed=self.notes.common("dataset_printed") or self.notes.dataset,
                )
            reason = "a number that is neither a bar nor a tick of the axis"
            yield from (self.reject(cell, "unread_label", reason) for cell in bars.unsure)

    def mark(self, extraction: Extraction, bars: Bars) -> None:
        """Record the role of every line without a row; the accounting assigns the status of their
        numerals.
        """
        marks = extraction.marks
        for line in self.lines:
            extraction.roles[line.cell.line] = role, rule = self._role(line)
            if rule in _STATUSES:
                marks.append(Mark(line.cell, _STATUSES[rule], rule))
            elif (role, rule) == ("condition", "chart_notes"):
                marks += [Mark(part, "condition", rule) for part in remarks_of(line.cell)]
        for cell, _ in bars.ticks:
            extraction.roles[cell.line] = "condition", "axis_ticks"
            marks.append(Mark(cell, "condition", "axis_ticks"))
        # Numbers at bars without a known axis are not measurements.
        numbers = [cell for cell, _ in bars.values] + bars.unsure
        marks += [Mark(cell, "unparsed", "bar_without_axis") for cell in numbers]

    def _role(self, line: DeckLine) -> tuple[str, str]:
        if line.kind in _ROLES:
            return _ROLES[line.kind]
        if line.cell.line in self.notes.lines:
            return "condition", "chart_notes"
        if line.cell.line in self.page_numbers:
            return "boilerplate", "page_number"
        if line.kind == "factor" and line.cell.text[0] == "1" and line.numbers[0][1].value == 1:
            return "condition", "baseline_bar"
        if len(line.cell.text) <= _MAX_LABEL:
            return "condition", "chart_label"
        return "prose", "slide_text"
