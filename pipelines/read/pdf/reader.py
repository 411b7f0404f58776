"""PDF files to `Document`. The parent's side: what opens the bytes runs in a child process, see `workers.py`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from pipelines.read.document import Cell, Document, Grid, Line, ReadError
from pipelines.read.layout.lines import TextLine
from pipelines.read.page import Box
from pipelines.read.pdf.limits import LIMITS, Limits
from pipelines.read.pdf.remembered import contents_of
from pipelines.read.pdf.worker import Request
from pipelines.read.pdf.workers import ask


def check_pdf_size(size: int, limits: Limits = LIMITS) -> None:
    """Refuse a file that is too large to be a deck, before it is read.

    Raises:
        ReadError: `pdf_too_large`.
    """
    if size > limits.file_bytes:
        reason = f"{size:,} bytes are more than the {limits.file_bytes:,} allowed; store only some of its pages"
        raise ReadError("pdf_too_large", reason)


def read_pdf(content: bytes, document_id: str, format: str | None = None, limits: Limits = LIMITS) -> Document:
    """The pages of a PDF and their lines in the order of reading, with the place of each.

    Raises:
        ReadError: `pdf_too_large`, `pdf_encrypted`, `pdf_truncated`, `pdf_damaged`, `pdf_no_pages`,
            `pdf_too_many_pages`, `pdf_no_objects`, `pdf_image_only`, `pdf_no_text`, `pdf_too_many_objects`,
            `pdf_nested_drawings`, `pdf_decompression_bomb`, `pdf_out_of_memory`, `pdf_timeout`, `pdf_crashed`.
    """
    check_pdf_size(len(content), limits)
    found = contents_of(content, limits)
    lines = tuple(Line(number, line.text) for number, line in enumerate(found.lines, start=1))
    places = tuple(line.place for line in found.lines)
    grids = tuple(_grids(found.lines))
    return Document(document_id, format, lines, grids, found.pages, places, found.notes)


def _grids(lines: Sequence[TextLine]) -> Iterator[Grid]:
    """The tables: consecutive lines with as many cells."""
    numbered = enumerate(lines, start=1)
    for width, group in groupby(numbered, key=lambda line: len(line[1].cells)):
        if width:
            rows = [
                tuple(Cell(line.text[start:end], number, start, end) for start, end in line.cells)
                for number, line in group
            ]
            yield Grid.of_cells(rows, rows[0][0].line, rows[-1][0].line)


def draw_pdf_page(
    content: bytes, page: int, boxes: tuple[Box, ...], others: tuple[Box, ...] = (), limits: Limits = LIMITS
) -> bytes:
    """A page as PNG with boxes framed, and others, what they belong to, in another colour.

    Raises:
        ReadError: As `read_pdf`.
    """
    picture: bytes = ask(Request(content, limits, page, boxes, others))
    return picture
