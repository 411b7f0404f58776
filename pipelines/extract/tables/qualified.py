"""Headings that name a measured quantity and a condition at once: `FP16 Throughput (img/s)`, `H100 (tokens/sec)`.

Also headings in two rows, where a cell above (`Throughput (tokens/sec)`) holds for several below it (`FP16`, `FP8`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from pipelines.extract.tables.footnote_marks import unmarked
from pipelines.extract.tables.headings import Heading, Qualifier, read_heading, unknown_heading
from pipelines.extract.tables.settings import MODE
from pipelines.read.document import Cell
from pipelines.values.precisions import parse_precision
from pipelines.values.versions import STACK, VERSION
from pipelines.vocabulary.lookup import find
from pipelines.vocabulary.printed_names import read_model, read_platform, read_versioned
from pipelines.vocabulary.units import find_unit

# `BS=8`, `Batch Size 128`, `batch 1`
_BATCH = re.compile(r"(?:BS|batch(?:\s+size)?)\s*[=:]?\s*(\d[\d,]*)", re.IGNORECASE)
# `SL=128`, `Seq Len 512`
_SEQUENCE = re.compile(r"(?:SL|seq(?:uence)?[\s.]*len(?:gth)?)\s*[=:]?\s*(\d[\d,]*)", re.IGNORECASE)
# The scenarios of MLPerf Inference
_SCENARIO = re.compile(r"offline|server|single-?stream|multi-?stream|interactive", re.IGNORECASE)
# `TP1`, `PP=2`, `EP 8`: how a model is spread
_SHARDS = re.compile(r"(?P<way>TP|PP|DP|EP|CP)\s?=?\s?(?P<degree>\d{1,4})", re.IGNORECASE)
# `AWQ`, `GPTQ`, `mostly Q4_0`, `Q4_K - Medium`: how the weights were made smaller
_QUANTIZATION = re.compile(
    r"(?:mostly |all )?(?P<way>AWQ|GPTQ|SmoothQuant|NF4|INT4[\s-](?:AWQ|GPTQ)"
    r"|I?Q\d(?:_(?:\d|K|XXS|XS|S|M|NL))*(?: - (?:Small|Medium|Large))?)",
    re.IGNORECASE,
)
# `INT8 KV`, `FP8 KV cache`
_CACHE = re.compile(r"(?P<format>(?:FP|BF|INT)\d{1,2}|Q\d_\d)[\s-]KV(?:[\s-]cache)?", re.IGNORECASE)
# `8 GPUs`, `1 GPU`, `16 chips`
_DEVICES = re.compile(r"(\d{1,5})\s?(?:GPU|chip|card|HPU|IPU|TPU|accelerator|device)s?", re.IGNORECASE)
# What parts the conditions of one heading.
_PARTING = re.compile(r"[\s(),;+\[\]]+")
# `16B`, `7B`: a model that is told by its parameters alone
_MODEL_SIZE = re.compile(r"\d+(?:\.\d+)?B")
_TASK = re.compile(r"training|inference|(?P<train>train)|(?P<infer>infer)", re.IGNORECASE)
# `ROCm 6.0`, `SDK 3.1`, `Poplar SDK 2.4`, `Neuron 2.18`: the software stack of a platform and its release
_RELEASE = re.compile(
    rf"(?:(?:{STACK}\s+)?SDK|{STACK})(?:\s+(?:release|version))?\s+v?(?P<release>{VERSION})",
    re.IGNORECASE,
)
# `MindSpore Version`, `PyTorch version`
OF_VERSION = re.compile(r"(?P<name>.+?)\s+version", re.IGNORECASE)
# `TP (1)`
_NOTE = re.compile(r"(?P<base>.*[A-Za-z])\s*\(\d{1,2}\)")
# `Throughput (tokens/sec)`
_UNIT = re.compile(r"(?P<base>[^()\[\]]*)[(\[](?P<unit>[^()\[\]]+)[)\]]\s*")
# `Approx tokens/sec/device`
_ABOUT_UNIT = re.compile(r"(?:approx(?:\.|imate(?:ly)?)?|~)\s*(?P<unit>\S.*)", re.IGNORECASE)
# `0.308 images/s (batch size = 8)`
_BEHIND_VALUE = re.compile(r"\s*(?P<value>[\d~<>\u2248][^()]*?)\s*\((?P<inner>[^()]+)\)\s*")
# `8`, `1,024`
NUMBER_ALONE = re.compile(r"\d[\d,]*")
# `Latency (ms) by batch size`
_BY_CONDITION = re.compile(
    r"(?P<base>.+?)\s+(?:by|vs\.?|versus|at|for(?: each)?)\s+(?P<condition>[^()]+)", re.IGNORECASE
)
# `Benchmark results (minutes)`
_RESULTS_IN_TIME = re.compile(r"benchmark results?\s*[(\[](?P<unit>min(?:ute)?s?|hours?)[)\]]", re.IGNORECASE)
# A longer text is a sentence, and no heading.
_MAX_WORDS = 12
# Words that join a quantity and its condition: `Throughput on 8x H100`, `Latency @ P50`, `Throughput, FP8`
_WORD = r"(?:on|with|at|in|for|using|@|-|\u2013|/|:|,)"
_JOINT = re.compile(rf"^{_WORD}\s+|\s+{_WORD}$|,$")
# `Results`, `Throughput & efficiency`: says nothing that the headings below do not
_GENERAL = re.compile(r"\b(?:results?|performance|metrics?|measured|throughput|latency|efficiency)\b", re.IGNORECASE)


def heading_of(cell: Cell) -> Heading:
    """The column that a heading announces; `unknown` where no vocabulary knows it, nor its parts."""
    bare = unmarked(cell)
    known = read_heading(bare) or of_unit(bare) or _with_condition(bare) or _noted(bare) or _of_version(bare)
    return known or unknown_heading(cell)


def _of_version(cell: Cell) -> Heading | None:
    """A heading of the versions of a framework that it names: `MindSpore Version`."""
    match = OF_VERSION.fullmatch(_text(cell))
    return Heading(cell, "framework_version") if match and find("frameworks", match["name"]) else None


def _noted(cell: Cell) -> Heading | None:
    """A heading with the number of a footnote behind it: `TP (1)`."""
    match = _NOTE.fullmatch(_text(cell))
    return read_as(match["base"], cell) if match else None


def of_unit(cell: Cell) -> Heading | None:
    """A heading that is only a unit: `Tokens/sec`."""
    match = _ABOUT_UNIT.fullmatch(_text(cell))
    text, about = (match["unit"], "Approx. ") if match else (_text(cell), "")
    unit = find_unit(text)
    is_rate = unit is not None and unit.canonical.startswith("items/s") and any(map(str.isalpha, text[:1]))
    return read_as(f"{about}Throughput ({text})", cell) if is_rate else None


def heading_of_two(above: Cell, below: Cell) -> Heading:
    """The column that a heading in two rows announces."""
    if above is below or below.is_blank:
        return heading_of(above)
    if above.is_blank:
        return heading_of(below)
    top, bottom = _text(unmarked(above)), _text(unmarked(below))
    for text in _joined(top, bottom):
        # `Batch size` above `8` is a condition of the values, no column of batch sizes.
        if (heading := read_as(text, below)) and (heading.is_value or not NUMBER_ALONE.fullmatch(bottom)):
            return heading
    if match := _RESULTS_IN_TIME.fullmatch(top):
        # What is measured of a benchmark in minutes is how long its training takes.
        heading = read_as(f"Time to Train ({match['unit']})", below)
        benchmark = qualifier_in(bottom) or Qualifier("model", bottom)
        return replace(heading, qualifiers=(benchmark,)) if heading else unknown_heading(below)
    if (match := _BY_CONDITION.fullmatch(top)) and NUMBER_ALONE.fullmatch(bottom):
        heading, condition = read_as(match["base"], below), qualifier_in(f"{match['condition']} {bottom}")
        if heading and heading.is_value and condition:
            return replace(heading, qualifiers=(*heading.qualifiers, condition))
    own, of_group = heading_of(below), heading_of(above)
    if own.is_value and not of_group.is_value:
        condition = qualifier_in(top) or (None if _GENERAL.search(top) else Qualifier("attribute", top))
        return replace(own, qualifiers=(*own.qualifiers, condition)) if condition else own
    if of_group.is_value:
        condition = qualifier_in(bottom) or Qualifier("attribute", bottom)
        return replace(of_group, cell=below, qualifiers=(*of_group.qualifiers, condition))
    return replace(own, qualifiers=tuple(_conditions(top, bottom))) if own.column == "unknown" else own


def _conditions(top: str, bottom: str) -> Iterator[Qualifier]:
    """What two rows of headings without a quantity say: `Batch size` above `8`, `H100` above `FP8`."""
    if joined := qualifier_in(f"{top} {bottom}"):
        yield joined
        return
    found = [(text, qualifier_in(text)) for text in (top, bottom)]
    if any(qualifier for _, qualifier in found):
        yield from (qualifier or Qualifier("attribute", text) for text, qualifier in found if not _GENERAL.search(text))


def _joined(top: str, bottom: str) -> Iterator[str]:
    """Ways in which the words of two rows are one heading: `Latency (ms)` above `P50` is `Latency P50 (ms)`."""
    yield f"{top} {bottom}"
    if match := _UNIT.fullmatch(top):
        base, unit = match["base"].strip(), match["unit"]
        yield f"{base} {bottom} ({unit})"
        yield f"{bottom} {base} ({unit})"
    yield f"{bottom} {top}"
    yield f"{top} ({bottom})"


def _with_condition(cell: Cell) -> Heading | None:
    """A heading of which one part is a measured quantity and the rest a condition that a vocabulary knows."""
    text = _text(cell).replace("_", " ").strip()
    match = _UNIT.fullmatch(text)
    words = (match["base"] if match else text).split()
    unit = f" ({match['unit']})" if match else ""
    for place in range(1, len(words) if len(words) <= _MAX_WORDS else 0):
        before, behind = " ".join(words[:place]), " ".join(words[place:])
        for quantity, condition in ((before, behind), (behind, before)):
            quantity = _JOINT.sub("", quantity).strip()
            # `Tokens/sec/chip on v5p-128`: the unit alone says that it is a throughput.
            heading = read_as(quantity + unit, cell) or (None if unit else read_as(f"Throughput ({quantity})", cell))
            qualifiers = qualifiers_in(_JOINT.sub("", condition).strip()) if heading and heading.is_value else ()
            if heading and qualifiers:
                return replace(heading, qualifiers=qualifiers)
    if match and (qualifiers := qualifiers_in(match["unit"])) and (heading := read_as(match["base"].strip(), cell)):
        # `Latency (batch size = 1)`
        return replace(heading, qualifiers=qualifiers) if heading.is_value else None
    counted = find_unit(match["unit"]) if match else None
    qualifier = qualifier_in(" ".join(words)) if counted and counted.canonical == "items/s" else None
    heading = read_as(f"Throughput{unit}", cell) if qualifier else None
    return replace(heading, qualifiers=(qualifier,)) if heading and qualifier else None


def qualifiers_in(text: str) -> tuple[Qualifier, ...]:
    """The conditions of which a text consists: `B200 TP1 (FP4)`, `8 GPUs, FP8`; empty where other words stand in it."""
    if qualifier := qualifier_in(text):
        return (qualifier,)
    words = [word for word in _PARTING.split(text) if word]
    found: list[Qualifier] = []
    while words and len(words) <= _MAX_WORDS:
        lengths = range(len(words), 0, -1)
        known = ((n, qualifier) for n in lengths if (qualifier := qualifier_in(" ".join(words[:n]))))
        length, qualifier = next(known, (0, None))
        if qualifier is None:
            return ()
        found.append(qualifier)
        words = words[length:]
    kinds = [qualifier.column for qualifier in found if qualifier.column != "attribute"]
    return tuple(found) if len(kinds) == len(set(kinds)) else ()


def qualifier_in(text: str) -> Qualifier | None:
    """What a condition in a heading says of the values below it, or None for words that no vocabulary knows."""
    if match := _BATCH.fullmatch(text):
        return Qualifier("batch_size", match[1])
    if match := _SEQUENCE.fullmatch(text):
        return Qualifier("sequence_length", match[1])
    if _SCENARIO.fullmatch(text):
        return Qualifier("attribute", f"Scenario {text}")
    if match := _SHARDS.fullmatch(text):
        return Qualifier("attribute", f"{match['way'].upper()} {match['degree']}")
    if match := _DEVICES.fullmatch(text):
        return Qualifier("accelerator_count", match[1])
    if _MODEL_SIZE.fullmatch(text):
        return Qualifier("model", text)
    if match := _TASK.fullmatch(text):
        return Qualifier("task", "training" if match["train"] else "inference" if match["infer"] else text)
    if match := _RELEASE.fullmatch(text):
        return Qualifier("sdk_version", match["release"])
    if parse_precision(text):
        return Qualifier("precision", text)
    if MODE.fullmatch(text):
        return Qualifier("attribute", text)
    if match := _CACHE.fullmatch(text):
        return Qualifier("attribute", f"KV Cache {match['format'].upper()}")
    if match := _QUANTIZATION.fullmatch(text):
        return Qualifier("attribute", f"Quantization {match['way'].upper()}")
    if read_platform(text).entry:
        return Qualifier("platform", text)
    if read_versioned("frameworks", text).entry:
        return Qualifier("framework", text)
    return Qualifier("model", text) if read_model(text).entry or read_model(text, "MLPerf").entry else None


def condition_behind(cell: Cell) -> tuple[Cell, tuple[Qualifier, ...]] | None:
    """A cell without the conditions in brackets behind its value, and those: `0.308 images/s (batch size = 8)`."""
    match = _BEHIND_VALUE.fullmatch(cell.text)
    found = qualifiers_in(" ".join(match["inner"].split())) if match else ()
    return (cell.matched(match, "value").stripped(), found) if match and found else None


def read_as(text: str, cell: Cell) -> Heading | None:
    """The column that a text announces, standing at the place of a cell."""
    heading = read_heading(replace(cell, text=text))
    return replace(heading, cell=cell, spelling=text) if heading else None


def _text(cell: Cell) -> str:
    return " ".join(cell.text.split())
