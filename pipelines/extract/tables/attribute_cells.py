"""What a cell of a setting may look like: a length, a container, a target of quality. Other cells: `cell_types`."""

from __future__ import annotations

import re

from pipelines.extract.tables.headings import Heading
from pipelines.extract.tables.running_text import MAX_CELL
from pipelines.values.numbers import parse_count
from pipelines.values.precisions import parse_precision
from pipelines.vocabulary.lookup import find
from pipelines.vocabulary.printed_names import read_model, read_platform

# `SL12S`, `SLl28`, `image 8g6`, `bps O`, `O frame`: a letter for a digit of a setting; never `image 224x224`, `SL8K`
_DAMAGED_SETTING = re.compile(
    r"\b(?:SL\s?=?\s?|image\s|bps\s|det\s)(?=[A-Za-z]?\d)(?!\d+[kK]?\b|\d{2,}(?:\s?x\s?\d+)+\b)\w+"
    r"|\b(?:bps|det)\s[A-Za-z]\b|\b[A-Za-z]\sframes?\b|\bPh[A-Za-z]\s(?=Pre)"
)
# `l28`, `1O24`, `12O` in a column of lengths or counts
_DAMAGED_COUNT = re.compile(r"\d+[OolISGZ]+\d+|\d+[OolI]+|[OolI]\d{2,}")
# `15.427`, `2,`, `128 2048 3200`: no count, and no pair of counts (`128/2048`, `128, 2048`)
_NO_COUNT = re.compile(r"\d+\.\d+|\d[\d,.]*[,.]|\d[\d,.]*(?:\s+\d[\d,.]*)+")
# `23,09-py3`, `2x.09-tf2-py3`: the tag of a container with another character in it
_DAMAGED_TAG = re.compile(r"(?:\S+:)?(?!\d\d\.\d\d)\w\w[.,]\w\w(?:\.\w{1,2})?-[\w.-]+")


# `75,90% classification`, `0.O58 Word Error Rate`, `O.72 Mask-LM`, `34.x% mAP`
_DAMAGED_TARGET = re.compile(r"(?<![\w.])(?:\d+,\d{1,2}|[A-Za-z][.,]\d+|\d*[.,]\d*[OolISGxZ]\d*)(?!\w)", re.ASCII)


def fits_attribute(text: str, heading: Heading) -> bool:
    """True where a cell can be one of a setting; one of a column of counts must not be plainly something else."""
    if _DAMAGED_COUNT.fullmatch(text):
        return False
    entry = find("headings", heading.spelling or heading.cell.text)
    if entry is None:
        return True
    if entry.name == "Container":
        return not _DAMAGED_TAG.fullmatch(text)
    return not entry.facts.get("number") or parse_count(text) is not None or not _is_of_another_kind(text)


def fits_target(text: str) -> bool:
    """True where a cell can be the quality that a training has to reach: `75.90% classification`."""
    return len(text) <= MAX_CELL and any(map(str.isdigit, text)) and not _DAMAGED_TARGET.search(text)


def is_damaged_setting(text: str) -> bool:
    """True for the settings of a variant with a letter for one of their digits."""
    return _DAMAGED_SETTING.search(text) is not None


def _is_of_another_kind(text: str) -> bool:
    return bool(
        _NO_COUNT.fullmatch(text) or parse_precision(text) or read_platform(text).entry or read_model(text).entry
    )
