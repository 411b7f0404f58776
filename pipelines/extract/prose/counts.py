"""How many accelerators a platform in a sentence stands for: `512 H100 GPUs`, `two DGX A100 systems`."""

from __future__ import annotations

import re

from pipelines.extract.prose.names import Mention
from pipelines.values.numbers import parse_count
from pipelines.vocabulary.lookup import find

_WORDS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "eight": 8, "ten": 10, "sixteen": 16}
# `10,752`, `384`, `eight`
COUNT = rf"\d{{1,3}}(?:,\d{{3}})+|\d{{1,6}}|{'|'.join(_WORDS)}"
# `10,752 `, `eight NVIDIA `
_COUNT = re.compile(
    rf"(?<![\w.,$/-])(?P<count>{COUNT})\s+(?:NVIDIA\s+|AMD\s+|Intel\s+|Google\s+|AWS\s+)?$",
    re.IGNORECASE,
)
# Only a plural is counted: in `the Llama 2 H100 results` the number belongs to what stands before.
_PLURAL = re.compile(
    r"(?:GPUs|[ITH]PUs|[a-z\d]s)$|s\b|(?<!\s)\s+(?:[GITH]PUs|accelerators|chips|processors|cards|devices|instances|nodes|servers|systems)\b"
)
# `on 8 Gaudi2`: a preposition sets the number apart from what stands before.
_PLACED = re.compile(r"\b(?:on|using|with|across|by|of)\s+(?:an?\s+|the\s+)?\S+\s+(?:[A-Z]\w+\s+)?$")
# `0.191 minutes on 3,456 chips`: the platform is named elsewhere
_DEVICES = re.compile(
    rf"\s+(?:on|using|with|across)\s+(?:just\s+|only\s+)?(?P<count>{COUNT})"
    r"\s+(?:chips?|GPUs?|[ITH]PUs?|accelerators?|processors|cards?|devices?)\b",
    re.IGNORECASE,
)
_YEARS = range(1990, 2050)


def accelerators_of(plain: str, mention: Mention | None, end: int) -> int | None:
    """Accelerators that a number was measured on; None where no count is printed.

    A known system counts with the accelerators inside it.

    Args:
        plain: The sentence.
        mention: The platform in it.
        end: One past the last character of the number.
    """
    if devices := _DEVICES.match(plain, end):
        return _count(devices["count"])
    match = _COUNT.search(plain, 0, mention.start) if mention else None
    if mention is None or match is None:
        return None
    is_plural = _PLURAL.search(mention.name) or _PLURAL.match(plain, mention.end)
    if not is_plural and not _PLACED.search(plain, 0, mention.start):
        return None
    count = _count(match["count"])
    if not count or ("," not in match["count"] and count in _YEARS):
        return None
    entry = find("platforms", mention.name)
    return count * int(entry.facts.get("chips") or 1) if entry else count


def _count(printed: str) -> int | None:
    return _WORDS.get(printed.lower()) or parse_count(printed)
