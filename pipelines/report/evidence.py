"""The pages with printed characters: results, claims, and other places that the audit speaks of; pages of PDFs."""

from __future__ import annotations

import hashlib
import io
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image

from pipelines.read.document import ReadError
from pipelines.read.pdf.reader import draw_pdf_page
from pipelines.report.links import page_picture, traced_page
from pipelines.report.pages import Page, Pages
from pipelines.report.plots import number_line
from pipelines.report.rows import Row, Rows, grouped
from pipelines.trace.collect import Trace, trace_rows
from pipelines.trace.identifiers import Identifier

# So many are traced at once: the rows of all would fill the memory.
_AT_ONCE = 2000
_POINTS_PER_INCH = 72
# White around the printed characters in the part of a page that is shown, in points, and the least part.
_AROUND = (320.0, 110.0)
_POSITION = ("x0", "top", "x1", "bottom")


@dataclass(frozen=True)
class Crop:
    """The part of a PDF's page around printed characters, in points.

    Attributes:
        picture: Path of the whole page's picture in the site.
        page: Width and height of the page.
        view: Left edge, upper edge, width and height of the part.
        box: The same of the printed characters.
    """

    picture: str
    page: tuple[float, float]
    view: tuple[float, float, float, float]
    box: tuple[float, float, float, float]


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

    def crop(self, trace: Trace) -> Crop | None:
        """The part of the page around a trace's place; None where it has no page, or the page cannot be drawn."""
        place, document = trace["place"], trace["document"]
        if place["page"] is None or place["note"] or place["x0"] is None:
            return None
        name = page_picture(document["document_id"], place["page"])
        if name not in self._sizes:
            self._sizes[name] = self._draw(name, document, place["page"])
        size = self._sizes[name]
        if size is None:
            return None
        x0, top, x1, bottom = (place[edge] for edge in _POSITION)
        left, upper = max(0.0, x0 - _AROUND[0]), max(0.0, top - _AROUND[1])
        right, lower = min(size[0], x1 + _AROUND[0]), min(size[1], bottom + _AROUND[1])
        view = (left, upper, right - left, lower - upper)
        return Crop(name, size, _rounded(view), _rounded((x0 - 2, top - 2, x1 - x0 + 4, bottom - top + 4)))

    def _draw(self, name: str, document: Row, page: int) -> tuple[float, float] | None:
        known = self._site / name
        if known.is_file():
            self.drawn[name] = None
            return _size(known.read_bytes())
        try:
            content = (self._raw / document["path"]).read_bytes()
            if hashlib.sha256(content).hexdigest() != document["document_id"]:
                return None
            picture = draw_pdf_page(content, page, ())
        except (OSError, ReadError):
            return None
        self.drawn[name] = picture
        return _size(picture)


def evidence_pages(warehouse: Path, raw: Path, rows: Rows, pages: Pages, pictures: Pictures) -> Iterator[Page]:
    """One page per result, claim and other place that the audit speaks of, in the order of the documents.

    Args:
        warehouse: Folder of the published file that `rows` come from.
        raw: Folder of the stored documents.
        rows: What `read_rows` gives.
        pages: The other pages.
        pictures: Draws the pages of PDFs.
    """
    claims = {row["claim_id"]: row for row in rows["claims"]}
    checked_with: defaultdict[str, list[Row]] = defaultdict(list)
    for row in rows["claim_inputs"]:
        checked_with[row["evidence_id"]].append(claims[row["claim_id"]])
    unfit = grouped(rows["discrepancies"], "evidence_id")
    current = {row["result_id"] for row in rows["results"]}
    identified = [Identifier(row["kind"], row["id"]) for row in rows["traced"]]
    for first in range(0, len(identified), _AT_ONCE):
        identifiers = identified[first : first + _AT_ONCE]
        for trace in trace_rows(warehouse, raw, identifiers):
            evidence_id = trace["place"]["evidence_id"]
            content: dict[str, Any] = {
                "trace": trace,
                "row": trace["row"],
                "place": trace["place"],
                "document": trace["document"],
                "crop": pictures.crop(trace),
                "claims": checked_with[evidence_id],
                "discrepancies": unfit[evidence_id],
                "page_of": pages.page_of_evidence,
            }
            if trace["kind"] == "claim":
                content |= {"claim": claims[trace["id"]], "line": number_line(claims[trace["id"]])}
                content["pairs"] = list(_pairs(trace["row"]))
            if trace["kind"] == "result":
                content["stands"] = trace["id"] in current
            yield Page(traced_page(trace["kind"], trace["id"]), f"{trace['kind']}.html", content)


# What a claim says of its two sides, by the end of the columns' names.
_SIDES = (
    ("platform", "platform"), ("as printed", "printed"), ("accelerators", "accelerator_count"),
    ("SDK release", "sdk_version"), ("framework", "framework"), ("precision", "precision"),
    ("batch size", "batch_sizes_printed"), ("dataset", "dataset"), ("measured by", "measured_by"),
)  # fmt: skip


def _pairs(claim: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    for label, end in _SIDES:
        subject, baseline = claim[f"subject_{end}"], claim[f"baseline_{end}"]
        if subject is not None or baseline is not None:
            yield label, subject, baseline


def _size(picture: bytes) -> tuple[float, float]:
    """Width and height of a page in points, as its picture says."""
    with Image.open(io.BytesIO(picture)) as image:
        dpi = image.info["dpi"]
        width, height = (edge * _POINTS_PER_INCH / dots for edge, dots in zip(image.size, dpi, strict=True))
    return round(width, 1), round(height, 1)


def _rounded(box: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    left, top, width, height = (round(edge, 1) for edge in box)
    return left, top, width, height
