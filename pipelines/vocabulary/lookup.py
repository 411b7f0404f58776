"""Look-up of printed names in the vocabularies. The names themselves stand in the YAML files beside this module."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

import yaml

from pipelines.vocabulary.asked import WordPattern, note_name

Kind = Literal["models", "platforms", "frameworks", "datasets", "metrics", "headings", "units"]
KINDS: tuple[Kind, ...] = ("models", "platforms", "frameworks", "datasets", "metrics", "headings", "units")

FOLDER = Path(__file__).parent

_SIGNS = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-") | dict.fromkeys("\u2122\u00ae", " "))
# `Intel(R) Xeon(R)`, `MLPerf(TM)`
_TRADE_MARK = re.compile(r"\((?:R|TM)\)", re.IGNORECASE)


class VocabularyError(Exception):
    """A vocabulary file that contradicts itself; the message names file, spelling and both entries."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One canonical name.

    Attributes:
        kind: The vocabulary it stands in.
        name: Canonical name.
        facts: What else the entry says (vendor, chips, family, unit ...), by key.
    """

    kind: Kind
    name: str
    facts: dict[str, Any] = field(default_factory=dict, compare=False)


def key(printed: str) -> str:
    """Spelling without what carries no meaning: case, width of blanks, kind of hyphen, signs of trade marks.

    `BERT Large` and `BERT-Large` stay two spellings: which hyphens matter is for the vocabulary to say.
    """
    text = printed.translate(_SIGNS)
    return " ".join((_TRADE_MARK.sub(" ", text) if "(" in text else text).casefold().split())


@cache
def content(kind: Kind) -> bytes:
    """The file of a vocabulary as this process reads it."""
    return (FOLDER / f"{kind}.yml").read_bytes()


@cache
def load(kind: Kind) -> dict[tuple[str, str | None], Entry]:
    """Every spelling of a vocabulary: (`key` of the spelling, suite it holds in or None) -> entry.

    Raises:
        VocabularyError: One spelling stands under two names, or an entry has no name.
    """
    spellings: dict[tuple[str, str | None], Entry] = {}
    for item in yaml.load(content(kind), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        if not isinstance(item, dict) or "name" not in item:
            raise VocabularyError(f"{kind}.yml: an entry without a name: {item!r}")
        facts = {k: v for k, v in item.items() if k not in ("name", "printed", "printed_in")}
        entry = Entry(kind, item["name"], facts)
        places: list[tuple[str, str | None]] = [(key(item["name"]), None)]
        places += [(key(str(text)), None) for text in item.get("printed", ())]
        places += [(key(str(text)), suite) for suite, texts in item.get("printed_in", {}).items() for text in texts]
        for place in places:
            other = spellings.setdefault(place, entry)
            if other.name != entry.name:
                raise VocabularyError(f"{kind}.yml: {place[0]!r} stands under {other.name!r} and {entry.name!r}")
    return spellings


@cache
def suites(kind: Kind) -> tuple[str, ...]:
    """Benchmark suites in which some name of a vocabulary means something of its own."""
    return tuple(sorted({suite for _, suite in load(kind) if suite}))


def find(kind: Kind, printed: str, suite: str | None = None) -> Entry | None:
    """The entry that a printed name means, or None for a spelling that the vocabulary does not know.

    Args:
        kind: Which vocabulary.
        printed: The name as printed.
        suite: Benchmark suite it is printed in (`MLPerf Training v2.0`): some names mean more there.
    """
    spellings = load(kind)
    spelling = key(printed)
    note_name(kind, spelling)
    if suite:
        for known in suites(kind):
            if suite.startswith(known) and (spelling, known) in spellings:
                return spellings[spelling, known]
    return spellings.get((spelling, None))


@cache
def spelling_pattern(kind: Kind) -> WordPattern:
    """Finds every known spelling of a vocabulary in running text, longest first, never inside a longer word."""
    return WordPattern(re.compile(rf"(?<![\w-])(?:{spelling_body(kind)})(?![\w]|-\w)", re.IGNORECASE), kind)


@cache
def spelling_body(kind: Kind) -> str:
    """The spellings of a vocabulary as alternatives of a pattern, for a pattern with more around them."""
    return _branches(names(kind))


def _branches(texts: Collection[str]) -> str:
    """A pattern that matches the longest of these texts, as a tree by their letters.

    A flat list of a thousand spellings would be tried one by one at every word of a text.
    """
    tails: dict[str, list[str]] = {}
    for text in sorted(text for text in texts if text):
        tails.setdefault(text[0], []).append(text[1:])
    parts = []
    for letter, rest in tails.items():
        first = r"\s+" if letter == " " else re.escape(letter)
        parts.append(first + (f"(?:{_branches(rest)}){'?' * ('' in rest)}" if any(rest) else ""))
    return "|".join(parts)


@cache
def names(kind: Kind) -> tuple[str, ...]:
    """All spellings of a vocabulary in their compared form, for suggestions."""
    return tuple(sorted({spelling for spelling, _ in load(kind)}))
