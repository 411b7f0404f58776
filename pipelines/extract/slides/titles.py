"""Titles of slides (`RESNET-50 : TRAINING`), and the systems at the start of the lines of their notes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pipelines.read.document import Cell
from pipelines.values.precisions import parse_precision
from pipelines.vocabulary.lookup import find

# `RESNET-50 : TRAINING`, `EFFICIENTNET-B0: INFERENCE`, `DeepVoice 3 TTS: TRAINING`, `BERT-Large | Fine-tuning`
_TITLE = re.compile(
    r"(?P<model>[^\W_](?:[^:|]*[^\s:|])?)\s*[:|\u2013\u2014]\s*"
    r"(?P<task>(?:(?:pre|fine)[\s-]?)?(?:training|tuning)|inference)\s*(?:\([^()]*\))?",
    re.IGNORECASE,
)
_MARK = re.compile(r"[:|\u2013\u2014]")
# A title is a label; a longer line is a sentence with a colon in it.
_MAX_TITLE = 80
# `Task: Training` is a field of a form and names no model.
_FIELDS = frozenset(
    {"task", "mode", "stage", "phase", "type", "workload", "notes", "note", "configuration", "scenario"}
)

# Where the model ends in `ResNet-50 v1.5 Training Throughput` and `BERT-Large using Wikipedia dataset`
_AFTER_MODEL = re.compile(
    r"(?<!\s)\s+(?:pre-?training|fine-?tuning|training|inference|throughput|latency|performance|using|with|on|at|for|in)\b"
    r"|(?:(?<!\s)\s++)?[,;:(\u2013\u2014]|(?<!\s)\s+-\s",
    re.IGNORECASE,
)
# `2 LSTM layers` counts layers; a model's name does not begin with a count (but `3D-UNet` does begin with a digit).
_COUNT = re.compile(r"\d+\s")


@dataclass(frozen=True, slots=True)
class Title:
    """A slide's title: the line as printed, the model's words in it, and `training` or `inference`."""

    cell: Cell
    model: str
    task: str


def printed(text: str) -> str:
    """Printed words with plain single blanks: dumps hold no-break and double ones at random."""
    return " ".join(text.split())


def may_be_title(text: str) -> bool:
    """False for a line without the mark behind a title's model, as nearly all are."""
    return _MARK.search(text) is not None


def read_title(cell: Cell) -> Title | None:
    """The title that a line consists of, or None."""
    match = _TITLE.fullmatch(cell.text) if len(cell.text) <= _MAX_TITLE else None
    if not match or printed(match["model"]).casefold() in _FIELDS:
        return None
    task = "inference" if match["task"].casefold() == "inference" else "training"
    return Title(cell, printed(match["model"]), task)


def better_spelled(title_model: str | None, statement: str) -> str | None:
    """The model at the start of the first line of the notes where it agrees with the title's, else the title's words.

    A title is in capitals and often short of a version (`RESNET-50`), the notes are not (`ResNet-50 v1.5`).
    Without a title only a name that the vocabulary knows is taken for a model.
    """
    candidate = _known_start(statement) or printed(_AFTER_MODEL.split(statement.strip(), maxsplit=1)[0])
    if not candidate or _COUNT.match(candidate):
        return title_model
    if title_model is None:
        return candidate if find("models", candidate) else None
    return candidate if _agree(title_model, candidate) else title_model


def is_model_of(statement: str, title_model: str) -> bool:
    """True where a line of the notes begins with the model of the title, or holds it as it stands there."""
    if re.search(rf"(?<!\w){re.escape(title_model)}(?!\w)", printed(statement), re.IGNORECASE):
        return True
    candidate = _known_start(statement) or printed(_AFTER_MODEL.split(statement.strip(), maxsplit=1)[0])
    return bool(candidate) and not _COUNT.match(candidate) and _agree(title_model, candidate)


def _known_start(statement: str) -> str | None:
    """The first words that are a known model; the shortest of the spellings that mean the same as the longest."""
    words = statement.split()
    starts = [" ".join(words[:count]).rstrip(",;:") for count in range(1, len(words) + 1)]
    known = [(start, entry.name) for start in starts if (entry := find("models", start))]
    return next((start for start, name in known if name == known[-1][1]), None)


def _agree(title: str, candidate: str) -> bool:
    known, other = find("models", title), find("models", candidate)
    if known and other and known.name == other.name:
        return True
    short, long = sorted((_letters(title), _letters(candidate)), key=len)
    # `ResNet-50` is no short form of `ResNet-501`, and `EfficientNet-B4` does not begin like `EFFICIENTNET-B0`.
    cut_in_number = short[-1:].isdigit() and long[len(short) : len(short) + 1].isdigit()
    return bool(short) and long.startswith(short) and not (cut_in_number and not _breaks(title, candidate, short))


def _breaks(title: str, candidate: str, short: str) -> bool:
    """True where the longer name has a sign between the digits: `ResNext-101_32x4d` goes on after `RESNEXT-101`."""
    long = max(title, candidate, key=lambda name: len(_letters(name)))
    seen = 0
    for position, character in enumerate(long):
        seen += character.isalnum()
        if seen == len(short):
            return position + 1 < len(long) and not long[position + 1].isalnum()
    return False


def _letters(name: str) -> str:
    return "".join(character for character in name.casefold() if character.isalnum())


# `1x IPU-M2000`, `1xA100`, `16 x H100`; never `32x4d` or `2.6xA100`
_SYSTEM_COUNT = re.compile(r"(?P<count>\d{1,6})\s?[xX×]\s?(?=[^\W\d])")
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
    counted = _SYSTEM_COUNT.match(text)
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
