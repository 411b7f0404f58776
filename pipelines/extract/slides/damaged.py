"""Numbers with a letter or a comma where a digit or a point belongs, and names with a letter where a digit does.

Damaged factors are for `headlines.py`.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Iterator

from pipelines.read.document import Cell
from pipelines.values.batch_sizes import parse_batch_sizes
from pipelines.values.numbers import parse_number
from pipelines.values.precisions import parse_precision
from pipelines.values.ratios import FACTOR
from pipelines.values.versions import VERSION
from pipelines.vocabulary.lookup import Kind, find

# A longer text is a sentence, and every letter beside a digit would be tried.
_MAX_NAME = 60

# Letters that stand where a digit was: O, l, S for 0, 1, 5
_LETTER = "OolISGZ"

# `SDK 1,4,0`, `SDK 1.4.O`, `SDK l.4.0`; never `SDK 1.4.0` or `SDK preview`
_SDK = re.compile(r"\bSDK\s*(?P<word>v?[^\s|();]*\d[^\s|();]*)", re.IGNORECASE)
_RELEASE = re.compile(rf"v?(?:{VERSION}|\d+)", re.IGNORECASE)
# `FP 16.l6`, `FP S2`, `INTO`; never `FP32` or `FP accumulate`
_PRECISION = re.compile(
    rf"(?<![\w-])(?P<word>(?:FP|BF|INT)\s?(?=\S*\d)[\dx{_LETTER}.,]+|(?:FP|BF|INT)[{_LETTER}]{{1,2}})(?!\.{{0,9}}\w)"
)
# `Batch size 4 through 36O`, `Batch Size l024`, `Batch Size 1,2,x+`; never `Batch Size 64, seq 512`
_BATCH = re.compile(
    r"\b(?:batch(?:\s?sizes?)?|BS)\s*(?:of\s+|[:=]\s*)?"
    rf"(?P<word>(?:\w?\d\w*|[x{_LETTER}](?=,\d|\s+(?:through|to)\s))"
    rf"(?:\s*,\s*(?:[x{_LETTER}]?\d\w{{0,6}}|[x{_LETTER}])(?![\w.]))*\+?"
    r"(?:\s*(?:through|to|-|\u2013)\s*\w?\d[\w,]*)?)",
    re.IGNORECASE,
)
# `1O24`, `ImageNet2O12`, `16.l6`, `l024`; never `80GB`, `B0`, `32x4d` or `7B`
_MIXED = re.compile(
    rf"(?P<word>(?>\b\w*\d[.,]?[{_LETTER}]+[.,]?\d)[\w.,]*|(?<![\w-])\d[\d.,]{{0,30}}[OolI](?![.,]{{0,9}}\w)"
    r"|(?<![\w-])[OolI](?:\d{2}|[.,]\d)[\d.,]*)"
)
# `4.8,12` in a list of batch sizes
_POINT = re.compile(r"(?P<word>\b\d+\.\d[\d,.]*)")
# `v1,5`, `0,93`: a comma that groups nothing; never `1,2,8+`
_COMMA = re.compile(r"(?P<word>(?<![\w,.])v?\d+,\d{1,2})(?![\w,+.]*[\w+])")
_LISTED = re.compile(r"\b(?:batch|BS)\b", re.IGNORECASE)
# What stands before the sizes in `Batch size 4.8,12`
_AFTER_BATCH = re.compile(r"\bbatch\s?sizes?\s*(?:of\s+|[:=]\s*)?(?=\d)", re.IGNORECASE)
_URL = re.compile(r"https?://\S+")

# A label with a letter: `5O1`, `5.Ox`, `>6OOx`, `0 200 4O0 600`; with a comma: `2,6x`
_NUMBERS = re.compile(
    rf"[<>~]?\s*[\dx{_LETTER}]+(?:[.,][\d{_LETTER}]+)*(?:\s+[\d{_LETTER}]+(?:[.,][\d{_LETTER}]+)*)*\s?[xX×]?"
)
# `2.OxA100`, `2,6xA100`: run into a name
_RUN_TOGETHER = re.compile(rf"[<>~]?\s*(?P<number>[\dx{_LETTER}]+[.,][\dx{_LETTER}]+)[xX×](?=[^\W\d_])")
# `lx DGX A100`: a count and a system
_COUNTED = re.compile(rf"[{_LETTER}]{{1,2}}\s?[xX×]\s.*")
# `2x DGX A100`: a name that may be damaged
_COUNT_OF_SYSTEM = re.compile(r"\d{1,6}\s?[xX×]\s?(?P<name>[^\W\d].*)")
_SIGN_OF_DAMAGE = re.compile(rf"(?=.*\d).*[{_LETTER},]")


def damaged_parameters(part: Cell) -> Iterator[tuple[Cell, str]]:
    """What of a part of the notes should be a number and is none, with the reason."""
    text = _URL.sub(lambda match: " " * len(match[0]), part.text)
    found: dict[int, tuple[Cell, str]] = {}
    for pattern, what in ((_SDK, "SDK"), (_PRECISION, "precision"), (_BATCH, "batch size"), (_MIXED, ""), (_COMMA, "")):
        for match in pattern.finditer(text):
            word = match["word"].rstrip(".,;:")
            cell = part.part(match.start("word"), match.start("word") + len(word))
            is_read = (
                (what == "SDK" and _RELEASE.fullmatch(word))
                or (what == "precision" and parse_precision(word))
                or (what == "batch size" and parse_batch_sizes(word))
                or (pattern is _COMMA and _LISTED.search(text))
            )
            if not is_read and not any(other.start <= cell.start < other.end for other, _ in found.values()):
                reason = f"{word!r} is no {what}" if what else f"{word!r} looks like a number and cannot be read as one"
                found[cell.start] = cell, f"{reason}; the rest of the line was read"
    batches = _AFTER_BATCH.search(text)
    for match in _POINT.finditer(text, batches.end()) if batches else ():
        cell = part.matched(match)
        found.setdefault(cell.start, (cell, f"{cell.text!r} is no batch size; the rest of the line was read"))
    yield from (found[start] for start in sorted(found))


def states_batch(part: Cell) -> bool:
    """True for a part of the notes that is about batch sizes."""
    return bool(_LISTED.search(part.text))


def without(part: Cell, damages: Iterable[Cell]) -> Cell:
    """The part with damaged words blanked out, so that no piece of one is read as the whole; all places stay."""
    text = part.text
    for cell in damages:
        start, end = cell.start - part.start, cell.end - part.start
        text = text[:start] + " " * (end - start) + text[end:]
    return Cell(text, part.line, part.start, part.end)


def is_damaged_label(cell: Cell) -> bool:
    """True for a label that would be a factor or numbers, but for a letter or a comma in it."""
    text = cell.text
    if run := _RUN_TOGETHER.match(text):
        return bool(_SIGN_OF_DAMAGE.match(run["number"]))
    if _COUNTED.fullmatch(text):
        return True
    if system := _COUNT_OF_SYSTEM.fullmatch(text):
        return is_misprinted(system["name"], "platforms")
    is_read = all(parse_number(word) for word in text.split())
    return not is_read and bool(_NUMBERS.fullmatch(text) and _SIGN_OF_DAMAGE.match(text)) and not FACTOR.fullmatch(text)


def is_misprinted(text: str, kind: Kind) -> bool:
    """True for a name that no vocabulary knows, but with a digit in place of one of its letters."""
    text = " ".join(text.split())
    if len(text) > _MAX_NAME or find(kind, text):
        return False
    places = [place for place, letter in enumerate(text) if letter.isalpha() and _stands_at_digit(text, place)]
    return any(find(kind, text[:place] + digit + text[place + 1 :]) for place in places for digit in string.digits)


def misprinted_names(parts: tuple[Cell, ...], kind: Kind) -> list[tuple[Cell, str]]:
    """The parts of a line, or words of them, that are such names, with the reason."""
    found = []
    for part in parts:
        start = 0
        for word in part.text.split(" "):
            cell = part.part(start, start + len(word))
            if any(map(str.isdigit, word)) and is_misprinted(word, kind):
                found.append((cell, f"{word!r} looks like a known name with a letter in place of a digit"))
            start += len(word) + 1
    return found


def _stands_at_digit(text: str, place: int) -> bool:
    return any(letter.isdigit() for letter in (text[max(0, place - 1) : place] + text[place + 1 : place + 2]))
