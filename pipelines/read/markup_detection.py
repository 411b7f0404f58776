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
        "|" in text and not text.lstrip().startswith("|") and _RULE.fullmatch(below) and _width(text) == _width(below)
        for text, below in pairwise(document.texts)
    )


def _width(text: str) -> int:
    """How many cells the bars of a row part."""
    return len(_BAR.findall(text.strip().strip("|"))) + 1


# `.. csv-table:: Throughput`
_TABLE_DIRECTIVE = re.compile(r"\s*\.\.\s+(?:csv-table|list-table)::.*")


def is_restructured_text(document: Document) -> bool:
    """True for a text with a table of reStructuredText, as nothing else prints one."""
    texts = document.texts
    if any(".." in text and _TABLE_DIRECTIVE.fullmatch(text) for text in texts):
        return True
    if not any(text.lstrip()[:2] in ("+-", "==") for text in texts):
        return False
    # Imported here: hardly any text has such a line.
    from pipelines.read.restructured_drawn import drawn_lines, read_drawn

    return any(read_drawn(texts, lines) for lines in drawn_lines(texts))
