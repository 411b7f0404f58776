"""The release of the software that a page or a section states for all its results: `Measured with SynapseAI 1.17.0`.

It counts for the rows of tables that print no release of their own; a footnote goes before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pipelines.extract.tables.footnotes import COMPARES
from pipelines.extract.tables.labels import is_label
from pipelines.read.document import Document, Line
from pipelines.values.versions import STACK, VERSION
from pipelines.vocabulary.lookup import spelling_pattern

# `SynapseAI 1.17.0`, `Intel Gaudi software version 1.17`, `release 24.07`, `SDK 3.2`, `Neuron SDK release 2.20`
_RELEASE = re.compile(
    rf"\b(?:(?:SDK|software|{STACK})(?:\s+(?:SDK|release|version))*|release)\s+v?(?P<release>{VERSION})",
    re.IGNORECASE,
)
# `### Version: 1.8.0`, `Release 24.07`
_ALONE = re.compile(rf"(?:software\s+)?(?:version|release)\s*:?\s*v?(?P<release>{VERSION})", re.IGNORECASE)
# `Poplar SDK 3.3`: no more than a name stands before it
_WORDS_BEFORE = re.compile(r"\S+\s+\S|[^\w\s]")
# `rocm/vllm:rocm6.3.1_instinct_vllm0.8.3_20250410`, `TensorFlow 20.06-tf1-py3 NGC container`
_IMAGE = re.compile(
    r"\b(?:rocm/\S*?rocm(?P<rocm>\d+\.\d+(?:\.\d+)?)|(?P<tag>\d\d\.\d\d)(?:-[a-z]+\d*)*-py3\b)", re.IGNORECASE
)
# `All performance numbers were measured with ...`
_OF_RESULTS = re.compile(
    r"\b(?:performance|results?|numbers?|measured|measurements?|benchmarks?|benchmarked|obtained|taken|generated|unless"
    r"|tested|collected)\b",
    re.IGNORECASE,
)
# `IPU-M2000 inference, SDK 1.4.0`: in a heading, which is no sentence
_OF_RUNS = re.compile(r"\b(?:training|inference|throughput|latency)\b", re.IGNORECASE)
# `MLPerf release 3.1` tells of something else.
_SUITE = re.compile(r"MLPerf\W{0,4}$", re.IGNORECASE)
# `This result is based on the container ...`: of the table below it, and of no other
_OF_ONE_TABLE = re.compile(
    r"\bthis (?:result|table)\b|\b(?:table|chart) below\b|\b(?:next|following) table\b", re.IGNORECASE
)
# Whose software a name tells.
_VENDORS = {"synapseai": "Intel", "rocm": "AMD", "neuron": "AWS"}
_SIGNS = str.maketrans(dict.fromkeys("\u2122\u00ae\u00a0", " "))
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


@dataclass(frozen=True, slots=True)
class StatedRelease:
    """A release, and the vendor whose software it is where its name tells."""

    release: str
    vendor: str | None


def release_stated(
    document: Document, section: range, intro: range, headings: Sequence[str] = (), *, holds_on: bool = False
) -> StatedRelease | None:
    """The one release that the text between a table and its heading states, else the one the page's opening states.

    Args:
        document: The document.
        section: Lines from the heading of the table to its first line.
        intro: Lines before the first table that belong to no section of it.
        headings: The headings that the table stands below, the nearest first; one may be a release and nothing else.
        holds_on: Whether it is asked for a further table: what is said of one table is not said of the next.
    """
    stated = _stated((document.line(number) for number in section), of_page=holds_on)
    if stated is None and (alone := next(filter(None, map(_alone, headings)), None)):
        return alone
    return stated or _stated((document.line(number) for number in intro), of_page=True)


def _alone(heading: str) -> StatedRelease | None:
    """The release that a heading is: `Poplar SDK 3.3`, `Release 24.07`."""
    text = heading.translate(_SIGNS).strip()
    if match := _ALONE.fullmatch(text):
        return StatedRelease(match["release"], None)
    match = next((match for match in _RELEASE.finditer(text) if match.end() == len(text)), None)
    is_alone = match and _is_of_stack(text, match) and not _WORDS_BEFORE.search(text[: match.start()])
    return StatedRelease(match["release"], _vendor(text)) if match and is_alone else None


def _stated(lines: Iterable[Line], *, of_page: bool = False) -> StatedRelease | None:
    found: dict[str, str | None] = {}
    for line in lines:
        for sentence in _SENTENCE.split(line.text.translate(_SIGNS)):
            if of_page and _OF_ONE_TABLE.search(sentence):
                continue
            is_heading = is_label(line.cell.text) and _OF_RUNS.search(sentence)
            if (is_heading or _OF_RESULTS.search(sentence)) and not COMPARES.search(sentence):
                stack = [match for match in _RELEASE.finditer(sentence) if _is_of_stack(sentence, match)]
                found |= {match["release"]: _vendor(match[0]) for match in stack}
                found |= {
                    image["rocm"] or image["tag"]: "AMD" if image["rocm"] else "NVIDIA"
                    for image in _IMAGE.finditer(sentence)
                }
    # `1.20` in the title and `1.20.1` in the text are one release, and the longer one says which.
    whole = [one for one in found if not any(other.startswith(f"{one}.") for other in found)]
    return StatedRelease(whole[0], found[whole[0]]) if len(whole) == 1 else None


def _vendor(stated: str) -> str | None:
    return next((vendor for word, vendor in _VENDORS.items() if word in stated.casefold()), None)


def _is_of_stack(sentence: str, match: re.Match[str]) -> bool:
    """False for the release of a framework or of a suite of benchmarks: `PyTorch release 2.3.1`."""
    before = sentence[: match.start()].rstrip()
    if match[0].casefold().startswith("sdk"):
        # `Poplar SDK 3.3`: the stack has the name of its framework.
        return True
    is_framework = any(name.end() == len(before) for name in spelling_pattern("frameworks").finditer(before))
    return not is_framework and not _SUITE.search(before)
