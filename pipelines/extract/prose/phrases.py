"""The words around a printed factor that make it a comparison, and the direction they give it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pipelines.extract.prose.advantages import Direction
from pipelines.extract.prose.clauses import COMPARATOR
from pipelines.extract.prose.factors import Kind
from pipelines.extract.prose.metrics import first_metric, is_lower_better, last_metric, names_other_quantity
from pipelines.extract.prose.wording import BEHIND, before_factor, direction_of, refers_back

# Words that end the phrase a factor belongs to: in `10% of the total training compute` nothing is compared.
_STOP = re.compile(
    r"\b(?:of|on|in|for|from|at|by|to(?!-)|and|or|when|is|are|was|were|that|which|who|with|than|vs|versus|over)\b(?!-)|[,;.(](?:\s|$)",
    re.IGNORECASE,
)
# `as fast as`: the word of the comparison may end just behind the phrase.
_LONGEST_TAIL = 12
# What a data sheet promises is no benchmark: `4.7x increase in peak compute performance`
_SPECIFICATION = re.compile(r"\b(?:peak|theoretical|raw)\b|\b[TPGE]?FLOPS?\b", re.IGNORECASE)
# `has 4.7x the peak compute and trains`: another statement of the same subject begins
_NEXT_VERB = re.compile(r"\A.*,?\s(?:and|but|while)\s++(?=[a-z]+s\s)", re.DOTALL)
# `2x the training throughput of`, `one third of the cost`
_OF_METRIC = re.compile(r"\s+(?:of\s+)?(?:the|that\s+of|its)\b", re.IGNORECASE)
# `throughput is 2x that of`
_THAT_OF = re.compile(r"\s+(?:that|those)\b", re.IGNORECASE)
# `throughput more than doubled`, `latency was halved`: behind it stand only circumstances, no object
_VERB = re.compile(r"(?:doubl|tripl|quadrupl|hal[fv])(?:ed?|es|ing)", re.IGNORECASE)
_NO_OBJECT = re.compile(
    r"\s*(?:[.,;:)]|$|(?:with|on|in|for|since|over|from|when|compared|versus|vs|thanks|between|after|while|using|and|at)\b)",
    re.IGNORECASE,
)
# `costs 30% less`, `is priced 2x higher`, `30% cheaper`: said of the price
_COSTS = re.compile(r"\b(?:costs?|costing|priced)\s+(?:at\s+)?(?:an?\s+)?$", re.IGNORECASE)
_CHEAP = re.compile(r"[^,;.]{0,20}?\b(?:cheaper|(?:less|more)\s+(?:expensive|costly))\b", re.IGNORECASE)
_MORE = re.compile(r"\s*(?:as\s+(?:much|many)|more|higher)\b", re.IGNORECASE)
# `half the time`, `a third of the time`, `twice as long`
_TIME = re.compile(r"(?:\s+of)?\s+(?:the\s+|as\s+)(?:time|long)\b", re.IGNORECASE)
# `training time`, `less time`
_TIME_BEHIND = re.compile(r"\s*time\b")
# `twice as many GPUs as before` compares no performance, `twice as many tokens per second` does
_AS_MANY = re.compile(r"as\s+(?:many|much)\b", re.IGNORECASE)
# `sales of the A100 grew 31%`
_BUSINESS = re.compile(
    r"\b(?:revenues?|sales|profits?|margins?|memory|bandwidth|capacity|shares?|stock|headcount|staff|markets?|demand|orders|usage)\b",
    re.IGNORECASE,
)
# `takes 2x longer than`
_LONGER, _TAKES = re.compile(r"(?<!\s)\s+longer\b"), re.compile(r"\b(?:takes?|took|taking|needs?|needed|runs?|ran)\s+$")
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
        is_bare: True for `60x throughput`, where no word says whether it is more or less.
    """

    direction: Direction
    metric: str | None
    before: str
    is_before: bool = False
    refers_back: bool = False
    says_time: bool = False
    is_bare: bool = False


def read_phrase(after: str, before: str, printed: str, kind: Kind) -> Phrase | None:
    """The comparison around a factor; None for a share, a count of things, and a comparison of memory or people.

    Args:
        after: Text of the clause behind the factor, up to the next one.
        before: Text of the clause before it, from the factor before.
        printed: The factor.
        kind: Kind of the factor.
    """
    if is_specification(after) or is_specified(before):
        return None
    named = first_metric(after[: _other_side(after)])
    if price := _of_price(after, before, kind, named):
        return price
    if kind != "percent" and _TIME.match(after):
        return Phrase("fast" if kind == "share" else "bad", None, before, says_time=True)
    if _LONGER.match(after) and _TAKES.search(before):
        return Phrase("bad", named, before)
    stop = _STOP.search(after)
    phrase = after[: stop.start()] if stop else after
    word, word_before = BEHIND.search(after[: len(phrase) + _LONGEST_TAIL]), before_factor(before, kind)
    if word and word.start() > len(phrase):
        word = None
    own_words = phrase[word.end() :] if word else phrase
    if first_metric(own_words) is None and names_other_quantity(own_words):
        return None
    said = word or word_before
    if said is None:
        return _multiple(after, before, phrase, printed, kind)
    if word is None:
        # `latency fell 2.3x, and the throughput of ...`: behind such a factor another statement may start
        named = last_metric(before) or first_metric(re.split(r"[,;]|\band\b", after, maxsplit=1)[0])
    if named is None and (_AS_MANY.match(word[0]) if word else is_business(before)):
        return None
    direction = "down" if kind == "share" else direction_of(said)
    if kind == "percent" and word and word[0].lower().startswith("as"):
        direction = "part"
    return Phrase(
        direction=direction,
        metric=named,
        before=before,
        is_before=word is None,
        refers_back=word_before is not None and refers_back(word_before),
        says_time=word is not None and _TIME_BEHIND.match(after, word.end()) is not None,
    )


def is_specification(words: str) -> bool:
    """True where words are about what a data sheet promises."""
    return _SPECIFICATION.search(words[:_METRIC_REACH]) is not None


def is_specified(before: str) -> bool:
    """True where the words before a factor, in its own statement, are about what a data sheet promises."""
    return is_specification(_NEXT_VERB.sub("", before)[-_METRIC_REACH:])


def is_business(before: str) -> bool:
    """True where the words before a factor are about sales, shares, memory and the like."""
    return _BUSINESS.search(before) is not None


def _of_price(after: str, before: str, kind: Kind, named: str | None) -> Phrase | None:
    """`costs 30% less than`, `2x cheaper`, `costs half as much as`."""
    costs, cheap = _COSTS.search(before), _CHEAP.match(after)
    if not cheap and not (costs and (BEHIND.match(after.lstrip()) or _MORE.match(after))):
        return None
    is_more = kind != "share" and ("more" in cheap[0].lower() if cheap else _MORE.match(after) is not None)
    return Phrase("up" if is_more else "down", named or "price", before)


def _multiple(after: str, before: str, phrase: str, printed: str, kind: Kind) -> Phrase | None:
    """`60x throughput`, `double the throughput of`, `throughput is 2x that of`, `throughput doubled`.

    A percentage needs a word of comparison: `95% accuracy`.
    """
    if kind == "percent":
        return None
    direction: Direction = "down" if kind == "share" else "up"
    if _OF_METRIC.match(after) and (metric := first_metric(after[: min(_METRIC_REACH, _other_side(after))])):
        return Phrase(direction, metric, before)
    told = last_metric(before)
    if told and (_THAT_OF.match(after) or (_VERB.fullmatch(printed) and _NO_OBJECT.match(after))):
        return Phrase(direction, told, before)
    if metric := first_metric(phrase):
        is_verb = _VERB.fullmatch(printed) is not None
        return Phrase(direction, metric, before, is_bare=is_lower_better(metric) and not is_verb)
    return None


def _other_side(after: str) -> int:
    """Where the other side of the comparison starts; `as fast as` belongs to this side."""
    match = COMPARATOR.search(after)
    return match.start() if match and not match[0].lower().startswith("as") else len(after)
