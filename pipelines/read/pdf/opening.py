"""Bytes to a PDF that can be read: whole, not locked, not too long; one attempt at repair where it is damaged."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass

import pikepdf

from pipelines.read.document import Note, ReadError
from pipelines.read.pdf.limits import Limits

# Where readers look for the mark at the start and at the end; mail and web servers put bytes around it.
_HEAD, _TAIL = 1024, 2048
# `stream <_io.BytesIO object at 0x7f82f4f8c720>: can't find startxref`: an address says nothing and is never the same
_OBJECT = re.compile(r"(?:stream )?<[^<>]* object at 0x[0-9a-f]+>:?\s*")
_PADDING = b"\0 \t\r\n"


@dataclass(frozen=True)
class Opened:
    """A PDF that opens.

    Attributes:
        content: Its bytes: as stored, or as repaired.
        pages: Number of its pages.
        notes: What is wrong with it as a whole.
        is_repaired: True when the bytes are not those stored.
    """

    content: bytes
    pages: int
    notes: tuple[Note, ...] = ()
    is_repaired: bool = False


def open_pdf(content: bytes, limits: Limits) -> Opened:
    """A PDF as stored, or repaired where it is damaged.

    Raises:
        ReadError: `pdf_damaged`, `pdf_truncated`, `pdf_encrypted`, `pdf_no_pages`, `pdf_too_many_pages`.
    """
    if b"%PDF-" not in content[:_HEAD]:
        raise ReadError("pdf_damaged", "the file does not begin like a PDF; capture it again")
    try:
        with pikepdf.open(io.BytesIO(content), attempt_recovery=False, suppress_warnings=True) as pdf:
            return Opened(content, _pages(pdf, limits))
    except pikepdf.PasswordError as error:
        reason = "the file is locked with a password; store a copy without one"
        raise ReadError("pdf_encrypted", reason) from error
    except pikepdf.PdfError as error:
        return repair(content, limits, _sentence(error))


def repair(content: bytes, limits: Limits, fault: str) -> Opened:
    """The same PDF written anew from the objects that can be found in it, marked as repaired.

    Raises:
        ReadError: As `open_pdf`; nothing of it can be saved.
    """
    is_cut = b"%%EOF" not in content.rstrip(_PADDING)[-_TAIL:]
    what = "the file ends too early" if is_cut else f"the file is damaged ({fault})"
    rule = "pdf_truncated" if is_cut else "pdf_damaged"
    saved = io.BytesIO()
    try:
        with pikepdf.open(io.BytesIO(content), attempt_recovery=True, suppress_warnings=True) as pdf:
            pages = _pages(pdf, limits)
            pdf.save(saved)
    except pikepdf.PasswordError as error:
        raise ReadError("pdf_encrypted", "the file is locked with a password; store a copy without one") from error
    except (pikepdf.PdfError, RuntimeError) as error:
        raise ReadError(rule, f"{what} and cannot be repaired ({_sentence(error)}); capture it again") from error
    if is_cut:
        found = f"it was repaired and {pages} page{'s' if pages > 1 else ''} found, what stood behind the cut is lost"
        note = Note("pdf_truncated", f"{what}: {found}; capture it again", None, "page")
    else:
        found = f"it was repaired and {pages} page{'s' if pages > 1 else ''} found"
        note = Note("pdf_repaired", f"{what}: {found}; compare them with the original", None, "note")
    return Opened(saved.getvalue(), pages, (note,), True)


def _pages(pdf: pikepdf.Pdf, limits: Limits) -> int:
    pages = len(pdf.pages)
    if not pages:
        raise ReadError("pdf_no_pages", "the file has no pages; capture it again")
    if pages > limits.pages:
        reason = f"{pages:,} pages are more than the {limits.pages:,} allowed; store only those with the benchmarks"
        raise ReadError("pdf_too_many_pages", reason)
    return pages


def _sentence(error: BaseException) -> str:
    text = _OBJECT.sub("", str(error)).replace("\n", "; ")
    return " ".join(text.split()) or type(error).__name__
