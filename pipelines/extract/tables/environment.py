"""Lists of what was run on what, as a report opens with them: `* **GPU:** 8x NVIDIA Tesla P100`.

Such a list holds for the tables that stand below the same heading; one below a heading that speaks of the setup alone
(`### Environment`), for those of the section around it.
"""

from __future__ import annotations

import re
from typing import Any

from pipelines.extract.tables.conditions import conditions_in
from pipelines.extract.tables.platform_named import read_platform_in
from pipelines.read.document import Document
from pipelines.values.batch_sizes import parse_batch_sizes
from pipelines.vocabulary.lookup import find
from pipelines.vocabulary.printed_names import read_model, read_platform

# `*   **TPU Hardware:** Cloud TPU v6e-4 slice (4 chips)`, `- Model: Llama 3 8B`
_ENTRY = re.compile(
    r"\s*[*+-]\s+(?:\*\*)?(?P<key>[A-Za-z][A-Za-z /-]{1,30}?)(?:\*\*)?\s*:\s*(?:\*\*)?\s*(?P<value>\S.*)"
)
# `- 2x NVIDIA RTX 3090 (24GB each) with NVLink`
_ITEM = re.compile(r"\s*[*+-]\s+(?P<value>[^:]+)")
_SETUP = re.compile(
    r"\b(?:environment|set-?up|hardware|test ?bed|system|configuration|platform|methodology)s?\b", re.IGNORECASE
)
# `google/gemma-4-31B-it` (FP8 quantized): the name, without signs around it
_NAME = re.compile(r"[`*\"\s]*(?P<name>[^`*\"(,;]+?)[`*\"\s]*(?:[(,;].*)?")
# `16 x NVIDIA Tesla ` may stand before the name of a platform.
_MAX_BEFORE = 20
_HARDWARE = re.compile(r"(?:[A-Za-z]+ )?hardware", re.IGNORECASE)
# A column of these names what ran; a box around it (`Instance type`) only where nothing else does.
_CHIPS = frozenset({"gpu", "gpus", "accelerator", "accelerators", "tpu", "hpu", "npu", "device", "chip", "hardware"})


def stated_in_environment(document: Document, line: int) -> dict[str, Any]:
    """`platform`, `model_printed` and `precision` that the lists above a line state for it; nothing in other files.

    Args:
        document: A document that says how deep its headings are.
        line: First line of a table.
    """
    stated: dict[str, Any] = {}
    by_box: str | None = None
    for number in range(line - 1, 0, -1) if document.levels else ():
        text = document.line(number).text
        match = _ENTRY.fullmatch(text) if ":" in text else None
        item = _ITEM.fullmatch(text) if match is None else None
        if match:
            found = _read(match["key"], match["value"])
        else:
            found = _read_item(document, number, item["value"]) if item else {}
        if not found or not _holds(document, number, line):
            continue
        if match and "platform" in found and match["key"].split()[-1].casefold() not in _CHIPS:
            by_box = by_box or found.pop("platform")
        stated = found | stated
    return stated if by_box is None or "platform" in stated else stated | {"platform": by_box}


def _read_item(document: Document, number: int, value: str) -> dict[str, Any]:
    """What an item without a name says below a heading of the setup: `- 2x NVIDIA RTX 3090 with NVLink`."""
    heading = max((other for other, _ in document.levels if other < number), default=0)
    if not heading or not _SETUP.search(document.line(heading).text):
        return {}
    platform, framework = read_platform_in(value), conditions_in([value]).get("framework_printed")
    # `Each host has 8 H100 GPUs` tells of a part of what was used.
    begins = platform is not None and value.casefold().find(read_platform(platform).base.casefold()) <= _MAX_BEFORE
    found = {"platform": platform} if platform and begins else {}
    return found | ({"framework_printed": framework} if framework else {})


def _read(key: str, value: str) -> dict[str, Any]:
    entry = find("headings", key)
    column = "platform" if _HARDWARE.fullmatch(key) else str(entry.facts["column"]) if entry else ""
    name = _NAME.fullmatch(value)
    printed = " ".join(name["name"].split()) if name else ""
    found: dict[str, Any] = {}
    if column == "platform":
        platform = printed if read_platform(printed).entry else read_platform_in(value)
        found = {"platform": platform} if platform else {}
    elif column == "model" and read_model(printed).entry:
        found = {"model_printed": printed}
    if column in ("model", "precision") and (precision := conditions_in([value]).get("precision")):
        found["precision"] = precision
    if column == "model" and (size := conditions_in([value]).get("batch_size")):
        found["batch_size"] = size
    elif column == "batch_size" and (batch := parse_batch_sizes(value)) and batch.single:
        found["batch_size"] = batch.single
    return found


def _holds(document: Document, entry: int, line: int) -> bool:
    """True where an entry of a list holds for a line further down."""
    above = [(number, level) for number, level in document.levels if number < entry]
    if not above:
        return True
    heading, level = above[-1]
    if _SETUP.search(document.line(heading).text):
        level -= 1
    return not any(other <= level for number, other in document.levels if entry < number < line)
