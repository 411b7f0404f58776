"""Tables that write decimals with a comma: `63,1` beside `2.185`, which is two thousand there.

Nothing in `2.185` says which of the two it is, so what a table with such commas prints in this way cannot be read.
"""

from __future__ import annotations

import re

from pipelines.extract.tables.grid import ResultTable

AMBIGUOUS = "the table writes decimals with a comma, so what a point or a comma before three digits means is not clear"
# `63,1`, `15,86`, `2.950,5`; never `1,000`
_COMMA = re.compile(r"\d+,\d{1,2}|\d{1,3}(?:\.\d{3})+,\d+")
# `63.1`, `1,950.5`: decimals with a point
_POINT = re.compile(r"\d+\.(?:\d{1,2}|\d{4,})|\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{4,}\.\d+")
# `2.185`, `1,000`
_EITHER = re.compile(r"\D*\d{1,3}[.,]\d{3}\D*")
# One such cell may be a damaged one.
_MIN_CELLS = 2


def writes_commas(table: ResultTable) -> bool:
    """True where values of a table have decimal commas and none has what only a point for decimals explains."""
    places = [place for place, heading in enumerate(table.headings) if heading.is_value]
    whole = [damage.cells for damage in table.damages if len(damage.cells) == len(table.headings)]
    texts = [row[place].text.strip() for row in [*table.rows, *whole] for place in places]
    commas = sum(_COMMA.fullmatch(text) is not None for text in texts)
    return commas >= _MIN_CELLS and not any(map(_POINT.fullmatch, texts))


def is_ambiguous(text: str) -> bool:
    """True for a number of which such a table does not say whether it has decimals."""
    return _EITHER.fullmatch(text) is not None
