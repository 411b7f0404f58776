"""Who is compared with whom, on which model and task: sentence, heading, then what came before; never guessed."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache
from itertools import zip_longest

from pipelines.extract.prose.clauses import COMPARATOR, clause_around, object_reach, segments_before
from pipelines.extract.prose.factors import find_factors
from pipelines.extract.prose.names import COUNT, VERB, Mention, canonical, heading_model, models_in, platforms_in
from pipelines.extract.prose.sentences import Section, Sentence

_IS_SUBJECT = re.compile(
    rf"(?:\s+(?:systems?|platforms?|servers?|accelerators?|GPUs?|processors?|instances?|chips?|clusters?))?\s*(?:\([^()]*\)\s*)?\s(?:\w+ly\s+|now\s+|still\s+)?{VERB}\b"
)
_IS_PLACED = re.compile(
    r"\b(?:on|with|using|by|from|of|for)\s+(?:the\s+|an?\s+|our\s+|one\s+|single\s+)*$", re.IGNORECASE
)
# `12% on IPU-POD64`, `12% for IPU-POD64`
_DIRECTLY_ON = re.compile(r"\s+(?:on|for)\s+(?:the\s+|an?\s+|our\s+|one\s+|single\s+|new\s+)*", re.IGNORECASE)
_ON = re.compile(
    r"\s*[^,;.]{0,30}?\b(?:on|for|with|using|across)\s+(?:(?:the|an?|our|one|single|new|latest)\s+)*(?:\w+'s\s+)?$",
    re.IGNORECASE,
)
# `472k edges/s on 4 IPUs`: the count before the platform
_COUNT_LAST = re.compile(rf"(?<![\w.,$/-])(?:{COUNT})\s+$", re.IGNORECASE)
# `an A100, which delivers 50 tokens/s`
_WHICH = re.compile(r",?\s+(?:which|that)\s[^,;]*$")
# `the performance of the A100`, behind `double` or `2x`; `that of the A100`, behind `its latency is half`
_OF = re.compile(
    r"(?:\b(?:throughput|performance|latency|speed|price|costs?|TCO|time[\s\w-]{0,40}|(?:images|tokens|samples|sequences)\s+per\s+second)\s+of"
    r"|\s(?:that|those)\s+of)\s+(?:(?:the|an?|that|of|those|(?:first|second|third|last|previous|prior|older)[\s-]generation|previous|original|new|latest|Blackwell|Hopper|Ampere)\s+)*$",
    re.IGNORECASE,
)
# `twice the H100's throughput`
_OWNS = re.compile(r"\s+(?:the\s+|an?\s+)?", re.IGNORECASE)
# `the advantage over the A100 is 1.8x`
_GAIN = re.compile(
    r"\b(?:advantage|lead|speed-?ups?|improvements?|gains?|increase|boost|uplift)(?:\s+of\s+(?:the\s+)?[\w.-]+(?:\s[\w.-]+){0,3})?\s+$",
    re.IGNORECASE,
)
# `than a comparable DGX A100 system at half the price`
_AT = re.compile(r"[^,;]{0,30}\s(?:at|for)\s+(?:an?\s+)?")
_AGAINST_FIRST = re.compile(r"(?:compared|relative|in\s+comparison)\s+(?:to|with)|versus|against", re.IGNORECASE)
_PRONOUN = re.compile(
    r"(?:It|This|They|These)\b|The\s+(?:system|platform|accelerator|processor|chip|server|machine)s?\b(?!\s+[A-Z])"
    rf"|(?:At|With|In|For|On)\s[^;]{{0,80}}?,?\s(?:it|they)\s+(?:\w+ly\s+)?{VERB}\b"
)
# `17,850 tokens/s (MI300X)`: the platform of the number before the bracket, and of no other
_IN_BRACKETS = re.compile(r"\s*(?:[a-zA-Z][\w/ ]{0,40}?)?\((?:on\s+)?(?:the\s+|an?\s+|one\s+)?(?:[A-Z]\w+\s)?")
_BRACKET_ENDS = re.compile(r"[^()]{0,30}\)")
# `2x the performance of Rubin`, `24% since our first submission`: against something, known or not
_HAS_OBJECT = re.compile(
    r"\s+(?:the\s+)?(?:[\w-]+\s+){0,2}?(?:performance|throughput|speed|latency)\s+of\b"
    r"|[^,;.]{0,30}\bsince\s+(?:our|its|their|the|last|previous|version|v?\d)",
    re.IGNORECASE,
)
# An outperformed platform stands before its factor: `outperforms the A100 by 2.6x`
_VERB_OF_COMPARISON = re.compile(r"outperform|surpass|beat", re.IGNORECASE)
# `H100 SXM reaches 13,222.06 token/s and L40S achieves`
_AND_BEFORE = re.compile(r"\b(?:and|or|&)\s+(?:the\s+)?$", re.IGNORECASE)
# Between the two names of `IPU-M2000 system vs the latest GPU`.
_PAIR_REACH = 40


@lru_cache(maxsize=1024)
def baselines_in(plain: str) -> tuple[tuple[int, Mention], ...]:
    """(offset of the comparator, platform behind it) for every comparator whose object is a platform."""
    found = []
    comparators = [*COMPARATOR.finditer(plain)]
    for comparator, after in zip_longest(comparators, comparators[1:]):
        reach = object_reach(plain, comparator.end())
        if after is not None:
            reach = min(reach, after.start())
        for mention in platforms_in(plain):
            if comparator.end() <= mention.start < reach:
                found.append((comparator.start(), mention))
                break
    return tuple(found)


def baseline_of(sentence: Sentence, start: int, end: int) -> Mention | None:
    """The platform that the factor at `start`..`end` is against, as far as this sentence tells."""
    plain = sentence.plain
    _, right = clause_around(plain, start, end, shares_object=True)
    later = [factor.outer for factor in find_factors(plain) if factor.outer >= end]
    own = COMPARATOR.search(plain, end, min([right, *later]))
    if own and later and not any(offset == own.start() for offset, _ in baselines_in(plain)):
        # `24% faster than our last submission and 3% faster than the A100`: the first has another side of its own
        return None
    for offset, mention in baselines_in(plain):
        if end <= offset < right:
            between = [m for m in platforms_in(plain) if end <= m.start < offset and _is_subject(plain, m)]
            is_listed = not later or offset < later[0] or not between
            return mention if is_listed else None
    for mention in platforms_in(plain):
        if (
            end <= mention.start < right
            and (of := _OF.search(plain, end, mention.start))
            and "," not in plain[end : of.end()]
        ):
            return mention
        if _OWNS.fullmatch(plain[end : mention.start]) and plain.startswith("'s", mention.end):
            return mention
    if _HAS_OBJECT.match(plain, end) or any(match.start() >= end for match in COMPARATOR.finditer(plain, end, right)):
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
    _, right = clause_around(sentence.plain, end, end, shares_object=True)
    return (COMPARATOR.search(sentence.plain, end, right) or _HAS_OBJECT.match(sentence.plain, end)) is not None


def subject_of(sentence: Sentence, start: int, end: int, baseline: Mention | None) -> Mention | None:
    """The platform that a factor or a number is about, as far as this sentence tells; None where two could be meant."""
    plain = sentence.plain
    others = {mention for _, mention in baselines_in(plain)} | ({baseline} if baseline else set())
    candidates = [mention for mention in platforms_in(plain) if mention not in others]
    left, right = clause_around(plain, start, end)
    for mention in candidates:
        if _DIRECTLY_ON.fullmatch(plain[end : mention.start] if mention.start >= end else ""):
            return mention
    for mention in candidates:
        # `the H100 delivered 4.5x, the L4 2.7x`
        if mention.end < start and not plain[mention.end : start].strip():
            return mention
    if found := _only(plain, candidates, left, start):
        return found
    for mention in candidates:
        if end <= mention.start < right and _IS_PLACED.search(plain[: mention.start]):
            return mention
    for low, high in segments_before(plain, start):
        if any(low <= mention.start < high for mention in candidates):
            return _only(plain, candidates, low, high)
    return None


def measured_on(sentence: Sentence, start: int, end: int, values: Collection[tuple[int, int]] = ()) -> Mention | None:
    """The platform that a number was measured on, as far as this sentence tells.

    Args:
        sentence: The sentence.
        start: First character of the number.
        end: One past its last character.
        values: Characters of every value of the sentence; a platform in brackets belongs to the one before it.
    """
    plain = sentence.plain
    others = {mention for _, mention in baselines_in(plain)}
    for mention in platforms_in(plain):
        if mention.end <= start and _WHICH.fullmatch(plain[mention.end : start]):
            return mention
        if mention.start < end:
            continue
        between = _COUNT_LAST.sub("", plain[end : mention.start])
        if _IN_BRACKETS.fullmatch(between) and _BRACKET_ENDS.match(plain, mention.end):
            return mention
        if _ON.fullmatch(between) and not any(c.isdigit() for c in between):
            return mention
    if is_other_side(plain, start):
        return None
    # `1,465 tokens/s, 1.3 times the H100 result`
    compared = min((factor.outer for factor in find_factors(plain) if factor.outer >= end), default=len(plain))
    for mention in platforms_in(plain):
        is_next = any(low != start and _IN_BRACKETS.fullmatch(plain[high : mention.start]) for low, high in values)
        if mention.start > compared or is_next:
            others.add(mention)
    found = subject_of(sentence, start, end, None)
    if found and found not in others:
        return found
    # `16.6 minutes with 8 cards; the A100 needed 26.2`
    near = [m for m in platforms_in(plain) if m not in others and not _is_parted(plain, m.start, start)]
    names = {canonical(mention.name): mention for mention in reversed(near)}
    return next(iter(names.values())) if len(names) == 1 else None


def _is_parted(plain: str, one: int, other: int) -> bool:
    return ";" in plain[min(one, other) : max(one, other)]


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
    if _PRONOUN.match(sentence.plain):
        for previous in sentence.before():
            if platforms_in(previous.plain):
                return _one_platform(previous, baseline)
    for heading in sentence.section.headings():
        if heading is not sentence and platforms_in(heading.plain):
            return _one_platform(heading, baseline)
    return None


def _one_platform(sentence: Sentence, baseline: str | None) -> str | None:
    others = {mention for _, mention in baselines_in(sentence.plain)}
    names = {canonical(mention.name): mention for mention in platforms_in(sentence.plain) if mention not in others}
    names.pop(canonical(baseline) if baseline else "", None)
    return next((sentence.name(m.start, m.end) for m in names.values()), None) if len(names) == 1 else None


def _is_subject(plain: str, mention: Mention) -> bool:
    return _IS_SUBJECT.match(plain, mention.end) is not None


def _only(plain: str, candidates: list[Mention], start: int, end: int) -> Mention | None:
    """The candidate that is the grammatical subject, or the only one; None where two could be meant."""
    inside = [m for m in candidates if start <= m.start < end]
    subjects = [m for m in inside if _is_subject(plain, m) and not _is_second(plain, m, start)]
    if subjects:
        return subjects[-1]
    return inside[-1] if len({canonical(m.name) for m in inside}) == 1 else None


def _is_second(plain: str, mention: Mention, start: int) -> bool:
    """True for the second of two subjects (`the A100 and the H100 deliver`), False where a statement is between."""
    joint = _AND_BEFORE.search(plain, start, mention.start)
    return joint is not None and not re.search(r"\s\d", plain[start : joint.start()])


_TASKS = (
    ("training", re.compile(r"\b(?:pre-?|fine-?)?(?:train(?:s|ed|ing)?|tun(?:ed|ing))\b", re.IGNORECASE)),
    ("inference", re.compile(r"\b(?:inferenc(?:e|es|ing)|serv(?:es|ed|ing)(?!\s+as\b))\b", re.IGNORECASE)),
)
# ` more images per second vs the A100 for `, ` on the popular `, ` faster ` of `5x faster Llama 2 70B fine-tuning`
_OF_OTHER = re.compile(r"\s+(?:(?:the|an?|our|its|their|previous)\s+){0,3}(?:baseline\s+)?(?:of\s+)?", re.IGNORECASE)
_PREPOSITION = re.compile(
    r"\b(?:on|for|in|with|using|running|training|of|at)\s+(?:[\w-]+\s+){0,4}$"
    r"|^\s+(?:faster|quicker|slower|higher|lower|better|more)\s+$",
    re.IGNORECASE,
)
# Between the members of a list: `5x, 3x and 2x`, `BERT-Large, ResNet-50 and GPT2`
GLUE = re.compile(r"(?:,|\s|and|or|&|to|/)*")
Span = tuple[int, int]


def model_of(sentence: Sentence, start: int, end: int, values: list[Span]) -> str | None:
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
        # `compared to our baseline of Llama-2 training`: the other side's model
        ends = [comparator.end() for comparator in COMPARATOR.finditer(plain, end)]
        mentions = [m for m in mentions if not any(_OF_OTHER.fullmatch(plain, at, m.start) for at in ends)]
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
    while low > 0 and GLUE.fullmatch(plain[values[low - 1][1] : values[low][0]]):
        low -= 1
    while high + 1 < len(values) and GLUE.fullmatch(plain[values[high][1] : values[high + 1][0]]):
        high += 1
    return values[low : high + 1]


def _listed(plain: str, mentions: list[Mention]) -> list[Mention]:
    """The first model and those listed with it."""
    listed = mentions[:1]
    for mention in mentions[1:]:
        if not GLUE.fullmatch(plain[listed[-1].end : mention.start]):
            break
        listed.append(mention)
    return listed


def _paired(mentions: list[Mention], group: list[Span], value: Span) -> Mention | None:
    if _is_one(mentions):
        return mentions[0]
    return mentions[group.index(value)] if len(mentions) == len(group) else None


def _is_one(mentions: list[Mention]) -> bool:
    return len({mention.name.casefold() for mention in mentions}) == 1
