"""What the heading or the caption of a table says of all its rows beyond the platform: model, precision, batch size."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from pipelines.values.numbers import parse_count
from pipelines.values.precisions import parse_precision
from pipelines.values.versions import VERSION
from pipelines.vocabulary.lookup import find, spelling_pattern
from pipelines.vocabulary.printed_names import read_platform

# `FP8`, `BF16`, `INT8`, `mixed precision`, `FP8 (E4M3)`
_PRECISION = re.compile(
    r"\b(?:(?:NVFP|MXFP|BFLOAT|FLOAT|BF|FP|TF|INT)\s?-?\d{1,2}|mixed precision)\b(?!\s?-?\s?KV\b)(?:\s\(E\dM\d\))?",
    re.IGNORECASE,
)
# `batch size 64`, `BS=1`, `batch = 8`, `batch_size=1`; never `global batch size of each`
_BATCH = re.compile(
    r"(?<!local )(?<!micro )(?<!micro-)\b(?:BS|batch(?:[\s_]+size)?)\s*(?:of|=|:)?\s*(\d[\d,]*)\b", re.IGNORECASE
)
# `MLPerf Training v3.1: Closed Division`
_DIVISION = re.compile(r"\b(closed|open)[\s-]+division\b", re.IGNORECASE)
# `ResNet-50 training on 8 accelerators`, `with 16 GPUs`, `Llama 3.1 8B model. 8 GPUs.`
_ACCELERATORS = re.compile(
    r"(?:\b(?:on|with|using|across)\s+|[.;,(]\s+)(\d[\d,]*)\s+(?:accelerators|GPUs|chips|cards|HPUs|TPUs|IPUs|devices)\b",
    re.IGNORECASE,
)
# `vLLM v0.6.3`, `PyTorch 2.5.1`; never `TensorFlow 20.06-tf1-py3`, the tag of a container
_VERSION = re.compile(rf"\s+v?({VERSION})(?![\w-])", re.IGNORECASE)
# `torch.compile`
_PART_OF_NAME = re.compile(r"\.\w")
# `BERT pre-training`, `Llama 2 7B Fine-Tuning`
_STAGE = re.compile(r"\b(?:(?P<pre>pre)|fine)[\s-]?(?:training|tuning)\b", re.IGNORECASE)
# `sequence length 2048`, `SL=128`, `seq len: 384`
_SEQUENCE = re.compile(r"\b(?:SL|seq(?:uence)?[\s.]*len(?:gth)?)\s*(?:of|=|:)?\s*(\d[\d,]*)\b", re.IGNORECASE)


def conditions_in(texts: Iterable[str]) -> dict[str, Any]:
    """The fields of a `Measurement` that the texts state, the first text first; what one states twice is left out."""
    stated: dict[str, Any] = {}
    for printed in texts:
        # A no-break space in a heading is a blank.
        text = " ".join(printed.split())
        found = {
            "model_printed": _model(text),
            "framework_printed": _framework(text),
            "precision": _only({p.name for match in _PRECISION.finditer(text) if (p := parse_precision(match[0]))}),
            "stage": _only({"pre-training" if match["pre"] else "fine-tuning" for match in _STAGE.finditer(text)}),
            "division": _only({match[1].capitalize() for match in _DIVISION.finditer(text)}),
            "accelerator_count": _only({parse_count(match[1]) for match in _ACCELERATORS.finditer(text)}),
            "batch_size": _only({parse_count(match[1]) for match in _BATCH.finditer(text)}),
            "sequence_length": _only({parse_count(match[1]) for match in _SEQUENCE.finditer(text)}),
        }
        stated = {name: value for name, value in found.items() if value is not None} | stated
    return stated


def with_conditions(facts: Mapping[str, Any], stated: Mapping[str, Any]) -> dict[str, Any]:
    """The facts of a row with what is stated for all rows where the row itself says nothing."""
    missing = {name: value for name, value in stated.items() if facts.get(name) is None}
    if read_platform(facts.get("platform_printed") or "").multiplier:
        # `8x H100` says for itself how many there are.
        missing.pop("accelerator_count", None)
    return {**facts, **missing}


def _model(text: str) -> str | None:
    """The one model that a text names, as printed; a family alone (`GPT2`) says too little."""
    found = {}
    for match in spelling_pattern("models").finditer(text):
        entry = find("models", match[0])
        if entry and not entry.facts.get("is_family"):
            found[entry.name] = match[0]
    return _only(set(found.values())) if len(found) == 1 else None


def _framework(text: str) -> str | None:
    """The one framework that a text names, with the version behind it; a word of a model's name is none."""
    models = [match.span() for match in spelling_pattern("models").finditer(text)]
    found = {}
    for match in spelling_pattern("frameworks").finditer(text):
        entry = find("frameworks", match[0])
        is_in_model = any(start < match.end() and match.start() < end for start, end in models)
        # `torch.compile` names a function, `FSDP` a technique.
        if (
            entry
            and not is_in_model
            and not _PART_OF_NAME.match(text, match.end())
            and not entry.facts.get("technique")
        ):
            version = _VERSION.match(text, match.end())
            found[entry.name] = f"{match[0]} {version[1]}" if version else match[0]
    return _only(set(found.values())) if len(found) == 1 else None


def _only(found: set[Any]) -> Any:
    return next(iter(found)) if len(found) == 1 else None
