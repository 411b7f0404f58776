"""What a sentence states beside its numbers: doubt, task, settings, releases, suites and entries in them."""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import islice
from typing import Any

from pipelines.extract.conditions import fields_of
from pipelines.extract.mentions import find_mentions, only
from pipelines.extract.prose.quantities import Span, part_around
from pipelines.extract.prose.sentences import Section, Sentence
from pipelines.values.numbers import STACK, VERSION
from pipelines.vocabulary.dimensions import dimensions

# `is not 3x faster`, `isn't`, `No GPU is`; `not only 3x faster` states it all the same. `would be 3x faster`, `if`,
# `our goal of 3x`, `is projected to deliver`; the month is `May`. `latency requirements of 6 seconds`
_DOUBT = re.compile(
    r"(?P<asks>\?[\"')\s]*$)"
    r"|\b(?P<denies>(?i:(?:\w+n't|not|cannot|never|hardly|neither|nor|no\s+longer)(?!\s+(?:only|just|merely|simply|less\s+than))"
    r"|(?:fail(?:s|ed)?|unable|refus\w+)\s+to|far\s+from|nowhere\s+near|rather\s+than|instead\s+of|is\s+(?:false|wrong))"
    r"|No-one|(?:No|None|Nothing|Nobody)(?![-\w]))\b"
    r"|\b(?P<supposes>(?i:would|could|might|should|imagine|suppose|hypothetical\w*|potential(?:ly)?|theoretical(?:ly)?|perhaps"
    r"|if|projected|expected|anticipated|estimated|simulated|preliminary|designed\s+to|projects|expects|will(?!ing)"
    r"|(?:goals?|targets?|targeting|aim(?:s|ed|ing)?|hop(?:e|es|ed|ing)|want(?:s|ed)?|attempt\w*|tr(?:y|ies|ying))"
    r"\s+(?:of|to|for|is|was))|may)\b"
    r"|\b(?P<limits>(?i:requirement|constraint|threshold|limit|budget|SLA|SLO|target|ceiling|cut-?off)s?)\b"
)
_REASONS = {
    "asks": "the sentence asks and does not state it",
    "denies": "the sentence denies something",
    "supposes": "the sentence only supposes something or wishes for it",
    "limits": "the sentence sets a limit or a target",
}
# `the 38.8 minutes of last year`, `5.1 minutes with our previous release`
_EARLIER_BEHIND = re.compile(
    r"[^,;.]{0,40}?\b(?:last|previous|prior|preceding|earlier|former)\s+(?:[\w-]+\s+){0,2}?"
    r"(?:years?|rounds?|releases?|versions?|submissions?|results?|quarters?|months?|records?|entr(?:y|ies))\b",
    re.IGNORECASE,
)
# What is stated of a number that another row of its sentence may have otherwise.
_DIMENSIONS = frozenset(name for name, known in dimensions().items() if known.in_sentence)
_FIELDS = (
    "batch_size", "sequence_length", "precision", "activation_bits", "weight_bits", "framework_printed", "attributes",
)  # fmt: skip
# `with vLLM v0.6.1`: `lightning` elsewhere is an everyday word
_USED_BEFORE = re.compile(r"\b(?:with|using|in|on|running|via)\s+(?:the\s+)?$", re.IGNORECASE)
_TASK = re.compile(
    r"\b(?:(?P<training>(?:pre-?)?train(?:s|ed|ing)?|fine-?tun(?:ed|ing))"
    r"|(?P<inference>inferenc(?:e|es|ing)|serv(?:es|ed|ing)(?!\s+as\b)))\b",
    re.IGNORECASE,
)
# `since SDK 1.4`, `compared to Poplar SDK 2.3`, `over the previous SynapseAI 1.11`
_SINCE = re.compile(
    r"\b(?:since|than|over|versus|vs\.?|from|compared\s+(?:to|with)|relative\s+to|against)\s+"
    rf"(?:the\s+|our\s+)?(?:(?:\b\w+\s+){{0,2}}?SDK|(?:previous\s+|prior\s+|earlier\s+)?{STACK})"
    rf"\s+(?:version\s+|release\s+|v)?(?P<version>{VERSION})",
    re.IGNORECASE,
)
# `since our first submission`, `than in the previous MLPerf round`, `compared to MLPerf Training v1.0`
_SINCE_ROUND = re.compile(
    r"\b(?:since|than|over|versus|vs\.?|compared\s+(?:to|with)|relative\s+to|against)\s+(?:in\s+|with\s+)?"
    r"(?:(?:our|its|their|the)\s+(?:very\s+)?(?P<which>first|previous|last)\s+(?:(?:MLPerf|Training|Inference)\s+){0,2}"
    r"(?:submission|round)s?|(?:the\s+|our\s+)?MLPerf\s+(?:(?:Training|Inference)\s+)?(?P<version>v?\d\.\d))\b",
    re.IGNORECASE,
)
# `across recent releases of the Poplar SDK`, `over three updates`: the sentence compares releases without naming them
_SAYS_RELEASES = re.compile(r"(?<!driver\s)(?<!firmware\s)\b(?:releases?|updates?|versions?)\b", re.IGNORECASE)
# `1.0-1025`
_ID = re.compile(r"(?<![\w.-])\d{1,2}\.\d-\d{4}(?![\w-])")
# `MLPerf ID: 1.0-1025, 1.0-1026`, `MLPerf entry 2.1-2049`, `Submission IDs 1.0-1025`
_SAYS_LIST = re.compile(r"\b(?:MLPerf|MLCommons|submissions?|entr(?:y|ies)|IDs?)\b", re.IGNORECASE)
# A list may go on in a sentence of its own: `Results from MLPerf v1.0. 1.0-1025, 1.0-1026.`
_LIST_REACH = 2
# Only the first headings of a document say what all of it is about.
_TITLE_HEADINGS = 4


# Doubt: a word of it anywhere in a sentence is one of all its numbers; which of them it is said of is not worked out.


def not_stated(plain: str) -> str | None:
    """Why a sentence does not state its comparisons as facts, in a sentence; None where it does."""
    kinds = (match.lastgroup or "" for match in _DOUBT.finditer(plain))
    return next((_REASONS[kind] for kind in kinds if kind != "limits"), None)


def no_result(plain: str, end: int) -> str | None:
    """Why a measured number that ends at `end` is no result of now, in a sentence; None where it is one."""
    if _EARLIER_BEHIND.match(plain, end):
        return "it is a value of an earlier release, year or round, which is not said in full"
    match = _DOUBT.search(plain)
    return _REASONS[match.lastgroup or ""] if match else None


# Task and settings


def task_of(sentence: Sentence, start: int, end: int) -> str | None:
    """`training` or `inference`; None where the nearest text that names a task names both."""
    left, right = part_around(sentence.plain, start, end)
    around = [other.plain for other in sentence.heading()]
    for text in (sentence.plain[left:right], sentence.plain, *around):
        if tasks := {match.lastgroup for match in _TASK.finditer(text)}:
            return only(task for task in tasks if task)
    return None


def settings_of(plain: str, value: Span, values: Collection[Span]) -> dict[str, Any]:
    """Fields of a measurement that the words right behind its number state, or those of a sentence of one number.

    `values` are the characters of every value of the sentence. Where a place states two things of a dimension, none
    is taken.
    """
    _, stop = part_around(plain, *value)
    places = [(value[1], min([stop, *(low for low, _ in values if low >= value[1])]))]
    places += [(0, len(plain))] if len(values) == 1 else []
    stated = dict[str, str]()
    for low, high in places:
        found: dict[str, set[str]] = {}
        for mention in find_mentions(plain, True):
            is_used = mention.kind != "framework" or (
                not mention.value.islower() and _USED_BEFORE.search(plain, 0, mention.start)
            )
            if mention.kind in _DIMENSIONS and is_used and low <= mention.start < high:
                found.setdefault(mention.kind, set()).add(mention.value)
        stated = {name: only(texts) or "" for name, texts in found.items()} | stated
    fields = fields_of({name: text for name, text in stated.items() if text}, defines_pairs=True)
    return {name: fields[name] for name in _FIELDS}


# Releases of software


def baseline_release(sentence: Sentence, end: int, baseline: str | None) -> str | None:
    """The release that a factor is against.

    Stated in the sentence; else, where the sentence compares releases, the one that its section names with `since`.
    """
    if match := _SINCE.search(sentence.plain, end) or _SINCE.search(sentence.plain):
        return match["version"]
    if baseline is not None or not _SAYS_RELEASES.search(sentence.plain):
        return None
    return only(match["version"] for other in sentence.around() for match in _SINCE.finditer(other.plain))


def baseline_round(sentence: Sentence) -> str | None:
    """The round of a suite that a sentence compares with: `first`, `previous` or a version such as `v1.0`."""
    match = _SINCE_ROUND.search(sentence.plain)
    which = match and (match["which"] or match["version"]).lower()
    return "previous" if which == "last" else which


def subject_release(sentence: Sentence) -> str | None:
    """The one release of the sentence that nothing is compared with, or None."""
    since, mentions = {match.end() for match in _SINCE.finditer(sentence.plain)}, find_mentions(sentence.plain, True)
    return only(m.value for m in mentions if m.kind == "sdk_version" and m.end not in since)


# Suites, and entries in them


def suites_in(plain: str) -> list[str]:
    """Suites named with their task and version: `MLPerf Training v1.0`."""
    if "mlperf" not in plain.casefold():
        return []
    return [m.value for m in find_mentions(plain, True) if m.kind == "suite" and m.value.count(" ") == 2]


class Suites:
    """The suites that a document names: the only one, where it is one, and whether the title speaks of MLPerf."""

    def __init__(self, sections: list[Section]) -> None:
        self.only = only(
            suite for section in sections for sentence in section.sentences for suite in suites_in(sentence.plain)
        )
        titles = [section.heading.plain for section in sections if section.heading][:_TITLE_HEADINGS]
        self.is_titled = any("mlperf" in title.casefold() for title in titles)

    def of(self, sentence: Sentence) -> str | None:
        """The suite that a sentence reports on: that of its paragraph, else, under a title of MLPerf, of the document.

        None where its heading says that it is none (`non-MLPerf`).
        """
        heading = sentence.section.heading
        if heading and "non-mlperf" in heading.plain.casefold():
            return None
        for other in (sentence, *sentence.heading()):
            if named := suites_in(other.plain):
                return only(named)
        return self.only if self.is_titled else None


def suite_of_task(suite: str | None, task: str | None) -> str | None:
    """The suite, or None where it is one of the other task: an inference result is none of `MLPerf Training v3.1`."""
    is_other = suite is not None and task is not None and task.capitalize() not in suite
    return None if is_other else suite


def submission_ids(sentence: Sentence) -> list[Span]:
    """Characters of every identifier where the text says that it lists submissions."""
    found = [match.span() for match in _ID.finditer(sentence.plain)]
    near = [sentence, *islice(sentence.before(), _LIST_REACH), *sentence.heading()] if found else []
    return found if any(_SAYS_LIST.search(other.plain) for other in near) else []
