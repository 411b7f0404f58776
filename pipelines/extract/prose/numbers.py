"""Absolute numbers in running text: rates, times, changes from one to another, list prices, damaged numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from pipelines.extract.mentions import find_mentions
from pipelines.extract.prose.comparisons import Comparison, Unread, is_compared
from pipelines.extract.prose.factors import BOUND_PREFIX, Factor, Kind, bound_words
from pipelines.extract.prose.metrics import metrics_in
from pipelines.extract.prose.names import Mention, canonical, models_in, platforms_in, vendor_of, vendors_in
from pipelines.extract.prose.sentences import Sentence
from pipelines.extract.prose.subjects import baselines_in, subject_of
from pipelines.values.durations import UNIT, parse_duration
from pipelines.values.numbers import NUMBER, parse_number
from pipelines.values.quantity import Quantity
from pipelines.vocabulary.lookup import find
from pipelines.vocabulary.units import METRIC_OF_UNIT, PrintedUnit, find_unit

_MULTIPLES = {"thousand": 1e3, "k": 1e3, "million": 1e6, "m": 1e6, "billion": 1e9}
_MULTIPLE = r"(?P<multiple>\s?(?:thousand|million|billion)\b|[kKM](?![\w]))?"
# `58,112`, `1.2 million`, `300K`
_RATE = re.compile(rf"{BOUND_PREFIX}(?<![\w.,/$-])(?P<number>{NUMBER}){_MULTIPLE}\s*", re.IGNORECASE)
_PRINTED = re.compile(rf"(?P<number>{NUMBER}){_MULTIPLE}", re.IGNORECASE)
# `images per second per dollar`: no rate of a system
_PER_EACH = re.compile(r"\s*+(?:per|/)\s*+\w", re.IGNORECASE)
# `between 1,200 and `, `10 to `
_RANGE_BEFORE = re.compile(
    rf"(?:\bbetween\s+\S{{1,12}}(?:\s[a-z]+){{0,3}}\s+and|(?<![\w.,]){NUMBER}\s+to)\s+$", re.IGNORECASE
)
_RANGE_REACH = 50
# `sent 100 prompts at a rate of 10 requests per second`: how often a client asks
_OF_CLIENTS = frozenset({"requests", "queries"})
_ASKED = re.compile(
    r"\b(?:at (?:a |an )?(?:\w+ )?rate of|request[- ]rates? (?:of|is|was|to)|arriv\w+ (?:rate )?(?:at|of))\s+$",
    re.IGNORECASE,
)
_ASKED_REACH = 40
_NO_BENCHMARK = re.compile(r"\b(?:camera|video\s+(?:stream|feed)|playback|real[\s-]time\s+video)\b", re.IGNORECASE)

# `9 minutes`, `14.5 min`, `1 hour 30 minutes`, `8-minute`; not `24 hours a day`, nor the `1S.92 minutes` and
# `8.2S minutes` that a letter makes
_DURATION = re.compile(
    rf"{BOUND_PREFIX}(?<![\w.,/$-])(?P<value>{NUMBER}[\s-]?(?:{UNIT})(?:(?:,|\s+and)?\s+{NUMBER}\s?(?:{UNIT}))*)"
    r"(?![\w/-]|\.\d|\s+(?:a\s+day|ago|old|milliseconds?|seconds?|minutes?|mins?|hours?|ms)\b)",
    re.IGNORECASE,
)
# `from 12 minutes to`: the value before a change, whatever the new one is
_OLD_BEFORE = re.compile(r"\bfrom\s+$", re.IGNORECASE)
_OLD_BEHIND = re.compile(r"\s+(?:down\s+|up\s+)?to\s", re.IGNORECASE)
# Between a metric and its value: ` of `, ` on the A100 from `, ` was only `
_LINK = re.compile(
    r"[^.,;]{0,50}?(?:\bof|\bis|\bwas|\bto|\bfrom|\bat|\bin|:|=|\bunder|\bbelow)\s*(?:only\s+|just\s+)?|\s*",
    re.IGNORECASE,
)
_LINK_BEHIND = re.compile(r"[\s-]{1,2}(?:of\s+)?(?:average\s+|mean\s+|end-to-end\s+)?")
# `from 12 minutes on the A100 to 9 minutes`, `24.3 ms on MI300X versus 31.0 ms`: the link of the second value;
# `5.67 min on the IPU-POD128 and 3.79 mins on the IPU-POD256`
_SECOND = re.compile(
    r"[^.;]{0,60}?\b(?:to|versus|vs\.?|against|compared\s+(?:to|with))\s+(?:only\s+|just\s+)?$"
    r"|\s+(?:on|for|with|using)\s[^.;:]{1,60}?,?\s+and\s+(?:in\s+)?(?:only\s+|just\s+)?",
    re.IGNORECASE,
)
_TRAINED_IN = re.compile(
    r"\b(?:trains?|trained|training|converge[sd]?|fine-?tun\w+)\b(?:[^.,;]|(?<=\d)[.,](?=\d)){0,70}?"
    r"\b(?:in|took|takes|needs|needed)\s+(?:only\s+|just\s+)?$",
    re.IGNORECASE,
)
# `finished ResNet-50 in 19.6 minutes`, `BERT: 13.27 minutes`, in a round where nothing but the time to train counts
_SCORED = re.compile(
    r"(?:\b(?:in|took|takes|taking|needs|needed|needing|was|is|of|at|to)|:)\s*(?:only\s+|just\s+)?$", re.IGNORECASE
)
# `11 minutes to train BERT`, `29.1 minutes for ResNet-50 training`
_TO_TRAIN = re.compile(r"\s+(?:to\s+(?:train|converge)|for\s+(?:[\w./-]+\s+){0,4}?training)\b", re.IGNORECASE)
# `17x faster than the 48 hours`: the claim of the sentence says what the time is
_COMPARED = re.compile(r"\b(?:faster|quicker|shorter|slower)\s+than\s+(?:the\s+|an?\s+)?$", re.IGNORECASE)

_TIME = rf"{NUMBER}[\s-]?(?:{UNIT})(?![\w/])(?:(?:,|\s+and)?\s+{NUMBER}\s?(?:{UNIT})(?![\w/])){{0,3}}"
_ITEMS = r"[a-z]+(?:\s?/\s?|\s+per\s+)[a-z]+"
_CHANGES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # `from 12 to 9 minutes`, `from 1 hour 30 minutes to 40 minutes`
        rf"\bfrom\s+(?P<span>(?:(?P<old>{_TIME})|(?P<old_number>{NUMBER}))\s+(?:down\s+|up\s+)?to\s+(?:just\s+|only\s+)?(?P<new>{_TIME}))",
        # `from 1,000 to 1,500 images per second`
        rf"\bfrom\s+(?P<span>(?P<old_number>{NUMBER})(?:\s+{_ITEMS})?\s+(?:down\s+|up\s+)?to\s+(?P<new_number>{NUMBER}))\s+(?P<rate>{_ITEMS})",
        # `9 minutes, down from 12 minutes`, `9 minutes (down from 12)`
        rf"(?<![\w.,/$-])(?P<span>(?P<new>{_TIME}),?\s+\(?(?:down|up)\s+from\s+(?:(?P<old>{_TIME})|(?P<old_number>{NUMBER})))",
        # `1,500 images per second, up from 1,000`
        rf"(?<![\w.,/$-])(?P<span>(?P<new_number>{NUMBER})\s+(?P<rate>{_ITEMS}),?\s+\(?(?:down|up)\s+from\s+(?P<old_number>{NUMBER}))",
    )
)
_SAYS_CHANGE = re.compile(
    r"\b(?:reduc|cut|improv|drop|decreas|lower|short|fell|fall|went|brought|bring|down|increas|rais|grew|rose|up|took|push)\w*\b",
    re.IGNORECASE,
)

_CURRENCY = r"(?:US)?\$\s?"
# `$149,995`, `US$2 million`; not `$3.20 per hour`, and neither `$149` in `$149 995` nor `$149.995`
_PRICE = re.compile(
    rf"{BOUND_PREFIX}(?<![\w.,])(?P<value>{_CURRENCY}(?!\d+\.\d{{3}}(?!\d))(?P<number>{NUMBER}){_MULTIPLE})"
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

# Digits, the letters that stand for digits in bad copies, points and commas in any order: `4.O`, `58,1l2`, `1,6`, `Ox`;
# or groups set apart by blanks, of which only the last would be read: `58 112`, `58'112`
_GROUPS = r"\d{1,3}(?:(?:\s|[,.]?['\u200b\u00ad])\d{3})+"
_TOKEN = re.compile(
    rf"(?<![\w.,/$:-])(?P<token>{_GROUPS}(?!\d)|"
    r"[\dOoIlSBGx](?:[\dOoIlSBGx.,]{0,11}?[\dOoIlSBGx])??)"
    rf"(?:(?P<times>\s?[xX\u00d7](?![\w/%])|[\s-]times\b|[\s-]?fold\b)|(?P<percent>\s?(?:%|percent\b|per\s+cent\b))"
    rf"|(?P<time>[\s-]?(?:{UNIT})(?![\w/]))|(?=\s|/|k\b))"
)
_SOUND, _HAS_DIGIT = re.compile(NUMBER), re.compile(r"\d")
_KINDS: tuple[Kind, ...] = ("times", "percent")
_TIME_BEHIND = re.compile(r"\s(?:milliseconds?|seconds?|minutes?|mins?|hours?|ms)\b", re.IGNORECASE)
# Without any digit left only one or two letters are taken for a number: `Ox faster`, `l minutes`
_LETTERS = re.compile(r"[OlISGx]{1,2}")
_BLANKS = re.compile(r"\s*k?\s*")
# `1.2x and 1.6x`, `2x-3x`: the words of comparison stand behind the last of them
_NEXT_FACTOR = re.compile(r"\s*(?:,|-|\band\b|\bor\b|\bto\b)\s*[\d.]+\s?[xX%\u00d7]")
_TRAINS = re.compile(r"\btrain\w*\b", re.IGNORECASE)
# `a list price of $149,99S`, `$149 995`; `$149.995`: nobody prints a tenth of a cent
_DAMAGED_PRICE = re.compile(
    rf"\$\s?(?P<token>{_GROUPS}(?!\d)|" r"[\dOoIlSGx](?:[\dOoIlSGx.,]*[\dOoIlSGx])?)(?![\w.,]\w)"
)
_POINTED = re.compile(r"\d{1,3}\.\d{3}")
_SAYS_PRICE = re.compile(r"\b(?:price[ds]?|costs?|costing|MSRP|sells?|sold|retails?)\b[^.;]{0,60}$", re.IGNORECASE)
_DAMAGE_REACH = 80


@dataclass(frozen=True, slots=True)
class Number:
    """A printed absolute number.

    Attributes:
        start: First character of the value.
        end: One past its last character.
        metric: Canonical metric.
        quantity: The value in the canonical unit.
        unit: Canonical unit.
        unit_printed: The unit as printed.
        item: What is counted, for a throughput.
    """

    start: int
    end: int
    metric: str
    quantity: Quantity
    unit: str
    unit_printed: str | None = None
    item: str | None = None


@dataclass(frozen=True, slots=True)
class PrintedPrice:
    """A list price in dollars, the characters it is printed in, and the platform as printed."""

    start: int
    end: int
    dollars: Quantity
    platform_printed: str


# Rates


def find_throughputs(plain: str, new_values: Collection[int] = ()) -> Iterator[Number]:
    """Numbers of items per second, also per device, per user or per watt; rates per dollar or of a video are none.

    Args:
        plain: The sentence.
        new_values: Where values start that hold after a change, and end no range: `from 1,000 to 1,500`.
    """
    for match in _RATE.finditer(plain) if not _NO_BENCHMARK.search(plain) else ():
        unit, printed = _unit_at(plain, match.end())
        quantity = parse_number(match["number"], bound_words(match["bound"]))
        start = match.start("number")
        name = METRIC_OF_UNIT.get(("throughput", unit.canonical)) if unit else None
        if unit and unit.canonical == "items/s":
            name = "throughput"
        if not (unit and name and quantity) or not (start in new_values or ends_range(plain, start) is False):
            continue
        item = unit.entry.facts.get("item")
        if item in _OF_CLIENTS and _ASKED.search(plain, max(0, start - _ASKED_REACH), start):
            continue
        # `58 k images/s`: the thousand may stand in the unit.
        value = _multiplied(quantity, match["multiple"]).scaled(unit.scale)
        metric = find("metrics", name)
        end = match.end("multiple") if match["multiple"] else match.end("number")
        yield Number(start, end, name, value, str(metric.facts["unit"]) if metric else "", printed, item)


def _unit_at(plain: str, start: int) -> tuple[PrintedUnit | None, str]:
    """The unit that begins here, or around here where its multiple was read with the number."""
    for mention in find_mentions(plain, True):
        if mention.kind == "unit" and mention.start <= start < mention.end:
            printed = plain[start : mention.end].rstrip(".")
            return (None if _PER_EACH.match(plain, mention.end) else find_unit(printed)), printed
    return None, ""


def ends_range(plain: str, start: int) -> bool:
    """True for the second number of `between 10 and 12 minutes`, which alone is no result."""
    return _RANGE_BEFORE.search(plain, max(0, start - _RANGE_REACH), start) is not None


def read_multiple(printed: str, words: str = "") -> Quantity | None:
    """The number of a text that is one, with the word behind it (`1.2 million`), or None."""
    match = _PRINTED.fullmatch(printed)
    quantity = parse_number(match["number"], words) if match else None
    return _multiplied(quantity, match["multiple"]) if match and quantity else None


def _multiplied(quantity: Quantity, multiple: str | None) -> Quantity:
    return quantity.scaled(_MULTIPLES[multiple.strip().lower()]) if multiple else quantity


# Times that say what they measure: `a time-to-train of 14.5 minutes`


def find_times(
    plain: str, claimed_metric: str | None, scored_metric: str | None = None, new_values: Collection[int] = ()
) -> Iterator[Number]:
    """Times of a sentence that name what they measure, in order.

    Args:
        plain: The sentence.
        claimed_metric: Metric of a claim in the same sentence, for the time that it is faster than.
        scored_metric: The only metric that the benchmark of the sentence has.
        new_values: Where values start that hold after a change, and end no range: `from 12 to 9 minutes`.
    """
    last_metric, last_end = None, 0
    for match in _DURATION.finditer(plain):
        before, start = plain[: match.start()], match.start("value")
        is_new = start in new_values
        metric = _metric_beside(plain, match.start(), match.end())
        if metric is None and last_metric and _SECOND.fullmatch(plain[last_end : match.start()]):
            metric = last_metric
        if metric is None and (_TRAINED_IN.search(before) or _TO_TRAIN.match(plain, match.end())):
            metric = "time_to_train"
        if metric is None and time_unit(claimed_metric) and (is_new or _COMPARED.search(before)):
            metric = claimed_metric
        if metric is None and time_unit(scored_metric) and (is_new or _SCORED.search(before)):
            metric = scored_metric
        quantity, unit = read_time(match["value"], bound_words(match["bound"])), time_unit(metric)
        if metric is None or unit is None or quantity is None:
            continue
        is_old = _OLD_BEFORE.search(before) and _OLD_BEHIND.match(plain, match.end())
        if not is_new and (is_old or ends_range(plain, start)):
            continue
        last_metric, last_end = metric, match.end()
        printed = re.sub(rf"{NUMBER}[\s-]?", "", match["value"], count=1)
        yield Number(start, match.end("value"), metric, in_unit(quantity, unit), unit, printed)


def _metric_beside(plain: str, start: int, end: int) -> str | None:
    """The time that is named right behind a value, else the one that is linked to it from before."""
    named = [(name, low, high) for name, low, high in metrics_in(plain) if time_unit(name)]
    behind = next(((name, low) for name, low, _ in named if low >= end), None)
    if behind and _LINK_BEHIND.fullmatch(plain[end : behind[1]]):
        return behind[0]
    ahead = next(((name, high) for name, _, high in reversed(named) if high <= start), None)
    return ahead[0] if ahead and _LINK.fullmatch(plain[ahead[1] : start]) else None


def read_time(printed: str, words: str = "") -> Quantity | None:
    """Seconds of a time in running text (`14.5 minutes`, `8-minute`, `1 hour and 30 minutes`), or None."""
    return parse_duration(printed.replace("-", " ").replace(" and ", " "), words)


def time_unit(metric: str | None) -> str | None:
    """Canonical unit (s or ms) of a metric that is a time, None of any other."""
    entry = find("metrics", metric) if metric else None
    unit = entry.facts.get("unit") if entry else None
    return unit if unit in ("s", "ms") else None


def in_unit(seconds: Quantity, unit: str) -> Quantity:
    """A quantity in seconds in the canonical unit of its metric."""
    return seconds.scaled(1000) if unit == "ms" else seconds


# Changes printed as two values: `time-to-train fell from 12 to 9 minutes`


@dataclass(frozen=True, slots=True)
class _Ends:
    old: Quantity
    new: Quantity
    metric: str | None
    is_time: bool


def new_values(plain: str) -> frozenset[int]:
    """First characters of the values that hold after each change: these are results, the old ones are not."""
    return frozenset(match.start("new" if ends.is_time else "new_number") for match, ends in _changes(plain))


def find_changes(plain: str) -> Iterator[Comparison | Unread]:
    """One comparison per change whose direction and metric are clear; an unclear one is unread."""
    for match, ends in _changes(plain):
        start, end = match.span("span")
        better, worse = (ends.old, ends.new) if ends.is_time else (ends.new, ends.old)
        ratio = Quantity(
            better.value / worse.value, better.low / worse.high, better.high / worse.low if worse.low > 0 else math.inf
        )
        factor = Factor(match.start(), start, end, "times", ratio)
        if ends.metric is None or not _SAYS_CHANGE.search(plain) or ratio.value <= 1:
            yield Unread(factor, "two values of one quantity; which metric changed, or for the better, is not stated")
        else:
            yield Comparison(factor, ratio, ends.metric, False)


def _changes(plain: str) -> Iterator[tuple[re.Match[str], _Ends]]:
    for match in (match for pattern in _CHANGES for match in pattern.finditer(plain)):
        if ends := _ends(plain, match):
            yield match, ends


def _ends(plain: str, match: re.Match[str]) -> _Ends | None:
    """Both values in one unit; None where they are no times and no rates."""
    groups = match.groupdict()
    if groups.get("new"):
        unit = re.sub(rf"^{NUMBER}[\s-]?", "", match["new"])
        old, new = read_time(groups["old"] or f"{match['old_number']} {unit}"), read_time(match["new"])
        metrics = {name for name, _, _ in metrics_in(plain) if time_unit(name)}
        if not metrics and re.search(r"\btrain(?:ing|s|ed)?\b", plain, re.IGNORECASE):
            metrics = {"time_to_train"}
    else:
        rate, _ = _unit_at(plain, match.start("rate"))
        if rate is None or rate.canonical != "items/s":
            return None
        old, new, metrics = parse_number(match["old_number"]), parse_number(match["new_number"]), {"throughput"}
    if old is None or new is None or min(old.value, new.value) <= 0:
        return None
    return _Ends(old, new, metrics.pop() if len(metrics) == 1 else None, bool(groups.get("new")))


# List prices, and the platforms they are printed for


def find_prices(sentence: Sentence) -> Iterator[PrintedPrice]:
    """Every list price of a platform; hourly rates, savings and markets are none."""
    last, plain = 0, sentence.plain
    for match in _PRICE.finditer(plain):
        start, end = match.span("value")
        dollars = read_dollars(match["value"], bound_words(match["bound"]))
        mention, last = _sold(sentence, start, end, last), match.end()
        before = plain[: match.start()]
        if dollars is None or mention is None or not _PRICE_WORDS.search(before) or _RUN.search(before):
            continue
        entry = find("platforms", mention.name)
        if not (_AROUND_CHIP.match(plain, mention.end) and entry and entry.facts.get("chips") == 1):
            yield PrintedPrice(start, end, dollars, sentence.name(mention.start, mention.end))


def _sold(sentence: Sentence, start: int, end: int, since: int) -> Mention | None:
    """The platform that a price is of, as far as this sentence tells; what stands before `since` has its price."""
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


def read_dollars(printed: str, words: str = "") -> Quantity | None:
    """Dollars of a price (`$149,995`, `US$2 million`), or None."""
    currency = re.match(_CURRENCY, printed, re.IGNORECASE)
    return read_multiple(printed[currency.end() :], words) if currency else None


def sides_by_price(sentence: Sentence, subject: str | None) -> tuple[str | None, str | None]:
    """Subject and baseline of a ratio per dollar that names no baseline.

    Such a ratio needs both prices: where the section has printed those of exactly two platforms, these are the two
    sides. A vendor named in the sentence stands for its priced platform.
    """
    printed = [price.platform_printed for other in (*sentence.before(), sentence) for price in find_prices(other)]
    priced = {canonical(name): name for name in printed}
    if len(priced) != _SIDES:
        return subject, None
    named = vendors_in(sentence.plain)
    if subject is None and len(named) == 1:
        own = [name for name in priced.values() if vendor_of(name) == named[0]]
        subject = own[0] if len(own) == 1 else None
    others = [name for key, name in priced.items() if subject and key != canonical(subject)]
    return subject, others[0] if len(others) == 1 else None


# Numbers whose printed form is damaged: `1,6x`, `4.Ox`, `58,1l2 images per second`. They are never repaired.


def find_damages(plain: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, reason) of damaged factors that are compared, rates, times of a metric, then prices."""
    spans = []
    for match in _TOKEN.finditer(plain):
        if _SOUND.fullmatch(match["token"]):
            # `2x minutes`: the x was a digit
            if match["times"] and _TIME_BEHIND.match(plain, match.end()):
                spans.append(match.span())
        elif end := _end_of_value(plain, match):
            spans.append((match.start(), end))
    for match in _DAMAGED_PRICE.finditer(plain):
        is_sound = _SOUND.fullmatch(match["token"]) and not _POINTED.fullmatch(match["token"])
        if not is_sound and _SAYS_PRICE.search(plain, 0, match.start()):
            spans.append(match.span())
    for start, end in spans:
        yield start, end, f"{plain[start:end]!r} is no number: a letter, a point or a comma in it is wrong"


def _end_of_value(plain: str, match: re.Match[str]) -> int | None:
    """End of the value that the characters were, with its unit for a factor; None where they were none."""
    end, has_digit = match.end("token"), _HAS_DIGIT.search(match["token"]) is not None
    if not has_digit and not (_LETTERS.fullmatch(match["token"]) and match.lastgroup != "token"):
        return None
    for kind in _KINDS:
        if match[kind]:
            # In whole words: the `ips` of a cut `ipsum` would be a unit.
            reach = match.end() + _DAMAGE_REACH
            while reach < len(plain) and plain[reach - 1].isalnum() and plain[reach].isalnum():
                reach += 1
            before, after = plain[max(0, match.start() - _DAMAGE_REACH) : match.start()], plain[match.end() : reach]
            return match.end() if is_compared(after, before, match[0], kind) or _NEXT_FACTOR.match(after) else None
    if match["time"]:
        is_named = _TRAINS.search(plain) or any(time_unit(name) for name, _, _ in metrics_in(plain))
        # `BERT: l3.27 minutes on 8 Gaudi2 accelerators`
        is_named = is_named or (has_digit and any(m.is_known for m in (*models_in(plain), *platforms_in(plain))))
        return end if is_named else None
    blanks = _BLANKS.match(plain, end)
    unit, _ = _unit_at(plain, blanks.end() if blanks else end)
    return end if unit and unit.canonical == "items/s" else None
