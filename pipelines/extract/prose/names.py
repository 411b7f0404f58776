"""Finds the platform and the model of a value in a sentence; None if two are possible."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from pipelines.extract.mentions import PLURAL, Mention, find_mentions
from pipelines.extract.prose.quantities import (
    BOUND_PREFIX,
    COMPARATOR,
    LINK,
    MULTIPLE,
    PART,
    Factor,
    Span,
    condition_spans,
    find_factors,
    is_other_side,
    number_of,
    part_around,
)
from pipelines.extract.prose.sentences import Sentence
from pipelines.values.numbers import NUMBER, parse_count
from pipelines.values.quantity import Quantity
from pipelines.vocabulary.lookup import find
from pipelines.vocabulary.printed_names import read_platform

# Directly after a factor: `2x the performance of`
MULTIPLE_OF = re.compile(r"(?i)\s(?:the\s+(?P<metric>(?:[\w-]+\s+){1,3}?)|that\s+)of\b")
# Words that end a phrase: in `10% of the total training compute` nothing is compared.
PHRASE_END = re.compile(
    r"(?i)\b(?:of|on|in|for|from|at|by|to(?!-)|and|or|when|is|are|was|were|that|which|who|with|than|vs|versus|over"
    r"|using|via|through|across|against|compared|relative)\b(?!-)|[,;:.(](?:\s|$)"
)
# ` the 48 hours on the `, ` published for the `, ` that of the `: what leads to the name of the
# other side
_LEAD = re.compile(
    r"(?i)\s*(?:(?:the|an?|its|our|their|that|those|what|with|using|on|in|for|at|of|from|by|\w{1,20}'s|published|reported|measured"
    r"|achieved|they|we|had|did|got|saw|possible|results?|performance|throughput|latency|both|[\d.,]{1,9}\s\w{1,20})\s+)*"
)
_JOINT = re.compile(r"(?i)(?<![\w-])(?:and|or|&|while|but)(?![\w-])")
# A name that no vocabulary knows: `Foo-9000`, `Groq`; `GPU`, `AI` and the start of a sentence name
# nothing.
_PROPER = re.compile(
    r"(?<![\w.,'/$-])(?!(?:[GCITHN]PUs?|AI|ML|MLPerf|SDK|I|U)\b)(?:(?:[A-Z]|[a-z]+-?\d)[\w+-]*|\d[\d.]*[BM]\b)"
)
_IS_NAME = re.compile(r"\d|[a-z][A-Z]")
_TAIL = re.compile(r"(?:\s[A-Z][a-z]+)?(?:\s\([A-Z]+\))?")
_CHIP_BEHIND = re.compile(r"(?i)\s(?:AI\s)?(?:accelerator|chip|card)s?$")
# `8x Foo-9000`, `8x servers`, `16x 100GbE`: a count of things, of which no vocabulary knows the
# name
_COUNTED = re.compile(
    r"\s?(?:(?i:accelerator|server|node|chip|core|card|device|socket)s?\b|[A-Z][\w-]*[\dA-Z]s?\b|\d+\s?G)"
)
# `10,752 H100 GPUs`, `eight NVIDIA A100s`; no year
_COUNT_BEFORE = re.compile(
    r"(?i)(?<![\w.,$/-])(?P<count>\d{1,3}(?:,\d{3})+|(?!(?:19|20)\d\d\s)\d{1,6}(?=x?\s)|two|four|eight|sixteen)x?\s+"
    r"(?:(?:NVIDIA|AMD|Intel|Google|AWS)\s+)?$"
)
_NUMBERS = {"two": 2, "four": 4, "eight": 8, "sixteen": 16}
_SEVERAL = re.compile(r"(?i)\b(?:nodes?|clusters?|racks?|pods?|chips|systems?|servers?)\b")
# `$149,995`, `US$2 million`; not `$3.20 per hour`, and neither `$149` in `$149 995` nor `$149.995`
_PRICE = re.compile(
    rf"(?i){BOUND_PREFIX}(?<![\w.,])(?P<value>(?:US)?\$\s?(?!\d+\.\d{{3}}(?!\d))(?P<number>{NUMBER}){MULTIPLE})"
    r"(?!(?:\s|[,.]?')\d{3}(?!\d))(?![.,]?\w|\s*(?:/|per\b|an?\s+(?:hour|month)|-|\w*ly\b))"
)
_LIST_PRICE = re.compile(
    r"(?i)\b(?:list\s+price[ds]?|MSRP|retails?|sells\s+for|sold\s+for)\b[^,.;]{0,60}$"
)
# Between the names of `IPU-M2000 system vs the latest GPU`
_PAIR_REACH = 40
# A comparison, and so a ratio per dollar, has two sides.
_SIDES = 2


@lru_cache(maxsize=4096)
def names_in(plain: str, kind: str) -> tuple[Mention, ...]:
    """Known platforms or models of a sentence; one in small letters only (`clip`, `bow`) is an
    everyday word.
    """
    found = []
    for mention in find_mentions(plain, True):
        if mention.kind == kind and any(c.isupper() or c.isdigit() for c in mention.value):
            start = mention.start + len("the ") * plain.startswith("the ", mention.start)
            name = _CHIP_BEHIND.sub("", plain[start : mention.end])
            found.append(Mention(kind, name, start, start + len(name)))
    return tuple(found)


@lru_cache(maxsize=2048)
def unknown_names_in(plain: str) -> tuple[Mention, ...]:
    """Words that look like names and that no vocabulary knows; except a capital at the start of the
    text.
    """
    mentions = find_mentions(plain, True)
    # `QuickAttn` holds a word for kernels.
    taken = [(m.start, m.end) for m in mentions if m.kind != "field"]
    # `TensorFlow Probability (TFP)` is still the framework.
    taken += [
        (m.end, match.end())
        for m in mentions
        if m.kind == "framework" and (match := _TAIL.match(plain, m.end))
    ]
    first = next((at for at, sign in enumerate(plain) if sign.isalnum()), 0)
    return tuple(
        Mention("unknown", match[0], *match.span())
        for match in _PROPER.finditer(plain)
        if not any(low < match.end() and match.start() < high for low, high in taken)
        # `FlashFoo` and `A1` are names at the start as well, unlike `These` and `LLM`.
        and (match.start() > first or _IS_NAME.search(match[0]))
    )


@lru_cache(maxsize=1024)
def ratios_in(plain: str) -> tuple[Factor, ...]:
    """The printed factors of a sentence without those that count things: `8x H100`."""
    names = {mention.start for mention in names_in(plain, "platform")}
    return tuple(
        factor
        for factor in find_factors(plain)
        if plain[factor.end - 1] not in "xX\u00d7"
        or not factor.quantity.value.is_integer()
        or not (
            _COUNTED.match(plain, factor.end) or names & {factor.start, factor.end, factor.end + 1}
        )
    )


def canonical(printed: str) -> str:
    """What two spellings of one platform have in common: the canonical name where one is known."""
    entry = find("platforms", printed)
    return entry.name if entry else printed.casefold()


def subjects_in(plain: str, names: Sequence[Mention]) -> list[Mention]:
    """The names of a sentence that nothing is compared with."""
    sides = other_sides(plain)
    return [
        m for m in names if not any(side.word.end() <= m.start < side.phrase.end for side in sides)
    ]


class Side(NamedTuple):
    """What is behind a word of comparison.

    Attributes:
        word: The word of comparison.
        phrase: What is compared with: `stock server` of `than the stock server on the A100`; its
            kind is `platform` if a platform is there.
        platform: The platform in it if it is certainly the one that is compared with.
    """

    word: re.Match[str]
    phrase: Mention
    platform: Mention | None


@lru_cache(maxsize=1024)
def other_sides(plain: str) -> tuple[Side, ...]:
    """What the words of comparison of a sentence are followed by, in order."""
    ratios, names = ratios_in(plain), names_in(plain, "platform")
    matches = [
        *COMPARATOR.finditer(plain),
        *filter(None, (MULTIPLE_OF.match(plain, ratio.end) for ratio in ratios)),
    ]
    found = []
    for match in sorted(matches, key=re.Match.start):
        _, stop = part_around(plain, match.end(), match.end())
        stop = min([stop, *(ratio.outer for ratio in ratios if ratio.outer >= match.end())])
        start = match.end() + len(_LEAD.findall(plain, match.end(), stop)[0])
        end = PHRASE_END.search(plain, start, stop)
        text = plain[start : end.start() if end else stop].rstrip(" .")
        # In `than vLLM on the A100` both sides ran there.
        platform = next((m for m in names if match.end() <= m.start < start + len(text)), None)
        phrase = Mention("platform" if platform else "", text, start, start + len(text))
        if platform and (
            not _is_alone(plain, platform, names) or _has_unknown(plain, start, platform.start)
        ):
            platform = None
        found.append(Side(match, phrase, platform))
    return tuple(found)


def _has_unknown(plain: str, start: int, end: int, names: Sequence[Mention] = ()) -> bool:
    """True if an unknown name may replace a known one; `Graphcore` is not a model."""
    is_model = any(name.kind == "model" for name in names)
    unknown = (name for name in unknown_names_in(plain) if start <= name.start and name.end <= end)
    return any(not is_model or any(map(str.isdigit, name.value)) for name in unknown)


def _one(names: Sequence[Mention]) -> Mention | None:
    distinct = {canonical(name.value): name for name in reversed(names)}
    return next(iter(distinct.values())) if len(distinct) == 1 else None


def _joins(text: str) -> bool:
    """True for the text between two names of a list."""
    return text.strip(" ,/&") in ("", "and", "or")


def _is_alone(plain: str, name: Mention, names: Sequence[Mention]) -> bool:
    """False for the first of a list: `on BERT-Large and ResNet-50`."""
    following = next((other for other in names if other.start >= name.end), None)
    return following is None or not _joins(plain[name.end : following.start])


class Attribution:
    """Whose the values of a sentence are. `values` are the characters of all of them."""

    def __init__(self, sentence: Sentence, values: Collection[Span]) -> None:
        self.sentence, self.plain, self.values = sentence, sentence.plain, values

    def printed(self, mention: Mention | None) -> str | None:
        """A name as printed."""
        return self.sentence.name(mention.start, mention.end) if mention else None

    def platform_of(self, value: Span) -> Mention | None:
        """The platform that a number was measured on; in a comparison of platforms only one that is
        linked to it.
        """
        plain, platforms = self.plain, names_in(self.plain, "platform")
        if found := self._linked(value, platforms):
            return found if _is_alone(plain, found, platforms) else None
        left, _ = part_around(plain, *value)
        others = [side.platform for side in other_sides(plain) if side.platform]
        is_unclear = any(left <= other.start < value[0] for other in others)
        # `It reaches 1,465 tokens/s, 1.3 times the H100 result`: the sides of the comparison are
        # not stated.
        is_unclear = is_unclear or (bool(ratios_in(plain)) and not others)
        is_unclear = is_unclear or is_other_side(plain, value[0])
        return None if is_unclear else self._name_of(value, subjects_in(plain, platforms))

    def model_of(self, value: Span) -> str | None:
        """The model that a value is about, as printed: of the sentence, else of the heading."""
        if models := names_in(self.plain, "model"):
            return self.printed(self._name_of(value, models))
        if any(any(map(str.isdigit, name.value)) for name in unknown_names_in(self.plain)):
            return None
        for other in self.sentence.heading():
            if found := _one(names_in(other.plain, "model")):
                return other.name(found.start, found.end)
        return None

    def side_of(self, ratio: Factor) -> Side | None:
        """What a ratio is compared with: before it, or after it and before the next ratio."""
        ratios, sides = ratios_in(self.plain), other_sides(self.plain)
        _, clause = part_around(self.plain, ratio.outer, ratio.end, is_clause=True)
        later = min([clause, *(other.outer for other in ratios if other.start > ratio.start)])
        behind = next((side for side in sides if ratio.end <= side.word.start() < later), None)
        for side in sides:
            start, groups = side.word.start(), side.word.groupdict()
            before = self.plain[:start].rstrip()[-1:]
            # `outperforms the A100 by 2.6x`, `Compared to the A100, ...`,
            # `On BERT, compared to the A100, ...`
            is_next = not any(start < other.start < ratio.start for other in ratios)
            is_first = behind is None and (not before or (before == "," and groups.get("first")))
            if start < ratio.outer and ((groups.get("verb") and is_next) or is_first):
                return side
        return behind

    def subject_of(self, ratio: Factor, side: Side | None, *, is_earlier: bool) -> Mention | None:
        """What a ratio favours, a platform or else software; `is_earlier` where releases or rounds
        are compared.
        """
        plain, span = self.plain, (ratio.outer, ratio.end)
        platforms = names_in(plain, "platform")
        if is_earlier or (side and side.platform):
            return self._name_of(span, subjects_in(plain, platforms))
        # What is behind `on` holds for both sides, except in `inference on the A100 is 2x faster`.
        named = [m for m in find_mentions(plain, True) if m.kind in ("framework", "precision")]
        names = subjects_in(plain, [*named, *unknown_names_in(plain), *platforms])
        names = [name for name in names if name.end <= ratio.outer]
        places = condition_spans(plain, with_platforms=True)
        free = [name for name in names if not any(low <= name.start < high for low, high in places)]
        things = [name for name in free if name.kind != "platform" and plain[name.end] != "'"]
        before = [name for name in (free if things else names) if name.kind == "platform"]
        return self._name_of(span, before) if before or side is None else _one(things)

    def accelerators_of(self, mention: Mention) -> tuple[int | None, bool]:
        """Accelerators of a measurement, as printed right before its platform, and whether another
        count is printed.
        """
        plain, match = self.plain, _COUNT_BEFORE.search(self.plain, 0, mention.start)
        entry = read_platform(mention.value).entry
        chips = int(entry.facts.get("chips") or 1) if entry else 1
        if match and entry and (mention.value.endswith("s") or PLURAL.match(plain, mention.end)):
            count = _NUMBERS.get(match["count"].lower()) or parse_count(match["count"])
            return (count * chips if count else None), False
        others = any(m.kind in ("accelerator_count", "nodes") for m in find_mentions(plain, True))
        return None, chips == 1 and bool(match or others or _SEVERAL.search(plain))

    def told_baseline(self, subject: str) -> str | None:
        """The one platform that this sentence, earlier ones or the heading set against the subject
        (`X vs Y`).
        """
        found = []
        for other in (self.sentence, *self.sentence.before(), *self.sentence.heading()):
            for word, _, baseline in other_sides(other.plain):
                # `The H200 is 2x faster than the H100` says nothing of another sentence.
                if ratios_in(other.plain) and word[0][0] not in "vV":
                    continue
                left = [
                    m
                    for m in names_in(other.plain, "platform")
                    if m.end <= word.start() <= m.end + _PAIR_REACH
                ]
                if baseline and left and canonical(left[-1].value) == canonical(subject):
                    found.append(baseline)
        one = _one(found)
        return one.value if one else None

    def _name_of(self, value: Span, names: Sequence[Mention]) -> Mention | None:
        """The name of a value: linked after it, alone before it in its clause, or alone in the
        sentence.
        """
        plain, (start, end) = self.plain, value
        if (found := self._linked(value, names)) is not None:
            return found if _is_alone(plain, found, names) else None
        left, right = part_around(plain, start, end)
        factors = {(factor.outer, factor.end) for factor in find_factors(plain)}
        # `40% lower latency for Llama2-70B inference and 2.7x`: a name behind another value does
        # not belong to this one
        alike = [
            other
            for other in self.values
            if other[1] <= start and (other in factors) == (value in factors)
        ]
        behind = [name for name in names if alike and min(alike)[1] <= name.start]
        owned = {name for name in behind if _JOINT.search(plain, name.end, start)}
        # A name in the next clause does not belong to this value.
        _, clause = part_around(plain, start, end, is_clause=True)
        free = [name for name in names if name not in owned and name.start < clause]
        previous = max([left, *(high for _, high in self.values if high <= start)])
        borders = [0]
        for match in PART.finditer(plain, 0, start):
            borders = [match.end()] if match["clause"] else [*borders, match.end()]
        for low in (previous, *reversed(borders)):
            if inside := [name for name in free if low <= name.start < start]:
                found = _one(inside)
                return found if found and not _has_unknown(plain, found.end, start, names) else None
        return None if _has_unknown(plain, left, right, names) else _one(free)

    def _linked(self, value: Span, names: Sequence[Mention]) -> Mention | None:
        """The first name after a value that a word such as `on` links to it, before the next value
        or comma.
        """
        plain, (_, right) = self.plain, part_around(self.plain, *value)
        stop = min([right, *(low for low, _ in self.values if low >= value[1])])
        for name in names:
            if value[1] <= name.start < stop and not _JOINT.search(plain, value[1], name.start):
                return name if LINK.search(plain, value[1], name.start) else None
        return None

    def sides_by_price(self, subject: str | None) -> tuple[str | None, str | None]:
        """Subject and baseline of a ratio per dollar that names no baseline.

        Such a ratio needs both prices: where the section has printed those of exactly two
        platforms, these are the two sides.
        """
        priced = dict[str, str]()
        for other in (*self.sentence.before(), self.sentence):
            for _, _, platform in find_prices(other.plain):
                priced[canonical(platform.value)] = platform.value
        named = _one([m for m in names_in(self.plain, "platform") if canonical(m.value) in priced])
        subject = subject or (named.value if named else None)
        others = [name for key, name in priced.items() if subject and key != canonical(subject)]
        return subject, others[0] if len(priced) == _SIDES and len(others) == 1 else None


def find_prices(plain: str) -> Iterator[tuple[Span, Quantity, Mention]]:
    """Characters, dollars and platform of every list price of a system; a chip means its server.

    Hourly rates, savings and markets are none.
    """
    last = 0
    for match in _PRICE.finditer(plain):
        dollars = number_of(match)
        before = [
            mention
            for mention in names_in(plain, "platform")
            if last <= mention.start < match.start()
        ]
        entry = find("platforms", before[-1].value) if before else None
        last = match.end()
        if (
            dollars
            and entry
            and entry.facts.get("chips") != 1
            and _LIST_PRICE.search(plain, 0, match.start())
        ):
            yield match.span("value"), dollars, before[-1]
