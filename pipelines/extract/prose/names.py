"""Which platform and which model a value of a sentence belongs to; None wherever two could be meant."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache

from pipelines.extract.mentions import PLURAL, Mention, find_mentions
from pipelines.extract.prose.factors import find_factors
from pipelines.extract.prose.sentences import Sentence
from pipelines.values.numbers import parse_count
from pipelines.vocabulary.lookup import find
from pipelines.vocabulary.printed_names import read_platform

Span = tuple[int, int]

# Where another part of a sentence starts
_PART = re.compile(
    r"[,;:]\s|\s(?:while|whereas|but|although|though)\s|\s-\s|\b(?:resulting in|leading to)\b", re.IGNORECASE
)
# Where a clause of its own starts
_CLAUSE = re.compile(r"[;:]\s|\s(?:while|whereas|but|although|though)\s|,\s+and\s|\s-\s", re.IGNORECASE)
# `than`, `vs the`, `compared to`, `outperforms`, `2x the performance of`; `over` only where it is no bound (`over 5x`)
COMPARATOR = re.compile(
    r"(?<![\w-])(?:(?<!more\s)(?<!less\s)(?<!fewer\s)(?<!greater\s)than|than(?!\s+\$?\d)|vs\.?|versus"
    r"|(?:in\s+)?compar(?:ed|ing|ison)\s+(?:to|with|against)|relative\s+to|against|unlike|instead\s+of|rather\s+than"
    r"|over(?!\s+(?:an?\s+)?[\d$])(?!\s+(?:the\s+)?(?:last|past|next|previous\s+(?:\w+\s+)?(?:months?|years?)))"
    r"|since\s+(?:our|its|their|the|last|previous)|outperform(?:s|ed|ing)?|surpass(?:es|ed|ing)?|beat(?:s|ing)?|same\s+(?:[\w-]+\s+){1,2}?as"
    r"|as\s+(?:fast|quick|quickly|much|many|high|efficient|good)(?:\s+[\w-]+){0,3}?\s+as"
    r"|(?:performance|throughput|speed|latency|price|costs?|time|that|those)\s+of)(?![\w-])",
    re.IGNORECASE,
)
# What a comparison may start with: `Compared to the A100, ...`, `outperforms the A100 by 2.6x`
_AGAINST_FIRST = re.compile(
    r"(?:in\s+)?compar|relative|versus|vs|against|(?P<verb>outperform|surpass|beat)", re.IGNORECASE
)
# `2x the performance of the A100` compares, `the performance of the A100` does not.
_OF = re.compile(r"\s(?:(?:the|that|those)\s+)?(?:[\w-]+\s+){0,2}?", re.IGNORECASE)
_OBJECT_REACH = 70
# ` on `, ` for our `, ` (`: what stands behind a value belongs to it
_LINK = re.compile(
    r"(?:\b(?:on|for|in|with|using|across|running|training|at)\s+(?:(?:the|an?|our|both|one|single|new|latest"
    r"|\d{1,6}x?|[\d,]{5,7}|two|four|eight)\s+)*|\((?:on\s+)?)(?:[A-Z]\w+\s)?$",
    re.IGNORECASE,
)
_JOINT = re.compile(r"(?<![\w-])(?:and|or|&|while|but)(?![\w-])", re.IGNORECASE)
LISTED = re.compile(r"(?:,|\s|\band\b|\bor\b|&|/)+", re.IGNORECASE)
_PRONOUN = re.compile(r"\b(?:it|they|which|that|who)\b", re.IGNORECASE)
# A name that no vocabulary knows: `Foo-9000`, `Groq`; `GPU`, `AI` and the start of a sentence name nothing.
_PROPER = re.compile(
    r"(?<![\w.,'/$-])(?!(?:[GCITHN]PUs?|AI|ML|MLPerf|SDK|I|U)\b)(?:(?:[A-Z]|[a-z]+-?\d)[\w+-]*|\d[\d.]*[BM]\b)"
)
_TAIL = re.compile(r"(?:\s[A-Z][a-z]+)?(?:\s\([A-Z]+\))?")
_STOP = re.compile(r"[.:]\s")
_CHIP_BEHIND = re.compile(r"\s(?:AI\s)?(?:accelerator|chip|card)s?$", re.IGNORECASE)
# `10,752 H100 GPUs`, `eight NVIDIA A100s`; no year
_COUNT_BEFORE = re.compile(
    r"(?<![\w.,$/-])(?P<count>\d{1,3}(?:,\d{3})+|(?!(?:19|20)\d\d\s)\d{1,6}(?=x?\s)|two|four|eight|sixteen)x?\s+"
    r"(?:(?:NVIDIA|AMD|Intel|Google|AWS)\s+)?$",
    re.IGNORECASE,
)
_NUMBERS = {"two": 2, "four": 4, "eight": 8, "sixteen": 16}
_SEVERAL = re.compile(r"\b(?:nodes?|clusters?|racks?|pods?|chips)\b", re.IGNORECASE)


@lru_cache(maxsize=2048)
def platforms_in(plain: str) -> tuple[Mention, ...]:
    """Known platforms named in a sentence."""
    return tuple(_known("platform", plain))


@lru_cache(maxsize=2048)
def models_in(plain: str) -> tuple[Mention, ...]:
    """Known models named in a sentence."""
    return tuple(_known("model", plain))


def _known(kind: str, plain: str) -> Iterator[Mention]:
    """Known names; one in small letters only (`clip`, `bow`) is an everyday word, unless it has a digit."""
    for mention in find_mentions(plain, True):
        if mention.kind == kind and any(c.isupper() or c.isdigit() for c in mention.value):
            start = mention.start + len("the ") * plain.startswith("the ", mention.start)
            name = _CHIP_BEHIND.sub("", plain[start : mention.end])
            yield Mention(kind, name, start, start + len(name))


@lru_cache(maxsize=2048)
def unknown_names_in(plain: str) -> tuple[Span, ...]:
    """Words that look like names and that no vocabulary knows."""
    mentions = find_mentions(plain, True)
    taken = [(m.start, m.end) for m in mentions]
    # `TensorFlow Probability (TFP)` is still the framework.
    taken += [(m.end, match.end()) for m in mentions if m.kind == "framework" and (match := _TAIL.match(plain, m.end))]
    return tuple(
        match.span()
        for match in _PROPER.finditer(plain)
        if not any(low < match.end() and match.start() < high for low, high in taken)
        and (any(map(str.isdigit, match[0])) or not _begins_sentence(plain, match.start()))
    )


def canonical(printed: str) -> str:
    """What two spellings of one platform have in common: the canonical name where one is known."""
    entry = find("platforms", printed)
    return entry.name if entry else printed.casefold()


def part_around(plain: str, start: int, end: int) -> Span:
    """First and last offset of the part of a sentence, between commas and the like, that holds a value."""
    left = max((match.end() for match in _PART.finditer(plain, 0, start)), default=0)
    stop = _PART.search(plain, end)
    return left, stop.start() if stop else len(plain)


@lru_cache(maxsize=1024)
def other_sides(plain: str) -> tuple[tuple[int, Mention | None], ...]:
    """(offset, platform behind it or None) of every comparator of a sentence, in order."""
    factors, names, found = find_factors(plain), {m.start for m in platforms_in(plain)}, []
    for match in COMPARATOR.finditer(plain):
        if match[0].lower().endswith("of") and not any(
            factor.end <= match.start() and _OF.fullmatch(plain, factor.end, match.start()) for factor in factors
        ):
            continue
        _, stop = part_around(plain, match.end(), match.end())
        later = (f for f in factors if f.start >= match.end() and not names.intersection((f.start, f.end, f.end + 1)))
        stop = min(stop, match.end() + _OBJECT_REACH, *(factor.start for factor in later), len(plain))
        mention = next((m for m in platforms_in(plain) if match.end() <= m.start < stop), None)
        if mention and _has_unknown(plain, match.end(), mention.start):
            mention = None
        found.append((match.start(), mention))
    # `twice the H100's throughput`
    for factor in factors:
        found += [
            (factor.end, m)
            for m in platforms_in(plain)
            if m.start >= factor.end and plain[factor.end : m.start].strip() in ("", "the", "an", "a", "that of the")
        ]
    return tuple(sorted(found, key=lambda side: side[0]))


def _has_unknown(plain: str, start: int, end: int, names: Sequence[Mention] = ()) -> bool:
    """True where an unknown name may stand in place of a known one; `Graphcore` may be no model."""
    unknown = (plain[low:high] for low, high in unknown_names_in(plain) if start <= low and high <= end)
    is_model = any(name.kind == "model" for name in names)
    return any(not is_model or any(map(str.isdigit, name)) for name in unknown)


def baseline_of(plain: str, start: int, end: int) -> tuple[Mention | None, bool]:
    """The platform that a factor is against, and whether the sentence says at all what it is against."""
    sides = other_sides(plain)
    later = next((factor.start for factor in find_factors(plain) if factor.start >= end), len(plain))
    stop = plain.find(";", end) if ";" in plain[end:] else len(plain)
    for offset, mention in sides:
        if end <= offset < stop:
            # `60x higher throughput and 16x lower latency than the A100`, but not `3x faster. On the B200 5x more than`
            between = plain[end:later]
            is_shared = not _PART.search(between) and not any(end <= m.start < later for m in platforms_in(plain))
            return mention if offset < later or is_shared else None, True
    for offset, mention in reversed(sides):
        if offset < start and (first := _AGAINST_FIRST.match(plain, offset)):
            # `outperforms the A100 by 2.1x and improves efficiency by 2.7x`
            is_used = any(offset < factor.start < start for factor in find_factors(plain))
            is_stated = not is_used if first["verb"] else plain[:offset].strip() == ""
            return (mention, True) if is_stated else (None, False)
    return None, False


def subjects_in(plain: str) -> list[Mention]:
    """The platforms of a sentence that nothing is compared with."""
    others = {mention for _, mention in other_sides(plain)}
    return [mention for mention in platforms_in(plain) if mention not in others]


def name_of(plain: str, value: Span, values: Collection[Span], names: Sequence[Mention]) -> Mention | None:
    """The name that a value is stated of: linked to it from behind, alone before it, or alone in its sentence.

    Args:
        plain: The sentence.
        value: Characters of the value.
        values: Characters of every value of the sentence.
        names: The names that may be meant.
    """
    start, end = value
    left, right = part_around(plain, start, end)
    if (found := linked(plain, value, values, names)) is not None:
        return found if _is_alone(plain, found, names) else None
    factors = {(factor.outer, factor.end) for factor in find_factors(plain)}
    owned = set()
    for other in values:
        # `2.7x on Llama 8B and 1.8x on average`: what is linked to another value is not said of this one
        name = linked(plain, other, values, names) if other[1] <= start else None
        if name and (other in factors) == (value in factors) and _JOINT.search(plain, name.end, start):
            owned.add(name)
    free = [name for name in names if name not in owned]
    clause = max((match.end() for match in _CLAUSE.finditer(plain, 0, start)), default=0)
    borders = {match.end() for match in _PART.finditer(plain, clause, start)} | {clause}
    previous = max([left, *(high for _, high in values if high <= start)])
    for low in (previous, *sorted(borders, reverse=True)):
        if inside := [name for name in free if low <= name.start < start]:
            found = _one(inside)
            return found if found and not _has_unknown(plain, found.end, start, names) else None
    return None if _has_unknown(plain, left, right, names) else _one(free)


def linked(plain: str, value: Span, values: Collection[Span], names: Sequence[Mention]) -> Mention | None:
    """The first name behind a value that a word such as `on` links to it, before the next value or comma."""
    _, right = part_around(plain, *value)
    stop = min([right, *(low for low, _ in values if low >= value[1])])
    for name in names:
        if value[1] <= name.start < stop and not _JOINT.search(plain, value[1], name.start):
            return name if _LINK.search(plain, value[1], name.start) else None
    return None


def _is_alone(plain: str, name: Mention, names: Sequence[Mention]) -> bool:
    """False for the first of a list: `on BERT-Large and ResNet-50`."""
    following = next((other for other in names if other.start >= name.end), None)
    return following is None or not LISTED.fullmatch(plain, name.end, following.start)


def _one(names: Sequence[Mention]) -> Mention | None:
    distinct = {canonical(name.value): name for name in reversed(names)}
    return next(iter(distinct.values())) if len(distinct) == 1 else None


def platform_of_number(plain: str, value: Span, values: Collection[Span]) -> Mention | None:
    """The platform that a number was measured on; the other side of a comparison only where it is linked to it."""
    platforms, start = platforms_in(plain), value[0]
    if found := linked(plain, value, values, platforms):
        return found if _is_alone(plain, found, platforms) else None
    left, right = part_around(plain, *value)
    others = [mention for _, mention in other_sides(plain) if mention]
    is_unclear = any(left <= mention.start < start for mention in others)
    if is_unclear or is_other_side(plain, start) or (others and _PRONOUN.search(plain, left, right)):
        return None
    return name_of(plain, value, values, subjects_in(plain))


def is_other_side(plain: str, start: int) -> bool:
    """True for a number that another one is set against: `faster than the 48 hours`, `1,107 vs. 395`."""
    ends = [match.end() for match in COMPARATOR.finditer(plain) if not match[0].lower().endswith("of")]
    return any(end <= start and plain[end:start].strip() in ("", "the") for end in ends)


def model_of(sentence: Sentence, value: Span, values: Collection[Span]) -> str | None:
    """The model that a value is about, as printed: of the sentence, else of the headings, else of the paragraph."""
    plain = sentence.plain
    if models := models_in(plain):
        found = name_of(plain, value, values, models)
        return sentence.name(found.start, found.end) if found else None
    if any(any(map(str.isdigit, plain[slice(*span)])) for span in unknown_names_in(plain)):
        return None
    for other in (*sentence.section.headings(), *sentence.before_in_passage()):
        if other is not sentence and (known := models_in(other.plain)):
            found = _one(known)
            return other.name(found.start, found.end) if found else None
    return None


def accelerators_of(plain: str, mention: Mention) -> tuple[int | None, bool]:
    """Accelerators of a measurement, as printed right before its platform, and whether another count is printed."""
    match = _COUNT_BEFORE.search(plain, 0, mention.start)
    entry = read_platform(mention.value).entry
    chips = int(entry.facts.get("chips") or 1) if entry else 1
    if match and entry and (mention.value.endswith("s") or PLURAL.match(plain, mention.end)):
        count = _NUMBERS.get(match["count"].lower()) or parse_count(match["count"])
        return (count * chips if count else None), False
    others = any(m.kind in ("accelerator_count", "nodes") for m in find_mentions(plain, True))
    return None, chips == 1 and bool(match or others or _SEVERAL.search(plain))


def _begins_sentence(text: str, at: int) -> bool:
    """Whether no word stands between the begin of a sentence and a place in it."""
    start = at
    while start and not (text[start - 1].isalnum() or text[start - 1] == "_"):
        start -= 1
    return not start or bool(_STOP.search(text, start, at))
