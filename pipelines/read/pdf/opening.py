"""Limits for one PDF, and its bytes: complete, unlocked, not too long; damaged files are repaired
once.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass

import pikepdf

from pipelines.read.document import Note, ReadError
from pipelines.sandbox import Limits, Refusal

_MIB = 1 << 20
_TOO_SLOW = Refusal("pdf_timeout", "reading the file takes more than {}")
_TOO_LARGE = Refusal("pdf_out_of_memory", "reading the file takes more than {}")
_CRASHED = Refusal(
    "pdf_crashed", "the reader crashed ({}); print the file to a new PDF and store that"
)

# Range in which the end mark is searched; mail and web servers add bytes after it.
_TAIL = 2048
# `stream <_io.BytesIO object at 0x7f82f4f8c720>: can't find startxref`: an address in memory is
# different each time
_OBJECT = re.compile(r"(?:stream )?<[^<>]* object at 0x[0-9a-f]+>:?\s*")
_PADDING = b"\0 \t\r\n"
# How the first warning ends where the table of contents had to be made anew.
_DAMAGED = "file is damaged"


@dataclass(frozen=True, slots=True)
class PdfLimits:
    """Limits for one document; a result page or deck stays far below all of them.

    Attributes:
        file_bytes: Size of the file. Decks with photographs reach some 50 MB.
        memory_mib: MiB of address space beyond what the process has.
        cpu_s: Seconds of CPU time for a document of any size.
        cpu_s_per_page: Seconds more for each page; an ordinary page takes 0.1.
        pages: Pages of a document.
        objects_per_page: Texts, paths and pictures on a page, nested ones too; the densest scatter
            plots have 20,000.
        stream_bytes: Content of a page when unpacked.
    """

    file_bytes: int = 100 * _MIB
    memory_mib: int = 1536
    cpu_s: float = 20
    cpu_s_per_page: float = 2
    pages: int = 500
    objects_per_page: int = 50_000
    stream_bytes: int = 64 * _MIB

    def sandbox(self, pages: int = 0) -> Limits:
        """The limits of time and memory for so many pages."""
        cpu_s = self.cpu_s + pages * self.cpu_s_per_page
        return Limits(cpu_s, self.memory_mib, 4, _TOO_SLOW, _TOO_LARGE, _CRASHED)


LIMITS = PdfLimits()


def open_pdf(content: bytes, limits: PdfLimits) -> tuple[pikepdf.Pdf, list[Note]]:
    """A PDF, repaired where it is damaged, and what was wrong with its bytes.

    Raises:
        ReadError: `pdf_damaged`, `pdf_truncated`, `pdf_encrypted`, `pdf_no_pages`,
            `pdf_too_many_pages`.
    """
    is_cut = b"%%EOF" not in content.rstrip(_PADDING)[-_TAIL:]
    what = "the file ends too early" if is_cut else "the file is damaged"
    try:
        pdf = pikepdf.open(io.BytesIO(content), suppress_warnings=True)
        pages = len(pdf.pages)
    except pikepdf.PasswordError as error:
        reason = "the file is encrypted with a password; store a copy without one"
        raise ReadError("pdf_encrypted", reason) from error
    except (pikepdf.PdfError, RuntimeError) as error:
        rule = "pdf_truncated" if is_cut else "pdf_damaged"
        reason = f"{what} and cannot be repaired ({fault_of(error)}); capture it again"
        raise ReadError(rule, reason) from error
    if not pages:
        raise ReadError("pdf_no_pages", "the file has no pages; capture it again")
    if pages > limits.pages:
        reason = f"{pages:,} pages are more than the {limits.pages:,} allowed; store only those with the benchmarks"
        raise ReadError("pdf_too_many_pages", reason)
    first, *faults = [*pdf.get_warnings(), ""]
    if not first.endswith(_DAMAGED):
        return pdf, []
    found = f"it was repaired and {pages} page{'s' if pages > 1 else ''} found"
    if is_cut:
        reason = f"{what}: {found}, content after the cut is lost; capture it again"
        return pdf, [Note("pdf_truncated", reason, None, "page")]
    reason = f"{what} ({fault_of(faults[0])}): {found}; compare them with the original"
    return pdf, [Note("pdf_repaired", reason, None, "note")]


def fault_of(error: BaseException | str) -> str:
    """The message of a library, without addresses in memory."""
    text = " ".join(_OBJECT.sub("", str(error)).replace("\n", "; ").split())[:200]
    kind = "" if isinstance(error, (str, pikepdf.PdfError)) else type(error).__name__
    return ": ".join(filter(None, [kind, text])) or type(error).__name__
