"""How much stands on each page, before anything expensive reads it.

Nested drawings multiply: ten that each paint ten others ten deep are 10^10 paths in a file of a kilobyte. They are
counted without painting them, then PDFium counts what is really there.
"""

from __future__ import annotations

import io
import re
import zlib
from dataclasses import dataclass
from typing import Any

import pikepdf
import pypdfium2
import pypdfium2.raw as pdfium

from pipelines.read.document import Note
from pipelines.read.pdf.limits import Limits

# `/Fm0 Do`
_PAINTS_NAMED = re.compile(rb"/([^\s/<>\[\](){}%]+)\s+Do\b")
# `0 0 10 10 re f`, `(text) Tj`
_PAINTS = re.compile(rb"(?<=[\s\])>])(?:[SsfFBb]\*?|sh|T[jJ]|['\"])(?=[\s/\[(<]|$)")
_FLATE = {"/FlateDecode", "/Fl"}
# Drawings within drawings deeper than this are no chart.
_MAX_DEPTH = 30


@dataclass
class PageCount:
    """What stands on a page.

    Attributes:
        texts: Text objects.
        paths: Paths and gradients.
        images: Pictures.
        content_bytes: Length of the page's own contents, packed; 0 for an empty page.
        note: Why the page must not be read, or what of it is lost.
        is_readable: False when it must not be read.
    """

    texts: int = 0
    paths: int = 0
    images: int = 0
    content_bytes: int = 0
    note: Note | None = None
    is_readable: bool = True

    @property
    def objects(self) -> int:
        return self.texts + self.paths + self.images


class _BombError(Exception):
    """Contents that unpack to more than is allowed."""


class _DamagedError(Exception):
    """Contents that cannot be unpacked to their end."""


def survey(content: bytes, limits: Limits) -> list[PageCount]:
    """The counts of every page in order; pages that would cost too much are marked as not readable."""
    with pikepdf.open(io.BytesIO(content), suppress_warnings=True) as pdf:
        counts = [_unpack(page, number, limits) for number, page in enumerate(pdf.pages, start=1)]
    document = pypdfium2.PdfDocument(content)
    try:
        for index, count in enumerate(counts):
            if count.is_readable:
                _count_objects(document, index, count, limits)
    finally:
        document.close()
    return counts


def _unpack(page: pikepdf.Page, number: int, limits: Limits) -> PageCount:
    count = PageCount()
    contents = page.obj.get("/Contents")
    streams = list(contents) if isinstance(contents, pikepdf.Array) else [contents] if contents is not None else []
    streams = [stream for stream in streams if isinstance(stream, pikepdf.Stream)]
    parts: list[bytes] = []
    left = limits.stream_bytes
    try:
        for stream in streams:
            count.content_bytes += len(stream.read_raw_bytes())
            parts.append(_unpacked(stream, left))
            left -= len(parts[-1])
        painted = _painted(b"\n".join(parts), page.obj.get("/Resources"), {}, limits, 0)
    except _BombError:
        reason = f"page {number} unpacks to more than {limits.stream_bytes:,} bytes and was not read"
        count.note, count.is_readable = Note("pdf_decompression_bomb", reason, number, "page"), False
        return count
    except (_DamagedError, pikepdf.PdfError):
        reason = f"the contents of page {number} are damaged; what stood behind the damage is lost"
        count.note = Note("pdf_page_damaged", reason, number, "page")
        return count
    if painted > limits.objects_per_page:
        reason = (
            f"page {number} paints {_at_least(painted)} objects by drawings within drawings, more than the "
            f"{limits.objects_per_page:,} allowed, and was not read"
        )
        count.note, count.is_readable = Note("pdf_nested_drawings", reason, number, "page"), False
    return count


def _at_least(number: int) -> str:
    return f"{number:,}" if number < 10**9 else "more than 1,000,000,000"


def _painted(text: bytes, resources: Any, known: dict[Any, int], limits: Limits, depth: int) -> int:
    """Objects that contents paint through nested drawings; 0 for contents without any, which are counted later."""
    drawings: Any = resources.get("/XObject") if isinstance(resources, pikepdf.Dictionary) else None
    names = _PAINTS_NAMED.findall(text) if isinstance(drawings, pikepdf.Dictionary) else []
    total = len(_PAINTS.findall(text)) if depth else 0
    sizes: dict[bytes, int] = {}
    for name in names:
        if name not in sizes:
            drawing = drawings.get("/" + name.decode("latin-1"))
            sizes[name] = _painted_by(drawing, resources, known, limits, depth)
        total += sizes[name]
    return total


def _painted_by(drawing: Any, resources: Any, known: dict[Any, int], limits: Limits, depth: int) -> int:
    if not isinstance(drawing, pikepdf.Stream) or drawing.get("/Subtype") != "/Form":
        return 1
    key = drawing.objgen
    if key not in known:
        # A drawing that paints itself is cut off by all readers where it does so the first time.
        known[key] = 0
        if depth >= _MAX_DEPTH:
            return 0
        text = _unpacked(drawing, limits.stream_bytes)
        known[key] = _painted(text, drawing.get("/Resources", resources), known, limits, depth + 1)
    return known[key]


def _unpacked(stream: Any, limit: int) -> bytes:
    filters = stream.get("/Filter")
    names = [str(name) for name in filters] if isinstance(filters, pikepdf.Array) else [str(filters)] if filters else []
    if not set(names) <= _FLATE or stream.get("/DecodeParms") is not None:
        # Filters that multiply by less, and rare ones; the limit on memory stands behind them.
        data = bytes(stream.read_bytes())
        if len(data) > limit:
            raise _BombError
        return data
    data = bytes(stream.read_raw_bytes())
    for _ in names if data else ():
        unpacker = zlib.decompressobj()
        try:
            data = unpacker.decompress(data, limit + 1)
        except zlib.error as error:
            raise _DamagedError from error
        if len(data) > limit:
            raise _BombError
        if not unpacker.eof:
            raise _DamagedError
    return data


def _count_objects(document: pypdfium2.PdfDocument, index: int, count: PageCount, limits: Limits) -> None:
    page = document[index]
    try:
        waiting: list[tuple[Any, int, Any]] = [
            (page.raw, pdfium.FPDFPage_CountObjects(page.raw), pdfium.FPDFPage_GetObject)
        ]
        while waiting:
            holder, number, get = waiting.pop()
            if count.objects + number > limits.objects_per_page:
                reason = (
                    f"page {index + 1} holds {count.objects + number:,} objects, more than the "
                    f"{limits.objects_per_page:,} allowed, and was not read; store a copy of it with less detail"
                )
                count.note = Note("pdf_too_many_objects", reason, index + 1, "page")
                count.is_readable = False
                return
            for position in range(number):
                item = get(holder, position)
                kind = pdfium.FPDFPageObj_GetType(item)
                if kind == pdfium.FPDF_PAGEOBJ_FORM:
                    waiting.append((item, pdfium.FPDFFormObj_CountObjects(item), pdfium.FPDFFormObj_GetObject))
                elif kind == pdfium.FPDF_PAGEOBJ_TEXT:
                    count.texts += 1
                elif kind == pdfium.FPDF_PAGEOBJ_IMAGE:
                    count.images += 1
                else:
                    count.paths += 1
    finally:
        page.close()
