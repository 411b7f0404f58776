"""Settings of a run that the label above a table states and no column prints: lengths, shards, the compiler."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

# `1,024`, `5000`, `2k`
_LENGTH = r"(\d[\d,]*k?)"
# `5000 Input Tokens / 500 Output Tokens`, `128 input, 2048 output tokens`
_LENGTHS_BEFORE = re.compile(
    rf"\b{_LENGTH}\s+(?:input|prompt)(?:\s+tokens?)?\s*(?:/|,|and|&|\+)\s*{_LENGTH}\s+output\b", re.IGNORECASE
)
# `input length 128, output length 2048`, `Input: 1024 / Output: 128`, `ISL=1024, OSL 1024`
_LENGTHS_BEHIND = re.compile(
    rf"\b(?:ISL|(?:input|prompt)(?:\s+(?:sequence\s+)?(?:length|len|tokens))?)\s*[=:]?\s*{_LENGTH}\b"
    rf"\s*(?:/|,|;|and|&|\+)?\s*(?:OSL|output(?:\s+(?:sequence\s+)?(?:length|len|tokens))?)\s*[=:]?\s*{_LENGTH}\b",
    re.IGNORECASE,
)
# `ISL/OSL: 1024/1024`
_LENGTHS_PAIRED = re.compile(rf"\bISL\s*/\s*OSL\s*[=:]?\s*{_LENGTH}\s*/\s*{_LENGTH}\b", re.IGNORECASE)
# `TP2`, `TP=8`, `PP 4`
_SHARDS = re.compile(r"\b(?P<way>TP|PP|DP|EP|CP)\s?=?\s?(?P<degree>\d{1,4})\b")
# `Concurrency 64`, `concurrency: 1`
_CONCURRENCY = re.compile(r"\bconcurrency\s*(?:of\s+|[=:]\s*)?(\d[\d,]*)\b", re.IGNORECASE)
# `TF32 Inference Latency + XLA`, `DALI + AMP + XLA`, `7B LoRA`: the same cells below two such are two tests
MODE = re.compile(r"\b(?:XLA|DALI|QLoRA|LoRA)\b|^(?:[Cc]old|[Ww]arm)$")
# `Offline scenario`, `Scenario: Server`
_SCENARIO = re.compile(
    r"\b(?:(?P<before>offline|server|single-?stream|multi-?stream|interactive)\s+scenario"
    r"|scenario\s*[:=]\s*(?P<behind>offline|server|single-?stream|multi-?stream|interactive))\b",
    re.IGNORECASE,
)


def settings_in(texts: Iterable[str]) -> tuple[str, ...]:
    """The settings that labels state, as attributes of a row (`Input Length 5000`, `TP 2`), the first label first."""
    found: dict[str, str] = {}
    for text in texts:
        for setting in _settings_of(text):
            found.setdefault(_name_of(setting), setting)
    return tuple(found.values())


def with_settings(attributes: Sequence[str], stated: Sequence[str]) -> list[str]:
    """The attributes of a row with the settings stated above its table, but for those that the row itself prints."""
    printed = {_name_of(attribute) for attribute in attributes}
    if any(name.startswith("Input/Output") for name in printed):
        printed |= {"Input Length", "Output Length"}
    return [*attributes, *(setting for setting in stated if _name_of(setting) not in printed)]


def _settings_of(text: str) -> Iterable[str]:
    lengths = _LENGTHS_PAIRED.search(text) or _LENGTHS_BEFORE.search(text) or _LENGTHS_BEHIND.search(text)
    if lengths:
        yield f"Input Length {lengths[1].replace(',', '')}"
        yield f"Output Length {lengths[2].replace(',', '')}"
    for shards in _SHARDS.finditer(text):
        yield f"{shards['way']} {shards['degree']}"
    if concurrency := _CONCURRENCY.search(text):
        yield f"Concurrency {concurrency[1].replace(',', '')}"
    for mode in MODE.finditer(text):
        yield mode[0]
    if scenario := _SCENARIO.search(text):
        yield f"Scenario {(scenario['before'] or scenario['behind']).capitalize()}"


def _name_of(setting: str) -> str:
    """`Input Length` of `Input Length 5000`; a mode is its own name."""
    return setting.rpartition(" ")[0] or setting
