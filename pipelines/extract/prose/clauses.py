"""The parts of a sentence that belong together, and the words that set one thing against another."""

from __future__ import annotations

import re
from collections.abc import Iterator

# Where a statement of its own starts: `..., while the advantage for BERT is 1.3X`, `resulting in 3.7x`
_BREAK = re.compile(
    r";|:\s|,?(?<!\s)\s+(?:while|whereas|but|although|though)\s|,\s+(?:which|where|who)\s"
    r"|\b(?:resulting in|leading to)\b|\s-\s|,?(?<!\s)\s+and\s+(?=(?:for|on|with)\s)",
    re.IGNORECASE,
)
# `..., and the MI325X is`, `..., and the latency of the L4`: here the subject and what is compared are others
_STATEMENT = re.compile(
    r",\s+and\s+(?=(?:the\s+|an?\s+|its\s+|our\s+)?[A-Z][\w+/-]*(?:\s[A-Z0-9][\w+/-]*){0,3}"
    r"\s+(?:is|was|has|had|are|were|delivers?|achieves?|reaches|offers?|provides?|outperforms|runs|trains|shows|needs|takes|beats)\b"
    r"|(?:the|its|our)\s+(?:[\w-]+\s){0,2}?(?:throughput|latency|performance|time|cost|price)\s+(?:of|on|for|is|was)\b)"
)
# `than`, `vs the`, `compared to`, `outperforms`, `at the same price as`; `than` and `over` only where they are no
# bound (`over 5x`)
COMPARATOR = re.compile(
    r"(?<![\w-])(?:(?<!more\s)(?<!less\s)(?<!fewer\s)(?<!greater\s)than|than(?!\s+\$?\d)|vs\.?|versus"
    r"|(?:in\s+)?compar(?:ed|ing|ison)\s+(?:to|with|against)|relative\s+to"
    r"|against|over(?!\s+(?:an?\s+)?[\d$])(?!\s+(?:the\s+)?(?:last|past|next|previous\s+(?:\w+\s+)?(?:months?|years?)))"
    r"|(?<=at\sthe\s)same\s+(?:[\w-]+\s+){1,2}?as"
    r"|outperform(?:s|ed|ing)?|surpass(?:es|ed|ing)?|beat(?:s|ing)?"
    r"|as\s+(?:fast|quick|quickly|much|many|high|efficient|good)(?:\s+[\w-]+){0,3}?\s+as)(?![\w-])",
    re.IGNORECASE,
)
# Words after which no comparison goes on, for the object of a comparator.
_OBJECT_REACH = 70


def clause_around(plain: str, start: int, end: int) -> tuple[int, int]:
    """First and last offset of the clause that the characters `start`..`end` stand in.

    Args:
        plain: The sentence.
        start: First character.
        end: One past the last character.
    """
    left, right = 0, len(plain)
    for match in sorted([*_BREAK.finditer(plain), *_STATEMENT.finditer(plain)], key=lambda match: match.start()):
        if match.end() <= start:
            left = match.end()
        elif match.start() >= end:
            right = match.start()
            break
    return left, right


def segments_before(plain: str, start: int) -> Iterator[tuple[int, int]]:
    """The stretches between commas and clause breaks before an offset, the nearest first."""
    cuts = {match.start() for match in _BREAK.finditer(plain, 0, start)}
    cuts |= {match.start() for match in re.finditer(r",\s", plain[:start])}
    edges = [0, *sorted(cuts), start]
    yield from zip(reversed(edges[:-1]), reversed(edges[1:]), strict=True)


def object_reach(plain: str, comparator_end: int) -> int:
    """Offset up to which a comparator's object is looked for."""
    _, right = clause_around(plain, comparator_end, comparator_end)
    comma = plain.find(", ", comparator_end)
    return min(right, comparator_end + _OBJECT_REACH, comma if comma > 0 else right)
