"""A trace for people: coloured in a terminal, with a line of carets below the characters in a pipe.

What it says is in `templates/trace.txt`, as rich's markup.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from pipelines.export.csv_values import shown_text
from pipelines.terminal import literal, plural, visible
from pipelines.trace.traces import Trace

Row = dict[str, Any]

# Of longer lines only the part around the characters is shown.
_LINE_WIDTH = 100
_LEFT_OUT = "\u2026"
# Parts that traces of other kinds have.
_NO_PARTS: Row = {
    "steps": (),
    "conditions": (),
    "history": (),
    "runs": (),
    "sides": {},
    "configurations": (),
    "claims": (),
    "verdict": None,
    "epochs": (),
    "rests_on_it": (),
    "repeats": (),
}


def print_trace(trace: Trace, console: Console) -> None:
    """Print one trace; nothing printed in a document is taken for markup."""
    content = {"trace": _NO_PARTS | trace, "is_coloured": console.is_terminal}
    text = _templates().get_template("trace.txt").render(content)
    console.print(Text.from_markup(text.rstrip(), emoji=False), soft_wrap=True, highlight=False)


@cache
def _templates() -> Environment:
    made = Environment(
        loader=PackageLoader("pipelines.trace"),
        undefined=StrictUndefined,
        finalize=lambda value: value if isinstance(value, Markup) else literal(value),
        trim_blocks=True,
    )
    made.filters |= {
        "cut": _cut,
        "joined": _joined,
        "label": _label,
        "measured": _measured,
        "plural": plural,
        "repr": repr,
        "short": lambda text: "".join(_cut(text, 0, 0)),
        "shown": shown_text,
        "where": _where,
        "width": cell_len,
        "words": lambda name: name.replace("_", " "),
    }
    return made


def _cut(text: str, start: int, end: int) -> tuple[str, str, str]:
    """A line without control codes, cut to a part around the characters: before, they, behind."""
    text = "".join(" " if unicodedata.category(sign)[0] == "Z" else sign for sign in text)
    first = max(0, start - _LINE_WIDTH // 2) if end > _LINE_WIDTH else 0
    last = max(first + _LINE_WIDTH, end)
    before, behind = _LEFT_OUT if first else "", _LEFT_OUT if last < len(text) else ""
    parts = (before + text[first:start], text[start:end], text[end:last] + behind)
    lead, marked, rest = (visible(part, keep="") for part in parts)
    return lead, marked, rest


def _where(place: Row) -> str:
    page = f"page {place['page']}, " if place["page"] else ""
    file = f" ({place['file']})" if place.get("file") else ""
    return (
        f"{page}line {place['line']}{file}, characters {place['char_start']} to {place['char_end']}"
    )


def _measured(row: Row, column: str, unit: str) -> str | None:
    return None if row[column] is None else f"{shown_text(row[column])} {unit}"


def _label(text: str, width: int = 14) -> Markup:
    return Markup(f"[cyan]{literal(f'{text:<{width}}')}[/]")


def _joined(parts: Iterable[Any]) -> str:
    return ", ".join(str(part) for part in parts if part is not None and part != "")
