"""Printed numbers with the letter of a thousand or a million behind them: `12.5K`, `1.2M`."""

from __future__ import annotations

import re

from pipelines.values.numbers import NUMBER, parse_number
from pipelines.values.quantity import Quantity

# `12.5K`, `3k`, `1.2M`; a small m is a minute or a thousandth
_MULTIPLE = re.compile(rf"(?P<number>{NUMBER})\s?(?P<letter>[kKM])")
_SCALES = {"k": 1e3, "K": 1e3, "M": 1e6}


def parse_multiple(text: str, words: str = "") -> Quantity | None:
    """The number a cell consists of, times its letter, or None when it is not exactly that."""
    match = _MULTIPLE.fullmatch(text.strip())
    number = parse_number(match["number"], words) if match else None
    return number.scaled(_SCALES[match["letter"]]) if match and number else None
