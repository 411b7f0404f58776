"""Which texts can be names: of models, platforms, frameworks, datasets. Other cells belong in `cell_types`."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

from pipelines.extract.tables.running_text import MAX_CELL, is_too_long_for_name
from pipelines.values.durations import parse_duration
from pipelines.values.numbers import NUMBER_AND_UNIT, parse_number
from pipelines.values.precisions import parse_precision
from pipelines.vocabulary.lookup import find
from pipelines.vocabulary.printed_names import read_model, read_platform, read_versioned
from pipelines.vocabulary.units import find_unit

# `SDK 3.1`, which is unmistakable; a bare `3.1` may be anything
_SDK_WORD = re.compile(r"SDK\s*\d[\w.]*", re.IGNORECASE)
# `2.0-2045`, `4.1-0053`, `1.0-1025`
SUBMISSION = re.compile(r"\d+\.\d+(?:\.\d+)?-\d{1,5}")
DIVISIONS = frozenset({"closed", "open", "preview", "rdi", "available"})
# Conditions of a run, whose names are no names of models or platforms.
_SETTINGS = frozenset({"batch_size", "precision", "sequence_length", "accelerator_count"})


def is_plain_text(text: str) -> bool:
    """True for words that are surely neither a measured value nor a release nor a precision."""
    return (
        len(text) <= MAX_CELL
        and parse_number(text) is None
        and not _SDK_WORD.fullmatch(text)
        and parse_precision(text) is None
        and not SUBMISSION.fullmatch(text)
        and parse_duration(text) is None
        and not _names_unit(text)
    )


def _names_unit(text: str) -> bool:
    """True for a number with a unit or a metric behind it."""
    match = NUMBER_AND_UNIT.fullmatch(text)
    return match is not None and bool(find_unit(match["unit"]) or find("metrics", match["unit"]))


def is_known_platform(text: str) -> bool:
    """True for a name of a platform that the vocabulary knows, with a count before it or without."""
    return read_platform(text).entry is not None


def _is_known_framework(text: str) -> bool:
    return read_versioned("frameworks", text).entry is not None


_KNOWN: dict[str, Callable[[str], bool]] = {
    "model": lambda text: read_model(text).entry is not None,
    "platform": is_known_platform,
    "framework": _is_known_framework,
    "dataset": lambda text: find("datasets", text) is not None,
    "division": lambda text: text.casefold() in DIVISIONS,
}


def fits_name(column: str, text: str, others: Collection[str] = tuple(_KNOWN)) -> bool:
    """True for a known name of this kind, and for words that are no known name of another kind."""
    if column in _KNOWN and _KNOWN[column](text):
        return True
    if not any(map(str.isalpha, text)) or is_too_long_for_name(text):
        # `15.`: what is left of a number
        return False
    return is_plain_text(text) and not any(_KNOWN[other](text) for other in others if other != column)


def names_setting(text: str) -> bool:
    """True for the name of a column of conditions (`TP Size`), which in a row is another row of headings."""
    entry = find("headings", text)
    return entry is not None and bool(entry.facts.get("identity") or entry.facts["column"] in _SETTINGS)


def fits_platform(text: str) -> bool:
    """True for what can be the name of a platform: a known one, or words that name nothing else."""
    if is_known_platform(text):
        return True
    is_name = fits_name("platform", text) and not find_unit(text) and any(map(str.isalpha, text))
    return is_name and not names_setting(text)
