"""Benchmark suites that a text reports on, and identifiers of submissions to them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from pipelines.extract.prose.names import models_in, platforms_in
from pipelines.extract.prose.sentences import Section, Sentence

# `MLPerf v1.0 Training`, `MLPerf Training v2.0`, `MLPerf (Training version 1.0)`, `MLPerf Inference 4.1`
_SUITE = re.compile(
    r"\bMLPerf\s*+(?:\(\s*+)?(?:(?P<task>Training|Inference)\s+(?:v|version\s)?\s?(?P<version>\d\.\d)"
    r"|(?:v|version\s)?\s?(?P<version_first>\d\.\d)\s+(?P<task_last>Training|Inference))\b",
    re.IGNORECASE,
)
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


def suites_in(plain: str) -> list[str]:
    """Suites named with their version: `MLPerf Training v1.0`."""
    return [
        f"MLPerf {(m['task'] or m['task_last']).capitalize()} v{m['version'] or m['version_first']}"
        for m in _SUITE.finditer(plain)
    ]


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
