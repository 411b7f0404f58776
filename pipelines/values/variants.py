"""Printed variants of a benchmark: `Ph1 Pre-Training (SL128) - Packed`,
`image 896, bps 5, max det 200`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_STAGES = {"pre": "pre-training", "fine": "fine-tuning"}
# What a part may say besides a name, in this order: how it is printed, and what it means.
_SAID: dict[str, tuple[re.Pattern[str], Callable[[re.Match[str]], Any]]] = {
    # `Pre-Training`, `Fine-Tuning`, `finetuning`, `pretraining`
    "stage": (
        re.compile(r"\b(pre|fine)[\s-]?(?:training|train|tuning|tune)\b", re.IGNORECASE),
        lambda match: _STAGES[match[1].lower()],
    ),
    # `Ph1`, `Phase 2`
    "phase": (
        re.compile(r"\b(?:Ph|Phase)[\s-]?(\d)\b", re.IGNORECASE),
        lambda match: int(match[1]),
    ),
    # `SL128`, `SL=384`, `seq len 512`, `sequence length 512`
    "sequence_length": (
        re.compile(
            r"\b(?:SL|seq(?:uence)?[\s-]?len(?:gth)?)\s*+(?:[=:]\s*+)?(\d{1,7})\b", re.IGNORECASE
        ),
        lambda match: int(match[1]),
    ),
    "is_packed": (re.compile(r"\b(packed)\b", re.IGNORECASE), lambda match: True),
    # `image 896`, `image size 224x224`
    "image_size": (
        re.compile(
            r"\b(?:image|img)(?:\s+size)?\s*+(?:[=:]\s*+)?(\d+(?:\s*x\s*\d+)*)\b", re.IGNORECASE
        ),
        lambda match: re.sub(r"\s", "", match[1]),
    ),
}
# `lowest latency config`, `bps 5`, `max det 200`, `1 frame`: parts that say how, not what, was run
_CONFIGURATION = re.compile(
    r"\bconfig(?:uration)?\b|^[a-z][a-z ]*\s\d+$|^\d+\s+[a-z]+$", re.IGNORECASE
)
_CONFIG_WORD = re.compile(r"(?:(?<!\s)\s++)?\bconfig(?:uration)?\b\s*+", re.IGNORECASE)
# A dash between blanks, commas, pipes, brackets: what separates the parts; never the hyphen in
# `GPT2-Large`
_SEPARATOR = re.compile(r"(?<!\s)\s++[-\u2013]\s++|(?:(?<!\s)\s++)?[,;|()\[\]]\s*+")


@dataclass(frozen=True, slots=True)
class Variant:
    """The parts of a variant cell; None for parts that are not printed.

    Attributes:
        stage: `pre-training` or `fine-tuning`.
        phase: Phase of the pre-training, from 1.
        sequence_length: Tokens per sequence.
        is_packed: True for packed sequences; None if not stated.
        image_size: Pixels as printed, `896` or `224x224`.
        configuration: How it was run: `lowest latency`, `bps 5, max det 200`.
        name: The words left over, `GPT2-Large` or `Temporal Graph Network`.
    """

    stage: str | None = None
    phase: int | None = None
    sequence_length: int | None = None
    is_packed: bool | None = None
    image_size: str | None = None
    configuration: str | None = None
    name: str | None = None


def parse_variant(text: str | None, dataset: str | None = None) -> Variant:
    """The parts of a variant cell. A part that only repeats the row's dataset is left out of the
    name.
    """
    if not text or not text.strip():
        return Variant()
    found: dict[str, Any] = {}
    configurations, names = [], []
    for part in _SEPARATOR.split(text.strip()):
        rest = part
        for said, (pattern, meaning) in _SAID.items():
            if match := pattern.search(rest):
                found[said], rest = meaning(match), rest[: match.start()] + rest[match.end() :]
        rest = " ".join(rest.split()).strip(" -\u2013")
        if not rest or (dataset and rest.casefold() == dataset.strip().casefold()):
            continue
        if _CONFIGURATION.search(rest):
            configurations.append(_CONFIG_WORD.sub(" ", rest).strip())
        else:
            names.append(rest)
    return Variant(
        **found, configuration=", ".join(configurations) or None, name=" - ".join(names) or None
    )


def places_in(text: str) -> dict[str, tuple[int, int]]:
    """Where a variant, or the name of a model, prints its stage, phase, sequence length and image
    size.
    """
    found = {
        said: pattern.search(text) for said, (pattern, _) in _SAID.items() if said != "is_packed"
    }
    # Of a stage all words, of the others the number.
    return {said: match.span(0 if said == "stage" else 1) for said, match in found.items() if match}
