"""Finds whether a document prints the constants of a mapping: names, and the numbers of sizes,
counts and versions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from itertools import chain, islice, zip_longest

from pipelines.extract.mentions import NAMES, field_of, find_mentions
from pipelines.extract.tables.claims import TableError
from pipelines.extract.tables.mapping import MappingEntry, PrintedKind
from pipelines.extract.tables.patterns import LONGEST_TEXT
from pipelines.extract.tables.printed import Passage, PrintedTable
from pipelines.extract.tables.stated_conditions import Conditions, constants_of, stated_in
from pipelines.read.document import Document
from pipelines.vocabulary.dimensions import label_of
from pipelines.vocabulary.lookup import Kind, find, load
from pipelines.vocabulary.printed_names import read_platform
from pipelines.vocabulary.units import measure_of

# `1,024`, `12.4.1`, `8` of `8x`
_NUMERAL = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)*")
# Between the words of a condition and its number: `s: 8`, ` version v12.4`, ` (8)`
_IS = re.compile(r"s?[\s:=(-]*(?:(?:version|of|is|are)\s)?v?", re.IGNORECASE)
# Between `8` and `GPUs`, `8` and `H100` in `8x H100`
_TO_NAME = "kx\u00d7 -"
# In `batch sizes 1, 8 and 64 on`; a word behind the last number would be another thing:
# `batch size 64 and 8 threads`
_AND = re.compile(r"k?\s*(?:[,/&-]|and\s|or\s|to\s)(?:\s|and\s|or\s)*v?")
_END = re.compile(r"k?\s*(?:[^\w\s]|$|(?:and|or|to|on|with|for|in|at)\s)")
# What is searched: rows in which headings are, rows of a table with conditions in their cells,
# texts of a page.
_HEADER_ROWS, _ROWS, _MOST_TEXTS, _LISTED = 4, 200, 20_000, 8
# Mentions that have no number.
_WORDS = ("metric", "statistic", "comparison", "bound", "expectation", "task")


class PrintedConstants:
    """Looks for the constants of mappings in a document."""

    def __init__(self, document: Document, tables: Sequence[PrintedTable]) -> None:
        self._document, self._tables = document, tables
        self._named = cache(self._find_named)
        self._prints = cache(self._find)

    @cached_property
    def _printed(self) -> str:
        return " ".join(self._document.texts).casefold()

    def of_lists(self, entry: MappingEntry) -> Conditions:
        """What all objects of other lists say that an entry names: `stack[].model: model`.

        Raises:
            TableError: A condition cannot be read.
        """
        found: Conditions = {}
        for column in entry.declared:
            path, _, wanted = column.written.rpartition("[].")
            for table in self._tables if path and column.specs else ():
                if table.path != f"{path}[]" or wanted not in table.texts[0]:
                    continue
                at, spec = table.texts[0].index(wanted), column.specs[0]
                cells = [row[at] for row in table.rows[1:] if row[at].text]
                is_shared = len({cell.text for cell in cells}) == 1
                if spans := spec.spans(cells[0].text) if is_shared else None:
                    stated = stated_in(entry, spans, Passage((cells[0],), "page"))
                    found |= stated | constants_of(entry, spec.constants)
        return found

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
                raise TableError(
                    "not_printed", f"{reason}; write `'!{words}'` in quotes to state it anyway"
                )

    def _find(self, name: str, words: str, kind: PrintedKind) -> bool:
        """Whether words are printed as a value of a condition.

        A name is printed in any known spelling, ignoring blanks and signs within it. If the
        document names the condition beside a number, a number has to be one of these; else it is
        any number outside of the rows of tables that has no unit, and is no value of another
        condition. For a part of a template it may be one.
        """
        number = words.lstrip("vV").rstrip("xX").replace(",", "")
        if kind == "name" or not _NUMERAL.fullmatch(number):
            vocabulary = NAMES.get(name) if kind == "name" else None
            spellings = {words, *_spellings(vocabulary, words)}
            return any(_in_print(spelling).search(self._printed) for spelling in spellings)
        named = self._named(name)
        if named and kind == "number":
            return number in named
        # Many a list of results does not print its suite.
        if name == "suite" and not named:
            return True
        beside = name if kind == "number" else ""
        return any(number in _numbers(text, beside)[1] for text in self._texts)

    @cached_property
    def _texts(self) -> list[str]:
        """The lines outside of tables, and the texts in the rows of headings, that have a number."""
        covered = {line for table in self._tables for row in table.lines for line in row}
        lines = enumerate(self._document.texts, start=1)
        texts = [text for line, text in lines if line not in covered]
        for table in self._tables:
            headings = chain.from_iterable(table.texts[:_HEADER_ROWS])
            texts += [text for text in headings if any(map(str.isalpha, text))]
        cut = (text[:LONGEST_TEXT] for text in texts if _NUMERAL.search(text))
        return list(islice(cut, _MOST_TEXTS))

    def _find_named(self, name: str) -> frozenset[str]:
        """The numbers beside words that name a condition, in lines, cells, and in cells below or
        behind such words.
        """
        texts = dict.fromkeys(self._texts)
        for heading, *cells in islice(self._lists(), _MOST_TEXTS):
            if any(_naming(name, heading)):
                distinct = dict.fromkeys(cells)
                numbers = [cell for cell in distinct if _NUMERAL.match(cell.lstrip("vx"))]
                texts[f"{heading}: {', '.join(numbers)}"] = None
            texts |= dict.fromkeys(cell for cell in cells[:_ROWS] if any(map(str.isalpha, cell)))
        found: set[str] = set()
        for text in islice(texts, _MOST_TEXTS):
            found |= _numbers(text[:LONGEST_TEXT], name)[0]
        return frozenset(found)

    def _lists(self) -> Iterator[list[str]]:
        """The columns and the first rows of all tables."""
        for table in self._tables:
            for column in zip_longest(*table.texts):
                yield [text for text in column if text is not None]
            yield from map(list, filter(None, table.texts[:_ROWS]))


def _naming(name: str, text: str) -> Iterator[tuple[int, int]]:
    """The words in a text that name a condition, with the numbers in them."""
    for mention in find_mentions(text, True):
        entry = field_of(text[mention.start : mention.end]) if mention.kind == "field" else None
        is_field = entry is not None and entry.facts["column"] == name
        if is_field or mention.kind in (name, f"{name}s"):
            yield mention.start, mention.end
    # `TP8`, `CUDA 12.4`: the word of a condition that no vocabulary has
    words = re.escape(label_of(name).strip().removesuffix(" Version")).replace(r"\ ", r"[\s_-]?")
    yield from (
        match.span()
        for match in re.finditer(rf"(?<![^\W_]){words}(?![^\W\d_])", text, re.IGNORECASE)
    )


@cache
def _numbers(text: str, name: str) -> tuple[frozenset[str], frozenset[str]]:
    """The numbers in a text beside words for a condition, and those of no condition, of no name and
    without a unit.
    """
    own = set(_naming(name, text)) if name else set()
    # Words with numbers: start, end, whether they are of the condition, whether numbers beside them
    # are theirs, too.
    words = [(start, end, True, True) for start, end in own]
    named: set[str] = set()
    free: set[str] = set()
    for mention in find_mentions(text, True) if name else ():
        if mention.kind not in _WORDS and (mention.start, mention.end) not in own:
            words.append((mention.start, mention.end, False, mention.kind == "field"))
        if mention.kind == "platform" and name == "accelerator_count":
            # `8x A100`; of `8 A100s` the number is before the name.
            named.add(str(read_platform(mention.value).multiplier or ""))
            words.append((mention.start, mention.start, True, True))
    last, is_own = 0, False
    for match in _NUMERAL.finditer(text):
        start, end = match.span()
        is_listed = is_own and _AND.fullmatch(text, last, start) and _END.match(text, end)
        owners = (
            [mine for low, high, mine, _ in words if low <= start < high]
            or [
                mine
                for _, high, mine, beside in words
                if beside and _IS.fullmatch(text, high, start)
            ]
            or [True] * bool(is_listed)
            or [
                mine
                for low, _, mine, beside in words
                if beside and end <= low and not text[end:low].strip(_TO_NAME)
            ]
        )
        left, right = text[:start].rstrip("vVx\u00d7"), text[end:].lstrip("xkK\u00d7")
        is_in_name = (
            left[-1:].isalnum()
            or (left[-1:] in "-_." and left[-2:-1].isalnum())
            or right[:1].isalnum()
        )
        has_unit = measure_of(next(iter(right.split()), "").strip(".,;:)")) is not None
        last, is_own = end, any(owners)
        number = match[0].replace(",", "")
        is_multiple = text[end : end + 1] in ("k", "K") and number.isdecimal()
        values = {str(int(number) * 1000), str(int(number) * 1024)} if is_multiple else {number}
        if is_own:
            named |= values
        elif not (owners or is_in_name or has_unit):
            free |= values
    return frozenset(named - {""}), frozenset(free)


@cache
def _spellings(kind: Kind | None, text: str) -> tuple[str, ...]:
    """The known spellings of a name."""
    entry = find(kind, text) if kind else None
    if entry is None:
        return ()
    known = load(entry.kind).items()
    return tuple(spelling for (spelling, _), other in known if other.name == entry.name)


@cache
def _in_print(name: str) -> re.Pattern[str]:
    """Finds a whole name: no letter or digit beside it but a count (`4xH200`), and `2.1` not within
    `2.1.3`.
    """
    signs = [re.escape(sign) for sign in name.casefold() if sign.isalnum()]
    if not signs:
        return re.compile(r"(?!)")
    behind = r"(?!\.?[0-9])" if name[-1:].isdigit() else ""
    before = r"(?<![0-9]\.)" if name[:1].isdigit() else ""
    words = r"[^a-z0-9]{0,3}".join(signs)
    begin = r"(?:(?<![a-z0-9])|(?<=[0-9][x\u00d7]))"
    return re.compile(rf"{before}{begin}{words}(?![a-z0-9]){behind}")
