"""What the sentences right above a table say of all its rows: the platform, the model, the quantity.

Only sentences that speak of results count, and only where all of them together name one thing of a kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pipelines.extract.tables.conditions import conditions_in
from pipelines.extract.tables.footnotes import COMPARES
from pipelines.extract.tables.platform_named import read_platform_in
from pipelines.read.document import Cell, Line

# `Throughput of Llama 2 13B on an inf2.48xlarge`, `The table shows performance data ...`
_OF_RESULTS = re.compile(
    r"\b(?:throughput|latency|performance|results?|numbers|measured|measurements?|benchmarks?|benchmarked|experiments?|collected|tested"
    r"|(?:tokens|images|samples) per second|time to train|obtained)\b",
    re.IGNORECASE,
)
# `The reported metric is ...`, `All numbers are in tokens/s`, `Results are given in images/sec`
_OF_ALL = re.compile(
    r"\b(?:reported|measured) (?:metric|quantity)\b|\bmetric (?:reported|measured)\b"
    r"|\b(?:all|the) (?:\w+ )?(?:numbers|results|values|figures|tables)(?: \w+){0,3} (?:are|is|show|list|report)\b",
    re.IGNORECASE,
)
# `The tested lmdeploy version is v0.1.0`, `All models for training are using the PyTorch 2.4.0 framework`
_OF_RUNS = re.compile(
    r"\b(?:tested|measured|benchmarked|obtained|collected) (?:\w+ ){0,3}(?:version|with|using|on)\b"
    r"|\b(?:these|all|the) (?:\w+ )?(?:runs|tests|benchmarks|experiments) (?:used|use|ran|were run|were done)\b"
    r"|\bsubmitted (?:\w+ )?results? (?:for|of|on|with)\b"
    r"|\ball (?:\w+ ){1,6}(?:use|used|are using|were run|are measured)\b",
    re.IGNORECASE,
)
# `All benchmarks are run at batch size 1`; another sentence may speak of one column.
_OF_ALL_ROWS = re.compile(r"\b(?:all|every|each)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
# A longer text tells a story in which many a thing is named.
_MAX_SENTENCES = 8


# `Footnote 1: measured with vLLM 0.4.3`, `(1) measured ...`, `*measured ...`: of the table above it; a bullet is none
_FOOTNOTE = re.compile(
    r"\s*(?:foot\s?notes?\b|\*(?![\s*])|[\u2020\u2021\u00a7\u00b9\u00b2\u00b3]|[\[(]\d{1,2}[\])])", re.IGNORECASE
)


def stated_above(lines: Iterable[Line]) -> dict[str, Any]:
    """`platform` (with its count), `model_printed`, `framework_printed`, where these lines name one of them."""
    lines = [line for line in lines if not line.is_blank and not _FOOTNOTE.match(line.text)]
    found = [sentence for line in lines for sentence in _sentences(line.text) if _OF_RESULTS.search(sentence)]
    if lines and lines[-1].text.rstrip().endswith(":") and lines[-1].text not in found:
        # `- Stable Diffusion v1.5 (512x512 resolution):` leads to the table below it.
        found.append(lines[-1].text)
    return _named_in(found)


def _named_in(sentences: Sequence[str]) -> dict[str, Any]:
    """What the sentences name where all of them together name one of its kind."""
    if len(sentences) > _MAX_SENTENCES:
        return {}
    named: dict[str, set[Any]] = {
        "platform": {platform for sentence in sentences if (platform := read_platform_in(sentence))},
    }
    for name in ("model_printed", "framework_printed", "precision"):
        named[name] = {text for sentence in sentences if (text := conditions_in([sentence]).get(name))}
    of_all = [sentence for sentence in sentences if _OF_ALL_ROWS.search(sentence)]
    named["batch_size"] = {size for sentence in of_all if (size := conditions_in([sentence]).get("batch_size"))}
    return {name: values.pop() for name, values in named.items() if len(values) == 1}


def stated_in_intro(lines: Iterable[Line]) -> dict[str, Any]:
    """The same for the sentences by which the opening of a page says how all was run: `tested with vLLM 0.6.3`."""
    said = [sentence for line in lines for sentence in _sentences(line.text) if _OF_RUNS.search(sentence)]
    return _named_in(said)


def of_all_tables(lines: Iterable[Line]) -> Iterator[Cell]:
    """Sentences that say what the numbers of all tables are; the last one first."""
    for line in reversed(list(lines)):
        if _OF_ALL.search(line.text) and not COMPARES.search(line.text):
            yield line.cell


def _sentences(text: str) -> list[str]:
    """The sentences of a line that compare nothing, with plain blanks."""
    return [sentence for sentence in _SENTENCE.split(" ".join(text.split())) if not COMPARES.search(sentence)]
