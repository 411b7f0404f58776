"""A page as a picture with places marked. Runs in a child process, like all that opens a PDF."""

from __future__ import annotations

import io
from collections.abc import Sequence

import pypdfium2
from PIL import ImageDraw

from pipelines.read.document import ReadError
from pipelines.read.page import Box

# Dots per point: small type is readable at twice the size.
_SCALE = 2.0
# A larger page is drawn smaller: a poster needs no more dots than a screen has.
_MAX_DOTS = 4000
# White between the characters and the frame around them, in points, and the colour of the frame.
_MARGIN = 1.5
_FRAME, _OTHER = (220, 30, 30), (30, 90, 220)
_FRAME_DOTS = 3


def draw_page(content: bytes, number: int, boxes: Sequence[Box], others: Sequence[Box] = ()) -> bytes:
    """The page as PNG, each box framed, others in another colour below them.

    Raises:
        ReadError: `pdf_damaged`: the page cannot be drawn.
    """
    document = pypdfium2.PdfDocument(content)
    try:
        if not 1 <= number <= len(document):
            raise ReadError("pdf_damaged", f"the file has {len(document)} pages, and no page {number}")
        page = document[number - 1]
        width, height = page.get_size()
        scale = min(_SCALE, _MAX_DOTS / max(width, height))
        picture = page.render(scale=scale).to_pil().convert("RGB")
        pen = ImageDraw.Draw(picture)
        for colour, framed in ((_OTHER, others), (_FRAME, boxes)):
            for x0, top, x1, bottom in framed:
                frame = (x0 - _MARGIN, top - _MARGIN, x1 + _MARGIN, bottom + _MARGIN)
                pen.rectangle([edge * scale for edge in frame], outline=colour, width=_FRAME_DOTS)
        written = io.BytesIO()
        # Its resolution says how large the page is: places on it are in points.
        picture.save(written, "PNG", dpi=(72 * scale, 72 * scale))
        return written.getvalue()
    except pypdfium2.PdfiumError as error:
        raise ReadError("pdf_damaged", f"page {number} cannot be drawn: {error}") from error
    finally:
        document.close()
