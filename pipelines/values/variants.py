"""Printed variants of a benchmark: `Ph1 Pre-Training (SL128) - Packed`,
`image 896, bps 5, max det 200`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

from pipelines.yaml_files import load_yaml

_STAGES = {"pre": "pre-training", "fine": "fine-tuning"}
_LISTED = load_yaml(Path(__file__).with_suffix(".yml"))
_SAID, _OTHER = (
    {name: re.compile(pattern, re.IGNORECASE) for name, pattern in _LISTED[part].items()}
    for part in ("said", "other")
)


class Variant(NamedTuple):
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
    for part in _OTHER["separator"].split(text.strip()):
        rest = part
        for said, pattern in _SAID.items():
            if match := pattern.search(rest):
                found[said] = _meaning(said, match[1])
                rest = rest[: match.start()] + rest[match.end() :]
        rest = " ".join(rest.split()).strip(" -\u2013")
        if not rest or (dataset and rest.casefold() == dataset.strip().casefold()):
            continue
        if _OTHER["configuration"].search(rest):
            configurations.append(_OTHER["config_word"].sub(" ", rest).strip())
        else:
            names.append(rest)
    return Variant(
        **found, configuration=", ".join(configurations) or None, name=" - ".join(names) or None
    )


def _meaning(said: str, text: str) -> Any:
    if said in ("phase", "sequence_length"):
        return int(text)
    if said == "is_packed":
        return True
    return _STAGES.get(text.lower()) or re.sub(r"\s", "", text)


def places_in(text: str) -> dict[str, tuple[int, int]]:
    """Where a variant, or the name of a model, prints its stage, phase, sequence length and image
    size.
    """
    found = {said: pattern.search(text) for said, pattern in _SAID.items() if said != "is_packed"}
    # Of a stage all words, of the others the number.
    return {said: match.span(0 if said == "stage" else 1) for said, match in found.items() if match}
