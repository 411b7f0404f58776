"""Plots of `plots.yml` as Vega-Lite. Each mark leads to its
evidence.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from pipelines.report.rendering import number, words
from pipelines.yaml_files import load_yaml

Row = dict[str, Any]

# Colours of the style sheet, `--series-1` and so on; further vendors begin again, with another
# shape.
_COLOURS = 8
_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross")
# Values further apart than this are drawn on a logarithmic scale: the small ones could not be told
# apart.
_LINEAR_UP_TO = 30.0
# A logarithmic axis extends beyond the smallest and the largest value by this factor.
_LOG_MARGIN = 1.3
_BETTER = {True: "Higher is better.", False: "Lower is better.", None: ""}
# Of the facts that a tooltip names: columns by label.
_FACTS = {
    "batch size": "batch_size", "accelerators": "accelerator_count", "precision": "precision",
    "framework": "framework", "release": "sdk_version",
}  # fmt: skip


@dataclass(frozen=True)
class PlotKind:
    """An entry of `plots.yml`.

    Attributes:
        title: What it shows.
        text: What a mark is, in words.
        spec: Vega-Lite, without data.
        note: How to read it.
        result: Column with the result that a mark leads to.
        columns: The table behind it: headings and cells.
    """

    title: str
    text: str
    spec: Row
    note: str = ""
    result: str = "result_id"
    columns: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class SitePlot:
    """A plot with the table behind it.

    Attributes:
        title: What it shows.
        note: How to read it: which direction is better, what is left out.
        spec: Vega-Lite.
        columns: Headings of the table.
        rows: Its rows: the result that the first cell leads to, and the cells.
    """

    title: str
    note: str
    spec: Row
    columns: Sequence[str]
    rows: Sequence[tuple[str, Sequence[str]]]


@cache
def plot_kinds() -> dict[str, PlotKind]:
    """The plots by name."""
    entries = load_yaml(Path(__file__).with_name("plots.yml"))
    return {name: PlotKind(**entry) for name, entry in entries.items()}


def draw(
    name: str,
    rows: Sequence[Row],
    vendors: Sequence[str],
    link: Callable[[str], str],
    most: int,
    least: int = 1,
) -> SitePlot | None:
    """A plot of some rows; None for fewer than `least`.

    Args:
        name: Entry of `plots.yml`.
        rows: Rows of a query, the most important first.
        vendors: All vendors of the site, each of which keeps its colour.
        link: Page of a result, from the page of the plot.
        most: Marks that are drawn at most; where rows have a `place_on_platform`, the best of each
            platform.
        least: Rows that a plot needs.
    """
    if len(rows) < least:
        return None
    kind, shown = plot_kinds()[name], list(rows)
    if len(rows) > most and "place_on_platform" in rows[0]:
        each = max(1, most // len({row["platform"] for row in rows}))
        shown = [row for row in rows if row["place_on_platform"] <= each]
    shown = shown[:most]
    left = f"{len(shown):,} of {len(rows):,} results are shown." if len(shown) < len(rows) else ""
    notes = (_BETTER[rows[0].get("higher_is_better")], kind.note, left)
    readable = [_readable(row) for row in shown]
    marks = [_mark(row, text, kind, link) for row, text in zip(shown, readable, strict=True)]
    title = kind.title.format_map(readable[0])
    cells = [[cell.format_map(text) for cell in kind.columns.values()] for text in readable]
    table = [*zip((row[kind.result] for row in shown), cells, strict=True)] if kind.columns else []
    spec = _specification(kind, marks, vendors, readable[0])
    return SitePlot(
        title[:1].upper() + title[1:], " ".join(filter(None, notes)), spec, [*kind.columns], table
    )


def _readable(row: Row) -> Row:
    named = {name: words(row.get(name)) for name in ("metric", "statistic", "task")}
    numbers = {
        name: number(value) if isinstance(value, float) else value for name, value in row.items()
    }
    return {name: "" if value is None else value for name, value in (numbers | named).items()}


def _mark(row: Row, readable: Row, kind: PlotKind, link: Callable[[str], str]) -> Row:
    """What is drawn of a row: the columns that channels name, colour, link, and the words of its
    tooltip.
    """
    facts = [f"{label} {row[name]}" for label, name in _FACTS.items() if row.get(name)]
    text, platform = kind.text.format_map(readable), row["platform"] or "not stated"
    on = "; ".join(
        filter(None, (platform, ", ".join(filter(None, (words(row.get("statistic")), *facts)))))
    )
    # A size that is not stated is drawn as the smallest one.
    drawn = {
        name: row[name] or 0 if "legend" in channel else row[name]
        for channel in _channels(kind.spec)
        if (name := channel["field"]) in row
    }
    about = {
        "text": text,
        "on": on,
        "said": f"{text}, {on}",
        "platform": platform,
        "release": row.get("release"),
    }
    who = {name: row.get(name) or "not stated" for name in ("vendor", "framework")}
    return drawn | about | who | {"page": link(row[kind.result])}


def _channels(spec: Row) -> list[Row]:
    layers = [spec, *spec.get("layer", ())]
    return [
        channel
        for layer in layers
        for channel in layer.get("encoding", {}).values()
        if "field" in channel
    ]


def _specification(kind: PlotKind, marks: Sequence[Row], vendors: Sequence[str], first: Row) -> Row:
    spec = copy.deepcopy(kind.spec)
    for channel in _channels(spec):
        if channel.get("title"):
            channel["title"] = channel["title"].format_map(first)
        if (
            channel.get("type") == "quantitative"
            and "layer" not in spec
            and "legend" not in channel
        ):
            channel.setdefault("axis", {"format": ",.6~r", "tickCount": 6, "labelOverlap": True})
            channel.setdefault("scale", _scale([mark[channel["field"]] for mark in marks]))
    top = spec["layer"][-1] if "layer" in spec else spec
    top["mark"]["cursor"] = "pointer"
    top["params"] = []
    top["encoding"] |= _legends(marks, vendors) | {
        "href": {"field": "page"},
        "description": {"field": "said"},
        "tooltip": [{"field": "text", "title": "value"}, {"field": "on"}, {"field": "vendor"}],
    }
    schema = "https://vega.github.io/schema/vega-lite/v6.json"
    return spec | {"$schema": schema, "width": "container", "data": {"values": list(marks)}}


def _legends(marks: Sequence[Row], vendors: Sequence[str]) -> Row:
    """Colour by vendor, grey where it is not stated; shape by framework."""
    named = {name: sorted({mark[name] for mark in marks}) for name in ("vendor", "framework")}
    places = [vendors.index(name) if name in vendors else None for name in named["vendor"]]
    colours = [
        "var(--muted)" if at is None else f"var(--series-{at % _COLOURS + 1})" for at in places
    ]
    shapes = [_SHAPES[at % len(_SHAPES)] for at in range(len(named["framework"]))]
    return {
        channel: {
            "field": name,
            "type": "nominal",
            "scale": {"domain": named[name], "range": values},
            "legend": {"title": name.capitalize(), "orient": "top", "titleOrient": "left"}
            if len(values) > 1
            else None,
        }
        for channel, name, values in (("color", "vendor", colours), ("shape", "framework", shapes))
    }


def _scale(values: Sequence[float | None]) -> Row:
    there = [value for value in values if value is not None]
    if there and min(there) > 0 and max(there) / min(there) > _LINEAR_UP_TO:
        return {
            "type": "log",
            "nice": False,
            "domain": [min(there) / _LOG_MARGIN, max(there) * _LOG_MARGIN],
        }
    return {"zero": True}
