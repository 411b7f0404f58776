"""What is shown on a terminal: text of documents, file names and servers made harmless, and rows as
a table or cards.

What programs read (CSV, JSON) belongs in `output.py`.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import chain, repeat, zip_longest

from rich.cells import cell_len, chop_cells, set_cell_size
from rich.console import Console, ConsoleOptions, RenderableType
from rich.markup import escape
from rich.segment import Segment

# Wide enough for any sentence: text in a pipe is not folded.
_PIPE_WIDTH = 10_000
# Of a table in a pipe: it is read in a pager or a log, programs take CSV or JSON.
_PIPE_TABLE_WIDTH = 120
# A column of sentences is not folded to less.
_SENTENCE = 24
# Control characters, those that turn the direction of writing or show nothing, halves of a pair,
# other ends of lines.
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_LAYOUT = "\n\t"


def visible(text: str, *, keep: str = _LAYOUT) -> str:
    """The text with every character that a terminal would obey, or would not show, written as its
    escape.

    Args:
        text: Text from a document, a file name or a server.
        keep: Characters that stay as they are.
    """
    if text.isprintable():
        return text
    return "".join(
        # `\x1b`, `\u202e`
        character.encode("unicode_escape").decode()
        if is_hidden(character) and character not in keep
        else character
        for character in text
    )


def plural(count: int, singular: str, several: str | None = None) -> str:
    """`1 document`, `13 documents`."""
    return f"{count:,} {singular if count == 1 else several or singular + 's'}"


def literal(text: object) -> str:
    """What documents, users and servers have written, for use within markup: none of it is any."""
    return escape(visible(str(text)))


def is_hidden(character: str) -> bool:
    """Whether a terminal obeys a character, or shows nothing of it."""
    return unicodedata.category(character) in _HIDDEN


class Terminal(Console):
    """A console that escapes control codes in everything that is printed."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            if segment.control or segment.text.isprintable():
                yield segment
            else:
                yield Segment(visible(segment.text), segment.style)


def console(*, stderr: bool = False) -> Terminal:
    """The console for results or, on request, for errors: as wide as the terminal, or unfolded into
    a pipe.
    """
    is_terminal = (sys.stderr if stderr else sys.stdout).isatty()
    return Terminal(stderr=stderr, width=None if is_terminal else _PIPE_WIDTH)


def print_table(
    names: Sequence[str], rows: Iterable[Sequence[str]], out: Console | None = None
) -> None:
    """Print rows as a table, with folded cells where a row is wider than the terminal, or 120
    columns in a pipe; as cards where that is not enough. Nothing is ever cut.

    Args:
        names: Names of the columns.
        rows: Their cells, as many in each row as there are columns.
        out: Where to print, by default standard output.
    """
    out = out or console()
    # Lines of a cell as they are; a tab is as wide as it likes, and would break the frame.
    cells = [[visible(cell, keep="\n").split("\n") for cell in row] for row in (names, *rows)]
    most = out.width if out.is_terminal else _PIPE_TABLE_WIDTH
    free = most - 3 * len(names) - 1
    whole = [_width(column) for column in zip(*cells, strict=True)]
    if sum(whole) <= free:
        _print_frame(cells, whole, out)
        return
    # Names, addresses and dates stay in one piece.
    least = [
        min(width, _SENTENCE) if " " in "".join(chain.from_iterable(column)) else width
        for column, width in zip(zip(*cells, strict=True), whole, strict=True)
    ]
    if sum(least) > free:
        _print_cards(cells, most, out)
        return
    widths, cap = least, 0
    while sum(widths) <= free:
        fitting, cap = widths, cap + 1
        widths = [max(low, min(high, cap)) for low, high in zip(least, whole, strict=True)]
    folded = [
        [_fold(lines, width) for lines, width in zip(row, fitting, strict=True)] for row in cells
    ]
    _print_frame(folded, fitting, out)


def _width(column: Iterable[Sequence[str]]) -> int:
    return max(map(cell_len, chain.from_iterable(column)))


def _fold(lines: Iterable[str], width: int) -> list[str]:
    """Lines that are no wider, broken at blanks where there are any."""
    folded = []
    for line in lines:
        rest = line
        while cell_len(rest) > width:
            [head, *_] = chop_cells(rest[:width], width)
            blank = rest.rfind(" ", 1, len(head) + 1)
            end = blank if blank > 0 else len(head)
            folded.append(rest[:end])
            rest = rest[end:].removeprefix(" ")
        folded.append(rest)
    return folded


def _print_frame(
    cells: Sequence[Sequence[Sequence[str]]], widths: Sequence[int], out: Console
) -> None:
    def rule(left: str, line: str, middle: str, right: str) -> None:
        out.out(left + middle.join(line * (width + 2) for width in widths) + right, highlight=False)

    rule("┏", "━", "┳", "┓")
    for number, row in enumerate(cells):
        edge, style = ("│", None) if number else ("┃", "bold")
        for lines in zip_longest(*row, fillvalue=""):
            padded = (
                f" {set_cell_size(line, width)} " for line, width in zip(lines, widths, strict=True)
            )
            out.out(f"{edge}{edge.join(padded)}{edge}", style=style, highlight=False)
        if not number:
            rule("┡", "━", "╇", "┩")
    rule("└", "─", "┴", "┘")


def _print_cards(cells: Sequence[Sequence[Sequence[str]]], width: int, out: Console) -> None:
    """One column per line; long values are wrapped and indented."""
    names = [" ".join(name) for name in cells[0]]
    indent = max(map(cell_len, names), default=0) + 2
    for number, row in enumerate(cells[1:], start=1):
        out.out(f"── row {number} ".ljust(width, "─"), style="dim", highlight=False)
        lines: list[str] = []
        for name, values in zip(names, row, strict=True):
            starts = chain([set_cell_size(name, indent)], repeat(" " * indent))
            pieces = zip(starts, _fold(values, max(1, width - indent)), strict=False)
            lines += [f"{start}{piece}".rstrip() for start, piece in pieces]
        out.out("\n".join(lines), highlight=False)
