"""A deck as text: the role of each line, its slide, and the bars of the charts.

The notes of a slide: `notes.py`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Sequence
from typing import Literal, NamedTuple

from pipelines.extract.named_quantities import QuantityName, read_name
from pipelines.extract.prose.comparisons import Comparison, find_comparisons
from pipelines.extract.prose.sentences import Section, Sentence
from pipelines.read.document import Cell, Line
from pipelines.values.numbers import FACTOR, NUMBER, parse_count, parse_number, read_factor
from pipelines.values.quantity import Quantity
from pipelines.vocabulary.lookup import find, fold

Kind = Literal["blank", "url", "title", "notes", "headline", "axis", "numbers", "factor", "text"]

# A title and a headline are labels; a longer line is a sentence.
_MAX_TITLE, _MAX_HEADLINE = 80, 120
# `Task: Training` is a field of a form and names no model.
_FIELDS = frozenset(
    {"task", "mode", "stage", "phase", "type", "workload", "notes", "configuration", "scenario"}
)
_URL = re.compile(r"(?i)\(?https?://\S+")
# A page of the dump starts with a space; where more lines than this share do, they are indented for
# the layout.
_MAX_INDENTED_SHARE = 0.25
# Single blank lines part the labels of one slide; from here on they part slides.
_BLANK_RUN = 2
# The longest spelling of a model, in words
_MAX_WORDS = 9
# `at lowest latency`, `with standard EN-B4`: what the comparison holds for
_CONDITION = re.compile(r"(?i)\b(?:at|with|using|under|when|for)\s[^|]*")
# `58`, `0 200 400 600 800`: a line of nothing but numbers
_NUMBERS = re.compile(rf"{NUMBER}(?:\s+{NUMBER})*")
# `2.6xA100`: bar label and name run together; only with a fraction, as `16xIPU-M2000` counts
_RUN_TOGETHER = re.compile(r"(?P<factor>[<>~]?\s*\d+\.\d+[xX×])(?=\s?[A-Z])")

Number = tuple[Cell, Quantity]


class DeckLine(NamedTuple):
    """A line and what it is by itself.

    Attributes:
        cell: Its characters without white space at the ends.
        kind: What it is. A `factor` labels a bar and an `axis` names a quantity with its unit;
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
    """A line and what it is."""
    cell = line.cell
    if cell.is_blank:
        return DeckLine(cell, "blank")
    if _URL.fullmatch(cell.text):
        return DeckLine(cell, "url")
    if title := read_title(cell):
        return DeckLine(cell, "title", *title)
    if printed(cell.text).casefold() in ("notes:", "notes :"):
        return DeckLine(cell, "notes")
    if comparisons := _read_headline(cell):
        return DeckLine(cell, "headline", comparisons=comparisons)
    if _NUMBERS.fullmatch(cell.text):
        places = [cell.matched(match) for match in re.finditer(NUMBER, cell.text)]
        numbers = tuple((place, number) for place in places if (number := parse_number(place.text)))
        return DeckLine(cell, "numbers", numbers=numbers)
    axis = read_name(cell)
    if axis and axis.unit:
        return DeckLine(cell, "axis", axis=axis)
    run_together = _RUN_TOGETHER.match(cell.text)
    place = cell.matched(run_together, "factor") if run_together else cell
    if (match := FACTOR.fullmatch(place.text)) and (factor := read_factor(match)):
        return DeckLine(cell, "factor", numbers=((place, factor),))
    return DeckLine(cell, "text")


def read_title(cell: Cell) -> tuple[str, str] | None:
    """Model and task of a line that is a title: `RESNET-50 : TRAINING`,
    `DeepVoice 3 TTS: TRAINING`; else None.
    """
    words, _, task = cell.text.rpartition(":")
    model, task = printed(words), task.strip().casefold()
    is_title = task in ("training", "inference") and len(cell.text) <= _MAX_TITLE
    is_model = (
        model[:1].isalnum() and {":", "|"}.isdisjoint(model) and model.casefold() not in _FIELDS
    )
    return (model, task) if is_title and is_model else None


def _read_headline(cell: Cell) -> tuple[tuple[Comparison, str | None], ...]:
    """What the factors of a line compare, read as those of a sentence, and the condition that is
    printed behind each.
    """
    text = cell.text
    if len(text) > _MAX_HEADLINE or not any(map(str.isdigit, text)):
        return ()
    sentence = Sentence(text, ((0, cell.line, cell.start, len(text)),), Section(), 0)
    found = [one for one in find_comparisons(sentence, None, is_benchmark=True) if not one.fault]
    ends = [*(one.factor.outer for one in found[1:]), len(text)]
    conditions = []
    for one, end in zip(found, ends, strict=False):
        match = _CONDITION.search(text, one.factor.end, end)
        conditions.append(printed(match[0]).rstrip(" .,;") if match else None)
    return tuple(zip(found, conditions, strict=True))


def split_slides(lines: Sequence[Line]) -> list[list[DeckLine]]:
    """The lines of each slide in order, blank ones too; every line with text is on exactly one
    slide.

    Slides are cut at runs of blank lines, and at form feeds, or else where a line starts with a
    space.
    """
    starts = _page_starts(lines)
    slides: list[list[DeckLine]] = [[]]
    blanks = 0
    for index, line in enumerate(map(read_line, lines)):
        is_blank = line.kind == "blank"
        if index in starts or (blanks >= _BLANK_RUN and not is_blank):
            slides.append([])
        slides[-1].append(line)
        blanks = blanks + 1 if is_blank else 0
    return [slide for slide in slides if any(line.kind != "blank" for line in slide)]


def _page_starts(lines: Sequence[Line]) -> set[int]:
    """The first line of each page: at form feeds before the first or after the last line, else at
    indents.
    """
    feeds = {
        index + (not line.text.lstrip(" \t\r").startswith("\f"))
        for index, line in enumerate(lines)
        if "\f" in line.text
    }
    visible = [index for index, line in enumerate(lines) if not line.is_blank]
    indented = {index for index in visible if lines[index].text[0].isspace()}
    return feeds or (
        indented if len(indented) <= max(1, _MAX_INDENTED_SHARE * len(visible)) else set()
    )


def fault_of(lines: Sequence[DeckLine]) -> str | None:
    """Why nothing of a slide can be read, or None."""
    kinds = [line.kind for line in lines]
    if kinds.count("title") > 1 or kinds.count("notes") > 1:
        return "titles or notes of several slides without page breaks or blank lines between them"
    if any("\t" in line.cell.text for line in lines):
        return "lines of the slide are joined by tabs, so its parts cannot be separated"
    return None


def page_number_lines(slides: Sequence[Sequence[DeckLine]]) -> frozenset[int]:
    """Lines at the end or start of slides that number them: a whole number that grows by one from
    slide to slide.
    """
    found: set[int] = set()
    for edge in (0, -1):
        cells = [[line.cell for line in lines if line.kind != "blank"][edge] for lines in slides]
        pages = [parse_count(cell.text) if cell.text.isdecimal() else None for cell in cells]
        offsets = [None if page is None else page - index for index, page in enumerate(pages)]
        # One number at an edge may be a bar, but not the page number `1` of the first slide.
        is_page = [at is not None and (offsets.count(at) > 1 or at == 1) for at in offsets]
        found |= {cell.line for cell, number in zip(cells, is_page, strict=True) if number}
    return frozenset(found)


def spelling_of(title: str | None, statement: str) -> str | None:
    """The model that a statement begins with, in the statement's spelling; None where it is not the
    title's.

    A title is in capitals and often short of a version (`RESNET-50`), the notes are not
    (`ResNet-50 v1.5`). Without a title only a name that the vocabulary knows is taken for a model.
    """
    words = statement.split(maxsplit=_MAX_WORDS)[:_MAX_WORDS]
    if not words or words[0].isdecimal():
        return None
    starts = [" ".join(words[:count]).rstrip(",;:") for count in range(1, len(words) + 1)]
    known = {start: entry.name for start in starts if (entry := find("models", start))}
    if not known:
        return next((start for start in starts if title and fold(start) == fold(title)), None)
    *_, name = known.values()
    # The shortest of the spellings that mean the same as the longest
    spelling = next(start for start, meaning in known.items() if meaning == name)
    own = find("models", title) if title else None
    if title is None or (own and own.name == name):
        return spelling
    # One name may go on where the other ends, but not within a number: `FOONET-1` is no
    # `FooNet-10`.
    short, long = sorted((fold(title), fold(spelling)), key=len)
    goes_on = long.startswith(short) and not (
        short[-1:].isdigit() and long[len(short) : len(short) + 1].isdigit()
    )
    return spelling if goes_on else None


class Bars(NamedTuple):
    """Titles of a chart's axes, numbers at its bars, its ticks, and numbers that may be ticks or
    lie beyond them.
    """

    axes: list[QuantityName]
    values: list[Number]
    ticks: list[Number]
    unsure: list[Cell]


def read_bars(lines: Iterable[DeckLine], on_axes: Collection[Cell] = ()) -> Bars:
    """The axes of a chart and the numbers at its bars.

    Args:
        lines: Labels of one slide.
        on_axes: Numbers that label an axis, if the slide is drawn.
    """
    bars = Bars([], [], [], [])
    alone: list[Number] = []
    found: list[Number] = []
    for line in lines:
        if line.axis:
            bars.axes.append(line.axis)
        numbers = line.numbers if line.kind == "numbers" else ()
        others = [number for number in numbers if number[0] not in on_axes]
        bars.ticks.extend(number for number in numbers if number[0] in on_axes)
        if len(others) == 1:
            alone += others
        else:
            (bars.ticks if _may_be_axis(others) else found).extend(others)
    if _may_be_axis(alone):
        bars.unsure.extend(cell for cell, _ in alone)
    else:
        found = sorted([*found, *alone], key=lambda number: (number[0].line, number[0].start))
    low = min((tick.value for _, tick in bars.ticks), default=-math.inf)
    high = max((tick.value for _, tick in bars.ticks), default=math.inf)
    for cell, number in found:
        if low <= number.value <= high:
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
