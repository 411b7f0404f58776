"""Words of comparison beside a printed factor, and the direction that they give it. How they are read: `phrases.py`."""

from __future__ import annotations

import re

from pipelines.extract.prose.advantages import Direction
from pipelines.extract.prose.factors import Kind

# `31% better`, `2x faster`, `45% reduction`, `3x cheaper`: the first such word behind a factor
BEHIND = re.compile(
    r"\b(?:(?P<up>more|higher|greater|increased?|longer)"
    r"|(?P<down>lower|less|fewer|shorter|reduc(?:ed|tions?)|decreased?|drop|cut|savings?|cheaper)"
    r"|(?P<good>better|improvements?|improved|gains?|boost|uplift|advantage|as\s+(?:many|much|high)|efficient)"
    r"|(?P<fast>faster|quicker|speed-?\s?ups?|acceleration|as\s+fast|as\s+quick(?:ly)?|the\s+(?:[\w.-]+(?:'s|s')\s+)?speed)"
    r"|(?P<bad>slower|worse))\b",
    re.IGNORECASE,
)
# Between the words and the number: `by up to an additional`, `by a factor of`
_END = r"\s*(?:an?\s+)?(?:(?:additional|further|average|average\s+of|estimated)\s+)?(?:factor\s+of\s+)?$"
_BEFORE = tuple(
    re.compile(pattern + _END, re.IGNORECASE)
    for pattern in (
        # `a factor of`, `the advantage for BERT is`, `a reduction of`
        r"\b(?:(?P<factor>factor)\s+of|(?:(?P<good>advantage|improvements?|gains?|increase|uplift|boost|lead)"
        r"|(?P<fast>speed-?ups?|acceleration)|(?P<down>reductions?|savings?))\b[^,;]{0,60}?\b(?:of|is|was|to|at|by))",
        # `outperforms the A100 by`, `cuts latency by`, `performance rose by`; not the first of `the improved X2 cuts`
        r"(?<!\bthe\s)(?<!\bour\s)(?<!\bits\s)(?<!\ban\s)(?<!\ba\s)(?<!\bnew\s)\b"
        r"(?:(?P<good>outperform\w*|improv\w+|boost\w*|exceed\w*|beat\w*|surpass\w*|better)"
        r"|(?P<up>increas\w+|rais\w+|higher|rose|gr[eo]w\w*|jump\w*|climb\w*)"
        r"|(?P<fast>accelerat(?:e[sd]?|ing)|speed\w*\s+up|sped\s+up|faster)"
        r"|(?P<down>reduc\w+|cut\w*|decreas\w+|lower\w*|shorten\w*|drop\w*|fell|fall\w*|declin\w+|slash\w*|shr[aiu]nk\w*))"
        r"\b[^,;]{0,70}?\bby",
        # `performance improved 20%`, `latency is down 35%`, `saves 40% on cost`
        r"\b(?:(?P<good>improv(?:ed|es)|gain(?:ed|s))|(?P<up>increase[ds]|rose|grew|jumped|climbed|up)"
        r"|(?P<fast>accelerated|sped\s+up)|(?P<down>fell|dropped|decreased|declined|down|sav(?:ed?|es|ing)))",
    )
)
# `cut latency in half`
_CUT_IN = re.compile(r"\b(?:cut\w*|reduc\w+|slash\w*|split\w*)\b[^,;]{0,70}?\bin\s+$", re.IGNORECASE)
# Only said of what was just compared: `this is a factor of 1.6x`, `the advantage for BERT is 1.3X`
_REFERS_BACK = re.compile(r"\b(?:factor\s+of|advantage|lead)\b", re.IGNORECASE)
_DIRECTIONS: dict[str, Direction] = {"up": "up", "down": "down", "fast": "fast", "bad": "bad"}


def direction_of(match: re.Match[str]) -> Direction:
    """The direction of a word of comparison; `good` where it only says that something is better."""
    return _DIRECTIONS.get(match.lastgroup or "", "good")


def before_factor(before: str, kind: Kind) -> re.Match[str] | None:
    """The words of comparison that end right before a factor, or None."""
    if kind == "share":
        return _CUT_IN.search(before)
    return next((match for pattern in _BEFORE if (match := pattern.search(before))), None)


def refers_back(match: re.Match[str]) -> bool:
    """True for words that name what they are about in the sentence before: `this is a factor of`."""
    return _REFERS_BACK.search(match[0]) is not None
