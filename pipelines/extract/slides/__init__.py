"""Decks of chart slides as text: headlines, configurations, and the labels of bars.

One slide compares two systems on one model and task. Tables belong in `results_page`, sentences in
`claim_prose`, what is drawn in `charts`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from pipelines.extract.charts.chart_tables import tick_cells
from pipelines.extract.contract import Extraction, Format, Mark, Medium
from pipelines.extract.grammar import GRAMMAR
from pipelines.extract.mentions import only
from pipelines.extract.rows import Claim, Configuration, Measurement, Reject, interval
from pipelines.extract.slides.deck import (
    Bars,
    DeckLine,
    Kind,
    fault_of,
    printed,
    read_bars,
    read_line,
    spelling_of,
    split_slides,
)
from pipelines.extract.slides.notes import (
    conditions_of,
    is_like_side,
    is_note,
    parts_of,
    read_side,
    words_of,
)
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
# Role and rule of a line by its kind
_ROLES: dict[Kind, tuple[str, str]] = {
    "url": ("boilerplate", "url"),
    "notes": ("heading", "chart_notes"),
    "note": ("condition", "chart_notes"),
    "title": ("heading", "chart_title"),
    "axis": ("heading", "chart_axis"),
    "page_number": ("boilerplate", "page_number"),
    "baseline_bar": ("condition", "baseline_bar"),
}
_LABEL, _SENTENCE = ("condition", "chart_label"), ("prose", "slide_text")
# A comparison has two sides.
_SIDES = ("subject", "baseline")


def recognise(document: Document) -> float:
    """0.95 for slide titles, notes and headlines with a factor; 0.8 and 0.4 without headlines and
    notes; else 0.
    """
    if not any(GRAMMAR["slide_title"].fullmatch(line.cell.text) for line in document.lines):
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
    for lines in split_slides(list(document.without(frozenset(taken)))):
        extraction.lines |= {line.cell.line for line in lines}
        slide = _Slide([line for line in lines if line.kind != "blank"])
        if reason := fault_of(lines):
            cells = [line.cell for line in lines if any(map(str.isdigit, line.cell.text))]
            extraction.rows += [slide.reject(cell, "slides_not_parted", reason) for cell in cells]
            continue
        bars = read_bars(lines, on_axes)
        extraction.rows += [*slide.claims(), *slide.configurations(), *slide.measurements(bars)]
        slide.mark(extraction, bars)
    return extraction


class _Slide:
    """The rows of one slide."""

    def __init__(self, lines: Sequence[DeckLine]) -> None:
        self.lines = lines
        # Without a title the rows of a slide share its first line.
        title = next(iter(self.of("title")), lines[0])
        self.place: dict[str, Any] = {
            "section": printed(title.cell.text) if title.kind == "title" else None,
            "section_line": title.cell.line,
        }
        # How each system was run and by whom, by its line; and lines that look like one and cannot
        # be read
        self.sides, self.measured_by = dict[Cell, Configuration](), dict[Cell, str]()
        self.unread = list[Cell]()
        topic = self._read_notes([line.cell for line in self.of("note")])
        model = spelling_of(title.model, topic.text.partition("|")[0]) or title.model
        self.said = self.place | {"task": title.task, "model_printed": model}
        self.dataset = next(iter(conditions_of(parts_of(topic))["dataset"]), None)
        # The deck's vendor writes first of its own system, and headlines are in its favour. A lone
        # side, more than two, and those beside a line that cannot be read have no role.
        systems = list(dict.fromkeys(map(_system, self.sides.values())))
        has_roles = not self.unread and len(systems) == len(_SIDES)
        self.roles = dict(zip(systems, _SIDES, strict=True)) if has_roles else {}

    def _read_notes(self, notes: Sequence[Cell]) -> Cell:
        """Read the lines of the notes; the result is the topic, which the first may be."""
        remarks, topic = list[re.Match[str]](), Cell("", 0, 0, 0)
        for cell in notes:
            side, remark = read_side(cell), GRAMMAR["remark"].match(cell.text)
            if side:
                self.sides[cell] = side
            elif remark:
                remarks.append(remark)
            elif is_like_side(cell):
                self.unread.append(cell)
            elif cell is notes[0]:
                # `BERT-Large Inference | SQuAD | headline comparisons using lowest latency`
                topic = cell
        for remark in remarks:
            # A remark is about the one system whose line has its words: `A100`, `GPU`.
            about = words_of(remark["about"])
            meant = [cell for cell in self.sides if about <= words_of(cell.text)]
            if len({_system(self.sides[cell])[0] for cell in meant}) == 1:
                self.measured_by = dict.fromkeys(meant, printed(remark["who"])) | self.measured_by
        return topic

    def of(self, kind: Kind) -> list[DeckLine]:
        """Its lines of one kind, in order."""
        return [line for line in self.lines if line.kind == kind]

    def reject(self, cell: Cell, rule: str, reason: str, scope: str = "row") -> Reject:
        text = json.dumps(cell.text, ensure_ascii=False)
        return Reject(cell=cell, rule=rule, reason=reason, scope=scope, row_json=text, **self.place)

    def claims(self) -> Iterator[Claim | Reject]:
        """The claims, and what cannot be read as one.

        A factor that a headline has stated before, and a bar label with the factor of a headline,
        are further evidence of that claim: rows with `repeats_line`.
        """
        claims: dict[tuple[Quantity, str | None], Claim] = {}
        terms = [
            printed(part.text)
            for part in chain.from_iterable(parts_of(line.cell)[1:] for line in self.of("note"))
            if GRAMMAR["comparison_terms"].search(part.text)
        ]
        sides = self._sides_of_claims()
        for line in self.of("headline"):
            for comparison, condition in line.comparisons:
                cell = line.cell.part(comparison.factor.outer, comparison.factor.end)
                if comparison.is_reversed:
                    # The deck's own system is never said to be the worse one.
                    reason = "the headline states that the subject is worse"
                    yield self.reject(cell, "unread_headline", reason, "sentence")
                    continue
                claim = Claim(
                    cell=cell,
                    **interval(comparison.quantity, "factor"),
                    **self.said,
                    **sides,
                    metric=comparison.metric,
                    conditions="; ".join(dict.fromkeys(filter(None, [condition, *terms]))) or None,
                    sentence=printed(line.cell.text),
                )
                first = claims.setdefault((comparison.quantity, comparison.metric), claim)
                yield claim if first is claim else replace(claim, repeats_line=first.cell.line)
        for line in self.of("factor"):
            ((cell, factor),) = line.numbers
            same = [claim for claim in claims.values() if claim.factor == factor.value]
            if same:
                fields = interval(factor, "factor")
                yield replace(same[0], cell=cell, repeats_line=same[0].cell.line, **fields)
            else:
                reason = "a factor at a bar that is not in a headline of the slide: its comparison is unknown"
                yield self.reject(cell, "unread_label", reason)

    def _sides_of_claims(self) -> dict[str, Any]:
        """The columns of subject and baseline: what all lines about the same side state."""
        columns = dict[str, Any]()
        for system, role in self.roles.items():
            alike = [side for side in self.sides.values() if _system(side) == system]
            columns[f"{role}_printed"] = alike[0].platform_printed
            columns[f"{role}_sdk_version"] = only(side.sdk_version for side in alike)
        return columns

    def configurations(self) -> Iterator[Configuration | Reject]:
        """One row per side of the notes, and a reject for each line of notes whose system cannot be
        read.
        """
        for cell, side in self.sides.items():
            yield replace(
                side,
                **self.place,
                role=self.roles.get(_system(side), "other"),
                model_printed=self.said["model_printed"],
                dataset_printed=side.dataset_printed or self.dataset,
                measured_by=side.measured_by or self.measured_by.get(cell),
            )
        reason = "a line of the notes with an unreadable system name"
        for cell in self.unread:
            yield self.reject(cell, "unread_configuration", reason)
        for line in self.of("text"):
            if is_note(line.cell):
                reason = "a line of notes after the notes of its slide"
                yield self.reject(line.cell, "unread_configuration", reason)

    def measurements(self, bars: Bars) -> Iterator[Measurement | Reject]:
        """One row per number at a bar, in the unit of the chart's one axis title; without such a
        title there are none.

        A dump does not say whose bar a number stands at, so the rows name no platform; the order of
        labels is no evidence.
        """
        named = [line.axis for line in self.lines if line.axis]
        axes = {(axis.metric, axis.statistic, axis.unit) for axis in named if axis.unit}
        if len(axes) > 1:
            reason = "the chart has several axes, and the axis of the number is not printed"
            yield from (self.reject(cell, "unread_label", reason) for cell, _ in bars.values)
            return
        for metric, statistic, unit in axes:
            of_sides = only(side.dataset_printed for side in self.sides.values())
            for cell, number in bars.values:
                yield Measurement(
                    cell=cell,
                    **unit.columns(number.scaled(unit.scale)),
                    **self.said,
                    metric=metric,
                    statistic=statistic,
                    dataset_printed=of_sides or self.dataset,
                )
            reason = "a number that is neither a bar nor a tick of the axis"
            yield from (self.reject(cell, "unread_label", reason) for cell in bars.unsure)

    def mark(self, extraction: Extraction, bars: Bars) -> None:
        """Record the role of every line without a row; the accounting assigns the status of their
        numerals.
        """
        marks = extraction.marks
        for line in self.lines:
            cell = line.cell
            other = _LABEL if len(cell.text) <= _MAX_LABEL else _SENTENCE
            role, rule = _ROLES.get(line.kind, other)
            extraction.roles[cell.line] = role, rule
            # Kinds of which all numerals have the rule.
            if line.kind in ("page_number", "baseline_bar"):
                marks.append(Mark(cell, rule))
            elif line.kind == "note":
                # What a part without a parameter of a run counts is of no column: `1600 samples`.
                others = [p for p in parts_of(cell) if not GRAMMAR["parameter"].search(p.text)]
                marks += [Mark(part, rule) for part in others]
        for cell, _ in bars.ticks:
            extraction.roles[cell.line] = "condition", "axis_ticks"
            marks.append(Mark(cell, "axis_ticks"))
        # Numbers at bars without a known axis are not measurements.
        numbers = [cell for cell, _ in bars.values] + bars.unsure
        marks += [Mark(cell, "bar_without_axis") for cell in numbers]


def _system(side: Configuration) -> tuple[str, int | None]:
    """What the lines about one system have in common."""
    return str(side.platform_printed).casefold(), side.accelerator_count
