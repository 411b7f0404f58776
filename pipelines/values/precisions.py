"""Printed number formats: `16.16` (activations.weights), `FP 16.16`, `FP32`, `INT8`,
`Mixed Precision`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from pipelines.yaml_files import load_yaml

_WIDTHS = frozenset({4, 6, 8, 16, 32, 64})

_PATTERNS = {
    name: re.compile(pattern, re.IGNORECASE)
    for name, pattern in load_yaml(Path(__file__).with_suffix(".yml")).items()
}
_SPELLINGS = {"BFLOAT": "BF", "FLOAT": "FP"}


class Precision(NamedTuple):
    """A number format under one name.

    Attributes:
        name: `16.16`, `FP32`, `INT8`, `mixed`, `mixed BF16`, `autocast BF16+SR`, or several joined
            by `+`.
        activation_bits: Width of activations and gradients where a pair is printed, else None.
        weight_bits: Width of the weights where a pair is printed, else None.
    """

    name: str
    activation_bits: int | None = None
    weight_bits: int | None = None


def parse_precision(text: str) -> Precision | None:
    """The precision a cell consists of, or None. `FP32, BF16` gives `FP32+BF16`; `17.16` is no
    precision.
    """
    text = text.strip().strip('"')
    if pair := _PATTERNS["pair"].fullmatch(text):
        activations, weights = int(pair[1]), int(pair[2])
        if activations in _WIDTHS and weights in _WIDTHS:
            return Precision(f"{activations}.{weights}", activations, weights)
        return None
    if autocast := _PATTERNS["autocast"].fullmatch(text):
        return Precision(f"autocast {autocast['rest']}")
    names = [_single(part) for part in _PATTERNS["list"].split(text)]
    if any(name is None for name in names):
        return None
    return Precision("+".join(name for name in names if name))


def _single(text: str) -> str | None:
    if _PATTERNS["mixed"].fullmatch(text):
        return "mixed"
    if match := _PATTERNS["mixed_with"].fullmatch(text):
        return f"mixed {''.join((match['behind'] or match['before']).upper().split())}"
    if _PATTERNS["weights_first"].fullmatch(text):
        return re.sub(r"[_ -]G", " g", text.upper())
    if (width := _PATTERNS["width"].fullmatch(text)) and int(width[1]) in _WIDTHS:
        return f"{width[1]}-bit"
    match = _PATTERNS["single"].fullmatch(text)
    if not match or int(match[2]) not in _WIDTHS:
        return None
    family = match[1].upper()
    scaling = (match[4] or "").upper()
    if scaling and family != ("INT" if scaling == "CW" else "FP"):
        return None
    if scaling == "MX":
        return f"MXFP{int(match[2])}"
    suffix = f"-{(match[3] or scaling).upper()}" if match[3] or scaling else ""
    return f"{_SPELLINGS.get(family, family)}{int(match[2])}{suffix}"
