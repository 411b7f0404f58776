"""Whether a sentence states a number at all: what it denies, asks, supposes or sets as a limit is no fact."""

from __future__ import annotations

import re

# Where a statement of its own starts or ends: `It needs no tuning and is 3x faster`, `not 2x but 3x faster`
_BORDER = re.compile(
    r"[,;:]\s|\s(?:and|but|while|whereas|although|though|yet|so|which|who|where|because)\s|\s-\s", re.IGNORECASE
)
# `is not 3x faster`, `isn't`, `no longer`, `fails to deliver`, `No GPU is`; `not only 3x faster` states it all the same
_DENIED = re.compile(
    r"\b(?:(?:not|cannot|never|hardly|neither|nor|no\s+longer)(?!\s+(?:only|just|merely|simply|less\s+than))"
    r"|(?:fail(?:s|ed)?|unable|refus\w+)\s+to|far\s+from|nowhere\s+near|rather\s+than|instead\s+of|is\s+(?:false|wrong))\b"
    r"|n't\b(?!\s+(?:only|just))|^\s*(?:No-one|(?:No|None|Nothing|Nobody)\b(?!-))",
    re.IGNORECASE,
)
# `would be 3x faster`, `could`, `might`, `our goal of 3x`, `aims to be 3x faster`; the month is `May`
_SUPPOSED = re.compile(
    r"\b(?:[Ww]ould|[Cc]ould|[Mm]ight|may|[Ss]hould|[Ii]magine|[Ss]uppose|[Hh]ypothetical\w*)\b"
    r"|\b(?:goals?|targets?|targeting|aim(?:s|ed|ing)?|hop(?:e|es|ed|ing)|want(?:s|ed)?|attempt\w*|tr(?:y|ies|ying))\s+(?:of|to|for|is|was)\b"
)
# `is projected to deliver`, `will be`, `estimated`: stated, but not measured yet
_FORECAST = re.compile(
    r"\b(?:(?:is|are)\s+)?(?:projected|expected|anticipated|estimated|simulated|preliminary|designed)\b(?:\s+to\s+\w+)?"
    r"|\bwill\s+(?:be|deliver|offer|provide|have|run|achieve|reach|train|give|bring|enable)\b",
    re.IGNORECASE,
)
# `the 38.8 minutes of last year`, `5.1 minutes with our previous release`, `4.5 minutes in the prior round`
_EARLIER_BEHIND = re.compile(
    r"[^,;.]{0,40}?\b(?:last|previous|prior|preceding|earlier|former)\s+(?:[\w-]+\s+){0,2}?"
    r"(?:years?|rounds?|releases?|versions?|submissions?|results?|quarters?|months?|records?|entr(?:y|ies))\b",
    re.IGNORECASE,
)
# `did in v1.1, when it took 28.3 minutes`, `12 minutes in MLPerf v1.1`
_ROUND = re.compile(
    r"\b(?:in|from|at|of|with)\s+(?:the\s+)?(?:MLPerf\s+)?(?:Training\s+|Inference\s+)?v(?P<version>\d\.\d)\b"
)
# `latency requirements of 6 seconds`, `constraints of 450 ms TTFT and 40 ms TPOT`, `the threshold is 2 seconds with a`
_LIMIT = r"(?:requirement|constraint|threshold|limit|budget|SLA|SLO|target|ceiling|cut-?off)s?"
_LIMIT_BEFORE = re.compile(
    rf"\b{_LIMIT}\s*+(?:\([^()]*\)\s*+)?(?:(?:of|is|was|are|were|at|to|:|=)\s*+)?"
    r"(?:[\d.,]+\s?[A-Za-z/]+(?:\s+[\w()/-]+){0,8}?,?\s+(?:and|or|with\s+an?)\s+)?$",
    re.IGNORECASE,
)
# `a 12.5 tokens/second/user (TPS/user) target`, `a 2-second TTFT limit`
_LIMIT_BEHIND = re.compile(
    rf"(?:[\s-]++(?!and\b|or\b|with\b)[\w/()]++(?:-[\w/()]++){{0,3}}){{0,3}}[\s-]++{_LIMIT}\b", re.IGNORECASE
)
# `40 ms TPOT (25 tokens per second per user)`: the bracket says the same in other words
_IN_OTHER_WORDS = re.compile(r"(?<![\d.,])[\d.,]+\s?[A-Za-z]+(?:\s+\w+){0,3}\s+\($")
# What stands so far before a number is no longer said of it.
_REACH = 120
_ROUND_REACH = 40


def not_stated(plain: str, start: int, end: int) -> str | None:
    """Why the number at `start`..`end` is not stated as a fact, in a sentence; None where it is."""
    before, behind = _statement(plain, start, end)
    if plain.rstrip(" \"')").endswith("?"):
        return "the sentence asks and does not state it"
    if _DENIED.search(before) or _DENIED.search(behind):
        return "the sentence denies it"
    # What others could do, it is compared with.
    if _SUPPOSED.search(before) or _SUPPOSED.search(behind.partition(" than ")[0]):
        return "the sentence only supposes it or wishes for it"
    limited = _IN_OTHER_WORDS.sub("", plain[max(0, start - _REACH) : start])
    if _LIMIT_BEFORE.search(limited) or _LIMIT_BEHIND.match(plain, end):
        return "it is a limit or a target, and no result"
    return None


def earlier(plain: str, start: int, end: int, suite: str | None) -> str | None:
    """Why the number at `start`..`end` is one of an earlier release or round, in a sentence; None where it is not.

    Args:
        plain: The sentence.
        start: First character of the number.
        end: One past its last character.
        suite: Suite that the sentence reports on; a number of another version of it is none of its results.
    """
    if _EARLIER_BEHIND.match(plain, end):
        return "it is a value of an earlier release, year or round, which is not said in full"
    near = [*_ROUND.finditer(plain, max(0, start - _REACH), start)][-1:]
    near += [match for match in [_ROUND.search(plain, end, end + _ROUND_REACH)] if match]
    if suite and any(not suite.endswith(f"v{match['version']}") for match in near):
        return f"it is a value of another round than {suite}"
    return None


def forecast(plain: str, start: int, end: int) -> str | None:
    """The words that say that the number at `start`..`end` is expected and not measured, or None."""
    match = _FORECAST.search(_statement(plain, start, end)[0])
    return " ".join(match[0].split()) if match else None


def _statement(plain: str, start: int, end: int) -> tuple[str, str]:
    """The words of a number's own statement before and behind it."""
    first = max(0, start - _REACH)
    left = max((match.end() for match in _BORDER.finditer(plain, first, start)), default=first)
    stop = _BORDER.search(plain, end)
    return plain[left:start], plain[end : stop.start() if stop else len(plain)]
