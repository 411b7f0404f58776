"""What one PDF may cost. How each limit is kept belongs in `survey.py`, `worker.py` and `workers.py`."""

from __future__ import annotations

from dataclasses import dataclass

_MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits for one document; a result page or deck stays far below all of them.

    Attributes:
        file_bytes: Size of the file. Decks with photographs reach some 50 MB.
        memory_bytes: Address space of the process that reads; the libraries alone take about 300 MB of it.
        cpu_s: Seconds of processor time for a document, whatever its size.
        cpu_s_per_page: Seconds more for each page; an ordinary page takes 0.1.
        wall_per_cpu: Elapsed seconds for each second of processor time, as the machine may be busy.
        pages: Pages of a document.
        objects_per_page: Texts, paths and pictures on a page, nested ones too; the densest scatter plots have 20,000.
        stream_bytes: Content of a page, or of one drawing within it, when unpacked.
    """

    file_bytes: int = 100 * _MIB
    memory_bytes: int = 1536 * _MIB
    cpu_s: float = 20
    cpu_s_per_page: float = 2
    wall_per_cpu: float = 4
    pages: int = 500
    objects_per_page: int = 50_000
    stream_bytes: int = 64 * _MIB

    @property
    def elapsed_s(self) -> float:
        """Elapsed seconds for a document of as many pages as are allowed."""
        return (self.cpu_s + self.pages * self.cpu_s_per_page) * self.wall_per_cpu


LIMITS = Limits()
