"""The system at the start of a line of the notes: `1x A100 (A100-SXM4-80GB) in DGX A100 Platform using ...`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pipelines.extract.slides.titles import printed
from pipelines.read.document import Cell
from pipelines.values.precisions import parse_precision
from pipelines.vocabulary.lookup import find

# `1x IPU-M2000`, `1xA100`, `16 x H100`; never `32x4d` or `2.6xA100`
_COUNT = re.compile(r"(?P<count>\d{1,6})\s?[xX×]\s?(?=[^\W\d])")
# The words of a name end before what is said of it: `A100 | FP16`, `Latest GPU using TensorFlow`, `H100 FP8`
_NAME = re.compile(
    r"[^\W\d][^|(,;:]*?(?=(?:(?<!\s)\s+)?(?:[|(,;:]|$)|(?<!\s)\s+(?:using|in|on|with|for|from|at|and|vs|running|measured|calculated|"
    r"(?:GPU\s+)?results?|GPU\s+(?:results?|measured)|"
    r"(?:NV|MX)?FP\s?\d|BF\s?16|U?INT\s?\d|TF32|mixed\s|SDK\s|batch\s)\b)",
    re.IGNORECASE,
)
# `H100 x 8`: the count behind the name
_COUNT_BEHIND = re.compile(r"(?P<name>.*\w)\s+[xX×]\s?(?P<count>\d{1,6})")
_BRACKET = re.compile(r"\s*\((?P<inside>[^()|]*)(?P<end>\))?")
# `A100-SXM4-80GB`, `40GB`, `SXM5 80 GB`: a part or its memory; `16x IPU-M2000 Server` is what a system consists of
_PART = re.compile(r"(?!\d+\s?[xX×])(?:[\w-]++\s++)?(?:\d+\s?GB|(?=[\w-]*[^\W\d])(?=[\w-]*\d)[\w-]+)")
# A name without a count that no vocabulary knows: one word with a capital and a digit (`Gaudi3`, `MI300X`, `TPU-v4`)
_PART_NUMBER = re.compile(r"(?=[^\s]*[A-Z])(?=[^\s]*\d)\S+")
# The longest printed so far has four words; more are a sentence.
_MAX_WORDS = 5


@dataclass(frozen=True, slots=True)
class System:
    """A printed system.

    Attributes:
        cell: Its name with its place: `A100 (A100-SXM4-80GB)`.
        count: The printed multiplier (`1x`), or None.
        end: First character of the text behind the name, within the text that was read.
        is_sure: True with a multiplier or for a name that the vocabulary knows; else it may be a word of a sentence.
    """

    cell: Cell
    count: int | None
    end: int
    is_sure: bool

    @property
    def name(self) -> str:
        """The name with plain blanks."""
        return printed(self.cell.text)


def read_system(cell: Cell) -> System | None:
    """The system that a line starts with, or None, also where a bracket of its name is cut off."""
    text = cell.text
    counted = _COUNT.match(text)
    match = _NAME.match(text, counted.end() if counted else 0)
    if not match or len(match[0].split()) > _MAX_WORDS or not match[0][0].isalpha():
        return None
    start, end = match.span()
    count = int(counted["count"]) if counted else None
    if (behind := _COUNT_BEHIND.fullmatch(match[0])) and count is None:
        count, name_end = int(behind["count"]), start + behind.end("name")
    else:
        name_end = end
        if bracket := _BRACKET.match(text, end):
            if not bracket["end"]:
                return None
            end = bracket.end()
            if _is_part(text[start:end], bracket["inside"]):
                name_end = end
    if count == 0:
        return None
    name = text[start:name_end]
    is_sure = count is not None or find("platforms", printed(name)) is not None or bool(_PART_NUMBER.fullmatch(name))
    return System(cell.part(start, name_end), count, end, is_sure)


def _is_part(name: str, inside: str) -> bool:
    if find("platforms", printed(name)):
        return True
    return bool(_PART.fullmatch(inside.strip())) and parse_precision(inside) is None
