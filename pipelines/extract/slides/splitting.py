"""A text dump of a deck cut into slides. What stands on a slide is read by the modules beside this one."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pipelines.extract.slides.labels import read_headlines
from pipelines.extract.slides.titles import Title, read_title
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


def split_slides(lines: Iterable[Line], borders: Collection[int] = ()) -> list[Slide]:
    """The slides of a deck in order; every line with something on it stands on exactly one of them.

    Slides are cut at form feeds and `Slide 3` markers, or else where a line starts with a space, and within such
    a page wherever a second title or a second head of notes shows that there must be another slide.

    Args:
        lines: Lines of the deck.
        borders: Numbers of lines that cannot be read and may hold the end of a slide: another one starts there.
    """
    lines = list(lines)
    marks = _page_marks(lines)
    slides: list[Slide] = []
    unread = {index for index, line in enumerate(lines) if line.number in borders}
    for page in _cut(lines, (marks or _indented(lines)) | unread):
        if marks and not _repeats(page):
            slides.append(_slide(page))
        else:
            slides += _split(page)
    return [slide for slide in slides if any(not line.is_blank for line in slide.lines)]


def page_number_lines(slides: Sequence[Slide]) -> frozenset[int]:
    """Lines at the end or start of slides that number them: a whole number that grows by one from slide to slide."""
    found: set[int] = set()
    for edge in (0, -1):
        numbered: dict[int, list[int]] = {}
        for index, slide in enumerate(slides):
            visible = [line for line in slide.lines if not line.is_blank and not is_marker(line.cell)]
            if visible and visible[edge].cell.text.isdecimal():
                numbered.setdefault(int(visible[edge].cell.text) - index, []).append(visible[edge].number)
        # One number at an edge may be a bar; as the first slide's `1` it is none.
        found.update(line for offset, lines in numbered.items() if len(lines) > 1 or offset == 1 for line in lines)
    return frozenset(found)


def _page_marks(lines: Sequence[Line]) -> set[int]:
    """Where form feeds and markers say that a page starts; empty where they part nothing."""
    starts = {index for index, line in enumerate(lines) if is_marker(line.cell)}
    for index, line in enumerate(lines):
        if "\f" in line.text:
            # A form feed stands before the first line of a page, or behind the last one.
            starts.add(index if line.text.lstrip(" \t\r").startswith("\f") else index + 1)
    visible = [index for index, line in enumerate(lines) if not line.is_blank]
    return starts if any(visible[0] < start <= visible[-1] for start in starts) else set()


def _indented(lines: Sequence[Line]) -> set[int]:
    """Where a line starts with a space; empty where so many do that it says nothing."""
    visible = [index for index, line in enumerate(lines) if not line.is_blank]
    indented = {index for index in visible if lines[index].text[0].isspace()}
    return indented if len(indented) <= max(1, _MAX_INDENTED_SHARE * len(visible)) else set()


def _split(page: Sequence[Line]) -> Iterator[Slide]:
    """The slides of a stretch without marks: cut at runs of blank lines where what is on both sides makes two slides.

    Where that does not part what repeats, the line that repeats starts a slide, and the labels before it are unsure.
    So are labels behind a run of blank lines and a slide that has all it needs: they may be the rest of another one.
    """
    groups: list[list[Line]] = []
    unsure: set[int] = set()
    for group in _cut(page, _behind_blank_runs(page)):
        kinds, before = _kinds(group), _kinds(groups[-1]) if groups else []
        # A headline without any label below it belongs to what follows.
        is_lone = before == ["headline"] and sum(not line.is_blank for line in groups[-1]) == 1
        is_second = "headline" in kinds and "headline" in before and not is_lone
        if not groups or _repeats([*groups[-1], *group]) or is_second:
            groups.append(list(group))
            continue
        if not kinds and {"title", "notes"} <= set(before):
            unsure |= {line.number for line in group}
        groups[-1] += group
    for group in groups:
        parts = list(_cut(group, _repetitions(group)))
        for part in parts[:-1]:
            unsure |= _labels_at_end(part)
        yield from (_slide(part, unsure) for part in parts)


def _slide(lines: Sequence[Line], unsure: Iterable[int] = ()) -> Slide:
    titles = (read_title(line.cell) for line in lines)
    numbers = frozenset(unsure) & {line.number for line in lines}
    return Slide(tuple(lines), next((title for title in titles if title), None), numbers)


def _labels_at_end(part: Sequence[Line]) -> set[int]:
    last = max((index for index, line in enumerate(part) if _kind(line)), default=-1)
    return {line.number for line in part[last + 1 :]}


def _repetitions(lines: Sequence[Line]) -> set[int]:
    """Where slides start that no blank lines part: at the repeated title or notes, or at the headline before it."""
    starts: set[int] = set()
    seen: set[str] = set()
    pending: int | None = None  # a further headline, which may belong to the slide or to the next one
    before: Line | None = None
    for index, line in enumerate(lines):
        kind = _kind(line)
        if before and _is_same(line, before):
            continue
        before = before if line.is_blank else line
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


def _repeats(lines: Sequence[Line]) -> bool:
    kinds = _kinds(lines)
    return kinds.count("title") > 1 or kinds.count("notes") > 1


def _kinds(lines: Sequence[Line]) -> list[str]:
    visible = [line for line in lines if not line.is_blank]
    # The same head of notes or the same title printed twice.
    return [
        kind
        for line, before in zip(visible, [None, *visible], strict=False)
        if (kind := _kind(line)) and not (before and _is_same(line, before))
    ]


def _is_same(line: Line, before: Line) -> bool:
    """True for a head of notes below another one, and for a title printed twice."""
    kind = _kind(line)
    if kind == "title":
        return read_title(before.cell) is not None and line.cell.text == before.cell.text
    return kind == "notes" == _kind(before)


def _kind(line: Line) -> str | None:
    if line.is_blank:
        return None
    if read_title(line.cell):
        return "title"
    if notes_head(line.cell) is not None:
        return "notes"
    return "headline" if read_headlines(line.cell) else None


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
