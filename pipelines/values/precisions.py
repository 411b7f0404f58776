"""Printed number formats: `16.16` (activations.weights), `FP 16.16`, `FP32`, `INT8`,
`Mixed Precision`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_WIDTHS = frozenset({4, 6, 8, 16, 32, 64})

# `16.16`, `FP 16.32`, `FP16.16`
_PAIR = re.compile(r"(?:FP\s*)?(\d{1,2})\.(\d{1,2})", re.IGNORECASE)
# `FP32`, `FP 32`, `BF16`, `INT8`, `TF32`, `FP8 (E4M3)`, `float16`, `NVFP4`, `cbfloat16`; `FP8-CS`,
# `INT8-CW`: how it is scaled
_SINGLE = re.compile(
    r"(NVFP|MXFP|CBFLOAT|BFLOAT|FLOAT|BF|FP|TF|INT|UINT)[\s-]*(\d{1,2})"
    r"(?:\s*\((E\dM\d)\)|-(CS|DS|SC|MX|CW))?",
    re.IGNORECASE,
)
# `W4A16`, `w4a16_g128`: bits of the weights, then of the activations, and how many weights share a
# scale
_WEIGHTS_FIRST = re.compile(r"W(?:[2-8]|16)A(?:4|8|16)(?:[_ -]g\d{1,4})?", re.IGNORECASE)
# `32-bit`, `4 bit`: the width without the kind
_WIDTH = re.compile(r"(\d{1,2})[\s-]?bits?", re.IGNORECASE)
# `Mixed Precision`, `Mixed`, `AMP`
_MIXED = re.compile(r"(?:automatic\s+)?mixed(?:\s+precision)?|AMP", re.IGNORECASE)
# `Autocast:BF16+SR`, `Autocast:BF16/AMP`: cast by the compiler, with the kind of rounding
_AUTOCAST = re.compile(
    r"autocast\s*:\s*(?P<rest>(?:BF|FP|TF|INT)\d{1,2}(?:[+/][\w-]+)*)", re.IGNORECASE
)
# `amp_bf16`, `BF16 mixed precision`, `bf16-mixed`, `Mixed (FP16)`, `BF16 AMP`, `INT4-MIXED`: which
# format it is mixed with
_MIXED_WITH = re.compile(
    r"(?:(?:automatic\s+)?mixed(?:\s+precision)?|AMP)[\s_-]*\(?(?P<behind>(?:BF|FP|INT)\s?\d{1,2})\)?"
    r"|(?P<before>(?:BF|FP|INT)\s?\d{1,2})[\s_-]*\(?(?:(?:automatic\s+)?mixed(?:[\s_-]precision)?|AMP)\)?",
    re.IGNORECASE,
)
# `FP32, FP16`, `FP16/FP32`, `BF16+FP8`: formats that are listed
_LIST = re.compile(r"(?:(?<!\s)\s++)?[,/+]\s*+")
_SPELLINGS = {"BFLOAT": "BF", "FLOAT": "FP"}


@dataclass(frozen=True, slots=True)
class Precision:
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
    if pair := _PAIR.fullmatch(text):
        activations, weights = int(pair[1]), int(pair[2])
        if activations in _WIDTHS and weights in _WIDTHS:
            return Precision(f"{activations}.{weights}", activations, weights)
        return None
    if autocast := _AUTOCAST.fullmatch(text):
        return Precision(f"autocast {autocast['rest']}")
    names = [_single(part) for part in _LIST.split(text)]
    if any(name is None for name in names):
        return None
    return Precision("+".join(name for name in names if name))


def _single(text: str) -> str | None:
    if _MIXED.fullmatch(text):
        return "mixed"
    if match := _MIXED_WITH.fullmatch(text):
        return f"mixed {''.join((match['behind'] or match['before']).upper().split())}"
    if _WEIGHTS_FIRST.fullmatch(text):
        return re.sub(r"[_ -]G", " g", text.upper())
    if (width := _WIDTH.fullmatch(text)) and int(width[1]) in _WIDTHS:
        return f"{width[1]}-bit"
    match = _SINGLE.fullmatch(text)
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
