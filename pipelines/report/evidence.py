"""The pages with printed characters: results, claims, and other places that the audit speaks of;
pages of PDFs.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
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
    """The pages of PDFs as pictures: each drawn once, and not again where the site has it.

    Args:
        raw: Folder of the stored documents.
        site: Folder of the site.

    Attributes:
        drawn: Content of the pictures by their path; None of one that the site has.
    """

    def __init__(self, raw: Path, site: Path) -> None:
        self._raw, self._site = raw, site
        self._sizes: dict[str, tuple[float, float] | None] = {}
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
        if name not in self._sizes:
            self._sizes[name] = self._draw(name, document, place["page"])
        size = self._sizes[name]
        return {"picture": name, "page": size} if size else None

    def _draw(self, name: str, document: Row, page: int) -> tuple[float, float] | None:
        """Draw a page, unless it is there; gives its width and height in points, as its picture
        says.
        """
        picture, known = None, self._site / name
        if not known.is_file():
            try:
                picture = drawn_page(self._raw, document, page)
            except TraceError:
                return None
        self.drawn[name] = picture
        with Image.open(io.BytesIO(picture or known.read_bytes())) as image:
            (width, height), (across, down) = image.size, image.info["dpi"]
        return round(width * _POINTS_PER_INCH / across, 1), round(
            height * _POINTS_PER_INCH / down, 1
        )


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
