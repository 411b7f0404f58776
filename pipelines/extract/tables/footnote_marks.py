"""Marks of footnotes behind a printed cell or heading: `46,466*`, `46,466 [1]`. The footnotes stand in `context`."""

from __future__ import annotations

import re

from pipelines.read.document import Cell

# `a` to `j`, as `<sup>a</sup>` is read
RAISED_LETTERS = "\u1d43\u1d47\u1d9c\u1d48\u1d49\u1da0\u1d4d\u02b0\u2071\u02b2"
# The end of `46,466*`, `46,466 \u2020`, `46,466 [1]`, `Throughput [a]`, `46,466<sup>1</sup>`, `46,466\u00b9`; never of
# `10\u00b2`, which may be a power
_MARK = re.compile(
    r"\s*(?:\\?\*{1,3}|[\u2020\u2021\u00a7]{1,3}|\[(?:\d{1,2}|[a-z])\]|<sup>[^<>]{1,8}</sup>"
    rf"|(?<!\D10)(?<!^10)[\u00b9\u00b2\u00b3\u2070\u2074-\u2079]{{1,2}}|[{RAISED_LETTERS}])$"
)


def unmarked(cell: Cell) -> Cell:
    """The cell without the marks at its end; one that is nothing but marks, or `**bold**`, stays as it is."""
    text = cell.text.rstrip()
    if text.lstrip().startswith("*"):
        return cell
    while match := _MARK.search(text):
        text = text[: match.start()]
    return cell.part(0, len(text)) if text.strip() and len(text) < len(cell.text.rstrip()) else cell
