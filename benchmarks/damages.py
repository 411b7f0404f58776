"""Kinds of damage to the text of a document, each drawn by chance. Whether it is detected is judged in `judgement.py`.

A changed digit that stays a plausible number cannot be detected by anybody and is not made here.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

# A digit, a point and a digit: `16.16`, `2.6x`, `SDK 2.4.0`; never the full stop of a sentence.
_DECIMAL = re.compile(r"(?<=\d)\.(?=\d)")
_UNITS = {
    "(ms)": "(s)",
    "(items/sec)": "(ms)",
    "(images/sec)": "(ms)",
    "(inference/sec)": "(ms)",
    "(inference/second)": "(ms)",
    "(tokens/sec)": "(ms)",
    "(tokens/second)": "(ms)",
    "(mins)": "(hours)",
    "(minutes)": "(hours)",
    "(seconds)": "(ms)",
    "us/step": "ms/step",
}
# Lines that a row cut in half loses behind the half that is left.
_CUT = 3
_MAX_JOINED = 12


@dataclass(frozen=True)
class Text:
    """What damage is done to.

    Attributes:
        lines: Lines of the document, without their ends.
        read: Numbers of the lines that rows stem from; damage elsewhere says nothing.
        typed: Places of digits in cells of typed columns, in slides and logs, and in the values of prose: line, offset.
        names: Places of digits in table cells that hold a name.
        headings: Numbers of the lines with headings of table columns.
        blocks: First and last line of each table, slide and run.
        separators: What stands between the cells of a line, for the lines that hold several.
        shows_tabs: Whether a tab says anything: in a page of HTML it is a blank.
    """

    lines: Sequence[str]
    read: Sequence[int]
    typed: Sequence[tuple[int, int]]
    names: Sequence[tuple[int, int]]
    headings: Sequence[int]
    blocks: Sequence[tuple[int, int]]
    separators: Mapping[int, str]
    shows_tabs: bool = True

    def cells(self, at: int) -> list[str]:
        """The cells of a line that holds several, else the line."""
        separator = self.separators.get(at)
        return self.lines[at - 1].split(separator) if separator else [self.lines[at - 1]]


@dataclass(frozen=True)
class Variant:
    """A damaged document.

    Attributes:
        content: Its bytes.
        origins: For each of its lines, the characters at which lines of the undamaged text start, with their numbers.
        changed: Its lines whose characters are not those of the undamaged line, added lines among them.
        removed: Undamaged lines that are gone.
        cuts: Undamaged lines of which only so many characters are left.
        joined: Undamaged lines that stand on one line with others.
    """

    content: bytes
    origins: tuple[tuple[tuple[int, int], ...], ...]
    changed: frozenset[int] = field(default_factory=frozenset)
    removed: frozenset[int] = field(default_factory=frozenset)
    cuts: Mapping[int, int] = field(default_factory=dict)
    joined: frozenset[int] = field(default_factory=frozenset)

    def origin(self, line: int, start: int = 0) -> int | None:
        """Number of the undamaged line that stands at this place, or None."""
        places = self.origins[line - 1] if line <= len(self.origins) else ()
        return next((number for first, number in reversed(places) if first <= start), None)

    def origins_of(self, line: int, start: int = 0, end: int | None = None) -> Iterator[int]:
        """Numbers of the undamaged lines that stand on these characters, or on the whole line."""
        places = self.origins[line - 1] if line <= len(self.origins) else ()
        first = self.origin(line, start)
        yield from () if first is None else (first,)
        yield from (number for at, number in places if start < at and (end is None or at < end))


Damage = Callable[[Text, random.Random], "Variant | None"]
# One line of a variant: its text, the number it had (None for an added one), whether its characters are changed.
_Part = tuple[str, int | None, bool]


def _variant(
    parts: Iterable[_Part], removed: Iterable[int] = (), cuts: Mapping[int, int] | None = None, end: str = "\n"
) -> Variant:
    parts = list(parts)
    return Variant(
        end.join(text for text, _, _ in parts).encode(),
        tuple(((0, number),) if number else () for _, number, _ in parts),
        frozenset(at for at, (_, _, is_changed) in enumerate(parts, start=1) if is_changed),
        frozenset(removed),
        cuts or {},
    )


def _kept(text: Text, first: int = 1, last: int | None = None) -> list[_Part]:
    """Lines `first` to `last` as they are."""
    last = len(text.lines) if last is None else last
    return [(text.lines[number - 1], number, False) for number in range(first, last + 1)]


def _replaced(text: Text, at: int, line: str) -> Variant:
    return _variant([*_kept(text, 1, at - 1), (line, at, True), *_kept(text, at + 1)])


def lose_a_cell(text: Text, chance: random.Random) -> Variant:
    at = chance.choice(text.read)
    cells = text.cells(at)
    if len(cells) > 1:
        gone = chance.randrange(len(cells))
        return _replaced(text, at, text.separators[at].join([*cells[:gone], *cells[gone + 1 :]]))
    return _variant([*_kept(text, 1, at - 1), *_kept(text, at + 1)], removed=[at])


def add_a_cell(text: Text, chance: random.Random) -> Variant:
    at = chance.choice(text.read)
    cells = text.cells(at)
    cell = chance.choice(["1,234", "foo", "\u00a0", chance.choice(cells), "SDK 9.9", ""])
    if len(cells) > 1:
        place = chance.randrange(len(cells) + 1)
        cell = cell.replace(text.separators[at], "")
        return _replaced(text, at, text.separators[at].join([*cells[:place], cell, *cells[place:]]))
    return _variant([*_kept(text, 1, at - 1), (cell, None, True), *_kept(text, at)])


def swap_two_cells(text: Text, chance: random.Random) -> Variant | None:
    at = chance.choice(text.read)
    cells = text.cells(at)
    if len(cells) > 1:
        first, second = sorted(chance.sample(range(len(cells)), 2))
        cells[first], cells[second] = cells[second], cells[first]
        swapped_line = text.separators[at].join(cells)
        return None if swapped_line == text.lines[at - 1] else _replaced(text, at, swapped_line)
    if at >= len(text.lines) or text.lines[at - 1] == text.lines[at]:
        return None
    swapped: list[_Part] = [(text.lines[at], at + 1, True), (text.lines[at - 1], at, True)]
    return _variant([*_kept(text, 1, at - 1), *swapped, *_kept(text, at + 2)])


def letter_for_a_digit(text: Text, chance: random.Random) -> Variant | None:
    return _letter(text, text.typed, chance)


def letter_in_a_name(text: Text, chance: random.Random) -> Variant | None:
    return _letter(text, text.names, chance)


def _letter(text: Text, among: Sequence[tuple[int, int]], chance: random.Random) -> Variant | None:
    if not among:
        return None
    at, place = chance.choice(among)
    line = text.lines[at - 1]
    return _replaced(text, at, line[:place] + chance.choice("OlxSG") + line[place + 1 :])


def decimal_comma(text: Text, chance: random.Random) -> Variant | None:
    choices = [number for number in text.read if _DECIMAL.search(text.lines[number - 1])]
    if not choices:
        return None
    at = chance.choice(choices)
    return _replaced(text, at, _DECIMAL.sub(",", text.lines[at - 1]))


def swap_a_unit(text: Text, chance: random.Random) -> Variant | None:
    choices = [(n, old) for n, line in enumerate(text.lines, start=1) for old in _UNITS if old in line]
    if not choices:
        return None
    at, old = chance.choice(choices)
    return _replaced(text, at, text.lines[at - 1].replace(old, _UNITS[old]))


def rename_a_header(text: Text, chance: random.Random) -> Variant | None:
    if not text.headings:
        return None
    at = chance.choice(text.headings)
    cells = text.cells(at)
    cell = chance.choice([n for n, part in enumerate(cells) if part.strip()])
    return _replaced(text, at, text.separators.get(at, "").join([*cells[:cell], "Kolumne X", *cells[cell + 1 :]]))


def cut_a_row_in_half(text: Text, chance: random.Random) -> Variant:
    """Half a line is left and some lines behind it are gone, or the half of a row that stands on one line."""
    at = chance.choice(text.read)
    line = text.lines[at - 1]
    gone = 0 if at in text.separators else _CUT
    removed = range(at + 1, min(at + gone, len(text.lines)) + 1)
    half = len(line) // 2
    parts = [*_kept(text, 1, at - 1), (line[:half], at, True), *_kept(text, at + 1 + gone)]
    return _variant(parts, removed, {at: half})


def carriage_returns(text: Text, chance: random.Random) -> Variant:
    return _variant(_kept(text), end=chance.choice(["\r\n", "\r"]))


def no_break_spaces(text: Text, chance: random.Random) -> Variant:
    share = chance.choice([0.1, 0.5, 1.0])
    return _variant(
        ("".join("\u00a0" if c == " " and chance.random() < share else c for c in line), number, False)
        for line, number, _ in _kept(text)
    )


def tabs_for_lines(text: Text, chance: random.Random) -> Variant | None:
    if not text.shows_tabs:
        return None
    first = chance.choice(text.read)
    last = min(first + chance.randrange(1, _MAX_JOINED), len(text.lines))
    starts, start = [], 0
    for number in range(first, last + 1):
        starts.append((start, number))
        start += len(text.lines[number - 1]) + 1
    whole = _variant([*_kept(text, 1, first - 1), ("\t".join(text.lines[first - 1 : last]), first, True)])
    rest = _variant(_kept(text, last + 1))
    return Variant(
        whole.content + b"\n" + rest.content,
        (*whole.origins[:-1], tuple(starts), *rest.origins),
        joined=frozenset(range(first, last + 1)),
    )


def tabs_for_rows(text: Text, chance: random.Random) -> Variant | None:
    """Each row of a table on one line, below headings that stand one below the other."""
    headings = set(text.headings)
    widths = {
        first: next(n for n in range(last - first + 2) if first + n not in headings) for first, last in text.blocks
    }
    blocks = [(first, last) for first, last in text.blocks if widths[first] > 1 and last - first >= widths[first]]
    if not blocks or not text.shows_tabs:
        return None
    first, last = chance.choice(blocks)
    width = widths[first]
    lines, origins = list(text.lines[: first + width - 1]), [((0, number),) for number in range(1, first + width)]
    for start in range(first + width, last + 1, width):
        row = range(start, min(start + width, last + 1))
        lengths = [len(text.lines[number - 1]) + 1 for number in row]
        lines.append("\t".join(text.lines[number - 1] for number in row))
        origins.append(tuple((sum(lengths[:place]), number) for place, number in enumerate(row)))
    lines += text.lines[last:]
    origins += [((0, number),) for number in range(last + 1, len(text.lines) + 1)]
    return Variant("\n".join(lines).encode(), tuple(origins), joined=frozenset(range(first + width, last + 1)))


def repeat_a_table(text: Text, chance: random.Random) -> Variant | None:
    if not text.blocks:
        return None
    first, last = chance.choice(text.blocks)
    block: list[_Part] = [("", None, False), *_kept(text, first, last), ("", None, False)]
    at = chance.choice([last, len(text.lines)])
    return _variant([*_kept(text, 1, at), *block, *_kept(text, at + 1)])


def repeat_a_part(text: Text, chance: random.Random) -> Variant:
    first, last = sorted(chance.sample(range(1, len(text.lines) + 1), 2))
    # Lines stand on a page by their places there: of a file with pages only whole ones can come again.
    pages = [1, *(number for number, line in enumerate(text.lines, start=1) if line.startswith("\f"))]
    if len(pages) > 1:
        first = max(page for page in pages if page <= first)
        last = min((page - 1 for page in pages if page > last), default=len(text.lines))
        return _variant([*_kept(text), *_with_page_break(text, first, last)])
    return _variant([*_kept(text), ("", None, False), *_kept(text, first, last)])


def _with_page_break(text: Text, first: int, last: int) -> list[_Part]:
    line = text.lines[first - 1]
    return [(line if line.startswith("\f") else f"\f{line}", first, False), *_kept(text, first + 1, last)]


def cut_at_a_byte(text: Text, chance: random.Random) -> Variant:
    content = "\n".join(text.lines).encode()
    cut = content[: chance.randrange(1, len(content))]
    last = cut.count(b"\n") + 1
    left = cut.split(b"\n")[-1].decode(errors="replace")
    origins = tuple(((0, number),) for number in range(1, last + 1))
    # A line of which only blanks are left is gone.
    removed = frozenset(range(last + 1 if left.strip() else last, len(text.lines) + 1))
    return Variant(cut, origins, frozenset({last}), removed, {last: len(left)})


def latin_1(text: Text, chance: random.Random) -> Variant | None:
    whole = "\n".join(text.lines)
    if whole.isascii():
        return None
    return Variant(whole.encode("latin-1", errors="replace"), _variant(_kept(text)).origins)


Goal = Literal["structural", "unreadable", "readable"]


class Kind(NamedTuple):
    """A kind of damage.

    Attributes:
        damage: What does it.
        goal: `structural` where no value may become another one, `unreadable` where the damaged characters are no
            number or name any more and have to be reported, `readable` where they may still say something, though
            another thing: values that stem from them may differ.
    """

    damage: Damage
    goal: Goal

    @property
    def name(self) -> str:
        return self.damage.__name__.replace("_", " ")


KINDS = (
    Kind(lose_a_cell, "structural"),
    Kind(add_a_cell, "structural"),
    Kind(cut_a_row_in_half, "structural"),
    Kind(cut_at_a_byte, "structural"),
    Kind(tabs_for_lines, "structural"),
    Kind(tabs_for_rows, "structural"),
    Kind(repeat_a_table, "structural"),
    Kind(repeat_a_part, "structural"),
    Kind(carriage_returns, "structural"),
    Kind(no_break_spaces, "structural"),
    Kind(latin_1, "structural"),
    Kind(letter_for_a_digit, "unreadable"),
    Kind(letter_in_a_name, "unreadable"),
    Kind(decimal_comma, "unreadable"),
    Kind(swap_two_cells, "readable"),
    Kind(swap_a_unit, "readable"),
    Kind(rename_a_header, "readable"),
)
