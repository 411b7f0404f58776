"""All pages of a PDF, and what is wrong with each. One page belongs in `contents.py`."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from typing import NamedTuple

import pdfplumber
import pikepdf
import pypdfium2
from pdfminer.psexceptions import PSException
from pdfplumber.utils.exceptions import MalformedPDFException, PdfminerException
from pypdfium2 import PdfiumError

from pipelines.read.document import Note, ReadError
from pipelines.read.layout.lines import PageLines, lines_of_pages
from pipelines.read.page import Page
from pipelines.read.pdf.contents import read_page
from pipelines.read.pdf.opening import PdfFile, PdfLimits, fault_of, open_pdf, repair
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
_FLATE = (["/FlateDecode"], ["/Fl"])
# A scan covers its page; a page with this much of it under pictures and no text is one.
_COVERED = 0.3
# More characters than this without Unicode in the font, and the text is unreadable.
_MAX_UNMAPPED = 0.2
_ADVICE = {
    "pdf_image_only": "store a copy with recognised text",
    "pdf_too_many_objects": "no other page could be read",
}


class Contents(NamedTuple):
    """The content of a PDF: its lines, the pages that were read, in order, and lost or doubtful
    parts.
    """

    lines: PageLines
    pages: tuple[Page, ...]
    notes: tuple[Note, ...]


def read_contents(content: bytes, limits: PdfLimits) -> Contents:
    """Pages and lines of a PDF, repaired once if it cannot be read.

    Raises:
        ReadError: The file cannot be read; the rule is the reason.
    """
    opened = open_pdf(content, limits)
    with limited("pages", limits.sandbox(opened.pages)):
        try:
            return _read(opened, limits)
        except FAULTS as error:
            fault = fault_of(error)
        try:
            if not opened.note:
                return _read(repair(content, limits, fault), limits)
        except FAULTS as error:
            fault = fault_of(error)
    raise ReadError("pdf_damaged", f"the file cannot be read even when repaired ({fault})")


def _read(opened: PdfFile, limits: PdfLimits) -> Contents:
    surveys = _survey(opened.content, limits)
    pages: list[Page] = []
    notes = [opened.note] if opened.note else []
    with pdfplumber.open(io.BytesIO(opened.content)) as pdf:
        for index, (packed, note) in enumerate(surveys):
            number = index + 1
            notes += [note] if note else []
            if not _is_readable(note):
                continue
            try:
                page = read_page(pdf, index)
            except FAULTS as error:
                if not opened.note:
                    raise
                reason = f"page {number} cannot be read ({fault_of(error)})"
                notes.append(Note("pdf_page_unreadable", reason, number, "page"))
                continue
            pages.append(page)
            notes += _doubts(page, packed > 0 and not note)
            pdf.pages[index].close()
    if not any(page.words for page in pages):
        raise _nothing(pages, notes, len(surveys))
    return Contents(lines_of_pages(pages), tuple(pages), tuple(notes))


def _survey(content: bytes, limits: PdfLimits) -> list[tuple[int, Note | None]]:
    """For each page the size of its packed contents, and why it must not be read or what is lost."""
    surveys = []
    with (
        pikepdf.open(io.BytesIO(content), suppress_warnings=True) as pdf,
        closing(pypdfium2.PdfDocument(content)) as document,
    ):
        for number, page in enumerate(pdf.pages, start=1):
            packed, note = _check_streams(page, number, limits)
            if _is_readable(note) and _is_dense(document, number, limits):
                reason = (
                    f"page {number} has more than the {limits.objects_per_page:,} objects allowed, "
                    "and was not read; store a copy of it with less detail"
                )
                note = Note("pdf_too_many_objects", reason, number, "page")
            surveys.append((packed, note))
    return surveys


def _is_dense(document: pypdfium2.PdfDocument, number: int, limits: PdfLimits) -> bool:
    with closing(document[number - 1]) as page:
        return any(islice(page.get_objects(), limits.objects_per_page, None))


def _is_readable(note: Note | None) -> bool:
    return note is None or note.rule == "pdf_page_damaged"


def _check_streams(page: pikepdf.Page, number: int, limits: PdfLimits) -> tuple[int, Note | None]:
    """Unpack the contents of a page: the libraries skip damaged parts without a message."""
    packed, left = 0, limits.stream_bytes
    contents = page.obj.get("/Contents")
    try:
        for stream in contents if isinstance(contents, pikepdf.Array) else [contents]:
            if isinstance(stream, pikepdf.Stream):
                packed += len(stream.read_raw_bytes())
                left -= _unpacked_bytes(stream, left)
            if left < 0:
                reason = f"page {number} unpacks to more than {limits.stream_bytes:,} bytes and was not read"
                return packed, Note("pdf_decompression_bomb", reason, number, "page")
    except (zlib.error, pikepdf.PdfError):
        reason = f"the contents of page {number} are damaged; content after the damage is lost"
        return packed, Note("pdf_page_damaged", reason, number, "page")
    return packed, None


def _unpacked_bytes(stream: pikepdf.Stream, most: int) -> int:
    """Bytes of a stream when unpacked, or one more than `most`.

    Raises:
        zlib.error, pikepdf.PdfError: It is damaged.
    """
    filters, data = stream.get("/Filter"), stream.read_raw_bytes()
    names = (
        [str(name) for name in filters] if isinstance(filters, pikepdf.Array) else [str(filters)]
    )
    if not data or names not in _FLATE or stream.get("/DecodeParms") is not None:
        # Filters that multiply by less, and rare ones, which the sandbox limits.
        return len(stream.read_bytes())
    unpacker = zlib.decompressobj()
    size = len(unpacker.decompress(data, most + 1))
    if size <= most and not unpacker.eof:
        raise zlib.error("the stream ends too early")
    return size


def _doubts(page: Page, has_contents: bool) -> Iterator[Note]:
    """The problems of a page that opened: contents without objects, a picture of a page, letters
    without Unicode.
    """
    number = page.number
    letters = "".join(word.text for word in page.words)
    covered = sum((image.x1 - image.x0) * (image.bottom - image.top) for image in page.images)
    unmapped = letters.count("(cid:")
    private = sum(letter == "\ufffd" or "\ue000" <= letter <= "\uf8ff" for letter in letters)
    if has_contents and not (letters or page.shapes or page.images):
        reason = f"page {number} has content but shows nothing"
        yield Note("pdf_no_objects", reason, number, "page")
    elif not letters and covered > _COVERED * page.width * page.height:
        yield Note("pdf_image_only", f"page {number} is an image without text", number, "page")
    elif unmapped + private > _MAX_UNMAPPED * len(letters) or unmapped > 0.05 * len(letters):
        reason = f"the fonts of page {number} do not map glyphs to characters: {letters[:40]!r}"
        yield Note("pdf_unmapped_text", reason, number, "page")


def _nothing(pages: list[Page], notes: list[Note], total: int) -> ReadError:
    """The reason why a PDF without words cannot be read."""
    if cut := next((note for note in notes if note.rule == "pdf_truncated"), None):
        return ReadError(cut.rule, f"{cut.reason}; the rest has no text")
    if lost := next((note for note in notes if note.page is not None), None):
        more = f"; none of its other {total - 1} pages has text" if total > 1 else ""
        return ReadError(
            lost.rule, f"{lost.reason}{more}; {_ADVICE.get(lost.rule, 'capture it again')}"
        )
    if any(page.images for page in pages):
        return ReadError(
            "pdf_image_only", f"the file has images and no text; {_ADVICE['pdf_image_only']}"
        )
    if any(page.shapes for page in pages):
        return ReadError("pdf_no_text", "the file has drawings and no text; capture it with text")
    return ReadError("pdf_no_objects", "the file has no readable content; capture it again")
