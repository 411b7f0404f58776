"""Whether a sentence states a number at all: what it denies, asks, supposes or sets as a limit is no fact."""

from __future__ import annotations

import re

# Where a statement of its own starts or ends: `It needs no tuning and is 3x faster`, `not 2x but 3x faster`
_BORDER = re.compile(
    r"[,;:]\s|\s(?:and|but|while|whereas|although|though|yet|so|which|who|where|because)\s|\s-\s", re.IGNORECASE
)
# `is not 3x faster`, `isn't`, `No GPU is`; `not only 3x faster` states it all the same
_DENIED = re.compile(
    r"\b(?:(?:not|cannot|never|hardly|neither|nor|no\s+longer)(?!\s+(?:only|just|merely|simply|less\s+than))"
    r"|(?:fail(?:s|ed)?|unable|refus\w+)\s+to|far\s+from|nowhere\s+near|rather\s+than|instead\s+of|is\s+(?:false|wrong))\b"
    r"|n't\b(?!\s+(?:only|just))|^\s*(?:No-one|(?:No|None|Nothing|Nobody)\b(?!-))",
    re.IGNORECASE,
)
# `would be 3x faster`, `could`, `our goal of 3x`, `is projected to deliver`, `will be`; the month is `May`
_SUPPOSED = re.compile(
    r"\b(?:(?i:would|could|might|should|imagine|suppose|hypothetical\w*|potential(?:ly)?|theoretical(?:ly)?|perhaps|if"
    r"|projected|expected|anticipated|estimated|simulated|preliminary|designed|projects|expects|will(?!ing)"
    r"|(?:goals?|targets?|targeting|aim(?:s|ed|ing)?|hop(?:e|es|ed|ing)|want(?:s|ed)?|attempt\w*|tr(?:y|ies|ying))"
    r"\s+(?:of|to|for|is|was))|may)\b"
)
# `the 38.8 minutes of last year`, `5.1 minutes with our previous release`
_EARLIER_BEHIND = re.compile(
    r"[^,;.]{0,40}?\b(?:last|previous|prior|preceding|earlier|former)\s+(?:[\w-]+\s+){0,2}?"
    r"(?:years?|rounds?|releases?|versions?|submissions?|results?|quarters?|months?|records?|entr(?:y|ies))\b",
    re.IGNORECASE,
)
# `latency requirements of 6 seconds`, `constraints of 450 ms TTFT and 40 ms TPOT`, `a 2-second TTFT limit`
_LIMIT = re.compile(
    r"\b(?:requirement|constraint|threshold|limit|budget|SLA|SLO|target|ceiling|cut-?off)s?\b", re.IGNORECASE
)
# What stands so far before a number is no longer said of it.
_REACH = 120


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
    return None


def no_result(plain: str, start: int, end: int) -> str | None:
    """Why the measured number at `start`..`end` is no result of now, in a sentence; None where it is one."""
    if reason := not_stated(plain, start, end):
        return reason
    if _EARLIER_BEHIND.match(plain, end):
        return "it is a value of an earlier release, year or round, which is not said in full"
    return "the sentence sets a limit or a target" if _LIMIT.search(plain) else None


def _statement(plain: str, start: int, end: int) -> tuple[str, str]:
    """The words of a number's own statement before and behind it."""
    first = max(0, start - _REACH)
    left = max((match.end() for match in _BORDER.finditer(plain, first, start)), default=first)
    stop = _BORDER.search(plain, end)
    return plain[left:start], plain[end : stop.start() if stop else len(plain)]
