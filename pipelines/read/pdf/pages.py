"""All pages of a PDF, and what is wrong with each. One page belongs in `contents.py`."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from itertools import islice

import pdfplumber
import pikepdf
import pypdfium2
from pdfminer.psexceptions import PSException
from pdfplumber.utils.exceptions import MalformedPDFException, PdfminerException
from pypdfium2 import PdfiumError

from pipelines.read.document import Document, Note, ReadError
from pipelines.read.layout.lines import document_of
from pipelines.read.page import Page
from pipelines.read.pdf.contents import read_page
from pipelines.read.pdf.opening import PdfLimits, fault_of, open_pdf
from pipelines.sandbox import limited

# Exceptions of the libraries for invalid contents.
FAULTS = (
    PSException,
    PdfminerException,
    MalformedPDFException,
    PdfiumError,
    struct.error,
    zlib.error,
    ArithmeticError,
    AssertionError,
    AttributeError,
    EOFError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
)
# A scan covers its page; a page with this much of it under pictures and no text is one.
_COVERED = 0.3
# More characters than this without Unicode in the font, and the text is unreadable.
_MAX_UNMAPPED = 0.2
_ADVICE = {
    "pdf_truncated": "the rest has no text",
    "pdf_image_only": "store a copy with recognised text",
    "pdf_too_many_objects": "no other page could be read",
}


def read_contents(content: bytes, limits: PdfLimits) -> Document:
    """Pages and lines of a PDF, without the facts of its document.

    Raises:
        ReadError: The file cannot be read; the rule is the reason.
    """
    opened, notes = open_pdf(content, limits)
    with opened, limited(limits.sandbox(len(opened.pages))):
        try:
            return _read(opened, notes, limits)
        except FAULTS as error:
            reason = f"the file cannot be read even when repaired ({fault_of(error)})"
            raise ReadError("pdf_damaged", reason) from error


def _read(opened: pikepdf.Pdf, notes: list[Note], limits: PdfLimits) -> Document:
    # Written anew, with whatever could be repaired.
    written = io.BytesIO()
    opened.save(written, stream_decode_level=pikepdf.StreamDecodeLevel.none)
    pages: list[Page] = []
    total = len(opened.pages)
    with (
        pdfplumber.open(written) as pdf,
        closing(pypdfium2.PdfDocument(written.getvalue())) as counted,
    ):
        for number in range(1, total + 1):
            try:
                size, is_damaged = _unpack(opened, number, limits)
                _check_density(counted, number, limits)
                page = read_page(pdf, number - 1)
            except ReadError as error:
                notes.append(Note(error.rule, error.reason, number, "page"))
            except FAULTS as error:
                reason = f"page {number} cannot be read ({fault_of(error)})"
                notes.append(Note("pdf_page_unreadable", reason, number, "page"))
            else:
                pages.append(page)
                notes += _doubts(page, size, is_damaged)
    if not any(page.words for page in pages):
        raise _nothing(pages, notes, total)
    return replace(document_of(pages), notes=tuple(notes))


def _check_density(document: pypdfium2.PdfDocument, number: int, limits: PdfLimits) -> None:
    with closing(document[number - 1]) as page:
        if any(islice(page.get_objects(), limits.objects_per_page, None)):
            reason = (
                f"page {number} has more than the {limits.objects_per_page:,} objects allowed, and "
                "was not read; store a copy of it with less detail"
            )
            raise ReadError("pdf_too_many_objects", reason)


def _unpack(pdf: pikepdf.Pdf, number: int, limits: PdfLimits) -> tuple[int, bool]:
    """Bytes of the contents of a page when unpacked, and whether they are damaged: the libraries
    skip damaged parts without a message.
    """
    size = 0
    contents = pdf.pages[number - 1].obj.get("/Contents")
    pdf.get_warnings()
    for stream in contents if isinstance(contents, pikepdf.Array) else [contents]:
        if isinstance(stream, pikepdf.Stream):
            try:
                size += len(stream.read_bytes())
            except pikepdf.PdfError:
                return size, True
        if size > limits.stream_bytes:
            reason = (
                f"page {number} unpacks to more than {limits.stream_bytes:,} bytes and was not read"
            )
            raise ReadError("pdf_decompression_bomb", reason)
    return size, bool(pdf.get_warnings())


def _doubts(page: Page, size: int, is_damaged: bool) -> Iterator[Note]:
    """The problems of a page that opened: damaged contents, contents without objects, a picture of a
    page, letters without Unicode.
    """
    number = page.number
    if is_damaged:
        reason = f"the contents of page {number} are damaged; content after the damage is lost"
        yield Note("pdf_page_damaged", reason, number, "page")
    letters = "".join(word.text for word in page.words)
    covered = sum((image.x1 - image.x0) * (image.bottom - image.top) for image in page.images)
    unmapped = letters.count("(cid:")
    private = sum(letter == "\ufffd" or "\ue000" <= letter <= "\uf8ff" for letter in letters)
    if size and not (is_damaged or letters or page.shapes or page.images):
        reason = f"page {number} has content but shows nothing"
        yield Note("pdf_no_objects", reason, number, "page")
    elif not letters and covered > _COVERED * page.width * page.height:
        yield Note("pdf_image_only", f"page {number} is an image without text", number, "page")
    elif unmapped + private > _MAX_UNMAPPED * len(letters) or unmapped > 0.05 * len(letters):
        reason = f"the fonts of page {number} do not map glyphs to characters: {letters[:40]!r}"
        yield Note("pdf_unmapped_text", reason, number, "page")


def _nothing(pages: list[Page], notes: list[Note], total: int) -> ReadError:
    """The reason why a PDF without words cannot be read."""
    if lost := next((note for note in notes if note.scope == "page"), None):
        more = f"; none of its other {total - 1} pages has text" if lost.page and total > 1 else ""
        advice = _ADVICE.get(lost.rule, "capture it again")
        return ReadError(lost.rule, f"{lost.reason}{more}; {advice}")
    if any(page.images for page in pages):
        return ReadError(
            "pdf_image_only", f"the file has images and no text; {_ADVICE['pdf_image_only']}"
        )
    if any(page.shapes for page in pages):
        return ReadError("pdf_no_text", "the file has drawings and no text; capture it with text")
    return ReadError("pdf_no_objects", "the file has no readable content; capture it again")
