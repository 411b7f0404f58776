"""What a sentence states beside its numbers: settings, releases of software, suites of benchmarks and entries in them.

Settings are read by `mentions.py`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from typing import Any

from pipelines.extract.conditions import fields_of
from pipelines.extract.mentions import Mention, find_mentions, only
from pipelines.extract.prose.factors import Factor
from pipelines.extract.prose.metrics import condition_spans
from pipelines.extract.prose.names import models_in, platforms_in
from pipelines.extract.prose.negation import forecast
from pipelines.extract.prose.sentences import Section, Sentence
from pipelines.values.numbers import STACK, VERSION
from pipelines.vocabulary.dimensions import dimensions

# What is stated of a number that another row of its sentence may have otherwise.
_DIMENSIONS = tuple(name for name, known in dimensions().items() if known.in_sentence)
_FIELDS = (
    "batch_size", "sequence_length", "precision", "activation_bits", "weight_bits", "framework_printed", "attributes",
)  # fmt: skip
_COMMA = re.compile(r"[,;]\s")
# ` tokens/s with vLLM (FP16, batch=1)`: the commas inside end nothing
_BRACKET = re.compile(r"[^(),;]{0,60}\([^()]*\)")
_PART_ENDS = re.compile(r"[,;]\s|\s(?:and|or|while|whereas|versus|vs\.?|against|compared|up|down)\s", re.IGNORECASE)
# `with vLLM v0.6.1`: `lightning` elsewhere is an everyday word
_USED_BEFORE = re.compile(r"\b(?:with|using|in|on|running|via)\s+(?:the\s+)?$", re.IGNORECASE)

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

_ID = re.compile(r"\d{1,2}\.\d-\d{4}")
# An identifier, or what was one before a letter took the place of a digit: `1.0-1O25`
_LIKE_ID = re.compile(r"(?<![\w.-])[\dOoIl]{1,2}[.,][\dOoIl]{1,2}-[\dOoIlSB]{3,6}(?![\w-])")
# `MLPerf ID: 1.0-1025, 1.0-1026`, `MLPerf entry 2.1-2049`, `Submission IDs 1.0-1025`
_SAYS_LIST = re.compile(r"\b(?:MLPerf|MLCommons|submissions?|entr(?:y|ies)|IDs?)\b", re.IGNORECASE)
_SAYS_ID = re.compile(r"\bIDs?\b")
# A list may go on in a sentence of its own: `Results from MLPerf v1.0. 1.0-1025, 1.0-1026.`
_LIST_REACH = 2
# Only the first headings of a document say what all of it is about.
_TITLE_HEADINGS = 4

# Settings


def conditions_of(plain: str, start: int, end: int, values: Collection[tuple[int, int]]) -> dict[str, Any]:
    """Fields of a measurement that the words beside its number state; what several values are printed for is left out.

    Args:
        plain: The sentence.
        start: First character of the number.
        end: One past its last character.
        values: Characters of every value of the sentence. What stands right behind a number holds for it alone, what
            stands before the first for all of them.
    """
    for mention in reversed(find_mentions(plain, True)):
        is_used = _USED_BEFORE.search(plain, 0, mention.start) and not mention.value.islower()
        if mention.kind == "framework" and not is_used:
            plain = plain[: mention.start] + " " * (mention.end - mention.start) + plain[mention.end :]
    places = _places(plain, start, end, values)
    parts = [find_mentions(plain[a:b], True) for a, b in places]
    stated = {name: value for name in _DIMENSIONS if (value := _nearest(name, parts))}
    fields = fields_of(stated, defines_pairs=True)
    return {name: fields[name] for name in _FIELDS}


def _nearest(dimension: str, parts: Sequence[Sequence[Mention]]) -> str | None:
    """What the first part that speaks of a dimension states; None where it states two things."""
    for mentions in parts:
        values = {mention.value for mention in mentions if mention.kind == dimension}
        if dimension == "framework" and any(mention.kind == "comparison" for mention in mentions):
            continue
        if values:
            return only(values)
    return None


def _places(plain: str, start: int, end: int, values: Collection[tuple[int, int]]) -> list[tuple[int, int]]:
    """Where conditions of a number stand: right behind it, before it, at the head; of the last one up to the end."""
    later = [low for low, _ in values if low >= end]
    ends = _PART_ENDS if later else _COMMA
    bracket = _BRACKET.match(plain, end)
    stop = ends.search(plain, bracket.end() if bracket else end)
    behind = (end, min([stop.start() if stop else len(plain), *later]))
    previous = max([high for _, high in values if high <= start], default=0)
    before = (max([match.end() for match in ends.finditer(plain, previous, start)], default=previous), start)
    return [behind, before, (0, min(values)[0]), *([] if later else [(end, len(plain))])]


def words_of_conditions(plain: str, factor: Factor) -> Iterator[str]:
    """The conditions of a claim as printed, and the words that say that it is only expected."""
    yield from (" ".join(plain[slice(*span)].split()) for span in condition_spans(plain))
    if words := forecast(plain, factor.outer, factor.end):
        yield words


# Releases of software


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


# Suites, and entries in them


def suites_in(plain: str) -> list[str]:
    """Suites named with their task and version: `MLPerf Training v1.0`."""
    if "mlperf" not in plain.casefold():
        return []
    return [m.value for m in find_mentions(plain, True) if m.kind == "suite" and m.value.count(" ") == 2]


def only_suite(sections: list[Section]) -> str | None:
    """The one suite, in one version, that a document names; None where it names several or none."""
    found = {suite for section in sections for sentence in section.sentences for suite in suites_in(sentence.plain)}
    return found.pop() if len(found) == 1 else None


def is_titled(sections: list[Section]) -> bool:
    """True where the title says that all of the document reports on MLPerf."""
    titles = [section.heading.plain for section in sections if section.heading][:_TITLE_HEADINGS]
    return any("mlperf" in title.casefold() for title in titles)


def suite_of(sentence: Sentence, only: str | None, titled: bool) -> str | None:
    """The suite that a sentence reports on; None where its heading says that it is none (`non-MLPerf`).

    It is named in the sentence, or before it in its paragraph. Where the heading or the title tells of MLPerf, it is
    the one that the section names near the sentence, else the only one of the document.

    Args:
        sentence: The sentence.
        only: The one suite that the document names, or None.
        titled: Whether the title says that all of the document reports on MLPerf.
    """
    section = sentence.section
    heading = section.heading.plain.casefold() if section.heading else ""
    if "non-mlperf" in heading:
        return None
    for other in (sentence, *sentence.before_in_passage()):
        if named := set(suites_in(other.plain)):
            return named.pop() if len(named) == 1 else None
    if not titled and "mlperf" not in heading:
        return None
    own = {suite for other in sentence.around() for suite in suites_in(other.plain)}
    return own.pop() if len(own) == 1 else only


def scored_metric(sentence: Sentence, suite: str | None) -> str | None:
    """The one metric of the suite, where the sentence names a model and a platform that may have a score in it."""
    if not suite or not suite.startswith("MLPerf Training"):
        return None
    return "time_to_train" if models_in(sentence.plain) and platforms_in(sentence.plain) else None


def suite_of_task(suite: str | None, task: str | None) -> str | None:
    """The suite, or None where it is one of the other task: an inference result is none of `MLPerf Training v3.1`."""
    is_other = suite is not None and task is not None and task.capitalize() not in suite
    return None if is_other else suite


def submission_ids(sentence: Sentence) -> Iterator[tuple[int, int]]:
    """Start and end of every identifier, or damaged one, where the text says that it lists submissions."""
    plain = sentence.plain
    found = [match.span() for match in _LIKE_ID.finditer(plain)]
    # `1.5-200` alone is a range of anything; beside an identifier or the word it is a damaged one.
    if any(is_submission_id(plain[slice(*span)]) for span in found) or (found and _SAYS_ID.search(plain)):
        near = [sentence, *islice(sentence.before(), _LIST_REACH), *sentence.section.headings()]
        if any(_SAYS_LIST.search(other.plain) for other in near):
            yield from found


def has_ids(plain: str) -> bool:
    """True for a text with an identifier, or what was one: a list of them may stand without any words."""
    return _LIKE_ID.search(plain) is not None


def is_submission_id(printed: str) -> bool:
    """True for an identifier as MLPerf gives it: `1.0-1025`."""
    return _ID.fullmatch(printed) is not None
