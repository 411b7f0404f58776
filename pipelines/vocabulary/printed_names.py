"""Names that carry more than a name: a count of platforms (`8x H100`), a version (`PyTorch 2.5`)."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from pipelines.vocabulary.lookup import Entry, Kind, find, load, without_marks
from pipelines.vocabulary.model_names import read_sized, without_organisation
from pipelines.yaml_files import load_yaml

_PATTERNS = {
    name: re.compile(pattern, re.IGNORECASE)
    for name, pattern in load_yaml(Path(__file__).with_suffix(".yml")).items()
}
# `NVIDIA Tesla T4`, `AMD Instinct MI300X`: who makes it
MAKER = (
    r"(?:NVIDIA|AMD|Intel|Google|Cloud|AWS|Amazon|EC2|Azure|Habana|Qualcomm|Huawei|Tenstorrent|Instinct|Tesla|GeForce"
    r"|Apple|Samsung|Rockchip|Radxa|Hailo|MediaTek|NXP|TI|Texas Instruments|Xilinx|Ambarella|Graphcore|Cerebras"
    r"|SambaNova|Groq|Cambricon|Kunlunxin|Enflame|Furiosa(?:AI)?|Rebellions)"
)
# At the start alone: the `Ti` of `RTX 3070 Ti 8GB` is no maker.
_MAKER_BEFORE = re.compile(rf"^(?:{MAKER}\s+)+", re.IGNORECASE)
# No name has more words.
_MOST_WORDS = 8


class PrintedName(NamedTuple):
    """A printed name taken apart.

    Attributes:
        entry: Its entry in the vocabulary, or None for an unknown name.
        base: The name alone, as printed.
        multiplier: Platforms stated with it, or None.
        version: Version after it, or None.
        stage: Words for the stage of a training after it (`Ph1 pre-training`), or None.
        image_size: Pixels in brackets after it (`512x512`), or None.
    """

    entry: Entry | None
    base: str
    multiplier: int | None = None
    version: str | None = None
    stage: str | None = None
    image_size: str | None = None


def read_platform(printed: str) -> PrintedName:
    """A platform name with the count before or after it, if printed."""
    text = " ".join(printed.split())
    if entry := find("platforms", text):
        return PrintedName(entry, text)
    if match := _PATTERNS["count_before"].fullmatch(text):
        return PrintedName(
            read_platform(match[2]).entry, match[2], int(match[1].replace(",", "")) or None
        )
    if match := _PATTERNS["count_behind"].fullmatch(text):
        return PrintedName(find("platforms", match[1]), match[1], int(match[2]) or None)
    match = _PATTERNS["devices_behind"].fullmatch(text)
    entry = find("platforms", match[1]) if match else None
    if match and entry:
        chips, devices = int(entry.facts.get("chips") or 0), int(match[2])
        # `DGX A100 (16 GPUs)` are two of them; of a part of a system (`DGX A100 (4 GPUs)`) no count
        # would be true.
        if chips and devices and devices % chips == 0:
            return PrintedName(entry, match[1], devices // chips)
    if "_" in text:
        # `h100_80gb`, as programs write it
        return read_platform(text.replace("_", " "))
    bare = _PATTERNS["kind_behind"].sub(
        "", _MAKER_BEFORE.sub("", " ".join(without_marks(text).split()))
    )
    entry = find("platforms", bare) if bare != text else None
    sized = _PATTERNS["memory_behind"].fullmatch(bare)
    if entry is None and sized:
        entry = find("platforms", sized[1])
        # `A10G 24GB` is every A10G; of a chip with several sizes of memory (`A100`) it may be
        # another one.
        entry = None if entry is None or entry.name in _of_several_sizes() else entry
    return PrintedName(entry or _system_with_chip(text), text)


@lru_cache(1 << 12)
def _system_with_chip(text: str) -> Entry | None:
    """The system that a system and its own chip name together: `DGX A100 A100-SXM4-80GB` is the DGX
    A100 640GB.
    """
    joints = [at for at, sign in enumerate(text) if sign == " "][:_MOST_WORDS]
    for at in joints:
        system, chip = find("platforms", text[:at]), find("platforms", text[at + 1 :])
        chips = int(system.facts.get("chips") or 0) if system else 0
        if system and chip and chips > 1 and chip.facts.get("chips") == 1:
            wanted = {"vendor": system.facts.get("vendor"), "chips": chips}
            wanted["chip"] = chip.facts.get("chip")
            of_chip = []
            for name, entry in _platforms().items():
                stated = {fact: entry.facts.get(fact) for fact in wanted}
                if stated == wanted and name.startswith(f"{system.name} "):
                    of_chip.append(entry)
            if len(of_chip) == 1:
                return of_chip[0]
            return system if system.facts.get("chip") == chip.facts.get("chip") else None
    return None


@cache
def _platforms() -> dict[str, Entry]:
    return {entry.name: entry for entry in load("platforms").values()}


@cache
def _of_several_sizes() -> frozenset[str]:
    """Platforms that the vocabulary distinguishes by memory: `A100`."""
    found = map(_PATTERNS["memory_behind"].fullmatch, _platforms())
    return frozenset(match[1] for match in found if match)


def read_versioned(kind: Kind, printed: str) -> PrintedName:
    """A framework name with its version, if printed."""
    text = " ".join(printed.split())
    if entry := find(kind, text):
        return PrintedName(entry, text)
    match = _PATTERNS["version_behind"].fullmatch(text)
    entry = find(kind, match[1]) if match else None
    return (
        PrintedName(entry, match[1], version=match[2])
        if match and entry
        else PrintedName(None, text)
    )


def read_model(printed: str, suite: str | None = None) -> PrintedName:
    """A model name with the stage of its training or the size of its images, if printed."""
    text = " ".join(printed.split())
    if entry := _model(text, suite):
        return PrintedName(entry, text)
    staged = _PATTERNS["stage_behind"].fullmatch(text)
    if staged and staged[2].strip():
        return PrintedName(_model(staged[1], suite), staged[1], stage=staged[2].strip())
    sized = _PATTERNS["size_behind"].fullmatch(text)
    entry = _model(sized[1], suite) if sized else None
    if sized and entry:
        return PrintedName(entry, sized[1], image_size=f"{sized[2]}x{sized[3]}")
    return PrintedName(None, text)


def _model(text: str, suite: str | None) -> Entry | None:
    return (
        find("models", text, suite)
        or find("models", without_organisation(text), suite)
        or read_sized(text)
    )
