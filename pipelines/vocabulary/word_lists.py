"""Lists of words taken from the vocabularies for searching in running text: the spellings, and what is made of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from pipelines.vocabulary.asked import note_text
from pipelines.vocabulary.lookup import KINDS, Kind, families, load, names

_HEAD = re.compile(r"[A-Za-z]{3,}")


@cache
def model_heads() -> frozenset[str]:
    """The letters that names of known models start with, as printed: `BERT`, `ResNet`."""
    return frozenset(match[0] for entry in load("models").values() if (match := _HEAD.match(entry.name)))


@cache
def _vendors() -> frozenset[str]:
    return frozenset(v for entry in load("platforms").values() if (v := entry.facts.get("vendor")))


def vendors_in(text: str) -> list[str]:
    """Makers of known platforms that a text names, in alphabetical order."""
    note_text("vendors", text)
    return sorted(vendor for vendor in _vendors() if re.search(rf"\b{re.escape(vendor)}\b", text))


def _spellings(kind: Kind) -> Callable[[], frozenset[str]]:
    return lambda: frozenset(names(kind))


# Every list that a text may be searched for, by the name it is noted under.
WORD_LISTS: dict[str, Callable[[], frozenset[str]]] = {
    **{kind: _spellings(kind) for kind in KINDS},
    "model_heads": model_heads,
    "model_families": lambda: frozenset(entry.name for entry in families().values()),
    "vendors": _vendors,
}
