"""Model and task that a number is about: clause, sentence, heading, then what came before; never guessed."""

from __future__ import annotations

import re

from pipelines.extract.prose.clauses import clause_around
from pipelines.extract.prose.names import Mention, heading_model, models_in
from pipelines.extract.prose.sentences import Sentence

_TASKS = (
    ("training", re.compile(r"\b(?:pre-?|fine-?)?(?:train(?:s|ed|ing)?|tun(?:ed|ing))\b", re.IGNORECASE)),
    ("inference", re.compile(r"\b(?:inferenc(?:e|es|ing)|serv(?:es|ed|ing)(?!\s+as\b))\b", re.IGNORECASE)),
)
# ` more images per second vs the A100 for `, ` on the popular `, ` faster ` of `5x faster Llama 2 70B fine-tuning`
_PREPOSITION = re.compile(
    r"\b(?:on|for|in|with|using|running|training|of|at)\s+(?:[\w-]+\s+){0,4}$"
    r"|^\s+(?:faster|quicker|slower|higher|lower|better|more)\s+$",
    re.IGNORECASE,
)
# Between the members of a list: `5x, 3x and 2x`, `BERT-Large, ResNet-50 and GPT2`
_GLUE = re.compile(r"(?:,|\s|and|or|&|to|/)*")
Span = tuple[int, int]


def model_of(sentence: Sentence, start: int, end: int, values: list[Span]) -> str | None:
    """The model that a number is about, as printed; None where several could be meant.

    Args:
        sentence: The sentence.
        start: First character of the number with its bound.
        end: One past its last character.
        values: Characters of every value of the sentence; a name between two of them belongs to one of these.
    """
    mentions = [m for m in models_in(sentence.plain) if not start <= m.start < end]
    if mentions:
        mention = _model_in(sentence.plain, mentions, (start, end), sorted(values))
        return sentence.name(mention.start, mention.end) if mention else None
    for heading in sentence.section.headings():
        if heading is not sentence and (found := heading_model(heading.plain)):
            return heading.name(found.start, found.end)
    for previous in sentence.before_in_passage():
        if previous is not sentence.section.heading and (known := models_in(previous.plain)):
            return previous.name(known[0].start, known[0].end) if _is_one(list(known)) else None
    return None


# `1.7x training performance and 1.2x inference performance`
_OWN_TASK = re.compile(r"\s+(?:(?:higher|better|faster|more|greater|lower)\s+)?(?:training|inference)\b", re.IGNORECASE)


def task_of(sentence: Sentence, start: int, end: int) -> str | None:
    """`training` or `inference`; None where the nearest text that names a task names both."""
    left, right = clause_around(sentence.plain, start, end)
    headings = [heading.plain for heading in sentence.section.headings() if heading is not sentence]
    before = [previous.plain for previous in sentence.before_in_passage()]
    own = _OWN_TASK.match(sentence.plain, end)
    for text in (own[0] if own else "", sentence.plain[left:right], sentence.plain, *headings, *before):
        found = [task for task, pattern in _TASKS if pattern.search(text)]
        if found:
            return found[0] if len(found) == 1 else None
    return None


def _model_in(plain: str, mentions: list[Mention], value: Span, values: list[Span]) -> Mention | None:
    """The model of a value in a sentence: behind it, or before it; the n-th of n where both are lists."""
    group = _run(plain, values, values.index(value)) if value in values else [value]
    first, last = group[0][0], group[-1][1]
    left, right = clause_around(plain, first, last)
    right = min([right, *(low for low, _ in values if low >= last)])
    left = max([left, *(high for _, high in values if high <= first)])
    behind = [m for m in mentions if last <= m.start < right]
    if behind and _PREPOSITION.search(plain[last : behind[0].start]):
        return _paired(_listed(plain, behind), group, value)
    ahead = [m for m in mentions if left <= m.start < first]
    if ahead:
        return _paired(ahead, group, value)
    nearest = [m for m in mentions if m.start < first] or mentions
    return nearest[0] if _is_one(nearest) else None


def _run(plain: str, values: list[Span], index: int) -> list[Span]:
    """The values that stand in one list with the value at `index`."""
    low = high = index
    while low > 0 and _GLUE.fullmatch(plain[values[low - 1][1] : values[low][0]]):
        low -= 1
    while high + 1 < len(values) and _GLUE.fullmatch(plain[values[high][1] : values[high + 1][0]]):
        high += 1
    return values[low : high + 1]


def _listed(plain: str, mentions: list[Mention]) -> list[Mention]:
    """The first model and those listed with it."""
    listed = mentions[:1]
    for mention in mentions[1:]:
        if not _GLUE.fullmatch(plain[listed[-1].end : mention.start]):
            break
        listed.append(mention)
    return listed


def _paired(mentions: list[Mention], group: list[Span], value: Span) -> Mention | None:
    if _is_one(mentions):
        return mentions[0]
    return mentions[group.index(value)] if len(mentions) == len(group) else None


def _is_one(mentions: list[Mention]) -> bool:
    return len({mention.name.casefold() for mention in mentions}) == 1
