"""The platform that a heading or a title names, with how many of it where that is printed: `8x H100`."""

from __future__ import annotations

import re

from pipelines.vocabulary.lookup import spelling_pattern
from pipelines.vocabulary.printed_names import MAKER, read_platform

# `8x MI300X`, `16 x H100`, `64 TPU v5e chips`: how many, before a platform in a heading
_COUNT = re.compile(
    r"(?<![\w.,-])(?P<count>\d{1,3}(?:,\d{3})+|\d{1,5})(?P<sign>\s?[x\u00d7]\s?|\s)" rf"(?:{MAKER}\s+)*$", re.IGNORECASE
)
# `A40 x4`, `Tesla T4 x8`: how many, behind a platform
_COUNT_BEHIND = re.compile(r"\s*[x\u00d7*]\s?(?P<count>\d{1,5})(?![\w.,-]*\d)", re.IGNORECASE)
_MANY = re.compile(r"\s+(?:GPU|accelerator|chip|card|HPU|IPU|TPU|device)s\b", re.IGNORECASE)
# `3x H100 performance` and `up to 3x H100` count no accelerators.
_GAIN = re.compile(r"\b(?:faster|higher|better|speed-?ups?|up to|gains?|times|performance|throughput)\b", re.IGNORECASE)
_RAISED = re.compile(r"\b(?:up to|faster|higher|better|gains?(?: of)?|speed-?ups?(?: of)?)\s*$", re.IGNORECASE)
# `Mixtral 8x7B: 1.45x higher throughput vs. H100 SXM`, `Speedup over A100`
_COMPARES = re.compile(r"\b(?:than|vs|versus|compared|relative to|speed-?ups? over|gains? over)\b", re.IGNORECASE)
# `NVIDIA DGX A100 (1x A100 40GB)`
_IN_BRACKETS = re.compile(r"\(([^()]+)\)")
# `Server: Dual AMD EPYC 9554 ... with 8x AMD MI300X`, `Tested on 8x H100`, `* System configuration: ...`
_SYSTEM = re.compile(
    r"\W*(?:server|system|hardware|platform|test(?:ed)?|benchmark|measured)"
    r"(?: (?:configuration|setup|system|platform))?\s*(?::|\bon\b|\busing\b)",
    re.IGNORECASE,
)
# `8xA100-80GB`: a count joined to the name
_JOINED = re.compile(r"(?<![\w.,-])(\d{1,5}[x\u00d7])(?=[A-Z])")
# `on an 8x A100`: what the machine holds, which need not all have been used
_MACHINE = re.compile(r"\ban?\s+$", re.IGNORECASE)
# Signs that stand inside names: `Intel® Gaudi® 2`
_SIGNS = str.maketrans(dict.fromkeys("\u2122\u00ae\u00a0", " "))


def read_platform_in(text: str) -> str | None:
    """The platform that a heading names, as printed and with its count (`8x H100`); None for none or several.

    Of `DGX A100 (1x A100 40GB)` it is what stands in brackets. What is compared with is not what was measured.
    """
    text = _JOINED.sub(r"\1 ", " ".join(text.translate(_SIGNS).split()))
    if _COMPARES.search(text):
        return None
    found = {_with_count(text, match) for match in spelling_pattern("platforms").finditer(text)}
    if len(found) > 1 and (match := _IN_BRACKETS.search(text)) and read_platform(match[1]).entry:
        return match[1]
    return found.pop() if len(found) == 1 else None


def platform_noted(notes: str) -> str | None:
    """The platform that a note behind a table says it was measured on: `Server: ... with 8x AMD MI300X GPUs`."""
    found = {platform for line in notes.split("\n") if _SYSTEM.match(line) and (platform := read_platform_in(line))}
    return found.pop() if len(found) == 1 else None


def _with_count(text: str, platform: re.Match[str]) -> str:
    before = _COUNT.search(text[: platform.start()])
    is_count = before and (before["sign"].strip() or _MANY.search(platform[0]) or _MANY.match(text, platform.end()))
    behind = text[platform.end() :]
    if (
        not before
        and (counted := _COUNT_BEHIND.match(behind))
        and not _GAIN.match(behind[counted.end() :].lstrip(" ,:;-"))
    ):
        return f"{counted['count']}x {platform[0]}"
    if not before or not is_count or _GAIN.match(behind.lstrip(" ,:;-")) or _RAISED.search(text[: before.start()]):
        return platform[0]
    if _MACHINE.search(text[: before.start()]) and not _MANY.match(text, platform.end()):
        return platform[0]
    return f"{before['count']}x {platform[0]}"
