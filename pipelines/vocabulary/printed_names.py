"""Names that carry more than a name: a count of platforms (`8x H100`), a version (`PyTorch 2.5`)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from pipelines.vocabulary.lookup import Entry, Kind, find, load, without_marks
from pipelines.vocabulary.model_names import read_sized, without_organisation

# `8x H100`, `1x Bow IPU`, `1xA100 (40GB)`, `2 x DGX A100`, `1,024x H100`, `8 * Ascend 910`
_COUNT_BEFORE = re.compile(r"(\d{1,3},\d{3}|\d{1,5})\s*[x×*]\s*(?=\S*[A-Za-z])(.+)", re.IGNORECASE)
# `Gaudi 2 x 8`, `H100 x8`, `V100 * 8`, `H100 (x8)`, `V100*8`
_COUNT_BEHIND = re.compile(
    r"(.+?)(?:(?<!\s)\s++\(?[x×]|(?:(?<!\s)\s++)?\*)\s*+(\d{1,5})\)?", re.IGNORECASE
)
# `A100 (8 GPUs)`, `Trainium2, 16 chips`, `DGX H100 (8 GPUs)`
_DEVICES_BEHIND = re.compile(
    r"(.+?)(?<![\s,])[\s,]++\(?(\d{1,5})[\s-]?(?:GPU|chip|card|HPU|IPU|TPU|NPU|accelerator|device)s?\)?",
    re.IGNORECASE,
)
# `NVIDIA Tesla T4`, `AMD Instinct MI300X`: who makes it
MAKER = (
    r"(?:NVIDIA|AMD|Intel|Google|Cloud|AWS|Amazon|EC2|Azure|Habana|Qualcomm|Huawei|Tenstorrent|Instinct|Tesla|GeForce"
    r"|Apple|Samsung|Rockchip|Radxa|Hailo|MediaTek|NXP|TI|Texas Instruments|Xilinx|Ambarella|Graphcore|Cerebras"
    r"|SambaNova|Groq|Cambricon|Kunlunxin|Enflame|Furiosa(?:AI)?|Rebellions)"
)
_MAKER_BEFORE = re.compile(rf"(?:{MAKER}\s+)+", re.IGNORECASE)
# `T4 GPU`, `MI300X accelerators`, `Xeon Gold 6148 CPU @ 2.40GHz`: what kind of thing it is
_KIND_BEHIND = re.compile(
    r"(?<!\s)\s+(?:Tensor Core )?(?:(?:AI )?accelerator|GPU|chip|card|processor|CPU)s?"
    r"(?:\s?@\s?\d(?:\.\d{1,2})?\s?GHz)?$|\s?@\s?\d(?:\.\d{1,2})?\s?GHz$",
    re.IGNORECASE,
)
# `A10G 24GB`, `T4 (16GB)`, `RTX 3060 12GB`, `P40 24G`; never `Bow-200G`, a damaged `Bow-2000`
_MEMORY_SIZE = "(?:[468]|1[0126]|2[04]|32|36|4[048]|64|80|9[46]|128|14[14]|180|19[26]|256|288)"
_MEMORY_BEHIND = re.compile(
    rf"(.+?)(?:(?<![\s-])[\s-]++\(?{_MEMORY_SIZE}\s?GB\)?|(?<!\s)\s++{_MEMORY_SIZE}G)(?:\s+HBM\d\w?|\s+GDDR\d\w?)?",
    re.IGNORECASE,
)
# `PyTorch 2.5`, `TensorRT 7.2.1`, `PyTorch v1.13.1`; one bare digit may be part of the name
# (`TensorFlow 2`)
_VERSION_BEHIND = re.compile(
    r"(.+?)(?<![\s-])[\s-]++v?(\d+\.\d[\w.+-]{0,40}|20\d{6}|b\d{3,5})", re.IGNORECASE
)
# `HuggingFace BERT-Large Ph1 pre-training`, `BERT Pre Training Phase 1`, `ViT-Base fine-tuning`
_STAGE_BEHIND = re.compile(
    r"(.+?)(?<![\s,(-])[\s,(-]++((?:(?:ph|phase)[\s-]?\d)?(?:[\s-]*(?:pre|fine)[\s-]?(?:training|train|tuning))?"
    r"(?:[\s,-]+(?:ph|phase)[\s-]?\d)?)\)?",
    re.IGNORECASE,
)
# `Stable Diffusion v2.1 (512X512)`, `ViT-Base (224 x 224)`
_SIZE_BEHIND = re.compile(
    r"(.+?)(?:(?<!\s)\s++)?\((\d{2,4})\s*[x\u00d7]\s*(\d{2,4})\)", re.IGNORECASE
)

# No name has more words.
_MOST_WORDS = 8


@dataclass(frozen=True, slots=True)
class PrintedName:
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
    if match := _COUNT_BEFORE.fullmatch(text):
        return PrintedName(
            read_platform(match[2]).entry, match[2], int(match[1].replace(",", "")) or None
        )
    if match := _COUNT_BEHIND.fullmatch(text):
        return PrintedName(find("platforms", match[1]), match[1], int(match[2]) or None)
    match = _DEVICES_BEHIND.fullmatch(text)
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
    bare = _KIND_BEHIND.sub("", _MAKER_BEFORE.sub("", " ".join(without_marks(text).split())))
    entry = find("platforms", bare) if bare != text else None
    sized = _MEMORY_BEHIND.fullmatch(bare)
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
    found = map(_MEMORY_BEHIND.fullmatch, _platforms())
    return frozenset(match[1] for match in found if match)


def read_versioned(kind: Kind, printed: str) -> PrintedName:
    """A framework name with its version, if printed."""
    text = " ".join(printed.split())
    if entry := find(kind, text):
        return PrintedName(entry, text)
    match = _VERSION_BEHIND.fullmatch(text)
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
    staged = _STAGE_BEHIND.fullmatch(text)
    if staged and staged[2].strip():
        return PrintedName(_model(staged[1], suite), staged[1], stage=staged[2].strip())
    sized = _SIZE_BEHIND.fullmatch(text)
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
