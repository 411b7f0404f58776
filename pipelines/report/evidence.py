"""The pages with printed characters: results, claims, and other places that the audit speaks of;
pages of PDFs.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from PIL import Image

from pipelines.report.links import traced_page
from pipelines.report.site_pages import Row, SitePage
from pipelines.trace.identifiers import Identifier, TraceError
from pipelines.trace.picture import drawn_page
from pipelines.trace.traces import Trace, trace_rows

# So many are traced at once: the rows of all would fill the memory.
_AT_ONCE = 2000
_POINTS_PER_INCH = 72


class Pictures:
    """The pages of PDFs as pictures, each drawn once.

    Args:
        raw: Folder of the stored documents.

    Attributes:
        drawn: Content of the pictures by their path; None of a page that cannot be drawn.
    """

    def __init__(self, raw: Path) -> None:
        self._raw = raw
        self.drawn: dict[str, bytes | None] = {}

    def crop(self, trace: Trace) -> dict[str, Any] | None:
        """The page of a trace's place; None where it has none, or it cannot be drawn.

        Returns:
            Path of its `picture`; width and height of the `page` in points.
        """
        document, place = trace["document"], trace["place"]
        if place["page"] is None or place["note"] or place["x0"] is None:
            return None
        name = f"picture/{document['document_id'][:16]}-{place['page']}.png"
        if name not in self.drawn:
            self.drawn[name] = None
            with suppress(TraceError):
                self.drawn[name] = drawn_page(self._raw, document, place["page"])
        picture = self.drawn[name]
        return {"picture": name, "page": _size_of(picture)} if picture else None


@lru_cache(64)
def _size_of(picture: bytes) -> tuple[float, ...]:
    """Width and height of a page in points, as its picture says."""
    with Image.open(io.BytesIO(picture)) as image:
        sides = zip(image.size, image.info["dpi"], strict=True)
        return tuple(round(pixels * _POINTS_PER_INCH / dpi, 1) for pixels, dpi in sides)


def evidence_pages(
    warehouse: Path, raw: Path, traced: Sequence[Row], pictures: Pictures
) -> Iterator[SitePage]:
    """One page per result, claim and other place that the audit speaks of, in the order of the
    documents.
    """
    identified = [Identifier(row["kind"], row["id"]) for row in traced]
    for first in range(0, len(identified), _AT_ONCE):
        for trace in trace_rows(warehouse, raw, identified[first : first + _AT_ONCE]):
            content = {"trace": trace, "crop": pictures.crop(trace)}
            content |= {name: trace[name] for name in ("row", "place", "document")}
            yield SitePage(
                traced_page(trace["kind"], trace["id"]), f"{trace['kind']}.html", content
            )
