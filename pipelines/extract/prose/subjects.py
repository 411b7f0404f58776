"""Who is compared with whom, on which model and task: from the sentence, its heading, then what came before. Never guessed."""

from __future__ import annotations

import re

from pipelines.extract.prose.clauses import COMPARATOR, clause_around, object_reach, segments_before
from pipelines.extract.prose.factors import find_factors
from pipelines.extract.prose.names import VERB, Mention, canonical, heading_model, models_in, platforms_in
from pipelines.extract.prose.sentences import Section, Sentence

_IS_SUBJECT = re.compile(
    rf"(?:\s+(?:systems?|platforms?|servers?|accelerators?|GPUs?|processors?|instances?|chips?|clusters?))?\s*(?:\([^()]*\)\s*)?\s(?:\w+ly\s+|now\s+|still\s+)?{VERB}\b"
)
_IS_PLACED = re.compile(
    r"\b(?:on|with|using|by|from|of|for)\s+(?:the\s+|an?\s+|our\s+|one\s+|single\s+)*$", re.IGNORECASE
)
_ON = re.compile(r"\s*[^,;.]{0,30}?\bon\s+(?:the\s+|an?\s+|our\s+|one\s+|single\s+)*$", re.IGNORECASE)
# `the performance of the A100`, behind `double` or `2x`
_OF = re.compile(
    r"\b(?:throughput|performance|latency|speed|time[\s\w-]*|(?:images|tokens|samples|sequences)\s+per\s+second)\s+(?:of|on|for)\s+(?:the\s+|an?\s+|that\s+of\s+)*$",
    re.IGNORECASE,
)
_AGAINST_FIRST = re.compile(r"(?:compared|relative|in\s+comparison)\s+(?:to|with)|versus|against", re.IGNORECASE)
_PRONOUN = re.compile(
    r"(?:It|This|They|These)\b|The\s+(?:system|platform|accelerator|processor|chip|server|machine)s?\b(?!\s+[A-Z])"
)
_TASKS = (
    ("training", re.compile(r"\b(?:pre-?|fine-?)?(?:train(?:s|ed|ing)?|tun(?:ed|ing))\b", re.IGNORECASE)),
    ("inference", re.compile(r"\b(?:inferenc(?:e|es|ing)|serving)\b", re.IGNORECASE)),
)
_PREPOSITION = re.compile(
    r"(?:\bon|\bfor|\bin|\bwith|\busing|\brunning|\btraining|\bof|\bat)\s+(?:[\w-]+\s+){0,4}$", re.IGNORECASE
)


def baselines_in(plain: str) -> list[tuple[int, Mention]]:
    """(offset of the comparator, platform behind it) for every comparator whose object is a platform."""
    found = []
    for comparator in COMPARATOR.finditer(plain):
        reach = object_reach(plain, comparator.end())
        for mention in platforms_in(plain):
            if comparator.end() <= mention.start < reach:
                found.append((comparator.start(), mention))
                break
    return found


def baseline_of(sentence: Sentence, start: int, end: int) -> Mention | None:
    """The platform that the factor at `start`..`end` is against, as far as this sentence tells."""
    plain = sentence.plain
    _, right = clause_around(plain, start, end)
    later = [factor.outer for factor in find_factors(plain) if factor.outer >= end]
    for offset, mention in baselines_in(plain):
        if end <= offset < right:
            between = [m for m in platforms_in(plain) if end <= m.start < offset and _is_subject(plain, m)]
            is_listed = not later or offset < later[0] or not between
            return mention if is_listed else None
    for mention in platforms_in(plain):
        if end <= mention.start < right and _OF.search(plain[end : mention.start]):
            return mention
    if any(match.start() >= end for match in COMPARATOR.finditer(plain, end, right)):
        return None
    for offset, mention in reversed(baselines_in(plain)):
        is_verb = re.match(r"outperform|surpass|beat", plain[offset:], re.IGNORECASE)
        if offset < start and (is_verb or _AGAINST_FIRST.match(plain, offset)):
            if not any(mention.end <= factor.outer < start for factor in find_factors(plain)) or not is_verb:
                return mention
    return None


def subject_of(sentence: Sentence, start: int, end: int, baseline: Mention | None) -> Mention | None:
    """The platform that a factor or a number is about, as far as this sentence tells; None where two could be meant."""
    plain = sentence.plain
    others = {mention for _, mention in baselines_in(plain)} | ({baseline} if baseline else set())
    candidates = [mention for mention in platforms_in(plain) if mention not in others]
    left, right = clause_around(plain, start, end)
    for mention in candidates:
        if left <= mention.start < start and (found := _only(plain, candidates, left, start)):
            return found
    for mention in candidates:
        if end <= mention.start < right and _IS_PLACED.search(plain[: mention.start]):
            return mention
    for low, high in segments_before(plain, start):
        if any(low <= mention.start < high for mention in candidates):
            return _only(plain, candidates, low, high)
    return None


def measured_on(sentence: Sentence, start: int, end: int) -> Mention | None:
    """The platform that a number was measured on, as far as this sentence tells."""
    plain = sentence.plain
    for mention in platforms_in(plain):
        between = plain[end : mention.start]
        if mention.start >= end and _ON.fullmatch(between) and not any(c.isdigit() for c in between):
            return mention
    found = subject_of(sentence, start, end, None)
    if found:
        return found
    others = {mention for _, mention in baselines_in(plain)}
    names = {canonical(m.name): m for m in reversed(platforms_in(plain)) if m not in others}
    return next(iter(names.values())) if len(names) == 1 else None


def told_baseline(section: Section, subject: str, before: Sentence) -> str | None:
    """The one platform that earlier sentences of the section, or its headings, set against the subject (`X vs Y`)."""
    found: dict[str, str] = {}
    for sentence in [*before.before(), *section.headings()]:
        plain = sentence.plain
        for offset, baseline in baselines_in(plain):
            left = [m for m in platforms_in(plain) if m.end <= offset]
            if left and offset - left[-1].end <= 40 and canonical(left[-1].name) == canonical(subject):
                found.setdefault(canonical(baseline.name), sentence.text[baseline.start : baseline.end])
    return next(iter(found.values())) if len(found) == 1 else None


def told_subject(sentence: Sentence) -> str | None:
    """The subject of the sentence before, where this one starts with `It`; else the one platform of the heading."""
    if _PRONOUN.match(sentence.plain):
        for previous in sentence.before():
            others = {mention for _, mention in baselines_in(previous.plain)}
            names = {canonical(m.name): m for m in platforms_in(previous.plain) if m not in others}
            if names:
                mention = next(iter(names.values()))
                return previous.text[mention.start : mention.end] if len(names) == 1 else None
    for heading in sentence.section.headings():
        if heading is sentence:
            continue
        others = {mention for _, mention in baselines_in(heading.plain)}
        names = {canonical(m.name): m for m in platforms_in(heading.plain) if m not in others}
        if names:
            mention = next(iter(names.values()))
            return heading.text[mention.start : mention.end] if len(names) == 1 else None
    return None


def model_of(sentence: Sentence, start: int, end: int, values: list[tuple[int, int]]) -> str | None:
    """The model that a number is about: the one its clause names, then the sentence, the heading, the sentences before.

    Args:
        sentence: The sentence.
        start: First character of the number with its bound.
        end: One past its last character.
        values: Characters of every value of the sentence; a name between two of them belongs to one of these.
    """
    plain = sentence.plain
    mentions = [m for m in models_in(plain) if not start <= m.start < end]
    left, right = clause_around(plain, start, end)
    next_start = min([right, *(low for low, _ in values if low >= end)])
    last_end = max([left, *(high for _, high in values if high <= start)])
    behind = [m for m in mentions if end <= m.start < next_start and _PREPOSITION.search(plain[end : m.start] or " ")]
    ahead = [m for m in mentions if last_end <= m.start < start]
    if behind:
        return sentence.text[behind[0].start : behind[0].end]
    if ahead and len({m.name.casefold() for m in ahead}) == 1:
        return sentence.text[ahead[-1].start : ahead[-1].end]
    if mentions and not ahead:
        names = {m.name.casefold(): m for m in reversed(mentions) if m.start < start} or {
            m.name.casefold(): m for m in mentions
        }
        mention = next(iter(names.values()))
        return sentence.text[mention.start : mention.end] if len(names) == 1 else None
    if ahead:
        return None
    for heading in sentence.section.headings():
        if heading is not sentence and (found := heading_model(heading.plain)):
            return heading.text[found.start : found.end]
    for previous in sentence.before():
        if previous is not sentence.section.heading and (known := models_in(previous.plain)):
            return (
                previous.text[known[0].start : known[0].end] if len({m.name.casefold() for m in known}) == 1 else None
            )
    return None


def task_of(sentence: Sentence, start: int, end: int) -> str | None:
    """`training` or `inference` by the clause, the sentence, the headings, the sentences before; None where both are named."""
    left, right = clause_around(sentence.plain, start, end)
    headings = [heading.plain for heading in sentence.section.headings() if heading is not sentence]
    for text in (sentence.plain[left:right], sentence.plain, *headings, *(s.plain for s in sentence.before())):
        found = [task for task, pattern in _TASKS if pattern.search(text)]
        if found:
            return found[0] if len(found) == 1 else None
    return None


def _is_subject(plain: str, mention: Mention) -> bool:
    return _IS_SUBJECT.match(plain, mention.end) is not None


def _only(plain: str, candidates: list[Mention], start: int, end: int) -> Mention | None:
    """The candidate that is the grammatical subject, or the only one; None where two could be meant."""
    inside = [m for m in candidates if start <= m.start < end]
    subjects = [
        m for m in inside if _is_subject(plain, m) and not re.search(r"\b(?:and|or|&)\s+(?:the\s+)?$", plain[: m.start])
    ]
    if subjects:
        return subjects[-1]
    return inside[-1] if len({canonical(m.name) for m in inside}) == 1 else None
