"""Numbers whose printed form is damaged: `1,6x`, `4.Ox`, `58,1l2 images per second`. They are never repaired."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pipelines.extract.prose.factors import Kind
from pipelines.extract.prose.metrics import metrics_in
from pipelines.extract.prose.phrases import read_phrase
from pipelines.extract.prose.times import time_unit
from pipelines.values.durations import UNIT
from pipelines.values.numbers import NUMBER
from pipelines.vocabulary.lookup import Kind as VocabularyKind
from pipelines.vocabulary.lookup import find, spelling_pattern

# Digits, the letters that stand for digits in bad copies, points and commas in any order: `4.O`, `58,1l2`, `1,6`, `Ox`;
# or groups set apart by blanks, of which only the last would be read: `58 112`, `58'112`
_GROUPS = r"\d{1,3}(?:(?:\s|[,.]?['\u200b\u00ad])\d{3})+"
_TOKEN = re.compile(
    rf"(?<![\w.,/$:-])(?P<token>{_GROUPS}(?!\d)|"
    r"[\dOoIlSBGx](?:[\dOoIlSBGx.,]{0,11}?[\dOoIlSBGx])??)"
    rf"(?:(?P<times>\s?[xX\u00d7](?![\w/%])|[\s-]times\b|[\s-]?fold\b)|(?P<percent>\s?(?:%|percent\b|per\s+cent\b))"
    rf"|(?P<time>[\s-]?(?:{UNIT})(?![\w/]))|(?=\s|/|k\b))"
)
_SOUND = re.compile(NUMBER)
_KINDS: tuple[Kind, ...] = ("times", "percent")
_DURATION = re.compile(r"\s(?:milliseconds?|seconds?|minutes?|mins?|hours?|ms)\b", re.IGNORECASE)
_HAS_DIGIT = re.compile(r"\d")
# Without any digit left only one or two letters are taken for a number: `Ox faster`, `l minutes`
_LETTERS = re.compile(r"[OlISGx]{1,2}")
_BLANKS = re.compile(r"\s*k?\s*")
# `1.2x and 1.6x`, `2x-3x`: the words of comparison stand behind the last of them
_NEXT_FACTOR = re.compile(r"\s*(?:,|-|\band\b|\bor\b|\bto\b)\s*[\d.]+\s?[xX%\u00d7]")
_SUBJECTS: tuple[VocabularyKind, ...] = ("models", "platforms")
_TRAINS = re.compile(r"\btrain\w*\b", re.IGNORECASE)
# `a list price of $149,99S`, `$149 995`
_PRICE = re.compile(rf"\$\s?(?P<token>{_GROUPS}(?!\d)|" r"[\dOoIlSGx](?:[\dOoIlSGx.,]*[\dOoIlSGx])?)(?![\w.,]\w)")
# `$149.995`: nobody prints a tenth of a cent
_POINTED = re.compile(r"\d{1,3}\.\d{3}")
_SAYS_PRICE = re.compile(r"\b(?:price[ds]?|costs?|costing|MSRP|sells?|sold|retails?)\b[^.;]{0,60}$", re.IGNORECASE)
_REACH = 80


@dataclass(frozen=True, slots=True)
class Damage:
    """Characters that should be a number and are none, and why."""

    start: int
    end: int
    reason: str


def find_damages(plain: str) -> Iterator[Damage]:
    """Damaged factors that are compared, rates, times of a metric, then prices of a sentence."""
    for match in _TOKEN.finditer(plain):
        if _SOUND.fullmatch(match["token"]):
            # `2x minutes`: the x was a digit
            if match["times"] and _DURATION.match(plain, match.end()):
                yield _damage(plain, match.start(), match.end())
        elif end := _end_of_value(plain, match):
            yield _damage(plain, match.start(), end)
    for match in _PRICE.finditer(plain):
        is_sound = _SOUND.fullmatch(match["token"]) and not _POINTED.fullmatch(match["token"])
        if not is_sound and _SAYS_PRICE.search(plain, 0, match.start()):
            yield _damage(plain, match.start(), match.end())


def _damage(plain: str, start: int, end: int) -> Damage:
    return Damage(start, end, f"{plain[start:end]!r} is no number: a letter, a point or a comma in it is wrong")


def _behind(plain: str, start: int) -> str:
    """The text from here on as far as it counts, in whole words: the `ips` of a cut `ipsum` would be a unit."""
    end = start + _REACH
    while end < len(plain) and plain[end - 1].isalnum() and plain[end].isalnum():
        end += 1
    return plain[start:end]


def _end_of_value(plain: str, match: re.Match[str]) -> int | None:
    """End of the value that the characters were, with its unit for a factor; None where they were none."""
    end = match.end("token")
    if not _HAS_DIGIT.search(match["token"]) and not (
        _LETTERS.fullmatch(match["token"]) and match.lastgroup != "token"
    ):
        return None
    for kind in _KINDS:
        if match[kind]:
            before, after = (
                plain[max(0, match.start() - _REACH) : match.start()],
                _behind(plain, match.end()),
            )
            is_compared = read_phrase(after, before, match[0], kind) or _NEXT_FACTOR.match(after)
            return match.end() if is_compared else None
    if match["time"]:
        is_named = _TRAINS.search(plain) or any(time_unit(name) for name, _, _ in metrics_in(plain))
        # `BERT: l3.27 minutes on 8 Gaudi2 accelerators`
        if not is_named and _HAS_DIGIT.search(match["token"]):
            is_named = any(spelling_pattern(kind).search(plain) for kind in _SUBJECTS)
        return end if is_named else None
    blanks = _BLANKS.match(plain, end)
    printed = spelling_pattern("units").match(plain, blanks.end() if blanks else end)
    entry = find("units", printed[0]) if printed else None
    return end if entry and entry.facts.get("unit") == "items/s" else None
