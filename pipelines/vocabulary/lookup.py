"""Looks up printed names in the vocabularies, the YAML files in this folder."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, Literal, get_args

from pipelines.exceptions import BenchledgerError
from pipelines.yaml_files import load_yaml

Kind = Literal["models", "platforms", "frameworks", "datasets", "metrics", "headings", "units"]
KINDS: tuple[Kind, ...] = get_args(Kind)

FOLDER = Path(__file__).parent

_SIGNS = str.maketrans(
    dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-") | dict.fromkeys("\u2122\u00ae", " ")
)
# `Intel(R) Xeon(R)`, `MLPerf(TM)`
TRADE_MARK = re.compile(r"\((?:R|TM)\)", re.IGNORECASE)
# `Apple M1{, Pro, Max}`: the alternatives of an entry for several names
_ALTERNATIVES = re.compile(r"\{([^{}]*)\}")
# `DGX-A100 (40GB)` is made of `DGX`, `A100` and `40GB`
WORD = re.compile(r"[A-Za-z0-9.+#%$@&\u0370-\u03ff\u4e00-\u9fff]+")
# Parts of a suite with the same models.
_OF_A_SUITE = frozenset({"Training", "Inference", "Datacenter", "Edge"})
# Keys of an entry that are about its spellings.
_NO_FACTS = frozenset({"name", "printed", "printed_in", "in_headings"})
# Vocabularies of names; in the others punctuation may matter (`s/step`).
_NAMES: frozenset[Kind] = frozenset({"models", "platforms", "frameworks", "datasets"})


class VocabularyError(BenchledgerError):
    """A vocabulary file that contradicts itself; the message names file, spelling and both entries."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One canonical name.

    Attributes:
        kind: Its vocabulary.
        name: Canonical name.
        facts: The other keys of the entry (vendor, chips, family, unit ...).
    """

    kind: Kind
    name: str
    facts: dict[str, Any] = field(default_factory=dict, compare=False)


def without_marks(printed: str) -> str:
    """A text without the signs of trade marks: `Intel Xeon` of `Intel(R) Xeon(R)`."""
    text = printed if printed.isascii() else printed.translate(_SIGNS)
    return TRADE_MARK.sub(" ", text) if "(" in text else text


def key(printed: str) -> str:
    """Spelling without what carries no meaning: case, width of blanks, kind of hyphen, signs of
    trade marks.

    `BERT Large` and `BERT-Large` stay two spellings: which hyphens matter is for the vocabulary to
    say.
    """
    return " ".join(without_marks(printed).casefold().split())


def fold(printed: str) -> str:
    """Spelling without the joints of words, too: `Llama-3.1 8B` and `llama3.1_8b` are one.

    Two numbers stay two: `Gemma-2 7B` is no `Gemma 27B`.
    """
    words = WORD.findall(without_marks(printed).replace("_", " ").casefold())
    return words[0] if len(words) == 1 else join(words)


def join(words: Iterable[str]) -> str:
    """The words of a folded spelling in one, with a hyphen where two numbers meet."""
    joined = ""
    for word in words:
        joined += f"-{word}" if joined[-1:].isdigit() and word[0].isdigit() else word
    return joined


@cache
def entries(kind: Kind) -> tuple[dict[str, Any], ...]:
    """The entries of a vocabulary file; one with alternatives in its name (`Apple M1{, Pro}`) is
    one for each.

    `{}` in another text of such an entry is what its name has there: `printed: ["M1{}"]`.

    Raises:
        VocabularyError: An entry has no name, or a text of it more places than its name has
            alternatives.
    """
    found: list[dict[str, Any]] = []
    for item in load_yaml(FOLDER / f"{kind}.yml"):
        if not isinstance(item, dict) or "name" not in item:
            raise VocabularyError(f"{kind}.yml: an entry without a name: {item!r}")
        alternatives = [match[1].split(",") for match in _ALTERNATIVES.finditer(str(item["name"]))]
        if not alternatives:
            found.append(item)
            continue
        several = item | {"name": _ALTERNATIVES.sub("{}", item["name"])}
        for chosen in product(*alternatives):
            try:
                found.append({name: _filled(value, chosen) for name, value in several.items()})
            except IndexError:
                raise VocabularyError(
                    f"{kind}.yml: {item['name']!r} has fewer alternatives than one of its texts"
                ) from None
    return tuple(found)


def _filled(value: Any, chosen: Sequence[str]) -> Any:
    """A text, or the texts of a list, with the alternatives that were chosen."""
    if isinstance(value, list):
        return [_filled(text, chosen) for text in value]
    return value.format(*chosen) if isinstance(value, str) else value


@cache
def load(kind: Kind) -> dict[tuple[str, str | None], Entry]:
    """Every spelling of a vocabulary: (`key` of the spelling, suite it holds in or None) -> entry.

    Families whose name alone is none (`sized`) are left out; see `families`.

    Raises:
        VocabularyError: A spelling is listed under two names, or an entry has no name.
    """
    spellings: dict[tuple[str, str | None], Entry] = {}
    for item in entries(kind):
        if item.get("sized"):
            continue
        entry = _entry(kind, item)
        printed_in = {None: [item["name"], *item.get("printed", ())]} | item.get("printed_in", {})
        for suite, texts in printed_in.items():
            for spelling in map(key, map(str, texts)):
                other = spellings.setdefault((spelling, suite), entry)
                if other.name != entry.name:
                    both = f"{other.name!r} and {entry.name!r}"
                    raise VocabularyError(f"{kind}.yml: {spelling!r} is listed under {both}")
    return spellings


def _entry(kind: Kind, item: dict[str, Any]) -> Entry:
    facts = {name: fact for name, fact in item.items() if name not in _NO_FACTS}
    return Entry(kind, item["name"], facts)


@cache
def folded(kind: Kind) -> dict[tuple[str, str | None], Entry]:
    """(`fold` of each spelling of a name, suite) -> entry; a spelling that folds to two names is in
    none.
    """
    if kind not in _NAMES:
        return {}
    found: dict[tuple[str, str | None], Entry] = {}
    several = set()
    for (spelling, suite), entry in load(kind).items():
        place = (fold(spelling), suite)
        if found.setdefault(place, entry).name != entry.name:
            several.add(place)
    return {place: entry for place, entry in found.items() if place not in several}


@cache
def families() -> dict[str, Entry]:
    """`fold` of each spelling of a family of models -> entry, also of those that are no name
    without a size.
    """
    found = {
        spelling: entry
        for (spelling, _), entry in folded("models").items()
        if entry.facts.get("is_family")
    }
    for item in entries("models"):
        if item.get("sized"):
            found |= dict.fromkeys(
                map(fold, (item["name"], *item.get("printed", ()))), _entry("models", item)
            )
    return found


@cache
def suites(kind: Kind) -> tuple[str, ...]:
    """Benchmark suites with their own meaning of some names."""
    return tuple(sorted({suite for _, suite in load(kind) if suite}))


def _is_of(suite: str, name: str) -> bool:
    """Whether a suite is the named one or its Training or Inference: MLPerf Tiny has other models
    than MLPerf.
    """
    words = [word for word in suite.removeprefix(name).split() if not word[1:2].isdigit()]
    return suite.startswith(name) and _OF_A_SUITE.issuperset(words)


def find(kind: Kind, printed: str, suite: str | None = None) -> Entry | None:
    """The entry that a printed name means, or None for a spelling that the vocabulary does not
    know.

    Args:
        kind: Which vocabulary.
        printed: The name as printed.
        suite: Benchmark suite it is printed in (`MLPerf Training v2.0`): some names mean more
            there.
    """
    places = [(load(kind), key(printed))]
    if kind in _NAMES:
        places.append((folded(kind), fold(printed)))
    of_suites = [known for known in suites(kind) if suite and _is_of(suite, known)]
    for known in (*of_suites, None):
        for spellings, spelling in places:
            if entry := spellings.get((spelling, known)):
                return entry
    return None


@cache
def spelling_pattern(kind: Kind) -> re.Pattern[str]:
    """Finds every spelling of a vocabulary that texts are read by, longest first, never inside a
    longer word.
    """
    printed = {
        spelling
        for (spelling, _), entry in load(kind).items()
        if entry.facts.get("in_print") is not False
    }
    return re.compile(rf"(?<![\w-])(?:{_branches(printed)})(?![\w]|-\w)", re.IGNORECASE)


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
