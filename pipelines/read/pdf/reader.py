"""PDF files to `Document`, and pages to pictures: the libraries run in the sandbox."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from pipelines.read.document import Document, ReadError
from pipelines.read.page import Box
from pipelines.read.pdf import LIMITS, PdfLimits
from pipelines.sandbox import Refusal, RefusedError, run_limited

# Dots per point: small type is readable at twice the size.
_SCALE = 2.0
# Larger pages are drawn smaller.
_MAX_DOTS = 4000
# White between the characters and the frame around them, in points, and the colour of the frame.
_MARGIN = 1.5
_FRAME, _OTHER = (220, 30, 30), (30, 90, 220)
_FRAME_DOTS = 3


def check_pdf_size(size: int, limits: PdfLimits = LIMITS) -> None:
    """Refuse a file that is too large to be a deck, before it is read.

    Raises:
        ReadError: `pdf_too_large`.
    """
    if size > limits.file_bytes:
        reason = f"{size:,} bytes are more than the {limits.file_bytes:,} allowed; store only some of its pages"
        raise ReadError("pdf_too_large", reason)


def read_pdf(
    content: bytes, document_id: str, format: str | None = None, limits: PdfLimits = LIMITS
) -> Document:
    """The pages of a PDF and their lines in the order of reading, with the place of each.

    Raises:
        ReadError: `pdf_too_large`, `pdf_encrypted`, `pdf_truncated`, `pdf_damaged`, `pdf_no_pages`,
            `pdf_too_many_pages`, `pdf_no_objects`, `pdf_image_only`, `pdf_no_text`,
            `pdf_too_many_objects`, `pdf_decompression_bomb`, `pdf_out_of_memory`, `pdf_timeout`,
            `pdf_crashed`.
    """
    check_pdf_size(len(content), limits)
    found: Document = _in_sandbox(_read_contents, content, limits, limits=limits)
    return replace(found, document_id=document_id, format=format)


def _read_contents(content: bytes, limits: PdfLimits) -> Document:
    # Imported here, because the parent process does not need the libraries.
    from pipelines.read.pdf.pages import read_contents

    return read_contents(content, limits)


# A build opens a document twice: to read it, and to check its evidence.
@lru_cache(maxsize=4)
def _in_sandbox(function: Callable[..., Any], *arguments: Any, limits: PdfLimits) -> Any:
    """What a function gives in a child process.

    Raises:
        ReadError: By the function, or beyond the limits.
    """
    try:
        return run_limited(_answer, function, *arguments, limits=limits.sandbox())
    except RefusedError as error:
        raise ReadError(error.refusal.rule, error.refusal.reason) from error


def _answer(function: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return function(*arguments)
    except ReadError as error:
        return Refusal(error.rule, error.reason)


def draw_pdf_page(
    content: bytes,
    page: int,
    boxes: tuple[Box, ...],
    others: tuple[Box, ...] = (),
    limits: PdfLimits = LIMITS,
) -> bytes:
    """A page as PNG with boxes framed, and others, what they belong to, in another colour.

    Raises:
        ReadError: As `read_pdf`.
    """
    return _in_sandbox(_draw_page, content, page, boxes, others, limits=limits)  # type: ignore[no-any-return]


def _draw_page(content: bytes, number: int, boxes: Sequence[Box], others: Sequence[Box]) -> bytes:
    import pypdfium2
    from PIL import ImageDraw

    try:
        page = pypdfium2.PdfDocument(content)[number - 1]
        scale = min(_SCALE, _MAX_DOTS / max(page.get_size()))
        picture = page.render(scale=scale).to_pil().convert("RGB")
    except pypdfium2.PdfiumError as error:
        raise ReadError("pdf_damaged", f"page {number} cannot be drawn: {error}") from error
    pen = ImageDraw.Draw(picture)
    for colour, framed in ((_OTHER, others), (_FRAME, boxes)):
        for x0, top, x1, bottom in framed:
            frame = (x0 - _MARGIN, top - _MARGIN, x1 + _MARGIN, bottom + _MARGIN)
            pen.rectangle([edge * scale for edge in frame], outline=colour, width=_FRAME_DOTS)
    written = io.BytesIO()
    # Its resolution gives the size of the page: places are in points.
    picture.save(written, "PNG", dpi=(72 * scale, 72 * scale))
    return written.getvalue()
