"""List prices in running text and the platforms they are printed for. Ratios of prices: `comparisons.py`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pipelines.extract.prose.factors import BOUND_PREFIX, bound_words
from pipelines.extract.prose.names import Mention, canonical, platforms_in, vendor_of, vendors_in
from pipelines.extract.prose.quantities import MULTIPLE, read_multiple
from pipelines.extract.prose.sentences import Sentence
from pipelines.extract.prose.subjects import baselines_in, subject_of
from pipelines.values.numbers import NUMBER
from pipelines.values.quantity import Quantity
from pipelines.vocabulary.lookup import find

_CURRENCY = r"(?:US)?\$\s?"
# `$149,995`, `US$2 million`; not `$3.20 per hour`, and neither `$149` in `$149 995` nor `$149.995`
_PRICE = re.compile(
    rf"{BOUND_PREFIX}(?<![\w.,])(?P<value>{_CURRENCY}(?!\d+\.\d{{3}}(?!\d))(?P<number>{NUMBER}){MULTIPLE})"
    r"(?!(?:\s|[,.]?['\u200b\u00ad])\d{3}(?!\d))"
    r"(?![.,]?\w|\s*(?:/|per\b|an?\s+(?:hour|month)|-|\w*ly\b)|\w)",
    re.IGNORECASE,
)
_PRICE_WORDS = re.compile(
    r"\b(?:list\s+price|price[ds]?|MSRP|costs?|costing|sells?\s+for|available\s+(?:for|at)|sold\s+(?:for|at)|sells\s+at|retails?\s+(?:for|at)|starts?\s+at)\b[^.;]{0,60}$",
    re.IGNORECASE,
)
# `Training BERT on the A100 costs`: what a run costs is no price of a system
_RUN = re.compile(
    r"\b(?:pre-?|fine-?)?(?:trained|tuned|served)\b[^;]*$|(?:^|[,;]\s|\bthat\s)\s*(?:to\s+)?(?:(?:pre|fine)-?)?(?:train|tun|run|serv|infer)(?:e|ing|ning|ence)?\b[^,;]*$",
    re.IGNORECASE,
)
# `half the price of an H100, estimated at $30,678`, `the DGX A100 ($300,000)`: the price of the name before it
_APPOSITION = re.compile(
    r"(?:\s+(?:systems?|servers?|cards?|GPUs?|accelerators?|boards?|baseboards?))?(?:,?\s*\(|,)?\s*(?:(?:each|which|currently|now)\s+)?"
    r"(?:(?:is|was|are)\s+)?(?:(?:estimated|listed|priced|sold|selling|retailing|available|starting)\s+(?:at|for|from)\s+)"
    rf"(?:an?\s+)?{BOUND_PREFIX}|,?\s*\(",
    re.IGNORECASE,
)
# `a list price of $149,995 for the IPU-POD16`
_FOR = re.compile(r"\s+for\s+(?:the|an?|one|each)\s+", re.IGNORECASE)
# `an H100 server costs $300,000`, `the Gaudi 3 baseboard`: the price of more than the chip that is named
_AROUND_CHIP = re.compile(
    r"\s+(?:(?:based|powered)\s+)?(?:base-?boards?|servers?|nodes?|racks?|clusters?|box(?:es)?)\b", re.IGNORECASE
)
# A ratio per dollar has two sides.
_SIDES = 2


@dataclass(frozen=True, slots=True)
class PrintedPrice:
    """A list price in dollars, the characters it is printed in, and the platform as printed."""

    start: int
    end: int
    dollars: Quantity
    platform_printed: str


def find_prices(sentence: Sentence) -> Iterator[PrintedPrice]:
    """Every list price of a platform; hourly rates, savings and markets are none."""
    last = 0
    for match in _PRICE.finditer(sentence.plain):
        dollars = read_dollars(match["value"], bound_words(match["bound"]))
        mention, last = _sold(sentence, *match.span("value"), last), match.end()
        before = sentence.plain[: match.start()]
        if mention and _AROUND_CHIP.match(sentence.plain, mention.end) and _is_chip(mention.name):
            continue
        if dollars and mention and _PRICE_WORDS.search(before) and not _RUN.search(before):
            start, end = match.span("value")
            yield PrintedPrice(start, end, dollars, sentence.name(mention.start, mention.end))


def _sold(sentence: Sentence, start: int, end: int, since: int) -> Mention | None:
    """The platform that a price is of, as far as this sentence tells.

    Args:
        sentence: The sentence.
        start: First character of the price.
        end: One past its last character.
        since: End of the price before it: what stands before that has its price.
    """
    plain, mentions = sentence.plain, platforms_in(sentence.plain)
    for mention in mentions:
        if mention.start >= end and _FOR.fullmatch(plain[end : mention.start]):
            return mention
    before = [mention for mention in mentions if since <= mention.start < start]
    if before and _APPOSITION.fullmatch(plain[before[-1].end : start]):
        return before[-1]
    found = subject_of(sentence, start, end, None)
    if found in before:
        return found
    compared = {mention for _, mention in baselines_in(plain)}
    names = {canonical(mention.name): mention for mention in before if mention not in compared}
    return next(iter(names.values())) if len(names) == 1 else None


def _is_chip(printed: str) -> bool:
    entry = find("platforms", printed)
    return entry is not None and entry.facts.get("chips") == 1


def read_dollars(printed: str, words: str = "") -> Quantity | None:
    """Dollars of a price (`$149,995`, `US$2 million`), or None."""
    currency = re.match(_CURRENCY, printed, re.IGNORECASE)
    return read_multiple(printed[currency.end() :], words) if currency else None


def sides_by_price(sentence: Sentence, subject: str | None) -> tuple[str | None, str | None]:
    """Subject and baseline of a ratio per dollar that names no baseline.

    Such a ratio needs both prices: where the section has printed those of exactly two platforms, these are the two
    sides. A vendor named in the sentence stands for its priced platform.
    """
    earlier = [*sentence.before(), sentence]
    printed = [price.platform_printed for other in earlier for price in find_prices(other)]
    priced = {canonical(name): name for name in printed}
    if len(priced) != _SIDES:
        return subject, None
    named = vendors_in(sentence.plain)
    if subject is None and len(named) == 1:
        own = [name for name in priced.values() if vendor_of(name) == named[0]]
        subject = own[0] if len(own) == 1 else None
    others = [name for key, name in priced.items() if subject and key != canonical(subject)]
    return subject, others[0] if len(others) == 1 else None
