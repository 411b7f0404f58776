"""Finds the platform and the model of a value in a sentence; None if two are possible."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from pipelines.extract.grammar import CONTENT, GRAMMAR
from pipelines.extract.mentions import Mention, find_mentions, mentions_in
from pipelines.extract.prose.quantities import (
    Factor,
    Span,
    condition_spans,
    find_factors,
    is_other_side,
    number_of,
    part_around,
    until_next,
)
from pipelines.extract.prose.sentences import Sentence
from pipelines.values.numbers import parse_count
from pipelines.values.quantity import Quantity
from pipelines.vocabulary.lookup import find
from pipelines.vocabulary.printed_names import read_platform

# Between the names of `IPU-M2000 system vs the latest GPU`
_PAIR_REACH = 40
# A comparison, and so a ratio per dollar, has two sides.
_SIDES = 2


@lru_cache
def names_in(plain: str, *kinds: str) -> tuple[Mention, ...]:
    """Known platforms or models of a sentence; one in small letters only (`clip`, `bow`) is an
    everyday word.
    """
    found = []
    for mention in mentions_in(plain, *kinds):
        if any(c.isupper() or c.isdigit() for c in mention.value):
            start = mention.start + len("the ") * plain.startswith("the ", mention.start)
            name = GRAMMAR["chip_behind"].sub("", plain[start : mention.end])
            found.append(Mention(mention.kind, name, start, start + len(name)))
    return tuple(found)


@lru_cache
def unknown_names_in(plain: str) -> tuple[Mention, ...]:
    """Words that look like names and that no vocabulary knows; except a capital at the start of the
    text.
    """
    taken = list[Span]()
    for mention in find_mentions(plain, True):
        # `TensorFlow Probability (TFP)` is still the framework; `QuickAttn` holds a word for kernels.
        tail = GRAMMAR["framework_tail"].match(plain, mention.end)
        end = tail.end() if tail and mention.kind == "framework" else mention.end
        if mention.kind != "field":
            taken.append((mention.start, end))
    found = []
    for match in GRAMMAR["proper_name"].finditer(plain):
        start, end = match.span()
        # `FlashFoo` and `A1` are names at the start as well, unlike `These` and `LLM`.
        is_name = any(map(str.isalnum, plain[:start])) or GRAMMAR["surely_name"].search(match[0])
        if is_name and not any(low < end and start < high for low, high in taken):
            found.append(Mention("unknown", match[0], start, end))
    return tuple(found)


@lru_cache
def ratios_in(plain: str) -> tuple[Factor, ...]:
    """The printed factors of a sentence without those that count things: `8x H100`."""
    names = {mention.start for mention in names_in(plain, "platform")}
    found = list[Factor]()
    for factor in find_factors(plain):
        is_whole = factor.quantity.value.is_integer() and plain[factor.end - 1] in "xX\u00d7"
        is_before_name = not names.isdisjoint((factor.start, factor.end, factor.end + 1))
        if not is_whole or not (is_before_name or GRAMMAR["counted"].match(plain, factor.end)):
            found.append(factor)
    ends = [0, *(factor.end for factor in found)]
    starts = [*(factor.outer for factor in found[1:]), len(plain)]
    return tuple(
        factor._replace(begin=begin, limit=limit)
        for factor, begin, limit in zip(found, ends, starts, strict=False)
    )


def canonical(printed: str) -> str:
    """What two spellings of one platform have in common: the canonical name where one is known."""
    entry = find("platforms", printed)
    return entry.name if entry else printed.casefold()


def _subjects(plain: str, names: Sequence[Mention]) -> list[Mention]:
    """The names of a sentence that nothing is compared with."""
    others = [(side.word.end(), side.phrase.end) for side in other_sides(plain)]
    return [m for m in names if not any(low <= m.start < high for low, high in others)]


class Side(NamedTuple):
    """What is behind a word of comparison.

    Attributes:
        word: The word of comparison.
        phrase: What is compared with: `stock server` of `than the stock server on the A100`.
        has_platform: Whether a platform is there.
        platform: The platform if it is certainly the one that is compared with.
    """

    word: re.Match[str]
    phrase: Mention
    has_platform: bool
    platform: Mention | None


@lru_cache
def other_sides(plain: str) -> tuple[Side, ...]:
    """What the words of comparison of a sentence are followed by, in order."""
    ratios, names = ratios_in(plain), names_in(plain, "platform")
    multiples = (GRAMMAR["multiple_of"].match(plain, ratio.end) for ratio in ratios)
    words = [*GRAMMAR["comparator"].finditer(plain), *filter(None, multiples)]
    found = []
    for word in sorted(words, key=re.Match.start):
        first = word.end()
        _, stop = part_around(plain, first, first)
        stop = until_next([ratio.outer for ratio in ratios], first, stop)
        lead = GRAMMAR["lead"].match(plain, first, stop)
        start = lead.end() if lead else first
        end = GRAMMAR["phrase_end"].search(plain, start, stop)
        text = plain[start : end.start() if end else stop].rstrip(" .")
        phrase = Mention("", text, start, start + len(text))
        # In `than vLLM on the A100` both sides ran there.
        platforms = [m for m in names if first <= m.start < phrase.end]
        is_known = platforms and not _has_unknown(plain, start, platforms[0].start)
        platform = _alone(plain, platforms[0], names) if is_known else None
        found.append(Side(word, phrase, bool(platforms), platform))
    return tuple(found)


def _has_unknown(plain: str, start: int, end: int, names: Sequence[Mention] = ()) -> bool:
    """True if an unknown name may replace a known one; `Graphcore` is not a model."""
    is_model = any(name.kind == "model" for name in names)
    unknown = [name for name in unknown_names_in(plain) if start <= name.start and name.end <= end]
    return any(not is_model or any(map(str.isdigit, name.value)) for name in unknown)


def _one(names: Sequence[Mention]) -> Mention | None:
    """The first name, if all are of one thing."""
    return names[0] if len({canonical(name.value) for name in names}) == 1 else None


def _alone(plain: str, name: Mention, names: Sequence[Mention]) -> Mention | None:
    """The name, but None for the first of a list: `on BERT-Large and ResNet-50`."""
    following = [other.start for other in names if other.start >= name.end]
    between = plain[name.end : following[0]].strip(" ,/&") if following else "-"
    return None if between in ("", "and", "or") else name


class Attribution:
    """Whose the values of a sentence are. `values` are the characters of all of them."""

    def __init__(self, sentence: Sentence, values: Collection[Span]) -> None:
        self.sentence, self.plain, self.values = sentence, sentence.plain, values
        self.platforms = names_in(self.plain, "platform")

    def printed(self, mention: Mention | None) -> str | None:
        """A name as printed."""
        return self.sentence.name(mention.start, mention.end) if mention else None

    def platform_of(self, value: Span) -> Mention | None:
        """The platform that a number was measured on; in a comparison of platforms only one that is
        linked to it.
        """
        plain = self.plain
        if found := self._linked(value, self.platforms):
            return _alone(plain, found, self.platforms)
        left, _ = part_around(plain, *value)
        others = [side.platform for side in other_sides(plain) if side.platform]
        # `It reaches 1,465 tokens/s, 1.3 times the H100 result`: the sides of the comparison are
        # not stated.
        is_unclear = ratios_in(plain) and not others
        if is_unclear or is_other_side(plain, value[0]):
            return None
        if any(left <= other.start < value[0] for other in others):
            return None
        return self._name_of(value, _subjects(plain, self.platforms))

    def model_of(self, value: Span) -> str | None:
        """The model that a value is about, as printed: of the sentence, else of the heading."""
        if models := names_in(self.plain, "model"):
            return self.printed(self._name_of(value, models))
        if any(any(map(str.isdigit, name.value)) for name in unknown_names_in(self.plain)):
            return None
        for other in self.sentence.near(0)[1:]:
            if found := _one(names_in(other.plain, "model")):
                return other.name(found.start, found.end)
        return None

    def side_of(self, ratio: Factor) -> Side | None:
        """What a ratio is compared with: before it, or after it and before the next ratio."""
        sides = other_sides(self.plain)
        _, clause = part_around(self.plain, ratio.outer, ratio.end, is_clause=True)
        later = min(clause, ratio.limit)
        behind = next((side for side in sides if ratio.end <= side.word.start() < later), None)
        for side in sides:
            start, groups = side.word.start(), side.word.groupdict()
            before = self.plain[:start].rstrip()[-1:]
            # `outperforms the A100 by 2.6x`, `Compared to the A100, ...`,
            # `On BERT, compared to the A100, ...`
            is_verb = groups.get("verb") and ratio.begin <= start
            is_first = behind is None and (not before or (before == "," and groups.get("first")))
            if start < ratio.outer and (is_verb or is_first):
                return side
        return behind

    def subject_of(self, ratio: Factor, side: Side | None, *, is_earlier: bool) -> Mention | None:
        """What a ratio favours, a platform or else software; `is_earlier` where releases or rounds
        are compared.
        """
        plain, span = self.plain, (ratio.outer, ratio.end)
        if is_earlier or (side and side.platform):
            return self._name_of(span, _subjects(plain, self.platforms))
        # What is behind `on` holds for both sides, except in `inference on the A100 is 2x faster`.
        named = [*mentions_in(plain, "framework", "precision"), *unknown_names_in(plain)]
        places = condition_spans(plain, with_platforms=True)
        things, free, before = list[Mention](), list[Mention](), list[Mention]()
        for name in _subjects(plain, [*named, *self.platforms]):
            is_free = not any(low <= name.start < high for low, high in places)
            if name.end > ratio.outer:
                continue
            if name.kind == "platform":
                before.append(name)
                free += [name] if is_free else []
            elif is_free and plain[name.end] != "'":
                things.append(name)
        platforms = free if things else before
        return self._name_of(span, platforms) if platforms or side is None else _one(things)

    def accelerators_of(self, mention: Mention) -> tuple[int | None, bool]:
        """Accelerators of a measurement, as printed right before its platform, and whether another
        count is printed.
        """
        plain, entry = self.plain, read_platform(mention.value).entry
        match = GRAMMAR["count_before"].search(plain, 0, mention.start)
        chips = int(entry.facts.get("chips") or 1) if entry else 1
        is_plural = mention.value.endswith("s") or GRAMMAR["plural"].match(plain, mention.end)
        if match and entry and is_plural:
            printed = match["count"].lower()
            count = parse_count(CONTENT["numbers"].get(printed, printed))
            return (count * chips if count else None), False
        others = mentions_in(plain, "accelerator_count", "nodes")
        is_counted = match or others or GRAMMAR["several"].search(plain)
        return None, chips == 1 and bool(is_counted)

    def told_baseline(self, subject: str) -> str | None:
        """The one platform that this sentence, earlier ones or the heading set against the subject
        (`X vs Y`).
        """
        found = []
        for other in self.sentence.near():
            names = names_in(other.plain, "platform")
            for side in other_sides(other.plain):
                # `The H200 is 2x faster than the H100` says nothing of another sentence.
                if ratios_in(other.plain) and side.word[0][0] not in "vV":
                    continue
                start = side.word.start()
                left = [m.value for m in names if m.end <= start <= m.end + _PAIR_REACH]
                if side.platform and left and canonical(left[-1]) == canonical(subject):
                    found.append(side.platform)
        one = _one(found)
        return one.value if one else None

    def _name_of(self, value: Span, names: Sequence[Mention]) -> Mention | None:
        """The name of a value: linked after it, alone before it in its clause, or alone in the
        sentence.
        """
        plain, (start, end) = self.plain, value
        if found := self._linked(value, names):
            return _alone(plain, found, names)
        left, right = part_around(plain, start, end)
        # A name in the next clause does not belong to this value.
        _, clause = part_around(plain, start, end, is_clause=True)
        # `40% lower latency for Llama2-70B inference and 2.7x`: a name behind another value does
        # not belong to this one
        factors = {(factor.outer, factor.end) for factor in find_factors(plain)}
        before = [other for other in self.values if other[1] <= start]
        alike = [other[1] for other in before if (other in factors) == (value in factors)]
        free = list[Mention]()
        for name in names:
            is_behind = alike and min(alike) <= name.start
            is_owned = is_behind and GRAMMAR["joint"].search(plain, name.end, start)
            if name.start < clause and not is_owned:
                free.append(name)
        borders = [0]
        for part in GRAMMAR["part"].finditer(plain, 0, start):
            borders = [part.end()] if part["clause"] else [*borders, part.end()]
        for low in (max([left, *(high for _, high in before)]), *reversed(borders)):
            if inside := [name for name in free if low <= name.start < start]:
                found = _one(inside)
                return found if found and not _has_unknown(plain, found.end, start, names) else None
        return None if _has_unknown(plain, left, right, names) else _one(free)

    def _linked(self, value: Span, names: Sequence[Mention]) -> Mention | None:
        """The first name after a value that a word such as `on` links to it, before the next value
        or comma.
        """
        plain, (_, right) = self.plain, part_around(self.plain, *value)
        stop = until_next([low for low, _ in self.values], value[1], right)
        for name in names:
            if value[1] <= name.start < stop:
                is_joined = GRAMMAR["joint"].search(plain, value[1], name.start)
                is_linked = GRAMMAR["link"].search(plain, value[1], name.start)
                if not is_joined:
                    return name if is_linked else None
        return None

    def sides_by_price(self, subject: str | None) -> tuple[str | None, str | None]:
        """Subject and baseline of a ratio per dollar that names no baseline.

        Such a ratio needs both prices: where the section has printed those of exactly two
        platforms, these are the two sides.
        """
        priced = dict[str, str]()
        for other in reversed(self.sentence.near()):
            for _, _, platform in find_prices(other.plain):
                priced[canonical(platform.value)] = platform.value
        named = _one([m for m in self.platforms if canonical(m.value) in priced])
        subject = subject or (named.value if named else None)
        others = [name for key, name in priced.items() if subject and key != canonical(subject)]
        return subject, others[0] if len(priced) == _SIDES and len(others) == 1 else None


def find_prices(plain: str) -> Iterator[tuple[Span, Quantity, Mention]]:
    """Characters, dollars and platform of every list price of a system; a chip means its server.

    Hourly rates, savings and markets are none.
    """
    last = 0
    for match in GRAMMAR["price"].finditer(plain):
        start, dollars = match.start(), number_of(match)
        before = [name for name in names_in(plain, "platform") if last <= name.start < start]
        entry = find("platforms", before[-1].value) if before else None
        is_system = entry is not None and entry.facts.get("chips") != 1
        if dollars and is_system and GRAMMAR["list_price"].search(plain, 0, start):
            yield match.span("value"), dollars, before[-1]
        last = match.end()
