"""Finds whether a document prints the constants of a mapping: names, and the numbers of sizes, counts and versions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain, islice
from typing import cast

from pipelines.extract.mentions import field_of, find_mentions
from pipelines.extract.tables.claims import TableError
from pipelines.extract.tables.mapping import MappingEntry, PrintedKind
from pipelines.extract.tables.patterns import LONGEST_TEXT
from pipelines.extract.tables.printed import PrintedTable
from pipelines.read.document import Document
from pipelines.vocabulary.dimensions import dimensions, label_of
from pipelines.vocabulary.lookup import Kind, find, load
from pipelines.vocabulary.printed_names import read_platform
from pipelines.vocabulary.units import measure_of

# `1,024`, `12.4.1`, `8` of `8x`
_NUMERAL = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)*")
# Between the words of a condition and its number: `s: 8`, ` version v12.4`, ` (8)`
_FIRST = re.compile(r"s?[\s:=(-]*(?:(?:version|of|is|are)\s)?v?(?=\d)", re.IGNORECASE)
# `, 8` and ` and 64` of `batch sizes 1, 8 and 64 on`, but not of `batch size 64 and 8 threads`
_NEXT = re.compile(
    rf"k?\s*(?:[,/&-]|and\s|or\s|to\s)(?:\s|and\s|or\s)*v?({_NUMERAL.pattern})"
    r"(?=k?\s*(?:[^\w\s]|$|(?:and|or|to|on|with|for|in|at)\s))"
)
# `8` before `GPUs`, `8x` before `H100`
_BEFORE = re.compile(r"(?<![\w.,-])(\d(?:[\d,.]*\d)?k?)[\s-]*[x\u00d7]?[\s-]*$")
# What is searched: rows in which headings are, rows of a table with conditions in their cells, texts of a page.
_HEADER_ROWS, _ROWS, _MOST_TEXTS, _LISTED = 4, 200, 20_000, 8
# Mentions that claim no number.
_WORDS = frozenset({"field", "metric", "statistic", "comparison", "bound", "expectation", "task"})


class PrintedConstants:
    """Looks for the constants of mappings in a document."""

    def __init__(self, document: Document, tables: Sequence[PrintedTable]) -> None:
        self._document, self._tables = document, tables
        self._printed = cache(lambda: " ".join(document.texts).casefold())
        self._texts = cache(lambda: list(islice(self._outside(), _MOST_TEXTS)))
        self._named = cache(self._find_named)
        self._prints = cache(self._find)

    def check(self, entry: MappingEntry) -> None:
        """Refuse an entry with a name or a number that the document does not print.

        Raises:
            TableError: It has one.
        """
        for name, words, kind in entry.printed_words:
            if not self._prints(name, words, kind):
                named = ", ".join(sorted(self._named(name))[:_LISTED]) if kind != "name" else ""
                reason = f"the mapping has the {name} {words!r}, which the document does not print"
                reason += f" (it prints {named})" if named else ""
                raise TableError("not_printed", f"{reason}; write `'!{words}'` in quotes to state it anyway")

    def _find(self, name: str, words: str, kind: PrintedKind) -> bool:
        """Whether words are printed as a value of a condition.

        A name is printed in any known spelling, ignoring blanks and signs within it. If the document names the
        condition beside a number, a number has to be one of these; else it is any number outside of the rows of tables
        that has no unit, and is no value of another condition. For a part of a template it may be one.
        """
        number = words.lstrip("vV").rstrip("xX").replace(",", "")
        if kind == "name" or not _NUMERAL.fullmatch(number):
            spellings = {words, *_spellings(dimensions()[name].vocabulary, words)} if kind == "name" else {words}
            return any(_in_print(spelling).search(self._printed()) for spelling in spellings)
        named = self._named(name)
        if named and kind == "number":
            return number in named
        # Many a list of results does not print its suite.
        is_silent = name == "suite" and not named
        return is_silent or any(number in _free(text, name if kind == "number" else "") for text in self._texts())

    def _outside(self) -> Iterator[str]:
        """The lines outside of tables, and the texts in the rows of headings, that have a number."""
        covered = {line for table in self._tables for row in table.lines for line in row}
        lines = enumerate(self._document.texts, start=1)
        headings = (text for table in self._tables for row in table.texts[:_HEADER_ROWS] for text in row)
        texts = chain(
            (text for line, text in lines if line not in covered),
            (text for text in headings if any(map(str.isalpha, text))),
        )
        return (text[:LONGEST_TEXT] for text in texts if _NUMERAL.search(text))

    def _find_named(self, name: str) -> frozenset[str]:
        """The numbers beside words that name a condition, in lines, cells, and in cells below or behind such words."""
        texts = dict.fromkeys(self._texts())
        for table in self._tables:
            rows = [row for row in table.texts[:_ROWS] if row]
            width = max(map(len, rows), default=0)
            columns = [[row[at] for row in table.texts if at < len(row)] for at in range(width)]
            for heading, *cells in (*columns, *rows):
                if any(_naming(name, heading)):
                    numbers = [cell for cell in dict.fromkeys(cells) if _NUMERAL.match(cell.lstrip("vx"))]
                    texts[f"{heading}: {', '.join(numbers)}"] = None
            texts |= dict.fromkeys(cell for row in rows for cell in row if any(map(str.isalpha, cell)))
        return frozenset(number for text in islice(texts, _MOST_TEXTS) for number in _beside(name, text))


def _naming(name: str, text: str) -> Iterator[tuple[int, int]]:
    """The words in a text that name a condition, with the numbers in them."""
    label = label_of(name)
    for mention in find_mentions(text, True):
        entry = field_of(text[mention.start : mention.end]) if mention.kind == "field" else None
        is_field = entry is not None and (entry.facts.get("column") == name or entry.name == label)
        if is_field or mention.kind in (name, f"{name}s"):
            yield mention.start, mention.end
    # `TP8`, `CUDA 12.4`: the word of a condition that no vocabulary has
    words = re.escape(label.strip().removesuffix(" Version")).replace(r"\ ", r"[\s_-]?")
    yield from (match.span() for match in re.finditer(rf"(?<![^\W_]){words}(?![^\W\d_])", text, re.IGNORECASE))


def _beside(name: str, text: str) -> set[str]:
    """The numbers beside the words of a text that name a condition."""
    found: set[str] = set()
    for start, end in _naming(name, text):
        inner, first = _values(text, start, end), _FIRST.match(text, end)
        if not inner and first and (numeral := _NUMERAL.match(text, first.end())):
            inner, end = _values(text, *numeral.span()), numeral.end()
        following = _NEXT.match(text, end) if inner else None
        while following:
            inner |= _values(text, *following.span(1)) & _free(text, name)
            following = _NEXT.match(text, following.end(1))
        before = _BEFORE.search(text[:start])
        found |= inner or (_values(text, *before.span(1)) if before else set())
    for mention in find_mentions(text, True) if name == "accelerator_count" else ():
        if mention.kind == "platform":
            count, before = read_platform(mention.value).multiplier, _BEFORE.search(text[: mention.start])
            counts = _values(text, *before.span(1)) if before else set()
            found |= {str(count)} if count else counts
    return found


def _values(text: str, start: int, end: int) -> set[str]:
    """The numbers in a part of a text, `2k` as 2000 and 2048."""
    found = set()
    for match in _NUMERAL.finditer(text, start, end):
        number = match[0].replace(",", "")
        is_multiple = text[match.end() : match.end() + 1] in ("k", "K") and number.isdecimal()
        found |= {str(int(number) * 1000), str(int(number) * 1024)} if is_multiple else {number}
    return found


@cache
def _free(text: str, name: str) -> frozenset[str]:
    """The numbers in a text that are no part of a name, no value of another condition and have no unit."""
    own = set(_naming(name, text)) if name else set()
    claimed: list[tuple[int, int]] = []
    for mention in find_mentions(text, True) if name else ():
        start, end = mention.start, mention.end
        if mention.kind == "field" and (start, end) not in own:
            # `8 threads`, `Threads: 8`
            before, first = _BEFORE.search(text[:start]), _FIRST.match(text, end)
            claimed.append((before.start() if before else start, first.end() + 1 if first else end))
        elif mention.kind not in (name, f"{name}s", *_WORDS):
            claimed.append((start, end))
    found: set[str] = set()
    for match in _NUMERAL.finditer(text):
        left, behind = text[: match.start()].rstrip("vVx\u00d7"), text[match.end() :].lstrip("xkK\u00d7")
        is_in_name = left[-1:].isalnum() or (left[-1:] in "-_." and left[-2:-1].isalnum()) or behind[:1].isalnum()
        has_unit = measure_of(next(iter(behind.split()), "").strip(".,;:)")) is not None
        if not (is_in_name or has_unit or any(start <= match.start() < end for start, end in claimed)):
            found |= _values(text, *match.span())
    return frozenset(found)


@cache
def _spellings(vocabulary: str | None, text: str) -> tuple[str, ...]:
    entry = find(cast(Kind, vocabulary), text) if vocabulary else None
    known = load(entry.kind) if entry else {}
    return tuple(spelling for (spelling, _), other in known.items() if entry and other.name == entry.name)


@cache
def _in_print(name: str) -> re.Pattern[str]:
    """Finds a whole name: no letter or digit beside it, and `2.1` not within `2.1.3`."""
    signs = [re.escape(sign) for sign in name.casefold() if sign.isalnum()]
    behind = r"(?!\.?[0-9])" if name[-1:].isdigit() else ""
    before = r"(?<![0-9]\.)" if name[:1].isdigit() else ""
    words = r"[^a-z0-9]{0,3}".join(signs)
    return re.compile(rf"{before}(?<![a-z0-9]){words}(?![a-z0-9]){behind}" if signs else r"(?!)")
