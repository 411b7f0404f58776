"""Printed numbers: `54,784`, `0.0719`, counts, ratios (`2.6x`), batch sizes (`1,2,8+`), releases.

Units and durations have their own modules.
"""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from pipelines.values.quantity import BOUND_WORDS, Quantity, bounded

# `54,784`, `1361`, `0.0719`, `320412900527737600.0000`, `1.5e-3`; a comma only where it groups
# three digits, so that the decimal comma of `5,51` is refused and not read as 551, nor that of
# `0,191` as 191.
NUMBER = r"(?:[1-9][0-9]{0,2}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?"
_NUMBER = re.compile(rf"[-\u2212]?{NUMBER}")
_COUNT = re.compile(r"[1-9][0-9]{0,2}(?:,[0-9]{3})+|[0-9]+")
# DuckDB and Arrow count in 64 bits; a longer run of digits is no count of anything printed on a
# result page.
_MAX_COUNT = 2**63 - 1
_MAX_COUNT_DIGITS = len(str(_MAX_COUNT))
# `2.6x`, `>60x`, `more than 60x`, `over 13x`, `1.3X`, `18×`, "Up to 3.2X"; not `1x IPU-M2000`,
# which the caller tells by what follows, and not `32x32` or `0x1f`
BOUND = "|".join(
    re.escape(words).replace(r"\ ", r"\s+") for words in sorted(BOUND_WORDS, key=len, reverse=True)
)
FACTOR = re.compile(
    rf"(?:(?P<bound>(?<!\w)(?i:{BOUND}))\s*)?(?<![\w.,])(?P<number>{NUMBER})\s?[xX×](?!\w)"
)
# `4 through 360`, `1-16`, `1 to 512`
_RANGE = re.compile(r"(\d[\d,]*)\s*(?:through|to|-|\u2013)\s*(\d[\d,]*)", re.IGNORECASE)
# `4,8,12`, `1, 2, 8+`: a list, as its commas do not group three digits
_LIST = re.compile(r"\d+(?:\s*,\s*\d+)+\+?")
# `rc1`, `-beta.2`, `b2`, `.dev3`; resolved/results.sql knows the order of these stages
_STAGE = r"(?:[-.]?(?:rc|alpha|beta|post|dev|preview|[ab](?=\d))\.?\d*)?"
# `2.4.0`, `3.3`, `1.13.1.1.12.0`, `2.18.0rc1`, `v1.2`
VERSION = rf"\d+(?:\.\d+)+{_STAGE}"
# The vendors' own software, whose releases are printed with its name: `SynapseAI 1.13`, `ROCm 6.2`
STACK = r"(?:SynapseAI|Neuron|ROCm|Poplar)"
_SDK = re.compile(rf"(?:(?:\w+\s+)?SDK\s*|v\.?\s*)?({VERSION}|\d+{_STAGE})", re.IGNORECASE)


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
    # `1e400`, and `1e-400`, which would become 0
    if not math.isfinite(value) or (value == 0 and plain.lower().partition("e")[0].strip("-0.")):
        return None
    return bounded(value, step_of(plain), words)


def step_of(plain: str) -> float:
    """What one more in the last printed digit of a plain decimal adds: 0.01 for `5.51`, 1 for `22`."""
    mantissa, _, exponent = plain.lower().partition("e")
    digits = len(mantissa.partition(".")[2])
    return 10.0 ** (int(exponent or 0) - digits)


def parse_count(text: str) -> int | None:
    """A whole number of things (`65,536`), or None; `16.16` and `-1` are no counts."""
    text = text.strip()
    plain = text.replace(",", "")
    if not _COUNT.fullmatch(text) or len(plain) > _MAX_COUNT_DIGITS:
        return None
    count = int(plain)
    return count if count <= _MAX_COUNT else None


def read_factor(match: re.Match[str]) -> Quantity | None:
    """The factor of a `FACTOR` match with the interval of its rounding and its bound; None for
    zero.
    """
    quantity = parse_number(match["number"], match["bound"] or "")
    return quantity if quantity and quantity.value > 0 else None


class BatchSizes(NamedTuple):
    """Least and greatest batch size printed; `high` is None where the list is open (`8+`)."""

    low: int
    high: int | None

    @property
    def single(self) -> int | None:
        """The batch size, where only one is printed."""
        return self.low if self.low == self.high else None


def parse_batch_sizes(text: str) -> BatchSizes | None:
    """One batch size, a range or a list, or None when the text is none of these."""
    text = text.strip()
    if (count := parse_count(text)) is not None:
        return BatchSizes(count, count)
    match = _RANGE.fullmatch(text)
    parts: list[str] = [*match.groups()] if match else []
    if _LIST.fullmatch(text):
        parts = text.removesuffix("+").split(",")
    counts = [parse_count(part) for part in parts]
    sizes = [count for count in counts if count is not None]
    is_reversed = match is not None and sizes != sorted(sizes)
    if not sizes or len(sizes) < len(counts) or is_reversed:
        return None
    return BatchSizes(min(sizes), None if text.endswith("+") else max(sizes))


def parse_sdk(text: str) -> str | None:
    """The release in a cell such as `SDK 2.4.0` or `Poplar SDK 1.4`, as printed without its name;
    None otherwise.
    """
    match = _SDK.fullmatch(text.strip())
    return match[1] if match else None
