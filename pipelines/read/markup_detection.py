"""Which texts are Markdown or reStructuredText though their names do not say so. Reading them belongs elsewhere."""

from __future__ import annotations

import re
from itertools import pairwise

from pipelines.read.document import Document

# `|---|:--:|`, `--- | ---`
_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)+\|?\s*")
# A bar between cells, not `\|`
_BAR = re.compile(r"(?<!\\)\|")


def is_markdown(document: Document) -> bool:
    """True for a text with a table of Markdown that has no pipes at the ends of its rows, which nothing else reads."""
    return any(
        "|" in line.text
        and not line.text.lstrip().startswith("|")
        and _RULE.fullmatch(below.text)
        and _width(line.text) == _width(below.text)
        for line, below in pairwise(document.lines)
    )


def _width(text: str) -> int:
    """How many cells the bars of a row part."""
    return len(_BAR.findall(text.strip().strip("|"))) + 1
