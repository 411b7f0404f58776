"""Comparisons of one software release with another: `1.5x since SDK 1.4`. Platforms belong in `subjects.py`."""

from __future__ import annotations

import re

from pipelines.extract.prose.sentences import Sentence
from pipelines.values.versions import STACK, VERSION

_SDK = (
    rf"(?:the\s+|our\s+)?(?:(?:\b\w+\s+){{0,2}}?SDK|(?:previous\s+|prior\s+|earlier\s+)?{STACK})"
    rf"\s+(?:version\s+|release\s+|v)?(?P<version>{VERSION})"
)
# `since SDK 1.4`, `compared to Poplar SDK 2.3`, `over the previous SynapseAI 1.11`
_SINCE = re.compile(
    rf"\b(?:since|than|over|versus|vs\.?|from|compared\s+(?:to|with)|relative\s+to|against)\s+{_SDK}", re.IGNORECASE
)
# `between releases 1.14 and 1.15`, `from version 2.0 to 2.1`
_BETWEEN = re.compile(
    rf"\b(?:between|from)\s+(?:releases?|versions?)\s+v?(?P<old>{VERSION})\s+(?:and|to)\s+(?:release\s+|version\s+)?v?(?P<new>{VERSION})",
    re.IGNORECASE,
)
_ANY_SDK = re.compile(_SDK, re.IGNORECASE)
# `across recent releases of the Poplar SDK`, `over three updates`: the sentence compares releases without naming them
_SAYS_RELEASES = re.compile(r"(?<!driver\s)(?<!firmware\s)\b(?:releases?|updates?|versions?)\b", re.IGNORECASE)


def baseline_release(sentence: Sentence, end: int, baseline: str | None) -> str | None:
    """The release that a factor is against.

    Stated in the sentence; else, where the sentence compares releases, the one that its section names with `since`.
    """
    if match := _SINCE.search(sentence.plain, end) or _SINCE.search(sentence.plain):
        return match["version"]
    if match := _BETWEEN.search(sentence.plain):
        return match["old"]
    if baseline is not None or not _SAYS_RELEASES.search(sentence.plain):
        return None
    told = {match["version"] for other in sentence.around() for match in _SINCE.finditer(other.plain)}
    return told.pop() if len(told) == 1 else None


def subject_release(sentence: Sentence, start: int) -> str | None:
    """The release named before the factor, else the one behind it, other than the one it is against."""
    if match := _BETWEEN.search(sentence.plain):
        return match["new"]
    since = {match.span("version") for match in _SINCE.finditer(sentence.plain)}
    found = [match for match in _ANY_SDK.finditer(sentence.plain) if match.span("version") not in since]
    before = [match["version"] for match in found if match.start() < start]
    return before[-1] if before else next((match["version"] for match in found), None)
