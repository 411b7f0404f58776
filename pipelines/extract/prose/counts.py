"""How many accelerators a platform in a sentence stands for: `512 H100 GPUs`, `two DGX A100 systems`."""

from __future__ import annotations

import re

from pipelines.extract.prose.names import Mention
from pipelines.values.numbers import parse_count
from pipelines.vocabulary.lookup import find

_WORDS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "eight": 8, "ten": 10, "sixteen": 16}
# `10,752 `, `eight NVIDIA `
_COUNT = re.compile(
    rf"(?<![\w.,$/-])(?P<count>\d{{1,3}}(?:,\d{{3}})+|\d{{1,6}}|{'|'.join(_WORDS)})\s+(?:NVIDIA\s+|AMD\s+|Intel\s+|Google\s+|AWS\s+)?$",
    re.IGNORECASE,
)
# Only a plural is counted: in `the Llama 2 H100 results` the number belongs to what stands before.
_PLURAL = re.compile(
    r"(?:GPUs|[ITH]PUs|[a-z\d]s)$|s\b|\s+(?:[GITH]PUs|accelerators|chips|processors|cards|devices|instances|nodes|servers|systems)\b"
)
_YEARS = range(1990, 2050)


def accelerators_of(plain: str, mention: Mention) -> int | None:
    """Accelerators that the platform stands for with the count before it; None where none is printed.

    A known system counts with the accelerators inside it.
    """
    match = _COUNT.search(plain, 0, mention.start)
    if match is None or not (_PLURAL.search(mention.name) or _PLURAL.match(plain, mention.end)):
        return None
    count = _WORDS.get(match["count"].lower()) or parse_count(match["count"])
    if not count or ("," not in match["count"] and count in _YEARS):
        return None
    entry = find("platforms", mention.name)
    return count * int(entry.facts.get("chips") or 1) if entry else count
