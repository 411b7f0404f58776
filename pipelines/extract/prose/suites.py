"""Benchmark suites that a text reports on, and identifiers of submissions to them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipelines.extract.prose.sentences import Section, Sentence

# `MLPerf v1.0 Training`, `MLPerf Training v2.0`, `MLPerf (Training version 1.0)`, `MLPerf Inference 4.1`
_SUITE = re.compile(
    r"\bMLPerf\s*\(?\s*(?:(?P<task>Training|Inference)\s+(?:v|version\s)?\s?(?P<version>\d\.\d)"
    r"|(?:v|version\s)?\s?(?P<version_first>\d\.\d)\s+(?P<task_last>Training|Inference))\b",
    re.IGNORECASE,
)
_ID = re.compile(r"(?<![\w.-])\d{1,2}\.\d-\d{4}(?![\w-])")
# `MLPerf ID: 1.0-1025, 1.0-1026`, `MLPerf entry 2.1-2049`
_ID_LIST = re.compile(
    r"\bMLPerf\b[^.;]{0,80}?(?:\bIDs?|\bentr(?:y|ies)|\bresults?|\bsubmissions?|[\d.]+)\b\s*(?:\(|:|#|-)?\s*(?:IDs?\s*:?\s*)?",
    re.IGNORECASE,
)
# Only the first headings of a document say what all of it is about.
_TITLE_HEADINGS = 4


def only_suite(sections: list[Section]) -> str | None:
    """The one suite, in one version, that a document names; None where it names several or none."""
    found = {suite for section in sections for sentence in section.sentences for suite in suites_in(sentence.plain)}
    return found.pop() if len(found) == 1 else None


def document_suite(sections: list[Section], only: str | None) -> str | None:
    """The suite that the whole document reports on: named in its title, and the `only` one; else None."""
    titles = [section.heading.plain for section in sections if section.heading][:_TITLE_HEADINGS]
    return only if any("mlperf" in title.casefold() for title in titles) else None


def section_suite(section: Section, whole: str | None, only: str | None) -> str | None:
    """The suite that a section reports on; None where its heading says that it is none (`non-MLPerf`)."""
    heading = section.heading.plain.casefold() if section.heading else ""
    if "non-mlperf" in heading:
        return None
    own = {suite for sentence in section.sentences for suite in suites_in(sentence.plain)}
    if len(own) == 1:
        return own.pop()
    return only if "mlperf" in heading else whole


def suites_in(plain: str) -> list[str]:
    """Suites named with their version: `MLPerf Training v1.0`."""
    return [
        f"MLPerf {(m['task'] or m['task_last']).capitalize()} v{m['version'] or m['version_first']}"
        for m in _SUITE.finditer(plain)
    ]


def submission_ids(sentence: Sentence) -> Iterator[tuple[int, int]]:
    """Start and end of every identifier in a list that is said to be one of MLPerf."""
    for head in _ID_LIST.finditer(sentence.plain):
        if _ID.match(sentence.plain, head.end()):
            yield from (match.span() for match in _ID.finditer(sentence.plain, head.end()))
            return
