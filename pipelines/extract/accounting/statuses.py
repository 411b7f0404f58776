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

Verdict = tuple[Status, str]
Span = tuple[int, int]

UNREAD_NUMBER: Verdict = ("unparsed", "unread_number")
_CORE = r"(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)*(?:[eE][+-]?\d{1,3}(?!\w))?"
# `2021-06-30`, `12:34`, `2.0-2045`, `23h`, `453s`, `54,784`, `16.16`, `2.4.0`, `1e-3`. A comma only
# where it groups three digits, so that `4,8,12` is three numerals; a unit of time only where it
# ends the word that the digits start.
_NUMERAL = re.compile(
    r"\d{4}-\d\d-\d\d(?!\d)"
    r"|\d+(?::\d\d)+(?:\.\d+)?(?!\d)"
    r"|\d{1,2}\.\d-\d{4,5}(?!\d)"
    rf"|(?<![\w-]){_CORE}(?:ns|us|µs|μs|ms|min|s|m|h|d)(?!\w)"
    rf"|{_CORE}"
    r"|[\u00b2\u00b3\u00b9\u2070\u2074-\u2079]+"
    rf"|[{MASKED_DIGITS}][{MASKED_DIGITS}.,]*"
)
# What every numeral begins with. It is looked for alone: the patterns above would be tried at every
# letter.
_BEGIN = re.compile(rf"[{MASKED_DIGITS}\d\u00b2\u00b3\u00b9\u2070\u2074-\u2079]")
# The longest wording before a number, a list of batch sizes, and the words beside one
_REACH, _NEAR = 80, 40
# `2x DGX A100`, `2x AcmeOne`: a name in no vocabulary, but with a digit or a second capital
_TIMES = re.compile(r"\s?[xX×]\s?(?=[^\W\d])")
_COUNTED_UNKNOWN = re.compile(r"\s?[xX×]\s?(?=\S*(?:\d|[a-z][A-Z]|[A-Z]{2}))[A-Z]\S*")


class _Where(NamedTuple):
    """One rule for the status of a numeral: all its conditions have to match."""

    verdict: Verdict
    patterns: dict[str, re.Pattern[str]]
    kinds: frozenset[str]
    flags: frozenset[str]


@cache
def _content() -> tuple[dict[str, Any], ...]:
    return tuple(load_yaml(Path(__file__).with_name("rules.yml")))


@cache
def rules() -> dict[Status, dict[str, str]]:
    """The rules by status, each with what it means."""
    told = [entry for entry in _content()[1:] if "meaning" in entry]
    return {
        of: {each["rule"]: each["meaning"] for each in told if each["status"] == of}
        for of in get_args(Status)
    }


# The cheapest first: all of a way have to fit.
_PATTERNS = ("numeral", "behind", "before", "near", "sentence", "span")


@cache
def _ways(of: str) -> tuple[_Where, ...]:
    """The rules by `word`, by the `text` around, or by the `span` of non-text."""
    words, ways = _content()[0]["words"], []
    for entry in _content()[1:]:
        for where in entry.get("where", ()):
            patterns = {name: where[name] for name in _PATTERNS if name in where}
            for word, body in words.items():
                patterns = {
                    name: text.replace(f"{{{word}}}", body) for name, text in patterns.items()
                }
            compiled = {name: re.compile(text, re.IGNORECASE) for name, text in patterns.items()}
            kinds = frozenset((*where.get("mention", ()), *where.get("after", ())))
            if next((name for name in ("word", "span") if name in where), "text") == of:
                ways.append(
                    _Where((entry["status"], entry["rule"]), compiled, kinds, frozenset(where))
                )
    return tuple(ways)


def find_numerals(text: str) -> list[Span]:
    """Start and end of every numeral of a text, in order; each digit is in exactly one of them."""
    found: list[Span] = []
    begin = _BEGIN.search(text)
    while begin and (match := _NUMERAL.match(text, begin.start())):
        found.append(match.span())
        begin = _BEGIN.search(text, match.end())
    return found


def spans_outside_text(text: str) -> list[tuple[Span, Verdict]]:
    """Addresses, tags and terminal codes of a line, with the status of their numerals."""
    if not any(sign in text for sign in "/@<&[") and "www." not in text:
        return []
    return [
        (match.span(), way.verdict)
        for way in _ways("span")
        for match in way.patterns["span"].finditer(text)
    ]


def status_of_word(text: str, start: int, end: int) -> Verdict | None:
    """The status by the word around a numeral, or None for a separate numeral."""
    return next((way.verdict for way in _ways("word") if _fits(way, text, start, end)), None)


def status_in_text(plain: str, start: int, end: int) -> Verdict:
    """The status of a numeral of a sentence, heading or label; `unparsed` where no rule knows what
    it is.
    """
    return next(
        (way.verdict for way in _ways("text") if _holds(way, plain, start, end)), UNREAD_NUMBER
    )


def _holds(way: _Where, plain: str, start: int, end: int) -> bool:
    if not _fits(way, plain, start, end):
        return False
    if "counts" in way.flags:
        return _is_count(plain, start, end)
    if "unknown" in way.flags:
        return any(name.start <= start and end <= name.end for name in unknown_names_in(plain))
    mentions = [m for m in find_mentions(plain, True) if m.kind in way.kinds] if way.kinds else []
    if "after" in way.flags:
        return any(0 <= start - m.end <= 1 for m in mentions)
    return not way.kinds or any(m.start <= start and end <= m.end for m in mentions)


def _is_count(plain: str, start: int, end: int) -> bool:
    """`2x DGX A100`, `16 IPU-M2000s`, `2x AcmeOne`; never `1.34 trn1.32xlarge`."""
    if not plain[start:end].replace(",", "").isdecimal():
        return False
    times = _TIMES.match(plain, end)
    name = times.end() if times else end + 1
    if any(
        m.start <= name < m.end and m.start in (start, name) for m in names_in(plain, "platform")
    ):
        return True
    behind, words = plain[end : end + _NEAR], _content()[0]["words"]
    is_compared = re.search(rf"{words['comparison']}|{words['metric']}", behind, re.IGNORECASE)
    return _COUNTED_UNKNOWN.match(plain, end) is not None and is_compared is None


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
            found = pattern.search(
                f"{plain[max(0, start - _NEAR) : start]} {plain[end : end + _NEAR]}"
            )
        else:
            found = pattern.search(plain)
        if found is None:
            return False
    return True
