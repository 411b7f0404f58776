"""A deck as text: the role of each line, its slide, and the bars of the charts.

The notes of a slide: `notes.py`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Sequence
from typing import Literal, NamedTuple

from pipelines.extract.grammar import GRAMMAR
from pipelines.extract.named_quantities import QuantityName, quantity_of
from pipelines.extract.prose.comparisons import Comparison, find_comparisons
from pipelines.extract.prose.sentences import Section, Sentence
from pipelines.read.document import Cell, Line
from pipelines.values.numbers import FACTOR, NUMBER, parse_number, read_factor
from pipelines.values.quantity import Quantity
from pipelines.vocabulary.lookup import find, fold

Kind = Literal[
    "blank", "url", "title", "notes", "note", "headline", "axis", "numbers", "factor", "baseline_bar",
    "page_number", "text",
]  # fmt: skip

# A headline is a label; a longer line is a sentence.
_MAX_HEADLINE = 120
# A page of the dump starts with a space; where more lines than this share do, they are indented for
# the layout.
_MAX_INDENTED_SHARE = 0.25
# Single blank lines part the labels of one slide; from here on they part slides.
_BLANK_RUN = 2
# The longest spelling of a model, in words
_MAX_WORDS = 9

Number = tuple[Cell, Quantity]


class DeckLine(NamedTuple):
    """A line and what it is.

    Attributes:
        cell: Its characters without white space at the ends.
        kind: What it is. A `note` is a line below `notes`. A `factor` labels a bar, `baseline_bar`
            the one that others are compared with, and an `axis` names a quantity with its unit;
            `text` is anything else.
        model: The model of a title, as printed.
        task: `training` or `inference`, as a title says.
        comparisons: What the factors of a headline compare, and under which condition.
        axis: What an axis measures: `Throughput (images/sec)`.
        numbers: Its numbers, where it has nothing else, or the one factor that it begins with.
    """

    cell: Cell
    kind: Kind
    model: str | None = None
    task: str | None = None
    comparisons: tuple[tuple[Comparison, str | None], ...] = ()
    axis: QuantityName | None = None
    numbers: tuple[Number, ...] = ()


def printed(text: str) -> str:
    """Printed words with plain single blanks: dumps hold no-break and double ones at random."""
    return " ".join(text.split())


def read_line(line: Line) -> DeckLine:
    """A line and what it is by itself."""
    cell, text = line.cell, line.cell.text
    if not text:
        return DeckLine(cell, "blank")
    if title := GRAMMAR["slide_title"].fullmatch(text):
        return DeckLine(cell, "title", printed(title["model"]), title["task"].casefold())
    whole = GRAMMAR["slide_line"].fullmatch(text)
    if whole and whole["numbers"]:
        numbers = list[Number]()
        for found in re.finditer(NUMBER, text):
            if quantity := parse_number(found[0]):
                numbers.append((cell.matched(found), quantity))
        return DeckLine(cell, "numbers", numbers=tuple(numbers))
    if whole:
        return DeckLine(cell, "url" if whole["url"] else "notes")
    if comparisons := _read_headline(cell):
        return DeckLine(cell, "headline", comparisons=comparisons)
    axis = quantity_of(text)
    if axis and axis.unit:
        return DeckLine(cell, "axis", axis=axis)
    run_together = GRAMMAR["factor_run_together"].match(text)
    place = cell.matched(run_together) if run_together else cell
    match = FACTOR.fullmatch(place.text)
    factor = read_factor(match) if match else None
    if factor is None:
        return DeckLine(cell, "text")
    kind: Kind = "baseline_bar" if factor.value == 1 else "factor"
    return DeckLine(cell, kind, numbers=((place, factor),))


def _read_headline(cell: Cell) -> tuple[tuple[Comparison, str | None], ...]:
    """What the factors of a line compare, read as those of a sentence, and the condition that is
    printed behind each.
    """
    text = cell.text
    if len(text) > _MAX_HEADLINE or not any(map(str.isdigit, text)):
        return ()
    sentence = Sentence((cell,), "sentence", Section(), 0)
    found = []
    for one in find_comparisons(sentence, None, is_benchmark=True):
        terms = GRAMMAR["headline_condition"].search(text, one.factor.end, one.factor.limit)
        if one.fault is None:
            found.append((one, printed(terms[0]).rstrip(" .,;") if terms else None))
    return tuple(found)


def split_slides(lines: Sequence[Line]) -> list[list[DeckLine]]:
    """The lines of each slide in order, blank ones too; every line with text is on exactly one
    slide.

    Slides are cut at runs of blank lines, and at form feeds, or else where a line starts with a
    space. The notes of a slide go from their head to the next blank line or chart label.
    """
    starts = _page_starts(lines)
    slides: list[list[DeckLine]] = [[]]
    blanks, in_notes = 0, False
    for index, line in enumerate(map(read_line, lines)):
        if index in starts or (blanks >= _BLANK_RUN and line.kind != "blank"):
            slides.append([])
            in_notes = False
        blanks = blanks + 1 if line.kind == "blank" else 0
        in_notes = line.kind == "notes" or (in_notes and line.kind in ("url", "text"))
        is_note = in_notes and line.kind == "text"
        slides[-1].append(line._replace(kind="note") if is_note else line)
    slides = [slide for slide in slides if any(line.kind != "blank" for line in slide)]
    pages = _page_numbers(slides)
    return [
        [line._replace(kind="page_number") if line.cell in pages else line for line in slide]
        for slide in slides
    ]


def _page_starts(lines: Sequence[Line]) -> set[int]:
    """The first line of each page: at form feeds, else at indents."""
    visible = [index for index, line in enumerate(lines) if not line.is_blank]
    indented = {index for index in visible if lines[index].text[0].isspace()}
    feeds = {index for index, line in enumerate(lines) if "\f" in line.text}
    is_layout = len(indented) > max(1, _MAX_INDENTED_SHARE * len(visible))
    return feeds or (set() if is_layout else indented)


def fault_of(lines: Sequence[DeckLine]) -> str | None:
    """Why nothing of a slide can be read, or None."""
    kinds = [line.kind for line in lines]
    if kinds.count("title") > 1 or kinds.count("notes") > 1:
        return "titles or notes of several slides without page breaks or blank lines between them"
    if any("\t" in line.cell.text for line in lines):
        return "lines of the slide are joined by tabs, so its parts cannot be separated"
    return None


def _page_numbers(slides: Sequence[Sequence[DeckLine]]) -> set[Cell]:
    """Lines at the end or start of slides that number them: a whole number that grows by one from
    slide to slide.
    """
    found = set[Cell]()
    for edge in (0, -1):
        offsets = dict[Cell, int]()
        for index, slide in enumerate(slides):
            cell = [line.cell for line in slide if line.kind != "blank"][edge]
            if cell.text.isdecimal():
                offsets[cell] = int(cell.text) - index
        counts = list(offsets.values())
        # One number at an edge may be a bar, but not the page number `1` of the first slide.
        found |= {cell for cell, at in offsets.items() if at == 1 or counts.count(at) > 1}
    return found


def spelling_of(title: str | None, statement: str) -> str | None:
    """The model that a statement begins with, in the statement's spelling; None where it is not the
    title's.

    A title is in capitals and often short of a version (`RESNET-50`), the notes are not
    (`ResNet-50 v1.5`). Without a title only a name that the vocabulary knows is taken for a model.
    """
    words = statement.split()[:_MAX_WORDS]
    if not words or words[0].isdecimal():
        return None
    starts = [" ".join(words[:count]).rstrip(",;:") for count in range(1, len(words) + 1)]
    known = {start: find("models", start) for start in starts}
    entries = [entry for entry in known.values() if entry]
    if not entries:
        return next((start for start in starts if title and fold(start) == fold(title)), None)
    # The shortest of the spellings that mean the same as the longest
    spelling = next(start for start, entry in known.items() if entry == entries[-1])
    if title is None or find("models", title) == entries[-1]:
        return spelling
    # One name may go on where the other ends, but not within a number: `FOONET-1` is no
    # `FooNet-10`.
    short, long = sorted((fold(title), fold(spelling)), key=len)
    is_cut = short[-1:].isdigit() and long[len(short) :][:1].isdigit()
    return spelling if long.startswith(short) and not is_cut else None


class Bars(NamedTuple):
    """Numbers at the bars of a chart, the ticks of its axes, and numbers that may be ticks or lie
    beyond them.
    """

    values: list[Number]
    ticks: list[Number]
    unsure: list[Cell]


def read_bars(lines: Iterable[DeckLine], on_axes: Collection[Cell] = ()) -> Bars:
    """The numbers of the chart of one slide.

    Args:
        lines: Its lines.
        on_axes: Numbers that label an axis, if the slide is drawn.
    """
    bars = Bars([], [], [])
    alone: list[Number] = []
    lists = [alone]
    for line in lines:
        if line.kind == "numbers":
            bars.ticks.extend(number for number in line.numbers if number[0] in on_axes)
            others = [number for number in line.numbers if number[0] not in on_axes]
            lists.append(others)
            if len(others) == 1:
                alone += lists.pop()
    found: list[Number] = []
    for numbers in lists:
        if not _may_be_axis(numbers):
            found += numbers
        elif numbers is alone:
            bars.unsure.extend(cell for cell, _ in alone)
        else:
            bars.ticks.extend(numbers)
    ticks = [tick.value for _, tick in bars.ticks] or [-math.inf, math.inf]
    for cell, number in found:
        if min(ticks) <= number.value <= max(ticks):
            bars.values.append((cell, number))
        else:
            bars.unsure.append(cell)
    return bars


def _may_be_axis(numbers: Sequence[Number]) -> bool:
    """True for numbers with a zero among them, or three at equal steps or powers: `200 400 600`,
    `10 100 1,000`.
    """
    values = [number.value for _, number in numbers]
    runs = zip(values, values[1:], values[2:], strict=False)
    return 0 in values or any(c - b == b - a or math.isclose(c * a, b * b) for a, b, c in runs)
