"""Titles of slides (`RESNET-50 : TRAINING`), and their models in the better spelling of the notes."""

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
    candidate = model_at_start(statement)
    if title_model is None:
        return candidate if find("models", candidate) else None
    return candidate if agrees(title_model, candidate) else title_model


def model_at_start(statement: str) -> str:
    """The first words of a line that are a known model, else those before what is said of it; empty for a count."""
    if _COUNT.match(statement):
        return ""
    words = statement.split()
    starts = [" ".join(words[:count]).rstrip(",;:") for count in range(1, len(words) + 1)]
    known = [(start, entry.name) for start in starts if (entry := find("models", start))]
    if known:
        # The shortest of the spellings that mean the same as the longest
        return next(start for start, name in known if name == known[-1][1])
    return printed(_AFTER_MODEL.split(statement.strip(), maxsplit=1)[0])


def agrees(title: str, candidate: str) -> bool:
    """True for two spellings of one model, of which one may go on where the other ends, but not within a number."""
    known, other = find("models", title), find("models", candidate)
    if known and other and known.name == other.name:
        return True
    short, long = sorted((_letters(title), _letters(candidate)), key=len)
    is_cut = short[-1:].isdigit() and long[len(short) : len(short) + 1].isdigit()
    return bool(short) and long.startswith(short) and not is_cut


def _letters(name: str) -> str:
    """Letters and digits alone; two numbers stay two: `ResNext-101_32x4d`."""
    parted = re.sub(r"(?<=\d)[\W_](?=\d)", "\0", name.casefold())
    return "".join(character for character in parted if character.isalnum() or character == "\0")
