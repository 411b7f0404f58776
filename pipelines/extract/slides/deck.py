"""A text dump of a deck cut into slides, and what stands on a slide beside its notes: title, headlines, labels."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TypeGuard

from pipelines.extract.named_quantities import QuantityName, read_name
from pipelines.extract.prose.comparisons import Comparison, find_comparisons
from pipelines.extract.prose.sentences import Section, Sentence
from pipelines.read.document import Cell, Line
from pipelines.values.numbers import FACTOR, NUMBER, parse_number, read_factor
from pipelines.values.quantity import Quantity
from pipelines.vocabulary.lookup import find

# `RESNET-50 : TRAINING`, `EFFICIENTNET-B0: INFERENCE`, `DeepVoice 3 TTS: TRAINING`
_TITLE = re.compile(r"(?P<model>[^\W_](?:[^:|]*[^\s:|])?)\s*:\s*(?P<task>training|inference)", re.IGNORECASE)
# A title and a headline are labels; a longer line is a sentence.
_MAX_TITLE, _MAX_HEADLINE = 80, 120
# `Task: Training` is a field of a form and names no model.
_FIELDS = frozenset({"task", "mode", "stage", "phase", "type", "workload", "notes", "configuration", "scenario"})
# Where the model ends in `ResNet-50 v1.5 Training Throughput` and `BERT-Large using Wikipedia dataset`
_AFTER_MODEL = re.compile(
    r"(?<!\s)\s+(?:pre-?training|fine-?tuning|training|inference|throughput|latency|performance|using|with|on|for)\b"
    r"|(?:(?<!\s)\s++)?[,;:(\u2013\u2014]",
    re.IGNORECASE,
)
_NOTES_HEAD = re.compile(r"notes\s*:", re.IGNORECASE)
# A page of the dump starts with a space; where more lines than this share do, they are indented for the layout.
_MAX_INDENTED_SHARE = 0.25
# Single blank lines part the labels of one slide; from here on they part slides.
_BLANK_RUN = 2
# `at lowest latency`, `with standard EN-B4`: what the comparison holds for
_CONDITION = re.compile(r"\b(?:at|with|using|under|when|for)\s[^|]*", re.IGNORECASE)
# `58`, `0 200 400 600 800`: a line of nothing but numbers
_NUMBERS = re.compile(rf"{NUMBER}(?:\s+{NUMBER})*")
# `2.6xA100`: bar label and name run together; only with a fraction, as `16xIPU-M2000` counts
_RUN_TOGETHER = re.compile(r"(?P<factor>[<>~]?\s*\d+\.\d+[xX×])(?=[^\W\d_])")


@dataclass(frozen=True, slots=True)
class Title:
    """A slide's title: the line as printed, the model's words in it, and `training` or `inference`."""

    cell: Cell
    model: str
    task: str


@dataclass(frozen=True, slots=True)
class Slide:
    """One slide: its lines, blank ones too, and its title, or None for a cover or the rest of a deck that was cut."""

    lines: tuple[Line, ...]
    title: Title | None

    @property
    def first_visible(self) -> Line:
        """The first line with something on it."""
        return next(line for line in self.lines if not line.is_blank)

    @property
    def fault(self) -> str | None:
        """Why nothing of it can be read, or None."""
        if _is_mixed(self.lines):
            return "titles or notes of several slides, which no page and no blank lines part"
        is_joined = any("\t" in line.cell.text for line in self.lines)
        return "lines of the slide are joined by tabs: what belongs to what is not known" if is_joined else None


@dataclass(frozen=True, slots=True)
class Headline:
    """One factor of a headline.

    Attributes:
        cell: The printed factor with its bound (`>60x`).
        factor: The factor with its interval; 1.3 for `30% higher`.
        metric: Canonical metric, or None where the headline names none.
        condition: Words such as `at lowest latency`, as printed.
        text: The whole headline as printed.
        is_worse: True for `2x higher latency`: the deck's own system is never said to be the worse one.
    """

    cell: Cell
    factor: Quantity
    metric: str | None
    condition: str | None
    text: str
    is_worse: bool = False


@dataclass
class Bars:
    """Measured bars of a slide.

    Attributes:
        axes: Titles of its axes, such as `Throughput (images/sec)`.
        values: Numbers printed at bars, with their places.
        unsure: Numbers that may be ticks, or stand beyond the ticks, where no bar can end.
        ticks: Numbers that are ticks of the axis.
    """

    axes: list[QuantityName] = field(default_factory=list)
    values: list[tuple[Cell, Quantity]] = field(default_factory=list)
    unsure: list[Cell] = field(default_factory=list)
    ticks: list[tuple[Cell, Quantity]] = field(default_factory=list)


def printed(text: str) -> str:
    """Printed words with plain single blanks: dumps hold no-break and double ones at random."""
    return " ".join(text.split())


def read_title(cell: Cell) -> Title | None:
    """The title that a line consists of, or None."""
    match = _TITLE.fullmatch(cell.text) if ":" in cell.text and len(cell.text) <= _MAX_TITLE else None
    if not match or printed(match["model"]).casefold() in _FIELDS:
        return None
    return Title(cell, printed(match["model"]), match["task"].casefold())


def is_notes_head(cell: Cell) -> bool:
    """True for `NOTES:`."""
    return _NOTES_HEAD.fullmatch(cell.text) is not None


# Slides


def split_slides(lines: Sequence[Line]) -> list[Slide]:
    """The slides of a deck in order; every line with something on it stands on exactly one of them.

    Slides are cut at form feeds, or else where a line starts with a space, and within such a page at runs of blank
    lines behind which another title, headline or head of notes shows that there is another slide.
    """
    slides: list[Slide] = []
    for page in _cut(lines, _form_feeds(lines) or _indented(lines)):
        groups: list[list[Line]] = []
        for group in _cut(page, _behind_blank_runs(page)):
            if groups and not _is_another(groups[-1], group):
                groups[-1] += group
            else:
                groups.append(list(group))
        for group in groups:
            if any(not line.is_blank for line in group):
                titles = (title for line in group if (title := read_title(line.cell)))
                slides.append(Slide(tuple(group), next(titles, None)))
    return slides


def _form_feeds(lines: Sequence[Line]) -> set[int]:
    """Where form feeds start a page; they stand before its first line or behind the last line of the one before."""
    return {
        index + (not line.text.lstrip(" \t\r").startswith("\f"))
        for index, line in enumerate(lines)
        if "\f" in line.text
    }


def _indented(lines: Sequence[Line]) -> set[int]:
    """Where a line starts with a space; empty where so many do that it says nothing."""
    visible = [index for index, line in enumerate(lines) if not line.is_blank]
    indented = {index for index in visible if lines[index].text[0].isspace()}
    return indented if len(indented) <= max(1, _MAX_INDENTED_SHARE * len(visible)) else set()


def _is_mixed(lines: Sequence[Line]) -> bool:
    return (
        sum(read_title(line.cell) is not None for line in lines) > 1
        or sum(is_notes_head(line.cell) for line in lines) > 1
    )


def _is_another(before: Sequence[Line], group: Sequence[Line]) -> bool:
    """Whether what follows blank lines stands on another slide: its title, notes or headline would be a second one.

    So may labels behind a slide with title and notes; then they are of a slide without a title. A headline without any
    label below it belongs to what follows.
    """
    is_lone = sum(not line.is_blank for line in before) == 1
    headlines = [any(read_headlines(line.cell) for line in side if not line.is_blank) for side in (before, group)]
    kinds = [{_kind(line) for line in side} - {None} for side in (before, group)]
    is_rest = kinds[0] == {"title", "notes"} and not kinds[1] and not headlines[1]
    return _is_mixed([*before, *group]) or (all(headlines) and not is_lone) or is_rest


def _kind(line: Line) -> str | None:
    if is_notes_head(line.cell):
        return "notes"
    return "title" if read_title(line.cell) else None


def _behind_blank_runs(lines: Sequence[Line]) -> set[int]:
    starts, blanks = set(), 0
    for index, line in enumerate(lines):
        if not line.is_blank and blanks >= _BLANK_RUN:
            starts.add(index)
        blanks = blanks + 1 if line.is_blank else 0
    return starts


def _cut(lines: Sequence[Line], starts: set[int]) -> Iterator[Sequence[Line]]:
    borders = sorted({0, len(lines)} | starts)
    return (lines[start:end] for start, end in pairwise(borders) if start < end)


def page_number_lines(slides: Sequence[Slide]) -> frozenset[int]:
    """Lines at the end or start of slides that number them: a whole number that grows by one from slide to slide."""
    found: set[int] = set()
    for edge in (0, -1):
        numbered: dict[int, list[int]] = {}
        for index, slide in enumerate(slides):
            line = [line for line in slide.lines if not line.is_blank][edge]
            if line.cell.text.isdecimal():
                numbered.setdefault(int(line.cell.text) - index, []).append(line.number)
        # One number at an edge may be a bar; as the first slide's `1` it is none.
        found.update(line for offset, lines in numbered.items() if len(lines) > 1 or offset == 1 for line in lines)
    return frozenset(found)


# Models


def better_spelled(title_model: str | None, statement: str) -> str | None:
    """The model at the start of the first line of the notes where it agrees with the title's, else the title's words.

    A title is in capitals and often short of a version (`RESNET-50`), the notes are not (`ResNet-50 v1.5`).
    Without a title only a name that the vocabulary knows is taken for a model.
    """
    candidate = model_at_start(statement)
    if title_model is None:
        return candidate if find("models", candidate) else None
    return candidate if agrees(title_model, candidate) else title_model


def model_at_start(statement: str) -> str:
    """The first words of a line that are a known model, else those before what is said of it; empty for a count."""
    words = statement.split()
    if not words or words[0].isdecimal():
        return ""
    starts = [" ".join(words[:count]).rstrip(",;:") for count in range(1, len(words) + 1)]
    known = [(start, entry.name) for start in starts if (entry := find("models", start))]
    if known:
        # The shortest of the spellings that mean the same as the longest
        return next(start for start, name in known if name == known[-1][1])
    return printed(_AFTER_MODEL.split(statement.strip(), maxsplit=1)[0])


def agrees(title: str, candidate: str) -> bool:
    """True for two spellings of one model, of which one may go on where the other ends, but not within a number."""
    known, other = find("models", title), find("models", candidate)
    if known and other and known.name == other.name:
        return True
    short, long = sorted((_letters(title), _letters(candidate)), key=len)
    is_cut = short[-1:].isdigit() and long[len(short) : len(short) + 1].isdigit()
    return bool(short) and long.startswith(short) and not is_cut


def _letters(name: str) -> str:
    """Letters and digits alone; two numbers stay two: `ResNext-101_32x4d`."""
    parted = re.sub(r"(?<=\d)[\W_](?=\d)", "\0", name.casefold())
    return "".join(character for character in parted if character.isalnum() or character == "\0")


# Headlines and labels


def read_headlines(cell: Cell) -> list[Headline]:
    """The factors that a line claims, read as those of a sentence."""
    text = cell.text
    if len(text) > _MAX_HEADLINE or not any(map(str.isdigit, text)):
        return []
    sentence = Sentence(text, ((0, cell.line, cell.start, len(text)),), Section(), 0)
    found = [each for each in find_comparisons(sentence, None, is_benchmark=True) if isinstance(each, Comparison)]
    headlines = []
    for each, end in zip(found, [*(each.factor.outer for each in found[1:]), len(text)], strict=False):
        condition = _CONDITION.search(text, each.factor.end, end)
        headlines.append(
            Headline(
                cell.part(each.factor.outer, each.factor.end),
                each.quantity,
                each.metric,
                printed(condition[0]).rstrip(" .,;") if condition else None,
                printed(text),
                each.is_reversed,
            )
        )
    return headlines


def is_label(cell: Cell) -> bool:
    """True for what stands at a chart, not in notes: a factor in front, nothing but numbers, the title of an axis."""
    place = _factor_label(cell)
    if place and place.start == cell.start:
        return True
    return bool(_NUMBERS.fullmatch(cell.text)) or is_axis_title(read_name(cell))


def read_repeats(
    lines: Iterable[Line], headlines: Sequence[Headline]
) -> Iterator[tuple[Cell, Quantity, Headline | None]]:
    """The factors at bars, each with the headline that says the same; `1x` is the bar all are compared with."""
    for line in lines:
        place = _factor_label(line.cell)
        match = FACTOR.fullmatch(place.text) if place else None
        factor = read_factor(match) if match else None
        if place is None or factor is None or factor.value == 1:
            continue
        headline = next((known for known in headlines if known.factor.value == factor.value), None)
        if headline or place == line.cell or _RUN_TOGETHER.match(line.cell.text):
            yield place, factor, headline


def read_bars(lines: Iterable[Line], on_axes: Collection[Cell] = ()) -> Bars:
    """The axes of a chart and the numbers at its bars, in lines that are no notes or headlines.

    Args:
        lines: Lines of one slide.
        on_axes: Numbers that label an axis, where the drawing of the slide tells.
    """
    bars, alone = Bars(), list[tuple[Cell, Quantity]]()
    for line in lines:
        if is_axis_title(heading := read_name(line.cell)):
            bars.axes.append(heading)
            continue
        numbers = _numbers(line.cell)
        bars.ticks += [number for number in numbers if number[0] in on_axes]
        numbers = [number for number in numbers if number[0] not in on_axes]
        if len(numbers) == 1:
            alone += numbers
        elif _may_be_axis([number for _, number in numbers]):
            bars.ticks += numbers
        else:
            bars.values += numbers
    if _may_be_axis([number for _, number in alone]):
        bars.unsure += [cell for cell, _ in alone]
    else:
        bars.values += alone
    if bars.ticks:
        low, high = (end(number.value for _, number in bars.ticks) for end in (min, max))
        bars.unsure += [cell for cell, number in bars.values if not low <= number.value <= high]
        bars.values = [(cell, number) for cell, number in bars.values if low <= number.value <= high]
    bars.values.sort(key=lambda bar: (bar[0].line, bar[0].start))
    return bars


def is_axis_title(heading: QuantityName | None) -> TypeGuard[QuantityName]:
    """True for a quantity with its unit: `Throughput (images/sec)`."""
    return heading is not None and heading.metric is not None and heading.unit is not None


def _factor_label(cell: Cell) -> Cell | None:
    """The factor of a line that is one, starts with one run into a name, or ends with one."""
    if match := FACTOR.fullmatch(cell.text):
        return cell.matched(match).stripped()
    if match := _RUN_TOGETHER.match(cell.text):
        return cell.matched(match, "factor").stripped()
    factors = list(FACTOR.finditer(cell.text))
    if len(factors) == 1 and (factors[0].end() == len(cell.text) or "." in factors[0]["number"]):
        return cell.matched(factors[0]).stripped()
    return None


def _numbers(cell: Cell) -> list[tuple[Cell, Quantity]]:
    parts = re.finditer(NUMBER, cell.text) if _NUMBERS.fullmatch(cell.text) else ()
    return [(part, number) for match in parts if (number := parse_number((part := cell.matched(match)).text))]


def _may_be_axis(values: Sequence[Quantity]) -> bool:
    """True for numbers with a zero among them, or three at equal steps or powers: `200 400 600`, `10 100 1,000`."""
    numbers = [number.value for number in values]
    runs = zip(numbers, numbers[1:], numbers[2:], strict=False)
    return 0 in numbers or any(c - b == b - a or math.isclose(c * a, b * b) for a, b, c in runs)
