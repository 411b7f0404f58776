"""Printed numbers: `54,784`, `0.0719`, `1,260,000`. Units and durations have their own modules."""

from __future__ import annotations

import math
import re

from pipelines.values.quantity import Quantity, bounded

# `54,784`, `1361`, `0.0719`, `320412900527737600.0000`, `1.5e-3`; a comma only where it groups three digits,
# so that the decimal comma of `5,51` is refused and not read as 551, nor that of `0,191` as 191.
NUMBER = r"(?:[1-9][0-9]{0,2}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?"
# `70688 tokens/sec`, `153.58 min`
NUMBER_AND_UNIT = re.compile(rf"(?P<number>{NUMBER})\s*(?P<unit>[^\d\s.,].*)")
_NUMBER = re.compile(rf"[-\u2212]?{NUMBER}")

_COUNT = re.compile(r"[1-9][0-9]{0,2}(?:,[0-9]{3})+|[0-9]+")

# DuckDB and Arrow count in 64 bits; a longer run of digits is no count of anything printed on a result page.
_MAX_COUNT = 2**63 - 1
_MAX_COUNT_DIGITS = len(str(_MAX_COUNT))


def parse_number(text: str, words: str = "") -> Quantity | None:
    """The number a cell consists of, or None when it is not exactly one number.

    `words` is a bound before it (`over`), see `quantity.BOUND_WORDS`.
    """
    text = text.strip()
    # `.55` is 0.55.
    text = text.replace(".", "0.", 1) if text.lstrip("-\u2212")[:1] == "." else text
    if not _NUMBER.fullmatch(text):
        return None
    plain = text.replace(",", "").replace("\u2212", "-")
    value = float(plain)
    if not math.isfinite(value):
        return None
    return bounded(value, step_of(plain), words)


def parse_count(text: str) -> int | None:
    """A whole number of things (`65,536`), or None; `16.16` and `-1` are no counts."""
    text = text.strip()
    plain = text.replace(",", "")
    if not _COUNT.fullmatch(text) or len(plain) > _MAX_COUNT_DIGITS:
        return None
    count = int(plain)
    return count if count <= _MAX_COUNT else None


def step_of(plain: str) -> float:
    """What one more in the last printed digit of a plain decimal adds: 0.01 for `5.51`, 1 for `22`."""
    mantissa, _, exponent = plain.lower().partition("e")
    digits = len(mantissa.partition(".")[2])
    return 10.0 ** (int(exponent or 0) - digits)


# `12.5K`, `3k`, `1.2M`; a small m is a minute or a thousandth
_MULTIPLE = re.compile(rf"(?P<number>{NUMBER})\s?(?P<letter>[kKM])")
_SCALES = {"k": 1e3, "K": 1e3, "M": 1e6}


def parse_multiple(text: str, words: str = "") -> Quantity | None:
    """The number a cell consists of, times its letter, or None when it is not exactly that."""
    match = _MULTIPLE.fullmatch(text.strip())
    number = parse_number(match["number"], words) if match else None
    return number.scaled(_SCALES[match["letter"]]) if match and number else None
