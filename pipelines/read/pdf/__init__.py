"""PDF files, and the limits for one of them. What a page holds is read in `contents.py`."""

from __future__ import annotations

from dataclasses import dataclass

from pipelines.sandbox import Limits, Refusal

_MIB = 1 << 20
_TOO_SLOW = Refusal("pdf_timeout", "reading the file takes more than {}")
_TOO_LARGE = Refusal("pdf_out_of_memory", "reading the file takes more than {}")
_CRASHED = Refusal(
    "pdf_crashed", "the reader crashed ({}); print the file to a new PDF and store that"
)


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
