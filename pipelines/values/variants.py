"""Printed variants of a benchmark: `Ph1 Pre-Training (SL128) - Packed`, `image 896, bps 5, max det 200`."""

from __future__ import annotations

import re
from dataclasses import dataclass

# `Pre-Training`, `Fine-Tuning`, `finetuning`, `pretraining`
_STAGE = re.compile(r"\b(pre|fine)[\s-]?(?:training|train|tuning|tune)\b", re.IGNORECASE)
_STAGES = {"pre": "pre-training", "fine": "fine-tuning"}
# `Ph1`, `Phase 2`
_PHASE = re.compile(r"\b(?:Ph|Phase)[\s-]?(\d)\b", re.IGNORECASE)
# `SL128`, `SL=384`, `seq len 512`, `sequence length 512`
_SEQUENCE = re.compile(r"\b(?:SL|seq(?:uence)?[\s-]?len(?:gth)?)\s*+(?:[=:]\s*+)?(\d{1,7})\b", re.IGNORECASE)
_PACKED = re.compile(r"\bpacked\b", re.IGNORECASE)
# `image 896`, `image size 224x224`
_IMAGE = re.compile(r"\b(?:image|img)(?:\s+size)?\s*+(?:[=:]\s*+)?(\d+(?:\s*x\s*\d+)*)\b", re.IGNORECASE)
# `lowest latency config`, `bps 5`, `max det 200`, `1 frame`: parts that say how, not what, was run
_CONFIGURATION = re.compile(r"\bconfig(?:uration)?\b|^[a-z][a-z ]*\s\d+$|^\d+\s+[a-z]+$", re.IGNORECASE)
_CONFIG_WORD = re.compile(r"(?:(?<!\s)\s++)?\bconfig(?:uration)?\b\s*+", re.IGNORECASE)
# A dash between blanks, commas, pipes, brackets: what separates the parts; never the hyphen in `GPT2-Large`
_SEPARATOR = re.compile(r"(?<!\s)\s++[-\u2013]\s++|(?:(?<!\s)\s++)?[,;|()\[\]]\s*+")


@dataclass(frozen=True, slots=True)
class Variant:
    """What a variant cell says, part by part; None where it says nothing.

    Attributes:
        stage: `pre-training` or `fine-tuning`.
        phase: Phase of the pre-training, from 1.
        sequence_length: Tokens per sequence.
        is_packed: True where packed sequences are stated; None where nothing is said.
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
    """The parts of a variant cell. A part that only repeats the row's dataset is left out of the name."""
    if not text or not text.strip():
        return Variant()
    configurations, names = [], []
    stage = phase = sequence = image = None
    packed = None
    for part in _SEPARATOR.split(text.strip()):
        rest = part
        if match := _STAGE.search(rest):
            stage, rest = _STAGES[match[1].lower()], _cut(rest, match)
        if match := _PHASE.search(rest):
            phase, rest = int(match[1]), _cut(rest, match)
        if match := _SEQUENCE.search(rest):
            sequence, rest = int(match[1]), _cut(rest, match)
        if match := _PACKED.search(rest):
            packed, rest = True, _cut(rest, match)
        if match := _IMAGE.search(rest):
            image, rest = re.sub(r"\s", "", match[1]), _cut(rest, match)
        rest = " ".join(rest.split()).strip(" -\u2013")
        if not rest or (dataset and rest.casefold() == dataset.strip().casefold()):
            continue
        if _CONFIGURATION.search(rest):
            configurations.append(_CONFIG_WORD.sub(" ", rest).strip())
        else:
            names.append(rest)
    return Variant(stage, phase, sequence, packed, image, ", ".join(configurations) or None, " - ".join(names) or None)


def places_in(text: str) -> dict[str, tuple[int, int]]:
    """Where a variant, or the name of a model, prints its stage, phase, sequence length and image size."""
    found = {
        "stage": (match.span() if (match := _STAGE.search(text)) else None),
        "phase": (match.span(1) if (match := _PHASE.search(text)) else None),
        "sequence_length": (match.span(1) if (match := _SEQUENCE.search(text)) else None),
        "image_size": (match.span(1) if (match := _IMAGE.search(text)) else None),
    }
    return {name: span for name, span in found.items() if span}


def _cut(text: str, match: re.Match[str]) -> str:
    return text[: match.start()] + text[match.end() :]
