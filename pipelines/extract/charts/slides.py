"""A text dump of a deck cut into slides. What stands on a slide is read by the modules beside this one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pipelines.extract.charts.headlines import is_headline
from pipelines.extract.charts.titles import Title, read_title
from pipelines.read.document import Cell, Line

# `NOTES:`, `Notes: ResNet-50 | ...`, `Configuration:`, `Test configurations`
_NOTES_HEAD = re.compile(
    r"(?:(?:foot)?notes?|(?:(?:system|test|benchmark)\s+)?config(?:uration)?s?)\s*(?::\s*(?P<rest>.*)|$)", re.IGNORECASE
)
# `Slide 3`, `--- Slide 3 of 12 ---`, `Page 3/12`
_MARKER = re.compile(r"\W*(?:slide|page)\s+#?\d+(?:\s*(?:of|/)\s*\d+)?\W*", re.IGNORECASE)
# A page of the dump starts with a space; where more lines than this share do, they are indented for the layout.
_MAX_INDENTED_SHARE = 0.25
# Single blank lines part the labels of one slide; from here on they part slides.
_BLANK_RUN = 2


@dataclass(frozen=True, slots=True)
class Slide:
    """One slide.

    Attributes:
        lines: Its lines, blank ones too.
        title: Its first title, or None for a cover or the rest of a deck that was cut.
        unsure: Numbers of labels at its end that may be the next slide's, as nothing marks where that one starts.
    """

    lines: tuple[Line, ...]
    title: Title | None
    unsure: frozenset[int] = frozenset()

    @property
    def first_visible(self) -> Line:
        """The first line with something on it."""
        return next(line for line in self.lines if not line.is_blank)


def notes_head(cell: Cell) -> Cell | None:
    """What stands behind `NOTES:` on its line (often nothing), or None for any other line."""
    match = _NOTES_HEAD.fullmatch(cell.text)
    if match is None:
        return None
    return cell.matched(match, "rest").stripped() if match["rest"] else cell.part(len(cell.text), len(cell.text))


def is_marker(cell: Cell) -> bool:
    """True for a line that only counts slides or pages."""
    return bool(_MARKER.fullmatch(cell.text))


def split_slides(lines: Iterable[Line]) -> list[Slide]:
    """The slides of a deck in order; every line with something on it stands on exactly one of them.

    Slides are cut at form feeds and `Slide 3` markers, or else where a line starts with a space, and within such
    a page wherever a second title or a second head of notes shows that there must be another slide.
    """
    slides = []
    for page in _pages(list(lines)):
        for part, is_marked in _parts(page):
            if any(not line.is_blank for line in part):
                titles = (read_title(line.cell) for line in part)
                unsure = frozenset() if is_marked else _labels_at_end(part)
                slides.append(Slide(tuple(part), next((title for title in titles if title), None), unsure))
    return slides


def _pages(lines: Sequence[Line]) -> Iterator[Sequence[Line]]:
    starts = {index for index, line in enumerate(lines) if is_marker(line.cell)}
    for index, line in enumerate(lines):
        if "\f" in line.text:
            # A form feed stands before the first line of a page, or behind the last one.
            starts.add(index if line.text.lstrip(" \t\r").startswith("\f") else index + 1)
    visible = [index for index, line in enumerate(lines) if not line.is_blank]
    if not any(visible and visible[0] < start <= visible[-1] for start in starts):
        indented = {index for index in visible if lines[index].text[0].isspace()}
        if len(indented) <= max(1, _MAX_INDENTED_SHARE * len(visible)):
            starts |= indented
    return _cut(lines, starts)


def _parts(page: Sequence[Line]) -> Iterator[tuple[Sequence[Line], bool]]:
    """A page cut where titles or notes repeat, each part with True where its end is marked.

    It is cut at runs of blank lines if that parts what repeats, else at the line that repeats, which is no mark.
    """
    if not _repeats(page):
        yield page, True
        return
    groups: list[Sequence[Line]] = []
    for group in _cut(page, _behind_blank_runs(page)):
        joined = [*groups[-1], *group] if groups else group
        if groups and not _repeats(joined) and not _is_second_headline(groups[-1], group):
            groups[-1] = joined
        else:
            groups.append(group)
    for group in groups:
        parts = list(_cut(group, _repetitions(group)))
        yield from ((part, index == len(parts)) for index, part in enumerate(parts, start=1))


def _labels_at_end(part: Sequence[Line]) -> frozenset[int]:
    last = max((index for index, line in enumerate(part) if _kind(line)), default=-1)
    return frozenset(line.number for line in part[last + 1 :])


def _repetitions(lines: Sequence[Line]) -> set[int]:
    """Where slides start that no blank lines part: at the repeated title or notes, or at the headline before it."""
    starts: set[int] = set()
    seen: set[str] = set()
    pending: int | None = None  # a further headline, which may belong to the slide or to the next one
    for index, line in enumerate(lines):
        kind = _kind(line)
        if kind == "headline":
            pending = index if kind in seen else None
        elif kind and kind in seen:
            starts.add(index if pending is None else pending)
            seen = set() if pending is None else {"headline"}
            pending = None
        elif not line.is_blank:
            # Labels below a headline: it ends the slide it stands on.
            pending = None
        if kind:
            seen.add(kind)
    return starts


def _is_second_headline(before: Sequence[Line], group: Sequence[Line]) -> bool:
    """True where a group begins with a headline and both it and what stands before have one: another slide begins."""
    kinds = [kind for line in group if (kind := _kind(line))]
    return kinds[:1] == ["headline"] and any(_kind(line) == "headline" for line in before)


def _repeats(lines: Sequence[Line]) -> bool:
    kinds = [_kind(line) for line in lines]
    return kinds.count("title") > 1 or kinds.count("notes") > 1


def _kind(line: Line) -> str | None:
    if line.is_blank:
        return None
    if read_title(line.cell):
        return "title"
    if notes_head(line.cell) is not None:
        return "notes"
    return "headline" if is_headline(line.cell) else None


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
