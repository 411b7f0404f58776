"""Who is compared with whom, on which model and task: sentence, heading, then what came before; never guessed."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import zip_longest

from pipelines.extract.prose.clauses import COMPARATOR, clause_around, object_reach, segments_before
from pipelines.extract.prose.factors import find_factors
from pipelines.extract.prose.names import COUNT, VERB, Mention, canonical, models_in, platforms_in
from pipelines.extract.prose.sentences import Section, Sentence

Span = tuple[int, int]

_IS_SUBJECT = re.compile(
    rf"(?:\s+(?:systems?|platforms?|servers?|accelerators?|GPUs?|processors?|instances?|chips?|clusters?))?\s*(?:\([^()]*\)\s*)?\s(?:\w+ly\s+|now\s+|still\s+)?{VERB}\b"
)
# `the H100 delivered 4.5x, the L4 2.7x`, `an A100, which delivers 50 tokens/s`
_DIRECT = re.compile(r"\s*|,?\s+(?:which|that)\s[^,;]*")
# ` on `, ` for 4 `, ` with our `, ` (`: what stands behind a value belongs to it
_LINK = re.compile(
    rf"(?:\b(?:on|for|in|with|using|across|running|training|at)\s+(?:(?:the|an?|our|one|single|new|latest|{COUNT})\s+)*(?:\w+'s\s+)?"
    r"|\((?:on\s+)?|^\s+(?:faster|quicker|slower|higher|lower|better|more)\s+)(?:[A-Z]\w+\s)?$",
    re.IGNORECASE,
)
# `H100 SXM reaches 13,222.06 token/s and L40S achieves`
_AND_BEFORE = re.compile(r"\b(?:and|or|&)\s+(?:the\s+)?$", re.IGNORECASE)
# Between the members of a list: `5x, 3x and 2x`, `BERT-Large, ResNet-50 and GPT2`
GLUE = re.compile(r"(?:,|\s|and|or|&|to|/)*")
# `the performance of the A100`, behind `double` or `2x`; `that of the A100`, behind `its latency is half`
_OF = re.compile(
    r"(?:\b(?:throughput|performance|latency|speed|price|costs?|TCO|time[\s\w-]{0,40}|(?:images|tokens|samples|sequences)\s+per\s+second)\s+of"
    r"|\s(?:that|those)\s+of)\s+(?:(?:the|an?|that|of|those|(?:first|second|third|last|previous|prior|older)[\s-]generation|previous|original|new|latest|Blackwell|Hopper|Ampere)\s+)*$",
    re.IGNORECASE,
)
# `than a comparable DGX A100 system at half the price`
_AT = re.compile(r"[^,;]{0,30}\s(?:at|for)\s+(?:an?\s+)?")
# `the advantage over the A100 is 1.8x`
_GAIN = re.compile(r"\b(?:advantage|lead|speed-?ups?|improvements?|gains?)(?:\sof\s[^,;]{1,40})?\s$", re.IGNORECASE)
# Compared with what stands before a factor: `compared to the A100, ... 2x`, `outperforms the A100 by 2.6x`
_AGAINST_FIRST = re.compile(r"(?:compared|relative|in\s+comparison)\s+(?:to|with)|versus|against", re.IGNORECASE)
_VERB_OF_COMPARISON = re.compile(r"outperform|surpass|beat", re.IGNORECASE)
# `2x the performance of Rubin`, `24% since our first submission`: against something, known or not
_HAS_OBJECT = re.compile(
    r"\s+(?:the\s+)?(?:[\w-]+\s+){0,2}?(?:performance|throughput|speed|latency)\s+of\b"
    r"|[^,;.]{0,30}\bsince\s+(?:our|its|their|the|last|previous|version|v?\d)",
    re.IGNORECASE,
)
_PRONOUN = re.compile(
    r"(?:It|This|They|These)\b|The\s+(?:system|platform|accelerator|processor|chip|server|machine)s?\b(?!\s+[A-Z])"
    rf"|(?:At|With|In|For|On)\s[^;]{{0,80}}?,?\s(?:it|they)\s+(?:\w+ly\s+)?{VERB}\b"
)
# Between the two names of `IPU-M2000 system vs the latest GPU`.
_PAIR_REACH = 40
# ` more images per second vs the A100 for `, ` than our baseline of `: the other side's model
_OF_OTHER = re.compile(r"\s+(?:(?:the|an?|our|its|their|previous)\s+){0,3}(?:baseline\s+)?(?:of\s+)?", re.IGNORECASE)
_TASKS = (
    ("training", re.compile(r"\b(?:pre-?|fine-?)?(?:train(?:s|ed|ing)?|tun(?:ed|ing))\b", re.IGNORECASE)),
    ("inference", re.compile(r"\b(?:inferenc(?:e|es|ing)|serv(?:es|ed|ing)(?!\s+as\b))\b", re.IGNORECASE)),
)
# `1.7x training performance and 1.2x inference performance`
_OWN_TASK = re.compile(r"\s+(?:(?:higher|better|faster|more|greater|lower)\s+)?(?:training|inference)\b", re.IGNORECASE)


# The one rule by which a value finds its name, be it of a platform or of a model


def _nearest(plain: str, value: Span, values: Collection[Span], mentions: Sequence[Mention]) -> Mention | None:
    """The name that a value is stated of; None where two could be meant.

    In this order: right before it, the subject of its clause, linked to it from behind, alone before it in its clause
    or in the nearest earlier part of the sentence that holds one. Of lists of values and of names each has its own.
    """
    group = _run(plain, value, sorted(values))
    first, last = group[0][0], group[-1][1]
    left, _ = clause_around(plain, first, last)
    begin = max([left, *(high for _, high in values if high <= first)])
    inside = [m for m in mentions if begin <= m.start < first]
    subjects = [m for m in inside if _IS_SUBJECT.match(plain, m.end)]
    if inside and _DIRECT.fullmatch(plain, inside[-1].end, value[0]):
        return inside[-1]
    if subjects and not _AND_BEFORE.search(plain, inside[0].end, subjects[-1].start):
        return subjects[-1]
    if found := _linked(plain, (value[0], last), values, mentions):
        return _paired(_listed(plain, [m for m in mentions if m.start >= found.start]), group, value)
    for low, high in ((begin, first), *segments_before(plain, first)):
        if inside := [m for m in mentions if low <= m.start < high]:
            return _paired(inside, group, value)
    return None


def _linked(plain: str, value: Span, values: Collection[Span], mentions: Sequence[Mention]) -> Mention | None:
    """The first name behind a value, in its clause and before the next value, that a word links to it."""
    _, right = clause_around(plain, *value)
    stop = min([right, *(low for low, _ in values if low >= value[1])])
    behind = (mention for mention in mentions if value[1] <= mention.start < stop)
    return next((mention for mention in behind if _LINK.search(plain[value[1] : mention.start])), None)


def _run(plain: str, value: Span, values: list[Span]) -> list[Span]:
    """The values that stand in one list with a value."""
    if value not in values:
        return [value]
    low = high = values.index(value)
    while low > 0 and GLUE.fullmatch(plain[values[low - 1][1] : values[low][0]]):
        low -= 1
    while high + 1 < len(values) and GLUE.fullmatch(plain[values[high][1] : values[high + 1][0]]):
        high += 1
    return values[low : high + 1]


def _listed(plain: str, mentions: list[Mention]) -> list[Mention]:
    """The first name and those listed with it."""
    listed = mentions[:1]
    for mention in mentions[1:]:
        if not GLUE.fullmatch(plain[listed[-1].end : mention.start]):
            break
        listed.append(mention)
    return listed


def _paired(mentions: list[Mention], group: list[Span], value: Span) -> Mention | None:
    if found := _one(mentions):
        return found
    return mentions[group.index(value)] if len(mentions) == len(group) else None


def _one(mentions: Sequence[Mention]) -> Mention | None:
    names = {canonical(mention.name): mention for mention in reversed(mentions)}
    return next(iter(names.values())) if len(names) == 1 else None


# Platforms


@lru_cache(maxsize=1024)
def baselines_in(plain: str) -> tuple[tuple[int, Mention], ...]:
    """(offset of the comparator, platform behind it) for every comparator whose object is a platform."""
    found = []
    comparators = [*COMPARATOR.finditer(plain)]
    for comparator, after in zip_longest(comparators, comparators[1:]):
        reach = min(object_reach(plain, comparator.end()), after.start() if after else len(plain))
        objects = (mention for mention in platforms_in(plain) if comparator.end() <= mention.start < reach)
        found += [(comparator.start(), mention) for mention in [next(objects, None)] if mention]
    return tuple(found)


def baseline_of(sentence: Sentence, start: int, end: int) -> Mention | None:
    """The platform that the factor at `start`..`end` is against, as far as this sentence tells."""
    plain = sentence.plain
    _, right = clause_around(plain, start, end)
    later = [factor.outer for factor in find_factors(plain) if factor.outer >= end]
    own = COMPARATOR.search(plain, end, min([right, *later]))
    if own and later and not any(offset == own.start() for offset, _ in baselines_in(plain)):
        # `24% faster than our last submission and 3% faster than the A100`: the first has another side of its own
        return None
    for offset, mention in baselines_in(plain):
        if end <= offset < right:
            between = [m for m in platforms_in(plain) if end <= m.start < offset and _IS_SUBJECT.match(plain, m.end)]
            is_listed = not later or offset < later[0] or not between
            return mention if is_listed else None
    for mention in platforms_in(plain):
        if end <= mention.start < right and "," not in plain[end : mention.start]:
            # `twice the H100's throughput`
            is_owner = plain.startswith("'s", mention.end) and plain[end : mention.start].strip() in ("", "the", "an")
            if is_owner or _OF.search(plain, end, mention.start):
                return mention
    if is_against(sentence, end):
        return None
    for offset, mention in reversed(baselines_in(plain)):
        is_verb = _VERB_OF_COMPARISON.match(plain, offset)
        is_used = any(mention.end <= factor.outer < start for factor in find_factors(plain))
        if offset < start and (_AGAINST_FIRST.match(plain, offset) or (is_verb and not is_used)):
            return mention
        if mention.end <= start and (_AT.fullmatch(plain, mention.end, start) or _GAIN.search(plain, 0, offset)):
            return mention
    return None


def is_against(sentence: Sentence, end: int) -> bool:
    """True where the clause behind a factor says what it is against, be it a platform or not (`than CPUs`)."""
    _, right = clause_around(sentence.plain, end, end)
    return (COMPARATOR.search(sentence.plain, end, right) or _HAS_OBJECT.match(sentence.plain, end)) is not None


def subject_of(sentence: Sentence, start: int, end: int, values: Collection[Span]) -> Mention | None:
    """The platform that a factor is about, as far as this sentence tells; None where two could be meant."""
    plain = sentence.plain
    others = {mention for _, mention in baselines_in(plain)}
    others |= {m for each in find_factors(plain) if (m := baseline_of(sentence, each.outer, each.end))}
    return _nearest(plain, (start, end), values, [m for m in platforms_in(plain) if m not in others])


def measured_on(sentence: Sentence, start: int, end: int, values: Collection[Span]) -> Mention | None:
    """The platform that a number was measured on, as far as this sentence tells; `values` are all of the sentence."""
    plain, mentions = sentence.plain, platforms_in(sentence.plain)
    direct = next((m for m in mentions if m.end <= start and _DIRECT.fullmatch(plain, m.end, start)), None)
    if found := direct or _linked(plain, (start, end), values, mentions):
        return found
    if is_other_side(plain, start):
        return None
    # `1,465 tokens/s, 1.3 times the H100 result`
    later = min((factor.outer for factor in find_factors(plain) if factor.outer >= end), default=len(plain))
    others = {mention for _, mention in baselines_in(plain)}
    own = [mention for mention in mentions if mention not in others and mention.start < later]
    # `16.6 minutes with 8 cards; the A100 needed 26.2`
    near = [m for m in own if ";" not in plain[min(m.start, start) : max(m.start, start)]]
    return _nearest(plain, (start, end), values, own) or _one(near)


def is_other_side(plain: str, start: int) -> bool:
    """True for a number that another one is set against: `16.6 minutes against 26.2 minutes`, `1,107 vs. 395`."""
    return any(match.end() <= start and not plain[match.end() : start].strip() for match in COMPARATOR.finditer(plain))


def told_baseline(section: Section, subject: str, before: Sentence) -> str | None:
    """The one platform that earlier sentences of the section, or its headings, set against the subject (`X vs Y`)."""
    found: dict[str, str] = {}
    for sentence in [*before.before(), *section.headings()]:
        plain = sentence.plain
        for offset, baseline in baselines_in(plain):
            left = [m for m in platforms_in(plain) if m.end <= offset]
            if left and offset - left[-1].end <= _PAIR_REACH and canonical(left[-1].name) == canonical(subject):
                found.setdefault(canonical(baseline.name), sentence.name(baseline.start, baseline.end))
    return next(iter(found.values())) if len(found) == 1 else None


def told_subject(sentence: Sentence, baseline: str | None) -> str | None:
    """The platform of the sentence before, where this one starts with `It`; else the one of the heading.

    Args:
        sentence: The sentence that names no subject.
        baseline: What it is compared with; never the answer.
    """
    told = [*sentence.before()] if _PRONOUN.match(sentence.plain) else []
    told += [heading for heading in sentence.section.headings() if heading is not sentence]
    for other in told:
        if mentions := platforms_in(other.plain):
            others = {mention for _, mention in baselines_in(other.plain)}
            mentions = tuple(m for m in mentions if m not in others and canonical(m.name) != canonical(baseline or ""))
            found = _one(mentions)
            return other.name(found.start, found.end) if found else None
    return None


# Models and tasks


def model_of(sentence: Sentence, start: int, end: int, values: Collection[Span]) -> str | None:
    """The model that a number is about, as printed; None where several could be meant.

    Args:
        sentence: The sentence.
        start: First character of the number with its bound.
        end: One past its last character.
        values: Characters of every value of the sentence; a name between two of them belongs to one of these.
    """
    plain = sentence.plain
    mentions = [m for m in models_in(plain) if not start <= m.start < end]
    if mentions:
        ends = [comparator.end() for comparator in COMPARATOR.finditer(plain, end)]
        mentions = [m for m in mentions if not any(_OF_OTHER.fullmatch(plain, at, m.start) for at in ends)]
        mention = _nearest(plain, (start, end), values, mentions)
        mention = mention or _one([m for m in mentions if m.start < start] or mentions)
        return sentence.name(mention.start, mention.end) if mention else None
    for heading in sentence.section.headings():
        if heading is not sentence and (found := _one(models_in(heading.plain))):
            return heading.name(found.start, found.end)
    for previous in sentence.before_in_passage():
        if previous is not sentence.section.heading and (known := models_in(previous.plain)):
            return previous.name(known[0].start, known[0].end) if _one(known) else None
    return None


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
