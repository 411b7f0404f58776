"""Headlines of chart slides: `40x higher throughput  | 10x lower latency`. Factors at bars belong in `labels`."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from pipelines.extract.slides.titles import printed
from pipelines.read.document import Cell
from pipelines.values.numbers import NUMBER, parse_number
from pipelines.values.quantity import Quantity
from pipelines.values.ratios import BOUND, FACTOR, read_factor
from pipelines.vocabulary.lookup import Entry, find, spelling_pattern

_MORE = r"higher|faster|better|greater|more|increased|improved|quicker|speed-?\s?up|improvement|gain|increase"
_LESS = r"lower|less|shorter|reduced|smaller|fewer|reduction"
# What a factor is followed by in a headline, but never in `1x IPU-M2000` and `2x DGX A100`
_DIRECTION = re.compile(rf"(?:{_MORE}|{_LESS})(?![\w-])", re.IGNORECASE)
# Words between factor and metric: `3x the throughput of`, `2x - higher throughput`; or a comparison: `5x vs. A100`
_LEAD = re.compile(r"[\s:\u2013\u2014-]*(?:(?:as\s+much|the|in)\s+)?", re.IGNORECASE)
_VERSUS = re.compile(r"(?:vs|versus|than|compared|over|against)\b", re.IGNORECASE)
# `30% higher throughput`, `up to 30 % lower latency`
_PERCENT = re.compile(
    rf"(?:(?P<bound>(?<!\w)(?:{BOUND}))\s*)?(?<![\w.,])(?P<number>{NUMBER})\s?%(?=\s+(?P<direction>{_MORE}|{_LESS})\b)",
    re.IGNORECASE,
)
# `4.6 higher throughput`, `4.Gx Higher Throughput`, `l0x lower latency`: stands where a factor should stand and is none
_DAMAGED = re.compile(
    rf"(?<!\S)(?P<token>[<>~]?[.,]?\d\S*|[^\s\d]*\d\S*[xX×]|\S{{1,4}}[.,]\S{{0,2}}[xX×])\s+(?:{_MORE}|{_LESS})(?![\w-])",
    re.IGNORECASE,
)
# `at lowest latency`, `with standard EN-B4`: what the comparison holds for
_CONDITION = re.compile(r"\b(?:at|with|using|under|when|for)\s.*", re.IGNORECASE)
# Directions that are a loss for a metric of the other kind (`2x higher latency`); `faster` and `better` never are.
_UP = re.compile(r"higher|greater|more|increased?", re.IGNORECASE)
_DOWN = re.compile(r"lower|less|shorter|reduced|smaller|fewer|reduction", re.IGNORECASE)

# A headline is a label; a longer line with a factor is prose, whose claims need their sentence.
_MAX_HEADLINE = 120


@dataclass(frozen=True, slots=True)
class Headline:
    """One factor of a headline.

    Attributes:
        cell: The printed factor with its bound (`>60x`).
        factor: The factor with its interval; 1.3 for `30% higher`.
        metric: Canonical metric, or None where the headline names none.
        condition: Words such as `at lowest latency`, as printed.
        text: The whole headline as printed.
    """

    cell: Cell
    factor: Quantity
    metric: str | None
    condition: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Damage:
    """Characters that stand where a headline has its factor, and why they are none."""

    cell: Cell
    reason: str
    text: str


def read_headlines(cell: Cell, following: str = "") -> tuple[list[Headline], list[Damage]]:
    """The factors that a line claims, and what stands where one should and cannot be read; else both empty.

    Args:
        cell: The line.
        following: The next visible line: where it says `Higher Throughput`, a factor alone on its line is a headline.
    """
    headlines: list[Headline] = []
    damages: list[Damage] = []
    if len(cell.text) > _MAX_HEADLINE:
        return headlines, damages
    if FACTOR.fullmatch(cell.text) and _goes_on(following):
        cell_text = f"{cell.text} {following.strip()}"
        cell = Cell(cell_text, cell.line, cell.start, cell.start + len(cell_text))
    for match in re.finditer(r"[^|]+", cell.text):
        segment = cell.matched(match)
        factors = sorted((*FACTOR.finditer(segment.text), *_PERCENT.finditer(segment.text)), key=lambda m: m.start())
        for index, factor in enumerate(factors):
            end = factors[index + 1].start() if index + 1 < len(factors) else len(segment.text)
            after = segment.text[factor.end() : end]
            before = segment.text[: factor.start()] if index == 0 else ""
            if not _is_claimed(factor, before, after):
                continue
            place = segment.matched(factor).stripped()
            quantity = _percent(factor) if factor.re is _PERCENT else read_factor(factor)
            metric, condition = _words(before, after)
            if quantity is None:
                damages.append(Damage(place, f"{place.text!r} is no factor to be better by", printed(cell.text)))
            elif _is_worse(metric, before + after):
                damages.append(Damage(place, "the headline says that the subject is worse", printed(cell.text)))
            else:
                name = metric.name if metric else None
                headlines.append(Headline(place, quantity, name, condition, printed(cell.text)))
        if (
            not factors
            and (damage := _DAMAGED.search(segment.text))
            and _has_metric(segment.text[damage.end("token") :])
        ):
            reason = f"{damage['token']!r} stands where a headline has its factor and cannot be read as one"
            damages.append(Damage(segment.matched(damage, "token"), reason, printed(cell.text)))
    return headlines, damages


def is_headline(cell: Cell) -> bool:
    """True for a line that claims a factor."""
    return bool(read_headlines(cell)[0])


def _is_claimed(factor: re.Match[str], before: str, after: str) -> bool:
    """Tells `2.6x higher throughput` from `2x DGX A100`: what follows decides, or what stands before a last factor."""
    if factor.re is _PERCENT:
        return True
    start = _LEAD.match(after)
    rest = after[start.end() :] if start else after
    if _DIRECTION.match(rest) or _VERSUS.match(rest) or spelling_pattern("metrics").match(rest):
        return True
    if not rest.strip(" .!,;"):
        return bool(_DIRECTION.search(before) or _has_metric(before))
    return False


def _words(before: str, after: str) -> tuple[Entry | None, str | None]:
    """Metric and condition of a factor: the words behind it, or those before it where none are behind."""
    condition = _CONDITION.search(after)
    # `10x faster at lowest latency` is not said of the latency.
    named = after[: condition.start()] if condition else after
    found = spelling_pattern("metrics").search(named) or spelling_pattern("metrics").search(before)
    return find("metrics", found[0]) if found else None, printed(condition[0]).rstrip(" .,;") if condition else None


def _is_worse(metric: Entry | None, words: str) -> bool:
    """True for `2x higher latency`: read as the subject's advantage it would be turned round."""
    direction = _DIRECTION.search(words)
    if metric is None or direction is None:
        return False
    wrong = _UP if metric.facts["better"] == "lower" else _DOWN
    return bool(wrong.fullmatch(direction[0]))


def _percent(match: re.Match[str]) -> Quantity | None:
    """`30% higher` is 1.3 times as much; `30% lower` is an advantage of 1/0.7. None for 100 % less."""
    share = parse_number(match["number"], match["bound"] or "")
    if share is None or share.value <= 0:
        return None
    is_more = re.fullmatch(_MORE, match["direction"], re.IGNORECASE)
    if not is_more and share.value >= 100:
        return None
    value, low, high = (_advantage(part / 100, is_more=bool(is_more)) for part in (share.value, share.low, share.high))
    return Quantity(value, low, high, share.bound)


def _advantage(share: float, *, is_more: bool) -> float:
    """The factor of a share more or less; nine digits, as a float of 1 + 0.3 has noise behind them."""
    if is_more:
        return round(1 + share, 9)
    # "more than 30 % lower" may be any advantage above 1.43.
    return round(1 / (1 - share), 9) if share < 1 else math.inf


def _has_metric(text: str) -> bool:
    return bool(spelling_pattern("metrics").search(text))


def _goes_on(following: str) -> bool:
    text = following.strip()
    # `Higher is better` explains an axis.
    return bool(_DIRECTION.match(text)) and _has_metric(text) and not FACTOR.search(text)
