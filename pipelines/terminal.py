"""What is shown on a terminal: text of documents, file names and servers made harmless, and rows as
a table or cards.

What programs read (CSV, JSON) belongs in `output.py`.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import zip_longest

from rich.cells import cell_len, set_cell_size
from rich.console import Console, ConsoleOptions, RenderableType
from rich.markup import escape
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

# Wide enough for any row: output into a pipe is for programs and is never folded.
_PIPE_WIDTH = 10_000
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
    """Print rows as a table, or as cards where a row is wider than the terminal; nothing is ever
    cut.

    Args:
        names: Names of the columns.
        rows: Their cells, as many in each row as there are columns.
        out: Where to print, by default standard output.
    """
    out = out or console()
    # Lines of a cell as they are; a tab is as wide as it likes, and would break the frame.
    cells = [[visible(cell, keep="\n").split("\n") for cell in row] for row in (names, *rows)]
    widths = [
        max(cell_len(line) for row in cells for line in row[place]) for place in range(len(names))
    ]
    if out.is_terminal and sum(widths) + 3 * len(widths) + 1 > out.width:
        _print_cards(cells, out)
    else:
        _print_frame(cells, widths, out)


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


def _print_cards(cells: Sequence[Sequence[Sequence[str]]], out: Console) -> None:
    """One column per line; long values are wrapped and indented."""
    for number, row in enumerate(cells[1:], start=1):
        out.out(f"── row {number} ".ljust(out.width, "─"), style="dim", highlight=False)
        card = Table.grid(padding=(0, 2, 0, 0))
        card.add_column(no_wrap=True)
        card.add_column(overflow="fold")
        for name, lines in zip(cells[0], row, strict=True):
            card.add_row(Text(" ".join(name)), Text("\n".join(lines)))
        out.print(card)
