"""All pages of a PDF, and what is wrong with each: the work that a child process does."""

from __future__ import annotations

import io
import re
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pdfplumber
from pdfminer.psexceptions import PSException
from pdfplumber.utils.exceptions import MalformedPDFException, PdfminerException
from pypdfium2 import PdfiumError

from pipelines.read.document import Note, ReadError
from pipelines.read.layout.lines import TextLine, lines_of_pages
from pipelines.read.page import Page
from pipelines.read.pdf.contents import read_page
from pipelines.read.pdf.limits import Limits
from pipelines.read.pdf.opening import Opened, open_pdf, repair
from pipelines.read.pdf.survey import PageCount, survey

# What the readers throw at contents that are not as the standard says; theirs are many and not all their own.
FAULTS = (
    PSException,
    PdfminerException,
    MalformedPDFException,
    PdfiumError,
    ArithmeticError,
    AssertionError,
    AttributeError,
    EOFError,
    LookupError,
    NotImplementedError,
    RecursionError,
    TypeError,
    ValueError,
    struct.error,
    zlib.error,
)
# A scan covers its page; a page with this much of it under pictures and no text is one.
_COVERED = 0.3
# More characters than this without Unicode in the font, and the text is unreadable.
_MAX_UNMAPPED = 0.2


@dataclass(frozen=True)
class Contents:
    """What a PDF holds: pages in order (those that were read), their lines, and what was lost or is doubtful."""

    pages: tuple[Page, ...]
    lines: tuple[TextLine, ...]
    notes: tuple[Note, ...]


def read_contents(content: bytes, limits: Limits, announce: Callable[[int], None]) -> Contents:
    """Pages and lines of a PDF, after one attempt at repair where it cannot be read as it is.

    Args:
        content: The stored bytes.
        limits: What it may cost.
        announce: Told the number of pages before they are read.

    Raises:
        ReadError: Nothing of it can be read; the rule says why.
    """
    opened = open_pdf(content, limits)
    announce(opened.pages)
    try:
        return _read(opened, limits, is_last_attempt=opened.is_repaired)
    except FAULTS as error:
        if opened.is_repaired:
            raise ReadError("pdf_damaged", f"the file cannot be read even when repaired ({_named(error)})") from error
        opened = repair(content, limits, _named(error))
    try:
        return _read(opened, limits, is_last_attempt=True)
    except FAULTS as error:
        raise ReadError("pdf_damaged", f"the file cannot be read even when repaired ({_named(error)})") from error


def _read(opened: Opened, limits: Limits, *, is_last_attempt: bool) -> Contents:
    counts = survey(opened.content, limits)
    pages: list[Page] = []
    notes = list(opened.notes)
    with pdfplumber.open(io.BytesIO(opened.content)) as pdf:
        for index, count in enumerate(counts):
            number = index + 1
            notes += [count.note] if count.note else []
            if not count.is_readable:
                continue
            try:
                page = read_page(pdf, index)
            except FAULTS as error:
                if not is_last_attempt:
                    raise
                reason = f"page {number} cannot be read ({_named(error)})"
                notes.append(Note("pdf_page_unreadable", reason, number, "page"))
                continue
            if count.texts and not page.words and not page.shapes and not is_last_attempt:
                raise ValueError(f"page {number} has {count.texts} texts that cannot be read")
            pages.append(page)
            notes += _doubts(page, count)
            pdf.pages[index].close()
    lines = tuple(lines_of_pages(pages))
    if not any(page.words for page in pages):
        raise _nothing(pages, notes, len(counts))
    return Contents(tuple(pages), lines, tuple(notes))


def _doubts(page: Page, count: PageCount) -> Iterator[Note]:
    """What is wrong with a page that opened: contents without objects, a picture of a page, letters without Unicode."""
    number = page.number
    if not page.words and not page.shapes and not page.images:
        if count.content_bytes and not count.note:
            yield Note("pdf_no_objects", f"page {number} has contents and shows nothing", number, "page")
        return
    if not page.words:
        covered = sum((image.x1 - image.x0) * (image.bottom - image.top) for image in page.images)
        if covered > _COVERED * page.width * page.height:
            yield Note("pdf_image_only", f"page {number} is a picture without text", number, "page")
        return
    letters = "".join(word.text for word in page.words)
    unmapped = sum(word.text.count("(cid:") for word in page.words)
    unmapped += sum(character == "\ufffd" or "\ue000" <= character <= "\uf8ff" for character in letters)
    if unmapped > _MAX_UNMAPPED * max(len(letters), 1) or letters.count("(cid:") > 0.05 * len(letters):
        reason = f"the fonts of page {number} do not say which letters they print: {letters[:40]!r}"
        yield Note("pdf_unmapped_text", reason, number, "page")


def _nothing(pages: list[Page], notes: list[Note], total: int) -> ReadError:
    """Why a PDF without any words is none that can be read."""
    if cut := next((note for note in notes if note.rule == "pdf_truncated"), None):
        return ReadError(cut.rule, f"{cut.reason}; no text was found in what is left")
    if lost := next((note for note in notes if note.page is not None), None):
        more = f"; none of its other {total - 1} pages has text" if total > 1 else ""
        return ReadError(lost.rule, f"{lost.reason}{more}; {_ADVICE.get(lost.rule, 'capture it again')}")
    if any(page.images for page in pages):
        return ReadError("pdf_image_only", f"the file holds pictures and no text; {_ADVICE['pdf_image_only']}")
    if any(page.shapes for page in pages):
        return ReadError("pdf_no_text", "the file holds drawings and no text; capture it with its text kept")
    return ReadError("pdf_no_objects", "the file opens and holds nothing that can be read; capture it again")


_ADVICE = {
    "pdf_image_only": "store a copy with recognised text",
    "pdf_too_many_objects": "nothing else in the file could be read",
}


def _named(error: BaseException) -> str:
    text = " ".join(re.sub(r"<[^<>]* object at 0x[0-9a-f]+>:?", "", str(error)).split())
    return f"{type(error).__name__}: {text[:200]}" if text else type(error).__name__
