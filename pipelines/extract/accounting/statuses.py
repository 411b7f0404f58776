"""What a numeral is that no row accounts for: the rules of `rules.yml` in order, the first that
holds decides.

Names and conditions in running text are those of `mentions.py`. Numerals of rows and of what the
formats have marked are decided in `ledger.py`.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, get_args

from pipelines.extract.contract import Status
from pipelines.extract.mentions import find_mentions
from pipelines.extract.prose.names import names_in, unknown_names_in
from pipelines.read.split_numbers import MASKED_DIGITS
from pipelines.yaml_files import load_yaml

Span = tuple[int, int]

UNREAD_NUMBER = "unread_number"
_CORE = r"(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)*(?:[eE][+-]?\d{1,3}(?!\w))?"
# `2021-06-30`, `12:34`, `2.0-2045`, `23h`, `453s`, `54,784`, `16.16`, `2.4.0`, `1e-3`. A comma only
# where it groups three digits, so that `4,8,12` is three numerals; a unit of time only where it
# ends the word that the digits start. The first line spares trying the others at every letter.
_NUMERAL = re.compile(
    rf"(?=[{MASKED_DIGITS}\d\u00b2\u00b3\u00b9\u2070\u2074-\u2079])"
    r"(?:\d{4}-\d\d-\d\d(?!\d)"
    r"|\d+(?::\d\d)+(?:\.\d+)?(?!\d)"
    r"|\d{1,2}\.\d-\d{4,5}(?!\d)"
    rf"|(?<![\w-]){_CORE}(?:ns|us|µs|μs|ms|min|s|m|h|d)(?!\w)"
    rf"|{_CORE}"
    r"|[\u00b2\u00b3\u00b9\u2070\u2074-\u2079]+"
    rf"|[{MASKED_DIGITS}][{MASKED_DIGITS}.,]*)"
)
# The longest wording before a number, a list of batch sizes, and the words beside one
_REACH, _NEAR = 80, 40
# Between a count and a name: `2x DGX A100`
_TIMES = re.compile(r"\s?[xX×]?\s?(?=[^\W\d])")


class _Where(NamedTuple):
    """One way to the rule of a numeral: all its conditions have to match."""

    rule: str
    patterns: dict[str, re.Pattern[str]]
    kinds: dict[str, list[str]]


@cache
def _content() -> tuple[dict[str, Any], ...]:
    return tuple(load_yaml(Path(__file__).with_name("rules.yml")))


@cache
def rules() -> dict[Status, dict[str, str]]:
    """The rules by status, each with what it means."""
    found: dict[Status, dict[str, str]] = {status: {} for status in get_args(Status)}
    for entry in _content()[1:]:
        if "meaning" in entry:
            found[entry["status"]][entry["rule"]] = entry["meaning"]
    return found


@cache
def status_of(rule: str) -> Status:
    """The status that a rule gives numerals."""
    return next(status for status, known in rules().items() if rule in known)


# The cheapest first: all of a way have to fit.
_PATTERNS = ("numeral", "behind", "before", "near", "sentence", "span")
_KINDS = ("mention", "after", "counts")


@cache
def _ways(scope: str) -> list[_Where]:
    """The rules for a `word`, for the `text` around, or for a `span` that is no text."""
    ways = list[_Where]()
    for entry in _content()[1:]:
        for where in entry.get("where", ()):
            if scope != next((name for name in ("word", "span") if name in where), "text"):
                continue
            patterns = dict[str, re.Pattern[str]]()
            for name in _PATTERNS:
                if pattern := where.get(name):
                    for word, body in _content()[0]["words"].items():
                        pattern = pattern.replace(f"{{{word}}}", body)
                    patterns[name] = re.compile(pattern, re.IGNORECASE)
            kinds = {name: where[name] for name in _KINDS if name in where}
            ways.append(_Where(entry["rule"], patterns, kinds))
    return ways


def find_numerals(text: str) -> list[Span]:
    """Start and end of every numeral of a text, in order; each digit is in exactly one of them."""
    return [match.span() for match in _NUMERAL.finditer(text)]


def spans_outside_text(text: str) -> list[tuple[Span, str]]:
    """Addresses, tags and terminal codes of a line, with the rule of their numerals."""
    if not any(sign in text for sign in "/@<&[") and "www." not in text:
        return []
    found = list[tuple[Span, str]]()
    for way in _ways("span"):
        found += [(match.span(), way.rule) for match in way.patterns["span"].finditer(text)]
    return found


def status_of_word(text: str, start: int, end: int) -> str | None:
    """The rule by the word around a numeral, or None for a separate numeral."""
    return next((way.rule for way in _ways("word") if _fits(way, text, start, end)), None)


def status_in_text(plain: str, start: int, end: int) -> str:
    """The rule of a numeral of a sentence, heading or label; `unread_number` where no other knows
    what it is.
    """
    for way in _ways("text"):
        if _fits(way, plain, start, end) and _is_mentioned(way, plain, start, end):
            return way.rule
    return UNREAD_NUMBER


def _is_mentioned(way: _Where, plain: str, start: int, end: int) -> bool:
    """Whether a numeral is in a mention, behind one, or counts the platform behind it."""
    if not way.kinds:
        return True
    wanted = way.kinds
    if "counts" in wanted:
        # `2x DGX A100`, `16 IPU-M2000s`; never `1.34 trn1.32xlarge`
        times = _TIMES.match(plain, end)
        name = times.end() if times else end + 1
        named = names_in(plain, "platform")
        return any(m.start in (start, name) and name < m.end for m in named)
    mentions = (*find_mentions(plain, True), *unknown_names_in(plain))
    if "after" in wanted:
        return any(m.kind in wanted["after"] and 0 <= start - m.end <= 1 for m in mentions)
    of_kind = [m for m in mentions if m.kind in wanted["mention"]]
    return any(m.start <= start and end <= m.end for m in of_kind)


def _fits(way: _Where, plain: str, start: int, end: int) -> bool:
    """Whether the patterns of a rule match a numeral and the text around it."""
    for name, pattern in way.patterns.items():
        if name == "before":
            found = pattern.search(plain, max(0, start - _REACH), start)
        elif name == "behind":
            found = pattern.match(plain, end)
        elif name == "numeral":
            found = pattern.fullmatch(plain, start, end)
        elif name == "near":
            before, behind = plain[max(0, start - _NEAR) : start], plain[end : end + _NEAR]
            found = pattern.search(f"{before} {behind}")
        else:
            found = pattern.search(plain)
        if found is None:
            return False
    return True
