"""Headings no vocabulary knows, taken for what most of the cells below them name: models, precisions, platforms."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from pipelines.extract.tables.footnote_marks import unmarked
from pipelines.extract.tables.headings import Heading
from pipelines.extract.tables.nothing import is_nothing
from pipelines.read.document import Cell
from pipelines.values.precisions import parse_precision
from pipelines.vocabulary.printed_names import read_model, read_platform

# `Baseline`, `Compared to`, `vs. GPU`: the platform of another result than the row's
_OF_ANOTHER = re.compile(r"\b(?:vs|versus|base|ref|compar|relative|than|against|previous|other)", re.IGNORECASE)


def named_by_cells(headings: Sequence[Heading], columns: Sequence[Sequence[Cell]]) -> list[Heading]:
    """The headings with one of each kind that no column has yet, where the cells of an unknown one are of the kind.

    `Application` above `ResNet-50` and `BERT-Large` heads models, `Format` above `FP16` precisions, `Test machine`
    above `8x H100` platforms. A single known name may be a coincidence.

    Args:
        headings: The columns.
        columns: Cells below each of them.
    """
    found = list(headings)
    first_value = next((place for place, heading in enumerate(found) if heading.is_value), None)
    if first_value is None:
        return found
    stated = {heading.column for heading in found} | {part.column for heading in found for part in heading.qualifiers}
    for kind, is_known in (("model", _is_model), ("precision", _is_precision), ("platform", _is_platform)):
        if any(heading.column == kind for heading in found) or (kind == "platform" and kind in stated):
            continue
        for place, heading in enumerate(found):
            if heading.column != "unknown" or (
                kind == "platform" and not _may_be_own(heading, place < first_value, is_first=place == 0)
            ):
                continue
            texts = [" ".join(unmarked(cell).text.split()) for cell in columns[place] if not is_nothing(cell)]
            known = sum(map(is_known, texts))
            if known > 1 and 2 * known > len(texts):
                found[place] = replace(heading, column=kind)
                break
    return found


def _may_be_own(heading: Heading, stands_before: bool, *, is_first: bool) -> bool:
    """False for a column of platforms that may be those of other results: behind the values, or by its words."""
    return stands_before and (is_first or not heading.cell.is_blank) and not _OF_ANOTHER.search(heading.cell.text)


def _is_model(text: str) -> bool:
    return (read_model(text).entry or read_model(text, "MLPerf").entry) is not None


def _is_precision(text: str) -> bool:
    return text[:1].isalpha() and parse_precision(text) is not None


def _is_platform(text: str) -> bool:
    return read_platform(text).entry is not None
