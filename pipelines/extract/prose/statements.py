"""Whether a sentence states its numbers at all: what it denies, asks, supposes or sets as a limit is no fact.

A word of doubt anywhere in a sentence is one of all its numbers: which of them it is said of is not worked out.
"""

from __future__ import annotations

import re

# `is not 3x faster`, `isn't`, `No GPU is`; `not only 3x faster` states it all the same. `would be 3x faster`, `if`,
# `our goal of 3x`, `is projected to deliver`; the month is `May`. `latency requirements of 6 seconds`
_DOUBT = re.compile(
    r"(?P<asks>\?[\"')\s]*$)"
    r"|\b(?P<denies>(?i:(?:\w+n't|not|cannot|never|hardly|neither|nor|no\s+longer)(?!\s+(?:only|just|merely|simply|less\s+than))"
    r"|(?:fail(?:s|ed)?|unable|refus\w+)\s+to|far\s+from|nowhere\s+near|rather\s+than|instead\s+of|is\s+(?:false|wrong))"
    r"|No-one|(?:No|None|Nothing|Nobody)(?![-\w]))\b"
    r"|\b(?P<supposes>(?i:would|could|might|should|imagine|suppose|hypothetical\w*|potential(?:ly)?|theoretical(?:ly)?|perhaps"
    r"|if|projected|expected|anticipated|estimated|simulated|preliminary|designed\s+to|projects|expects|will(?!ing)"
    r"|(?:goals?|targets?|targeting|aim(?:s|ed|ing)?|hop(?:e|es|ed|ing)|want(?:s|ed)?|attempt\w*|tr(?:y|ies|ying))"
    r"\s+(?:of|to|for|is|was))|may)\b"
    r"|\b(?P<limits>(?i:requirement|constraint|threshold|limit|budget|SLA|SLO|target|ceiling|cut-?off)s?)\b"
)
_REASONS = {
    "asks": "the sentence asks and does not state it",
    "denies": "the sentence denies something",
    "supposes": "the sentence only supposes something or wishes for it",
    "limits": "the sentence sets a limit or a target",
}
# `the 38.8 minutes of last year`, `5.1 minutes with our previous release`
_EARLIER_BEHIND = re.compile(
    r"[^,;.]{0,40}?\b(?:last|previous|prior|preceding|earlier|former)\s+(?:[\w-]+\s+){0,2}?"
    r"(?:years?|rounds?|releases?|versions?|submissions?|results?|quarters?|months?|records?|entr(?:y|ies))\b",
    re.IGNORECASE,
)


def not_stated(plain: str) -> str | None:
    """Why a sentence does not state its comparisons as facts, in a sentence; None where it does."""
    kinds = (match.lastgroup or "" for match in _DOUBT.finditer(plain))
    return next((_REASONS[kind] for kind in kinds if kind != "limits"), None)


def no_result(plain: str, end: int) -> str | None:
    """Why a measured number that ends at `end` is no result of now, in a sentence; None where it is one."""
    if _EARLIER_BEHIND.match(plain, end):
        return "it is a value of an earlier release, year or round, which is not said in full"
    match = _DOUBT.search(plain)
    return _REASONS[match.lastgroup or ""] if match else None
