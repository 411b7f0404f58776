"""Numerals that a line alone accounts for: in addresses and tags, and in words such as `ResNet-50` or `FP16`."""

from __future__ import annotations

import re

from pipelines.extract.accounting.numerals import is_raised
from pipelines.extract.accounting.patterns import DURATION, FORMAT_BEFORE, PERCENT, RATE, TIMES
from pipelines.extract.contract import Status
from pipelines.values.precisions import parse_precision

Verdict = tuple[Status, str]
Span = tuple[int, int]

_URL = re.compile(
    r"(?:https?://|www\.)\S+|\b[\w.+-]{1,64}@[\w-]+\.\w+|(?<![\w/])[\w-]{1,63}(?:\.[\w-]{1,63}){0,5}\.(?:com|org|net|edu|io)/\S+"
)
_TAG = re.compile(r"</?[a-zA-Z!][^<>]*>|&#?\w+;")
# `\x1b[1m`, and the same in a copy that lost the escape character
_TERMINAL = re.compile(r"(?:\x1b|\^\[)\[[0-9;?]*[A-Za-z]|\[\d{1,3}(?:;\d{1,3})*m")
# `IPU-M2000`, `H100`, `PCQM4Mv2`: letters stand right before the digits
_LETTERS = re.compile(r"[^\W\d_]$")
# `ResNet-50`, `TPU-v4`, `RNN-T-2`: a word with a capital and a hyphen
_CAPITAL_AND_HYPHEN = re.compile(r"(?<![\w-])(?=[\w-]*[A-Z])[^\W\d][\w.+-]*[-_]$")
# `SL128`, `Ph1`, `BS32`, `bs128`
_GLUED_SETTING = re.compile(r"(?<![^\W_])(?:SL|Ph|BS|seq|phase|p|top|bps)-?$", re.IGNORECASE)
_GLUED_VERSION = re.compile(r"(?<!\w)[vV]\.?$")
_QUARTER = re.compile(r"(?<!\w)[QH]$")
# `GPT-3.5`, `WikiKG90`; a number with groups or more digits is a value that ran into a word
_NAME_NUMBER = re.compile(r"\d{1,5}(?:\.\d)?")
# `224x224`, but not `8x7B`
_SECOND_SIDE = re.compile(r"\d[xX×]$")


def spans_outside_text(text: str) -> list[tuple[Span, str]]:
    """Addresses, tags and terminal codes of a line, with the rule that sets their numerals aside."""
    spans = []
    if "://" in text or "www." in text or "@" in text or "/" in text:
        spans += [(match.span(), "url") for match in _URL.finditer(text)]
    if "[" in text:
        spans += [(match.span(), "markup") for match in _TERMINAL.finditer(text)]
    if "<" in text or "&" in text:
        spans += [(match.span(), "markup") for match in _TAG.finditer(text)]
    return spans


def status_of_word(text: str, start: int, end: int) -> Verdict | None:
    """What the word around a numeral says of it, or None for a numeral that stands free."""
    if is_raised(text[start]):
        return "ignored", "reference"
    before = text[max(0, start - 40) : start]
    numeral = text[start:end]
    if not before or before[-1].isspace() or before[-1] in "(/,":
        return _status_of_number_format(before, numeral)
    if _GLUED_VERSION.search(before):
        return "condition", "version"
    if _QUARTER.search(before) and len(numeral) == 1:
        return "ignored", "date"
    if verdict := _status_of_number_format(before, numeral):
        return verdict
    if _GLUED_SETTING.search(before):
        return "condition", "setting"
    if not _NAME_NUMBER.fullmatch(numeral):
        return None
    if _SECOND_SIDE.search(before) and not text[end : end + 1].isalpha():
        return "condition", "setting"
    if _LETTERS.search(before):
        return "name", "word_with_digits"
    if _CAPITAL_AND_HYPHEN.search(before) and not has_own_unit(text, end):
        return "name", "word_with_digits"
    return None


def has_own_unit(text: str, end: int) -> bool:
    """True where a factor, a percentage, a rate or a duration ends behind the numeral."""
    return any(pattern.match(text, end) for pattern in (TIMES, PERCENT, DURATION, RATE))


def _status_of_number_format(before: str, numeral: str) -> Verdict | None:
    if (match := FORMAT_BEFORE.search(before)) and parse_precision(match[0] + numeral):
        return "condition", "number_format"
    return None
