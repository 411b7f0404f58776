"""A PDF, repaired once where it is damaged, and all its pages with what is wrong with each. One page
belongs in `contents.py`.
"""

from __future__ import annotations

import io
import re
import struct
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from itertools import islice, pairwise

import pdfplumber
import pikepdf
import pypdfium2
from pdfminer.psexceptions import PSException
from pdfplumber.utils.exceptions import MalformedPDFException, PdfminerException
from pypdfium2 import PdfiumError

from pipelines.read.document import Document, Note, ReadError
from pipelines.read.layout.lines import document_of
from pipelines.read.page import Page
from pipelines.read.pdf import PdfLimits
from pipelines.read.pdf.contents import read_page
from pipelines.sandbox import limited

# Exceptions of the libraries for invalid contents.
FAULTS = (
    PSException,
    PdfminerException,
    MalformedPDFException,
    PdfiumError,
    struct.error,
    zlib.error,
    pikepdf.PdfError,
    ArithmeticError,
    AssertionError,
    AttributeError,
    EOFError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
)
# Range in which the end mark is searched; mail and web servers add bytes after it.
_TAIL = 2048
# `stream <_io.BytesIO object at 0x7f82f4f8c720>: can't find startxref`: an address in memory is
# different each time
_OBJECT = re.compile(r"(?:stream )?<[^<>]* object at 0x[0-9a-f]+>:?\s*")
_PADDING = b"\0 \t\r\n"
# How the warning ends before that of the fault for which the table of contents was made anew.
_DAMAGED = "file is damaged"
# How the warning of a page that is left out ends.
_LEFT_OUT = "Pages tree includes non-dictionary object; ignoring"
# Contents packed in this way alone are unpacked no further than the limit.
_FLATE = (["/FlateDecode"], ["/Fl"])
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
    opened, notes = _open(content, limits)
    with opened, limited(limits.sandbox(len(opened.pages))):
        try:
            return _read(opened, notes, limits)
        except FAULTS as error:
            reason = f"the file cannot be read even when repaired ({_fault_of(error)})"
            raise ReadError("pdf_damaged", reason) from error


def _open(content: bytes, limits: PdfLimits) -> tuple[pikepdf.Pdf, list[Note]]:
    """A PDF, repaired where it is damaged, and what was wrong with its bytes.

    Raises:
        ReadError: `pdf_damaged`, `pdf_truncated`, `pdf_encrypted`, `pdf_no_pages`,
            `pdf_too_many_pages`.
    """
    is_cut = b"%%EOF" not in content.rstrip(_PADDING)[-_TAIL:]
    what = "the file ends too early" if is_cut else "the file is damaged"
    try:
        # Where a page is null, the tree is mended without a warning, and with the count: this is
        # asked for before anything looks for the pages, as what they inherit.
        pdf = pikepdf.open(
            io.BytesIO(content), suppress_warnings=True, inherit_page_attributes=False
        )
        announced = _announced(pdf)
        pages = len(pdf.pages)
    except pikepdf.PasswordError as error:
        reason = "the file is encrypted with a password; store a copy without one"
        raise ReadError("pdf_encrypted", reason) from error
    except (pikepdf.PdfError, RuntimeError) as error:
        rule = "pdf_truncated" if is_cut else "pdf_damaged"
        reason = f"{what} and cannot be repaired ({_fault_of(error)}); capture it again"
        raise ReadError(rule, reason) from error
    if not pages:
        raise ReadError("pdf_no_pages", "the file has no pages; capture it again")
    if pages > limits.pages:
        reason = f"{pages:,} pages are more than the {limits.pages:,} allowed; store only those with the benchmarks"
        raise ReadError("pdf_too_many_pages", reason)
    fault = _fault_among(pdf.get_warnings())
    if not fault and pages < announced:
        fault = f"it announces {announced:,} pages"
    if not fault:
        return pdf, []
    found = f"it was repaired and {pages} page{'s' if pages > 1 else ''} found"
    if is_cut:
        reason = f"{what}: {found}, content after the cut is lost; capture it again"
        return pdf, [Note("pdf_truncated", reason, None, "page")]
    reason = f"{what} ({fault}): {found}; compare them with the original"
    return pdf, [Note("pdf_repaired", reason, None, "note")]


def _announced(pdf: pikepdf.Pdf) -> int:
    """How many pages the tree of pages says it has; 0 where it does not."""
    tree = pdf.Root.get("/Pages")
    count = tree.get("/Count") if isinstance(tree, pikepdf.Dictionary) else None
    return count if isinstance(count, int) else 0


def _fault_among(warnings: Sequence[str]) -> str:
    """The first fault for which a file was repaired; "" where it was not."""
    for warning, following in pairwise([*warnings, ""]):
        if warning.endswith(_DAMAGED):
            return _fault_of(following or warning)
        if warning.endswith(_LEFT_OUT):
            return _fault_of(warning)
    return ""


def _fault_of(error: BaseException | str) -> str:
    """The message of a library, without addresses in memory."""
    text = " ".join(_OBJECT.sub("", str(error)).replace("\n", "; ").split())[:200]
    kind = "" if isinstance(error, (str, pikepdf.PdfError)) else type(error).__name__
    return ": ".join(filter(None, [kind, text])) or type(error).__name__


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
                reason = f"page {number} cannot be read ({_fault_of(error)})"
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
                size += _unpacked_bytes(stream, limits.stream_bytes - size)
            except pikepdf.PdfError:
                return size, True
        if size > limits.stream_bytes:
            reason = (
                f"page {number} unpacks to more than {limits.stream_bytes:,} bytes and was not read"
            )
            raise ReadError("pdf_decompression_bomb", reason)
    return size, bool(pdf.get_warnings())


def _unpacked_bytes(stream: pikepdf.Stream, most: int) -> int:
    """Bytes of a stream when unpacked, or one more than `most`.

    Raises:
        pikepdf.PdfError: It is damaged.
    """
    filters = stream.get("/Filter")
    names = [*map(str, filters)] if isinstance(filters, pikepdf.Array) else [str(filters)]
    if names in _FLATE and "/DecodeParms" not in stream:
        # What is damaged is said below.
        with suppress(zlib.error):
            begin = zlib.decompressobj().decompress(stream.read_raw_bytes(), most + 1)
            if len(begin) > most:
                return len(begin)
    # Filters that multiply by less, and rare ones, which the sandbox limits.
    return len(stream.read_bytes())


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
