"""Every page of the site but those with printed characters: which template, and what it is given.

The rows come from one warehouse file: `sql/<name>.sql` gives the rows of that name.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pipelines.build.warehouse import query_published
from pipelines.report.findings import ClaimVerdict
from pipelines.report.links import anchor, model_page, part_of, platform_page, root_of, source_page, traced_page
from pipelines.report.plots import Painter, number_line
from pipelines.report.rendering import words
from pipelines.schemas.tables import PUBLISHED

Row = dict[str, Any]
Rows = dict[str, list[Row]]

_ROWS_OF_PAGES = Path(__file__).parent / "sql"
_QUESTIONS = Path(__file__).parent.parent / "queries"
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
_VERDICTS = (ClaimVerdict.contradicted, ClaimVerdict.confirmed, ClaimVerdict.consistent, ClaimVerdict.not_checkable)
# Of a table of results, in order; those that are empty are left out.
_COLUMNS = (
    "model", "platform", "statistic", "accelerator_count", "precision", "batch_size", "sequence_length",
    "input_length", "output_length", "concurrency", "framework", "sdk_version", "stage", "dataset", "suite",
    "parallelism", "other_conditions", "last_published_on", "last_captured_on", "source",
)  # fmt: skip


@dataclass(frozen=True)
class SitePage:
    """One file of the site: its path below the folder of the site, its template, and what that is given."""

    path: str
    template: str
    content: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Listing:
    """One part of a table that may be longer than a page.

    Attributes:
        name: Part of the path of its further pages.
        rows: Those of this part.
        number: Which part, from 1.
        parts: How many there are.
        total: Rows of all parts.
    """

    name: str
    rows: Sequence[Row]
    number: int
    parts: int
    total: int


def read_rows(warehouse: Path) -> Rows:
    """All rows of the site by the name of their query, in the order of that query."""
    queries = sorted(_ROWS_OF_PAGES.glob("*.sql"))
    return {path.stem: query_published(warehouse, path.read_text("utf-8")).to_pylist() for path in queries}


def grouped(rows: Iterable[Row], *columns: str) -> defaultdict[Any, list[Row]]:
    """Rows by the value of one column, or by the values of several; in their order."""
    groups: defaultdict[Any, list[Row]] = defaultdict(list)
    for row in rows:
        groups[row[columns[0]] if len(columns) == 1 else tuple(row[name] for name in columns)].append(row)
    return groups


class Pages:
    """All pages of one warehouse.

    Args:
        rows: What `read_rows` gives.
        has_engine: Whether the page of SQL can answer.

    Attributes:
        page_of_evidence: Path of the page of each printed place that has one.
    """

    def __init__(self, rows: Rows, *, has_engine: bool = False) -> None:
        self._rows, self._has_engine = rows, has_engine
        self._followed = {row[kind] for kind in ("model", "vendor") for row in rows["events"] if row[kind]}
        self._vendors = sorted({row["vendor"] for row in rows["results"] if row["vendor"]})
        self.page_of_evidence = {row["evidence_id"]: traced_page(row["kind"], row["id"]) for row in rows["traced"]}
        for row in (*rows["discrepancies"], *rows["prices"]):
            row["page"] = self.page_of_evidence.get(row["evidence_id"])
        for row in rows["conflicts"]:
            row["pages"] = [self.page_of_evidence.get(row[f"{side}_evidence_id"]) for side in ("left", "right")]
        counts = Counter(row["verdict"] for row in rows["claims"])
        self._verdicts = {verdict.value: counts[verdict] for verdict in _VERDICTS}
        self._changes = list(_changes(rows["events"]))

    def all(self) -> Iterator[SitePage]:
        """The pages, the start page first."""
        rows = self._rows
        [totals] = rows["totals"]
        yield SitePage("index.html", "start.html", {"totals": totals, **self._start()})
        yield SitePage("models.html", "models.html", {"models": rows["models"]})
        # Those whose maker nobody names come last.
        vendors = sorted(grouped(rows["platforms"], "vendor").items(), key=lambda one: (one[0] is None, one[0]))
        yield SitePage("platforms.html", "platforms.html", {"groups": vendors, "followed": self._followed})
        yield SitePage("sources.html", "sources.html", {"sources": rows["sources"]})
        yield from self._models()
        yield from self._platforms()
        yield from self._sources()
        for listing in _parts("claims", rows["claims"]):
            content = {"listing": listing, "counts": self._verdicts}
            yield SitePage(part_of("claims.html", "claims", listing.number), "claims.html", content)
        for listing in _parts("discrepancies", rows["discrepancies"]):
            content = {"listing": listing, "conflicts": rows["conflicts"][:_ROWS], "totals": totals}
            yield SitePage(part_of("audit.html", "discrepancies", listing.number), "audit.html", content)
        questions = [_question(path) for path in sorted(_QUESTIONS.glob("*.sql"))]
        tables = sorted(PUBLISHED, key=lambda table: table.layer != "main")
        content = {"questions": questions, "tables": tables, "has_engine": self._has_engine}
        yield SitePage("explore.html", "explore.html", content)

    def search_index(self) -> list[tuple[str, str, str]]:
        """What the search finds: name, kind and page."""
        found = [(row["model"], "model", model_page(row["model"])) for row in self._rows["models"]]
        found += [(row["platform"], "platform", platform_page(row["platform"])) for row in self._rows["platforms"]]
        found += [(vendor, "vendor", f"platforms.html#{anchor(vendor)}") for vendor in self._vendors]
        for row in self._rows["sources"]:
            found.append((row["publisher"], "publisher", "sources.html"))
            found.append((row["title"] or row["source"], "source", source_page(row["source"])))
        for row in self._rows["claims"]:
            name = f"{row['text_printed']} {words(row['metric'])}, {row['model'] or row['subject_platform'] or ''}"
            found.append((name, "claim", traced_page("claim", row["claim_id"])))
        return sorted({one for one in found if one[0]})

    def _start(self) -> dict[str, Any]:
        checked = [row for row in self._rows["claims"] if row["verdict"] != ClaimVerdict.not_checkable]
        return {
            "example": checked[0] if checked else None,
            "line": number_line(checked[0]) if checked else None,
            "findings": self._findings()[:_FINDINGS],
            "claims": checked[1 : _FINDINGS + 1],
            "counts": self._verdicts,
            "changes": self._changes[:_CHANGES],
            "models": self._rows["models"][:_BEST],
            "platforms": self._rows["platforms"][:_BEST],
        }

    def _findings(self) -> list[dict[str, Any]]:
        """Lines with numbers that do not fit, those first that most checks contradict, then the farthest off."""
        found: dict[tuple[str, str], dict[str, Any]] = {}
        for rows in grouped(self._rows["discrepancies"], "document_id", "line").values():
            # The number of the line that most checks contradict is the one to look at.
            places = Counter(row["evidence_id"] for row in rows)
            first = max(rows, key=lambda row: (places[row["evidence_id"]], row["times_off"] or 0.0))
            checks = len({row["check_name"] for row in rows})
            finding = {"rows": rows, "first": first, "checks": checks, "times_off": first["times_off"] or 1.0}
            # The same text stands in the next snapshot of a page once more.
            found.setdefault((first["source"], first["reason"]), finding)
        return sorted(found.values(), key=lambda one: (-one["checks"], -one["times_off"], one["first"]["relation_id"]))

    def _models(self) -> Iterator[SitePage]:
        results = grouped(self._rows["results"], "model")
        named = {name: grouped(self._rows[name], "model") for name in ("batch_curves", "scaling", "progress", "claims")}
        for model in self._rows["models"]:
            name, plots = model["model"], []
            path = model_page(name)
            painter = self._painter(path, results[name])
            sections, further = self._sections(path, results[name], painter)
            if name:
                for rows in grouped(named["batch_curves"][name], "unit").values():
                    plots += [painter.batch_curves(rows), painter.latency_against_throughput(rows)]
                plots += [painter.scaling(named["scaling"][name]), painter.progress(named["progress"][name])]
            content = {
                "model": model,
                "is_followed": name in self._followed,
                "sections": sections,
                "plots": [plot for plot in plots if plot],
                "claims": _parts("claims", named["claims"][name] if name else [])[0],
            }
            yield SitePage(path, "model.html", content)
            yield from further

    def _platforms(self) -> Iterator[SitePage]:
        of = {name: grouped(self._rows[name], "platform") for name in ("results", "prices", "events")}
        claims = grouped(self._rows["claims"], "subject_platform")
        against = grouped(self._rows["claims"], "baseline_platform")
        pairs: defaultdict[str, list[Row]] = defaultdict(list)
        for row in self._rows["comparisons"]:
            for side in ("left_platform", "right_platform") if row["ratio"] is not None else ():
                pairs[row[side]].append(row)
        for platform in self._rows["platforms"]:
            name = platform["platform"]
            path = platform_page(name)
            sections, further = self._sections(path, of["results"][name], self._painter(path, ()))
            said = [*claims[name], *(row for row in against[name] if row["subject_platform"] != name)] if name else []
            changed = _parts("changes", of["events"][name])
            content = {
                "platform": platform,
                "sections": sections,
                "prices": of["prices"][name],
                "claims": _parts("claims", said)[0],
                "comparisons": [_seen_from(name, row) for row in pairs[name][:_COMPARISONS]],
                "compared": len(pairs[name]),
                "changed": changed[0],
            }
            yield SitePage(path, "platform.html", content)
            yield from further
            yield from _further("changes", changed, path, heading=name or "Platform not stated", title="Changes")

    def _sources(self) -> Iterator[SitePage]:
        tables = ("documents", "events", "rejects", "claims", "discrepancies")
        named = {name: grouped(self._rows[name], "source") for name in tables}
        changes = grouped(self._changes, "source")
        for source in self._rows["sources"]:
            name, path = source["source"], source_page(source["source"])
            rejects = named["rejects"][name]
            listings = {"changes": _parts("changes", named["events"][name]), "rejects": _parts("rejects", rejects)}
            content = {
                "source": source,
                "documents": named["documents"][name],
                "changes": changes[name],
                "claims": _parts("claims", named["claims"][name])[0],
                "discrepancies": _parts("discrepancies", named["discrepancies"][name])[0],
                "rules": Counter(row["rule"] for row in rejects).most_common(),
                "events": listings["changes"][0],
                "rejects": listings["rejects"][0],
            }
            yield SitePage(path, "source.html", content)
            for table, parts in listings.items():
                yield from _further(table, parts, path, heading=source["title"] or name, title=table.capitalize())

    def _sections(
        self, path: str, results: Sequence[Row], painter: Painter
    ) -> tuple[list[dict[str, Any]], list[SitePage]]:
        """The results of a page by task and metric, and the pages that its long tables go on with.

        Each section has a title, an anchor, a unit, plots, the first part of its table, the columns in which the rows
        differ, and what is the same in all of them.
        """
        groups = sorted(grouped(results, "task", "metric", "unit").items(), key=lambda item: _rank(*item[0]))
        own = "model" if path.startswith("model/") else "platform"
        size = max(_LEAST, _RESULTS // max(1, len(groups)))
        sections: list[dict[str, Any]] = []
        further: list[SitePage] = []
        for place, ((task, metric, unit), rows) in enumerate(groups, start=1):
            title = f"{words(task)} {words(metric)}".strip()
            title = title[:1].upper() + title[1:]
            plot = painter.results(rows) if own == "model" else None
            said = {column: {row[column] for row in rows} for column in _COLUMNS if column != own}
            table = {
                "title": title,
                "unit": unit,
                "columns": [column for column, values in said.items() if len(values) > 1],
                "same": {name: values.pop() for name, values in said.items() if len(values) == 1 and values != {None}},
            }
            parts = _parts(f"results-{place}", rows, size)
            section = {"anchor": f"results-{place}", "plots": [plot] if plot else [], "listing": parts[0]}
            sections.append(table | section)
            further += _further("results", parts, path, heading=rows[0][own] or "not stated", **table)
        return sections, further

    def _painter(self, path: str, results: Sequence[Row]) -> Painter:
        root, plots = root_of(path), len(grouped(results, "task", "metric", "unit")) + _CURVES
        return Painter(self._vendors, lambda result_id: root + traced_page("result", result_id), _MARKS // plots)


def _changes(events: Sequence[Row]) -> Iterator[dict[str, Any]]:
    """What the newest snapshots have changed: counts by event, and the jumps, the largest first."""
    groups = grouped(events, "source", "snapshot_at").items()
    for (source, at), rows in sorted(groups, key=lambda group: group[0][::-1], reverse=True):
        counts = Counter(row["event"] for row in rows)
        jumps = [row for row in rows if row["is_outlier"]]
        yield {"source": source, "at": at, "counts": counts, "jumps": jumps}


def _question(path: Path) -> tuple[str, str, str]:
    """Name of a worked query, the question in its first line, and the query."""
    text = path.read_text("utf-8")
    return path.stem, text.splitlines()[0].removeprefix("-- "), text


def _rank(task: str | None, metric: str, unit: str) -> tuple[Any, ...]:
    order = _METRICS.index(metric) if metric in _METRICS else len(_METRICS)
    return (order, metric, task is None, task or "", unit)


def _parts(name: str, rows: Sequence[Row], size: int = 0) -> list[Listing]:
    """The parts of a table, each short enough for a page; at least one."""
    size = size or _ROWS
    parts = math.ceil(len(rows) / size)
    return [Listing(name, rows[at * size : (at + 1) * size], at + 1, parts, len(rows)) for at in range(parts or 1)]


def _further(table: str, parts: Sequence[Listing], path: str, **more: Any) -> list[SitePage]:
    """The further parts of a long table, each a page."""
    return [
        SitePage(part_of(path, part.name, part.number), f"more_{table}.html", {"back": path, "listing": part, **more})
        for part in parts[1:]
    ]


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
