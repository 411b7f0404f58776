"""Printed ratios: `2.6x`, `>60x`, "over 5x". What is compared with what belongs in `extract`."""

from __future__ import annotations

import re

from pipelines.values.numbers import NUMBER, parse_number
from pipelines.values.quantity import BOUND_WORDS, Quantity

BOUND = "|".join(re.escape(words).replace(r"\ ", r"\s+") for words in sorted(BOUND_WORDS, key=len, reverse=True))

# `2.6x`, `>60x`, `more than 60x`, `over 13x`, `1.3X`, `18×`, "Up to 3.2X"; not `1x IPU-M2000`, which the caller
# tells by what follows, and not `32x32` or `0x1f`
FACTOR = re.compile(rf"(?:(?P<bound>(?<!\w)(?i:{BOUND}))\s*)?(?<![\w.,])(?P<number>{NUMBER})\s?[xX×](?!\w)")


def read_factor(match: re.Match[str]) -> Quantity | None:
    """The factor of a `FACTOR` match with the interval of its rounding and its bound; None for zero."""
    quantity = parse_number(match["number"], match["bound"] or "")
    return quantity if quantity and quantity.value > 0 else None
