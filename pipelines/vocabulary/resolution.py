"""Printed names to canonical names with their facts, and suggestions for those that no vocabulary
knows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, cast

from rapidfuzz import fuzz, process

from pipelines.vocabulary import lookup
from pipelines.vocabulary.lookup import Entry, Kind, find, key, names
from pipelines.vocabulary.printed_names import (
    PrintedName,
    read_model,
    read_platform,
    read_versioned,
)
from pipelines.yaml_files import load_yaml

# Below this likeness (0 to 100) a suggestion is noise.
_LIKE_ENOUGH = 70
# Other weights, vocabularies or code of one network: `Llama 2 7B Chat`, `BERT-Base Cased MRPC`
_TUNING = re.compile(r"(?: (?:Instruct|Chat|Cased|Uncased|HuggingFace|MRPC|SQuAD|SST-2|v0\.\d))+")
# `TensorFlow & PyTorch`, `PyTorch and JAX`
_SEVERAL = re.compile(r"(?<!\s)\s+(?:&|and)\s+|(?:(?<!\s)\s++)?,\s+", re.IGNORECASE)
# Facts of an entry that a row of `resolved.names` has as they are.
_FACTS = (
    "vendor",
    "family",
    "chip",
    "chips",
    "devices_per_chip",
    "platform_kind",
    "unit",
    "better",
    "price_terms",
)


def resolve_name(printed: Mapping[str, Any]) -> dict[str, Any]:
    """The row of `resolved.names` for a row of `internal.printed_names`."""
    kind: str = printed["kind"]
    text: str = printed["name_printed"]
    suite: str | None = printed["suite"]
    found = _read(kind, text, suite)
    entry = found.entry
    facts = entry.facts if entry else {}
    is_model = kind in ("models", "variants")
    return {
        **printed,
        **{fact: facts.get(fact) for fact in _FACTS},
        "name": entry.name if entry else None,
        "maker": facts.get("maker", facts.get("vendor")),
        "metric_kind": facts.get("kind"),
        "comparable_as": comparable_as(entry) if entry and is_model else None,
        "is_family": facts.get("is_family", False) if entry else None,
        "multiplier": found.multiplier,
        "version_printed": found.version,
        "item": items_of_families().get(facts.get("family")),
        "is_synthetic": facts.get("synthetic", False) if entry and kind == "datasets" else None,
        "suggestion": None
        if entry or kind == "variants"
        else suggest(cast(Kind, kind), found.base),
    }


def comparable_as(model: Entry) -> str:
    """The name under which a model is compared with others: releases and tunings of a network share
    it.

    For comparison only; two models of one such name stay two benchmarks.
    """
    return str(model.facts.get("comparable_as") or _TUNING.sub("", model.name))


def item_counted(
    item: str | None, model: str | None, variant: str | None, suite: str | None
) -> str | None:
    """What a rate counts: of inferences or frames, what the variant or the model takes, as
    `resolved.results` has it.

    Args:
        item: The printed item; None for `items`.
        model: The model as printed.
        variant: The variant as printed, without stage and sizes.
        suite: The suite that it is printed in.
    """
    if item not in (None, "items", "inferences", "samples", "examples", "frames", "sequences"):
        return item
    named = (("variants", variant), ("models", model))
    rows = [
        resolve_name({"kind": kind, "name_printed": text, "suite": suite})
        for kind, text in named
        if text
    ]
    return next((row["item"] for row in rows if row["item"]), item)


@cache
def items_of_families() -> dict[str | None, str]:
    """What one sample of a family's models is, by family: `images` of ResNet."""
    items: dict[str | None, str] = {}
    for listed in load_yaml(lookup.FOLDER / "families.yml"):
        items |= dict.fromkeys(listed["families"], listed["item"])
    return items


def _read(kind: str, text: str, suite: str | None) -> PrintedName:
    if kind == "platforms":
        return read_platform(text)
    if kind == "frameworks":
        found = read_versioned("frameworks", text)
        return found if found.entry else _several(text)
    if kind in ("models", "variants"):
        return read_model(text, suite)
    return PrintedName(find(cast(Kind, kind), text, suite), text)


def _several(text: str) -> PrintedName:
    """Several frameworks in one cell under one name, in alphabetical order; unknown if one of them
    is.
    """
    parts = _SEVERAL.split(text)
    entries = [read_versioned("frameworks", part).entry for part in parts]
    if len(parts) < 2 or None in entries:
        return PrintedName(None, text)
    named = sorted({entry.name for entry in entries if entry})
    return PrintedName(Entry("frameworks", " + ".join(named)), text)


def suggest(kind: Kind, printed: str) -> str | None:
    """The known spelling nearest to an unknown one, or None when none is near. For people to judge,
    never applied.
    """
    best = process.extractOne(
        key(printed), names(kind), scorer=fuzz.WRatio, score_cutoff=_LIKE_ENOUGH
    )
    entry = find(kind, best[0]) if best else None
    return entry.name if entry else None
