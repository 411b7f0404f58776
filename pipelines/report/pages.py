"""Every page of the site but those with printed characters: which template, and what it is given."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pipelines.report.findings.verdicts import Verdict
from pipelines.report.links import anchor, model_page, part_of, platform_page, root_of, source_page, traced_page
from pipelines.report.plots import Painter, Plot, number_line
from pipelines.report.rendering import words
from pipelines.report.rows import Row, Rows, grouped
from pipelines.schemas.tables import PUBLISHED

_QUERIES = Path(__file__).parent.parent / "queries"
# So many rows of a table stand on one page: a page stays below half a megabyte.
_ROWS = 120
# Of the results of a page, all its tables together; each has as many rows at least.
_RESULTS, _LEAST = 300, 25
_COMPARISONS = 60
# Marks of the plots of a page, all together, and plots beside those of its results.
_MARKS, _CURVES = 1000, 5
_FINDINGS, _CHANGES, _BEST = 4, 8, 12
# What a reader looks for first: how fast it is, then how long one has to wait.
_METRICS = ("throughput", "time_to_train", "time_to_result", "latency", "ttft", "tpot")


@dataclass(frozen=True)
class Page:
    """One file of the site.

    Attributes:
        path: Below the folder of the site.
        template: Name of its template.
        content: What the template is given.
    """

    path: str
    template: str
    content: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Listing:
    """A table that may be longer than a page.

    Attributes:
        name: Part of the path of its further pages.
        rows: Those of one part.
        number: Which part, from 1.
        parts: How many there are.
        total: Rows of all parts.
    """

    name: str
    rows: Sequence[Row]
    number: int
    parts: int
    total: int


@dataclass(frozen=True)
class Section:
    """The results of one task and metric on a page: plots, and the table of all of them.

    Attributes:
        title: `Inference latency`.
        unit: Of all its values.
        plots: Drawn from them.
        listing: The first part of the table.
        columns: Columns of the table in which the rows differ.
        same: What is the same in all rows, by column.
    """

    title: str
    anchor: str
    unit: str
    plots: Sequence[Plot]
    listing: Listing
    columns: Sequence[str]
    same: Mapping[str, Any]


@dataclass(frozen=True)
class Finding:
    """A line of a document with numbers that do not fit.

    Attributes:
        rows: The relations that do not hold there.
        first: The one that is farthest off.
        checks: How many different checks contradict it.
        times_off: How far the first one is off; 1 where that is no ratio.
    """

    rows: Sequence[Row]
    first: Row
    checks: int
    times_off: float


class Pages:
    """All pages of one warehouse.

    Args:
        rows: What `read_rows` gives.
        has_engine: Whether the page of SQL can answer.
    """

    def __init__(self, rows: Rows, *, has_engine: bool = False) -> None:
        self._rows, self._has_engine = rows, has_engine
        self._followed = {row[kind] for kind in ("model", "vendor") for row in rows["events"] if row[kind]}
        self.vendors = sorted({row["vendor"] for row in rows["results"] if row["vendor"]})
        self.page_of_evidence = {row["evidence_id"]: traced_page(row["kind"], row["id"]) for row in rows["traced"]}
        for row in rows["discrepancies"]:
            row["page"] = self.page_of_evidence.get(row["evidence_id"])
        for row in rows["conflicts"]:
            row["pages"] = [self.page_of_evidence.get(row[f"{side}_evidence_id"]) for side in ("left", "right")]

    def all(self) -> Iterator[Page]:
        """The pages, the start page first."""
        yield self._start()
        yield Page("models.html", "models.html", {"models": self._rows["models"]})
        vendors = grouped(self._rows["platforms"], "vendor").items()
        # Those whose maker nobody names come last.
        groups = sorted(vendors, key=lambda group: (group[0] is None, group[0]))
        yield Page("platforms.html", "platforms.html", {"groups": groups, "followed": self._followed})
        yield Page("sources.html", "sources.html", {"sources": self._rows["sources"]})
        yield from self._models()
        yield from self._platforms()
        yield from self._sources()
        yield from self._listed(
            "claims.html", "claims.html", "claims", self._rows["claims"], {"counts": self._verdicts}
        )
        yield from self._audit()
        questions = [_question(path) for path in sorted(_QUERIES.glob("*.sql"))]
        tables = sorted(PUBLISHED, key=lambda table: table.layer != "main")
        content = {"questions": questions, "tables": tables, "has_engine": self._has_engine}
        yield Page("explore.html", "explore.html", content)

    def search_index(self) -> list[tuple[str, str, str]]:
        """What the search finds: name, kind and page."""
        found = [(row["model"], "model", model_page(row["model"])) for row in self._rows["models"] if row["model"]]
        found += [
            (row["platform"], "platform", platform_page(row["platform"]))
            for row in self._rows["platforms"]
            if row["platform"]
        ]
        found += [(vendor, "vendor", f"platforms.html#{anchor(vendor)}") for vendor in self.vendors]
        found += [(row["publisher"], "publisher", "sources.html") for row in self._rows["sources"]]
        found += [
            (f"{row['title'] or row['source']}", "source", source_page(row["source"])) for row in self._rows["sources"]
        ]
        found += [
            (f"{row['text_printed']} {words(row['metric'])}, {row['model'] or row['subject_platform'] or ''}", "claim",
             traced_page("claim", row["claim_id"]))
            for row in self._rows["claims"]
        ]  # fmt: skip
        return sorted(set(found))

    @property
    def _verdicts(self) -> dict[str, int]:
        counts = Counter(row["verdict"] for row in self._rows["claims"])
        order = (Verdict.contradicted, Verdict.confirmed, Verdict.consistent, Verdict.not_checkable)
        return {verdict.value: counts[verdict] for verdict in order}

    def _start(self) -> Page:
        [totals] = self._rows["totals"]
        checked = [row for row in self._rows["claims"] if row["verdict"] != Verdict.not_checkable]
        return Page(
            "index.html",
            "start.html",
            {
                "totals": totals,
                "example": checked[0] if checked else None,
                "line": number_line(checked[0]) if checked else None,
                "findings": self._findings()[:_FINDINGS],
                "claims": checked[1 : _FINDINGS + 1],
                "counts": self._verdicts,
                "changes": self._changes()[:_CHANGES],
                "models": self._rows["models"][:_BEST],
                "platforms": self._rows["platforms"][:_BEST],
            },
        )

    def _findings(self) -> list[Finding]:
        """Printed numbers that do not fit, those first that most checks contradict, then the farthest off."""
        found: dict[tuple[str, str], Finding] = {}
        for rows in grouped(self._rows["discrepancies"], "document_id", "line").values():
            # The number of the line that most checks contradict is the one to look at.
            places = Counter(row["evidence_id"] for row in rows)
            first = max(rows, key=lambda row: (places[row["evidence_id"]], row["times_off"] or 0.0))
            finding = Finding(rows, first, len({row["check_name"] for row in rows}), first["times_off"] or 1.0)
            # The same text stands in the next snapshot of a page once more.
            found.setdefault((first["source"], first["reason"]), finding)
        return sorted(found.values(), key=lambda one: (-one.checks, -one.times_off, one.first["relation_id"]))

    def _changes(self) -> list[dict[str, Any]]:
        """What the newest snapshots have changed: counts by event, and the largest jump."""
        changes = []
        for (source, at), rows in grouped(self._rows["events"], "source", "snapshot_at").items():
            jumps = [row for row in rows if row["is_outlier"]]
            counts = Counter(row["event"] for row in rows)
            changes.append({"source": source, "at": at, "counts": counts, "jumps": jumps, "rows": rows})
        return sorted(changes, key=lambda change: (change["at"], change["source"]), reverse=True)

    def _models(self) -> Iterator[Page]:
        results = grouped(self._rows["results"], "model")
        named = {name: grouped(self._rows[name], "model") for name in ("batch_curves", "scaling", "progress", "claims")}
        for model in self._rows["models"]:
            name = model["model"]
            path = model_page(name)
            painter = self._painter(path, results[name])
            sections, further = self._sections(path, results[name], painter)
            plots = [
                *(
                    plot
                    for rows in grouped(named["batch_curves"][name], "unit").values()
                    for plot in (painter.batch_curves(rows), painter.latency_against_throughput(rows))
                ),
                painter.scaling(named["scaling"][name]),
                painter.progress(named["progress"][name]),
            ]
            content = {
                "model": model,
                "is_followed": name in self._followed,
                "sections": sections,
                "plots": [plot for plot in plots if plot] if name else [],
                "claims": _part("claims", named["claims"][name] if name else [], 1),
            }
            yield Page(path, "model.html", content)
            yield from further

    def _platforms(self) -> Iterator[Page]:
        results, prices = grouped(self._rows["results"], "platform"), grouped(self._rows["prices"], "platform")
        claims = grouped(self._rows["claims"], "subject_platform")
        against = grouped(self._rows["claims"], "baseline_platform")
        changed = grouped(self._rows["events"], "platform")
        pairs: dict[str, list[Row]] = {}
        for row in self._rows["comparisons"]:
            for side in ("left_platform", "right_platform"):
                pairs.setdefault(row[side], []).append(row)
        for platform in self._rows["platforms"]:
            name = platform["platform"]
            path = platform_page(name)
            sections, further = self._sections(path, results[name], self._painter(path, ()))
            compared = [row for row in pairs.get(name, ()) if row["ratio"] is not None]
            for row in prices[name]:
                row["page"] = self.page_of_evidence.get(row["evidence_id"])
            said = [*claims[name], *(row for row in against[name] if row["subject_platform"] != name)] if name else []
            content = {
                "platform": platform,
                "sections": sections,
                "prices": prices[name],
                "claims": _part("claims", said, 1),
                "comparisons": [_seen_from(name, row) for row in compared[:_COMPARISONS]],
                "compared": len(compared),
                "changed": _part("changes", changed[name], 1),
            }
            yield Page(path, "platform.html", content)
            yield from further
            yield from _more("changes", changed[name], path, name or "Platform not stated")

    def _sources(self) -> Iterator[Page]:
        named = {
            name: grouped(self._rows[name], "source")
            for name in ("documents", "events", "rejects", "claims", "discrepancies")
        }
        changes = grouped(self._changes(), "source")
        for source in self._rows["sources"]:
            name = source["source"]
            path = source_page(name)
            events, rejects = named["events"][name], named["rejects"][name]
            content = {
                "source": source,
                "documents": named["documents"][name],
                "changes": changes[name],
                "claims": _part("claims", named["claims"][name], 1),
                "discrepancies": _part("discrepancies", named["discrepancies"][name], 1),
                "rules": Counter(row["rule"] for row in rejects).most_common(),
                "events": _part("changes", events, 1),
                "rejects": _part("rejects", rejects, 1),
            }
            yield Page(path, "source.html", content)
            for table, rows in (("changes", events), ("rejects", rejects)):
                yield from _more(table, rows, path, source["title"] or name)

    def _audit(self) -> Iterator[Page]:
        more = {"conflicts": self._rows["conflicts"][:_ROWS], "totals": self._rows["totals"][0]}
        yield from self._listed("audit.html", "audit.html", "discrepancies", self._rows["discrepancies"], more)

    def _listed(
        self, path: str, template: str, name: str, rows: Sequence[Row], more: Mapping[str, Any]
    ) -> Iterator[Page]:
        """A page that is one long table, in as many parts as it takes."""
        for number in range(1, max(1, _part(name, rows, 1).parts) + 1):
            yield Page(part_of(path, name, number), template, {"listing": _part(name, rows, number), **more})

    def _sections(self, path: str, results: Sequence[Row], painter: Painter) -> tuple[list[Section], list[Page]]:
        """The results of a page by task and metric, and the pages that its long tables go on with."""
        groups = sorted(grouped(results, "task", "metric", "unit").items(), key=lambda item: _rank(*item[0]))
        is_model = path.startswith("model/")
        size = max(_LEAST, _RESULTS // max(1, len(groups)))
        sections: list[Section] = []
        further: list[Page] = []
        for place, ((task, metric, unit), rows) in enumerate(groups, start=1):
            title = f"{words(task)} {words(metric)}".strip()
            title = title[:1].upper() + title[1:]
            name = f"results-{place}"
            plot = painter.results(rows) if is_model else None
            said = {
                column: {row[column] for row in rows}
                for column in _COLUMNS
                if column != ("model" if is_model else "platform")
            }
            columns = [column for column, values in said.items() if len(values) > 1]
            same = {column: values.pop() for column, values in said.items() if len(values) == 1 and values != {None}}
            section = Section(title, name, unit, [plot] if plot else [], _part(name, rows, 1, size), columns, same)
            sections.append(section)
            for number in range(2, section.listing.parts + 1):
                content = {
                    "back": path,
                    "heading": rows[0]["model" if is_model else "platform"] or "not stated",
                    "title": title,
                    "unit": unit,
                    "columns": columns,
                    "same": same,
                    "listing": _part(name, rows, number, size),
                }
                further.append(Page(part_of(path, name, number), "more_results.html", content))
        return sections, further

    def _painter(self, path: str, results: Sequence[Row]) -> Painter:
        root, plots = root_of(path), len(grouped(results, "task", "metric", "unit")) + _CURVES
        return Painter(self.vendors, lambda result_id: root + traced_page("result", result_id), _MARKS // plots)


# Of a table of results, in order; those that are empty are left out.
_COLUMNS = (
    "model", "platform", "statistic", "accelerator_count", "precision", "batch_size", "sequence_length",
    "input_length", "output_length", "concurrency", "framework", "sdk_version", "stage", "dataset", "suite",
    "parallelism", "other_conditions", "last_published_on", "last_captured_on", "source",
)  # fmt: skip


def _question(path: Path) -> tuple[str, str, str]:
    """Name of a worked query, the question in its first line, and the query."""
    text = path.read_text("utf-8")
    return path.stem, text.splitlines()[0].removeprefix("-- "), text


def _rank(task: str | None, metric: str, unit: str) -> tuple[Any, ...]:
    order = _METRICS.index(metric) if metric in _METRICS else len(_METRICS)
    return (order, metric, task is None, task or "", unit)


def _part(name: str, rows: Sequence[Row], number: int, size: int | None = None) -> Listing:
    size = size or _ROWS
    return Listing(name, rows[(number - 1) * size : number * size], number, math.ceil(len(rows) / size), len(rows))


def _more(table: str, rows: Sequence[Row], path: str, heading: str) -> Iterator[Page]:
    """The further parts of a long table, each a page."""
    for number in range(2, _part(table, rows, 1).parts + 1):
        content = {"back": path, "heading": heading, "title": table.capitalize(), "listing": _part(table, rows, number)}
        yield Page(part_of(path, table, number), f"more_{table}.html", content)


def _seen_from(platform: str, row: Row) -> Row:
    """A comparison of two platforms, from the one of them: how many times better it is than the other."""
    own, other = ("left", "right") if row["left_platform"] == platform else ("right", "left")
    seen = dict(row)
    for name in ("platform", "model", "value", "accelerators", "result_id"):
        seen |= {f"own_{name}": row[f"{own}_{name}"], f"other_{name}": row[f"{other}_{name}"]}
    for name, ratio in (("times", row["ratio"]), ("times_per_accelerator", row["ratio_per_accelerator"])):
        # The ratios of the table say how many times better the right one is.
        seen[name] = ratio if own == "right" or ratio is None else 1 / ratio
    return seen
