"""Platforms and precisions named within the words of a row: `L40S OPT BF16 + FP8 KV`, `H100 BASE TP=4`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pipelines.extract.tables.conditions import conditions_in
from pipelines.extract.tables.headings import Heading
from pipelines.extract.tables.nothing import is_nothing
from pipelines.extract.tables.platform_named import read_platform_in
from pipelines.extract.tables.settings import settings_in
from pipelines.read.document import Cell

# Columns whose words may name more than one thing.
_WORDS = frozenset({"attribute", "unknown", "variant"})
# A longer text is a remark.
_MAX_LENGTH = 60


_COUNT = re.compile(r"\b\d+\s?[x\u00d7*]|[x\u00d7*]\s?\d+\b", re.IGNORECASE)
_PUNCTUATION = re.compile(r"[\s()\[\],;:|+-]+")


def named_within(headings: Sequence[Heading], row: Sequence[Cell], texts: Mapping[str, str]) -> dict[str, Any]:
    """`platform`, `precision` and `settings` of a row of a table without a column of platforms.

    Only cells before the first value count, and only those that name a platform among other words.
    """
    if "platform" in texts or any(part.column == "platform" for heading in headings for part in heading.qualifiers):
        return {}
    for heading, cell in zip(headings, row, strict=True):
        if heading.is_value:
            break
        text = " ".join(cell.text.split())
        if heading.column not in _WORDS or is_nothing(cell) or len(text) > _MAX_LENGTH:
            continue
        if platform := read_platform_in(text):
            settings = list(settings_in([text]))
            if heading.cell.is_blank and (rest := _beside(platform, text)) and not settings:
                # `(lora) NVIDIA A40 x4`: no heading says what the other word is.
                settings.append(rest)
            found: dict[str, Any] = {"platform": platform, "settings": settings}
            precision = conditions_in([text]).get("precision")
            return found | ({"precision": precision} if precision else {})
    return {}


def _beside(platform: str, text: str) -> str:
    """The words of a text that are not the platform named in it or how many there are of it."""
    name = _COUNT.sub("", platform, count=1).strip() if _COUNT.match(platform) else platform
    return _PUNCTUATION.sub(" ", _COUNT.sub("", text.replace(name, " "))).strip()
