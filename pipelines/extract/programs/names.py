"""What the quantities are that programs print, by their names: `P99 TTFT (ms)`, `train_samples_per_second`.

A name means what the vocabulary of metrics says; the spellings of single programs stand beside the programs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from pipelines.extract.named_quantities import QuantityName, read_name
from pipelines.read.document import Cell

# `[TTFT]`, `[1/TPOT]`: an abbreviation beside the words; never `[ms]`
_TAG = re.compile(r"(?:(?<!\s)\s++)?\[(?:1/)?[A-Z]{3,5}\]")
# `50.00 percentile latency`, `90th percentile latency`, `99% percentile latency`, `percentile(99%) Latency`
_PERCENTILE = re.compile(
    r"(?:(?P<number>\d{1,2}(?:\.\d+)?)\s*+(?:(?:th|%)\s*+)?percentile|percentile\s*\((?P<share>\d{1,2}(?:\.\d+)?)\s*%\))\s+(?P<what>.+)",
    re.IGNORECASE,
)
_MEAN = re.compile(r"(?:mean|average|avg\.?)\s+(?P<what>.+)", re.IGNORECASE)
# `End to End Latency (ms) p50`, `Prompt throughput (tokens/second) avg`
_STATISTIC_BEHIND = re.compile(
    r"(?P<what>.+\([^()]+\))\s+(?P<statistic>avg\.?|average|mean|median|p\d{1,2}(?:\.\d+)?)", re.IGNORECASE
)
_MEANS = frozenset({"avg", "avg.", "average", "mean"})
_MEDIAN = re.compile(r"median\s+(?P<what>.+)", re.IGNORECASE)
# `latency(ms)`: the unit stands right behind the name
_UNIT_GLUED = re.compile(r"(?<=\w)\((?=[\w/]+\)$)")
# A name that says for itself that it is no typical value
_EXTREME = re.compile(r"\b(?:min(?:imum)?|max(?:imum)?|peak|std|stdev|deviation|jitter|variance)\b", re.IGNORECASE)


def quantity(name: Cell, unit: str, spellings: Mapping[str, str]) -> QuantityName | None:
    """The measured quantity that a name means, or None for a name that no vocabulary knows.

    Args:
        name: The name as printed, with its unit where it has one.
        unit: The unit printed behind the value, or nothing.
        spellings: What the program's own names are called in the vocabulary.
    """
    heading = _read(name.text, unit, tuple(sorted(spellings.items())))
    return heading and replace(heading, cell=name)


@lru_cache(maxsize=4096)
def _read(name: str, unit: str, spellings: tuple[tuple[str, str], ...]) -> QuantityName | None:
    text = " ".join(name.split())
    if match := _STATISTIC_BEHIND.fullmatch(text):
        # A mean is what the name alone says.
        statistic = match["statistic"].casefold()
        text = match["what"] if statistic in _MEANS else f"{statistic} {match['what']}"
    text = dict(spellings).get(text.casefold(), text)
    if not text or _EXTREME.search(text.replace("_", " ")):
        return None
    for spelling in _spellings(_TAG.sub("", text)):
        for full in (f"{spelling} ({unit})", spelling) if unit else (spelling,):
            if heading := read_name(Cell(full, 1, 0, len(full))):
                return heading
    return None


def _spellings(text: str) -> Iterator[str]:
    """A name in the words that a vocabulary may know it by."""
    text = _UNIT_GLUED.sub(" (", text)
    yield text
    if match := _PERCENTILE.fullmatch(text):
        yield f"P{float(match['number'] or match['share']):g} {match['what']}"
    elif match := _MEAN.fullmatch(text):
        yield match["what"]
    elif match := _MEDIAN.fullmatch(text):
        yield f"P50 {match['what']}"
