"""The words around a printed factor that make it a comparison, and the direction they give it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pipelines.extract.prose.advantages import Direction
from pipelines.extract.prose.clauses import COMPARATOR
from pipelines.extract.prose.factors import Kind
from pipelines.extract.prose.metrics import first_metric, names_other_quantity

# Words that end the phrase a factor belongs to: in `10% of the total training compute` nothing is compared.
_STOP = re.compile(
    r"\b(?:of|on|in|for|from|at|by|to(?!-)|and|or|when|is|are|was|were|that|which|who|with|than|vs|versus|over)\b(?!-)|[,;.(](?:\s|$)",
    re.IGNORECASE,
)
_WORDS = re.compile(
    r"\b(?:(?P<up>more|higher|greater|larger|increased?|longer)|(?P<down>lower|less|fewer|smaller|shorter|reduc(?:ed|tion)|decreased?|drop|cut)"
    r"|(?P<good>better|improvements?|improved|gains?|boost|uplift|advantage|as\s+(?:many|much|high)|efficient)"
    r"|(?P<fast>faster|quicker|speed-?\s?ups?|acceleration|as\s+fast|as\s+quick(?:ly)?|the\s+speed)|(?P<bad>slower|worse))\b",
    re.IGNORECASE,
)
# `a factor of`, `the advantage for BERT is`, `outperforms the A100 by`, `cuts latency by`
_WORDS_BEFORE = re.compile(
    r"(?:\b(?P<factor>factor)\s+of|\b(?:(?P<good>advantage|improvements?|gains?|increase|uplift|boost|lead)|(?P<fast>speed-?ups?|acceleration)"
    r"|(?P<down>reduction))\b[^,;]{0,60}?\b(?:of|is|was|to|at|by)"
    r"|\b(?:(?P<good_by>outperform\w*|improv\w+|boost\w*|exceed\w*|beat\w*|surpass\w*|better)|(?P<up_by>increas\w+|rais\w+|higher)"
    r"|(?P<fast_by>accelerat\w+|speeds?\s+up|faster)|(?P<down_by>reduc\w+|cut\w*|decreas\w+|lower\w*|shorten\w*|drop\w*))\b[^,;]{0,70}?\bby)"
    r"\s*(?:an?\s+)?(?:factor\s+of\s+)?$",
    re.IGNORECASE,
)
# `costs 30% less`
_COSTS = re.compile(r"\b(?:costs?|costing|priced?|cheaper)\b", re.IGNORECASE)
# Only said of what was just compared: `this is a factor of 1.6x`, `the advantage for BERT is 1.3X`
_REFERS_BACK = re.compile(r"\b(?:factor\s+of|advantage|lead)\b", re.IGNORECASE)
_DIRECTIONS: dict[str, Direction] = {"up": "up", "down": "down", "fast": "fast", "bad": "bad"}
# `as fast as`: the word of the comparison may end just behind the phrase.
_LONGEST_TAIL = 12
# What a data sheet promises is no benchmark: `4.7x increase in peak compute performance`
_SPECIFICATION = re.compile(r"\b(?:peak|theoretical|raw)\b|\b[TPGE]?FLOPS?\b", re.IGNORECASE)
# `2x the training throughput of`
_OF_METRIC = re.compile(r"\s+(?:the|that\s+of)\b")
_METRIC_REACH = 60


@dataclass(frozen=True, slots=True)
class Phrase:
    """How a factor is compared.

    Attributes:
        direction: What the words say of the subject.
        metric: The metric that the words behind the factor name, before the other side of the comparison.
        before: The words of the clause before the factor.
        is_before: True where the words of the comparison stand before the factor (`improved by 3x`).
        refers_back: True for `this is a factor of 1.6x`, which names what it is about in the sentence before.
        says_time: True for `less time`.
    """

    direction: Direction
    metric: str | None
    before: str
    is_before: bool
    refers_back: bool
    says_time: bool


def read_phrase(after: str, before: str, kind: Kind) -> Phrase | None:
    """The comparison around a factor; None for a share, a count of things, and a comparison of memory, cost or people.

    Args:
        after: Text of the clause behind the factor, up to the next one.
        before: Text of the clause before it, from the factor before.
        kind: Kind of the factor.
    """
    stop = _STOP.search(after)
    phrase = after[: stop.start()] if stop else after
    word, word_before = _WORDS.search(after[: len(phrase) + _LONGEST_TAIL]), _WORDS_BEFORE.search(before)
    if word and word.start() > len(phrase):
        word = None
    if word is None and word_before is None and not _is_multiple_of_metric(after, phrase, kind):
        return None
    if _SPECIFICATION.search(after[:_METRIC_REACH]):
        return None
    own_words = phrase[word.end() :] if word else phrase
    if first_metric(own_words) is None and (names_other_quantity(own_words) or _COSTS.search(before)):
        return None
    said = word or word_before
    group = (said.lastgroup or "").removesuffix("_by") if said else ""
    return Phrase(
        direction="down" if kind == "share" else _DIRECTIONS.get(group, "good"),
        metric=first_metric(after[: _other_side(after)]),
        before=before,
        is_before=word is None and word_before is not None,
        refers_back=word_before is not None and _REFERS_BACK.search(word_before[0]) is not None,
        says_time=word is not None and re.match(r"\s*time\b", after[word.end() :]) is not None,
    )


def _is_multiple_of_metric(after: str, phrase: str, kind: Kind) -> bool:
    """`60x throughput`, `double the throughput of`; a percentage needs a word of comparison (`95% accuracy`)."""
    if kind == "percent":
        return False
    is_of_metric = _OF_METRIC.match(after) is not None and first_metric(after[:_METRIC_REACH]) is not None
    return is_of_metric or first_metric(phrase) is not None


def _other_side(after: str) -> int:
    """Where the other side of the comparison starts; `as fast as` belongs to this side."""
    match = COMPARATOR.search(after)
    return match.start() if match and not match[0].lower().startswith("as") else len(after)
