"""Slide titles (`RESNET-50 : TRAINING`) and the better spelled model of the notes. Headlines have their own module."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pipelines.read.document import Cell
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
