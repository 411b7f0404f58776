"""PDFs of a few operators, for tests."""

from __future__ import annotations

import io
from typing import Any

import pikepdf


def make_pdf(*pages: list[str], size: tuple[float, float] = (612, 792), **save: Any) -> bytes:
    """A PDF with one page for each list of operators; the font `F1` is Helvetica."""
    pdf = pikepdf.new()
    font = pdf.make_indirect(
        pikepdf.Dictionary(
            Type=pikepdf.Name.Font,
            Subtype=pikepdf.Name.Type1,
            BaseFont=pikepdf.Name.Helvetica,
            Encoding=pikepdf.Name.WinAnsiEncoding,
        )
    )
    for drawn in pages:
        page = pdf.add_blank_page(page_size=size)
        page.Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(F1=font))
        page.Contents = pdf.make_stream("\n".join(drawn).encode("cp1252"))
    return saved(pdf, **save)


def saved(pdf: pikepdf.Pdf, **save: Any) -> bytes:
    """The bytes of a PDF."""
    buffer = io.BytesIO()
    pdf.save(buffer, **save)
    return buffer.getvalue()


def write(x: float, y: float, words: str, size: float) -> list[str]:
    """The operators for a text at a place, from the lower left corner."""
    escaped = words.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
    return [f"0 g BT /F1 {size:g} Tf {x:.3f} {y:.3f} Td ({escaped}) Tj ET"]
