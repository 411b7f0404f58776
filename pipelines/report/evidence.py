"""What the page of a result is drawn from in the browser: scripts with the traces of results and of
other printed places that the audit speaks of, and pictures of pages of PDFs. Claims have pages of
their own.
"""

from __future__ import annotations

import io
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path

from PIL import Image

from pipelines.report.rendering import BOUNDS, exact, script
from pipelines.report.site_pages import Row, SitePage, SiteRows
from pipelines.run.corpus import process_pool
from pipelines.sandbox import Call, Refusal, RefusedError
from pipelines.settings import document_limits
from pipelines.site_links import traced_page
from pipelines.trace.identifiers import Identifier, TraceError
from pipelines.trace.picture import drawn_page
from pipelines.trace.traces import Trace, trace_rows

# So many scripts are made at once: the rows of all would fill the memory.
_AT_ONCE = 40
# Seconds that the scripts of a result take.
_SECONDS = 0.0007
_POINTS_PER_INCH = 72
# Columns of a result that its page shows; others are among its conditions.
_ROW = (
    "model",
    "platform",
    "vendor",
    "task",
    "metric",
    "statistic",
    "sdk_version",
    "section",
    "correction",
)
_CLAIM = (
    "claim_id",
    "text_printed",
    "sentence",
    "is_paraphrase",
    "verdict",
    "publisher",
)
# Which script has a result is listed by the first characters of its identifier.
_SHARD = 2

Notes = Mapping[str, Row]
Listed = Sequence[tuple[str, Sequence[Identifier]]]


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

    def crop(self, trace: Trace) -> Row | None:
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


def claim_pages(
    warehouse: Path, raw: Path, claims: Sequence[Row], pictures: Pictures
) -> Iterator[SitePage]:
    """One page per claim."""
    identified = [Identifier("claim", row["claim_id"]) for row in claims]
    for trace in trace_rows(warehouse, raw, identified):
        content = {"trace": trace, "crop": pictures.crop(trace)}
        content |= {name: trace[name] for name in ("row", "place", "document")}
        yield SitePage(traced_page("claim", trace["id"]), "claim.html", content)


def evidence_scripts(
    warehouse: Path, raw: Path, found: SiteRows, pictures: Pictures
) -> Iterator[tuple[str, bytes]]:
    """`data/<document>-<part>.js` with traces, and `data/ids/<characters>.js`, which says which
    script has an identifier; by their path in the site.

    Raises:
        RefusedError: The scripts of a document cost more than reading it may.
    """
    listed = defaultdict[str, list[Identifier]](list)
    for row in found.rows["parts"]:
        listed[row["script"]].append(Identifier("result", row["result_id"]))
    for row in found.rows["traced"]:
        if row["kind"] == "evidence":
            listed[f"{row['document_id'][:12]}-places"].append(Identifier("evidence", row["id"]))
    shards = defaultdict[str, dict[str, list[str]]](dict)
    for name, some in listed.items():
        for one in some:
            shards[one.id[:_SHARD]].setdefault(name, []).append(one.id[_SHARD:])
    for shard, ids in shards.items():
        yield script(f"ids/{shard}", ids)
    notes, scripts, limits = _notes(found), iter(listed.items()), document_limits()
    calls = []
    while some_scripts := [*islice(scripts, _AT_ONCE)]:
        calls.append(Call(_traced_scripts, (warehouse, raw, some_scripts, notes), limits))
    with process_pool(_SECONDS * len(found.rows["parts"])) as pool:
        for _, answer in pool.run(calls):
            if isinstance(answer, Refusal):
                raise RefusedError(answer)
            made, drawn = answer
            pictures.drawn |= drawn
            yield from made


def _notes(found: SiteRows) -> Notes:
    """What the audit says of printed places: `warnings`, and the claims checked with them."""
    notes = defaultdict[str, Row](lambda: {"warnings": [], "claims": []})
    for row in found.rows["discrepancies"]:
        notes[row["evidence_id"]]["warnings"].append(row["reason"])
    for row in found.rows["claim_inputs"]:
        [claim] = found.of("claims", claim_id=row["claim_id"])
        notes[row["evidence_id"]]["claims"].append({name: claim[name] for name in _CLAIM})
    return dict(notes)


def _traced_scripts(
    warehouse: Path, raw: Path, listed: Listed, notes: Notes
) -> tuple[list[tuple[str, bytes]], dict[str, bytes | None]]:
    """The scripts with these identifiers, as a process of their own makes them.

    Args:
        warehouse: Folder of the published warehouse.
        raw: Folder of the stored documents.
        listed: Names of scripts with the identifiers in each, all of one document.
        notes: What the audit says of printed places.

    Returns:
        Scripts by their path in the site, and the pages of PDFs that were drawn for them.
    """
    pictures = Pictures(raw)
    traces = trace_rows(warehouse, raw, [*chain.from_iterable(some for _, some in listed)])
    made = []
    for name, some in listed:
        lines: dict[int, str] = {}
        shown = [_shown(trace, lines, pictures, notes) for trace in islice(traces, len(some))]
        # All are of one document, which is said once.
        document = shown[0]["document"]
        alone = [{key: one[key] for key in one if key != "document"} for one in shown]
        made.append(script(name, {"document": document, "lines": lines, "traces": alone}))
    return made, pictures.drawn


def _shown(trace: Trace, lines: dict[int, str], pictures: Pictures, notes: Notes) -> Row:
    """What the page shows of a trace; its lines are among those of its script."""
    place, row = dict(trace["place"]), trace["row"]
    around = place.pop("lines")
    lines |= {line["line"]: line["text"] for line in around}
    shown: Row = dict(trace) | notes.get(place["evidence_id"], {})
    shown["place"] = place | {"first": around[0]["line"] if around else None}
    shown["row"] = {name: row[name] for name in _ROW if row.get(name) is not None}
    for condition in trace.get("conditions", ()):
        del condition["evidence_id"]
    shown["crop"] = pictures.crop(trace)
    if trace["kind"] == "result":
        shown["value"] = f"{BOUNDS[row['bound']]}{exact(row['value'])} {row['unit']}"
    return {name: value for name, value in shown.items() if value}
