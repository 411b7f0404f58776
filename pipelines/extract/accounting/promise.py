"""How likely a sentence with unread numbers holds a benchmark, by the words in it."""

from __future__ import annotations

from pipelines.extract.accounting.numerals import find_numerals
from pipelines.extract.accounting.patterns import COMPARISON, METRIC, PERCENT
from pipelines.extract.accounting.statuses import Passage
from pipelines.extract.accounting.words import has_own_unit
from pipelines.extract.prose.sentences import plain_text

# A number in a benchmark's unit says most; a bare percentage little; names tell whose number it may be.
_UNIT, _COMPARISON, _METRIC, _NAME = 4, 3, 2, 1
_MOST_NAMES = 3


def promise(text: str) -> int:
    """0 for a sentence without any benchmark word; more for units, comparisons, metrics and known names."""
    passage = Passage(plain_text(text))
    plain = passage.plain
    score = _UNIT * any(has_own_unit(plain, end) and not PERCENT.match(plain, end) for _, end in find_numerals(plain))
    score += _COMPARISON * bool(COMPARISON.search(plain)) + _METRIC * bool(METRIC.search(plain))
    return score + _NAME * min(_MOST_NAMES, len(set(passage.known_names + passage.unknown_names)))
