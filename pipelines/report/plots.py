"""Plots as Vega-Lite, and the number line of a claim. Each mark leads to its evidence; colours are the style sheet's.

The specifications are plain dictionaries: five of them need no library that makes them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pipelines.report.rendering import exact, number, words

Row = dict[str, Any]
Spec = dict[str, Any]

# Colours of the style sheet, `--series-1` and so on; further vendors begin again, with another shape.
_COLOURS = 8
_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross")
# Values further apart than this are drawn on a logarithmic scale: the small ones could not be told apart.
_LINEAR_UP_TO = 30.0
# So many times beyond the smallest and the largest value a logarithmic axis goes on.
_LOG_MARGIN = 1.3
_ROW_HEIGHT = 24
_HEIGHT = 320
_BETTER = {True: "Higher is better.", False: "Lower is better.", None: ""}
_DOTS: Spec = {"type": "point", "filled": True, "size": 90, "opacity": 0.8}
_LINE: Spec = {"type": "line", "point": {"filled": True, "size": 70}, "strokeWidth": 1.5}
_TIMES_AS_MANY: Spec = {"type": "log", "base": 2}


@dataclass(frozen=True)
class Plot:
    """A plot with the table behind it.

    Attributes:
        title: What it shows.
        note: How to read it: which direction is better, what is left out.
        spec: Vega-Lite.
        columns: Headings of the table.
        rows: Its rows; the first cell of each is the text of a link, the last one its page.
    """

    title: str
    note: str
    spec: Spec
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[Any]] = ()


class Painter:
    """Makes the plots of one page; knows the vendors of the whole site, so that each keeps its colour."""

    def __init__(self, vendors: Sequence[str], link: Callable[[str], str], most: int) -> None:
        self._places = {vendor: place for place, vendor in enumerate(vendors)}
        self._link, self._most = link, most

    def results(self, rows: Sequence[Row]) -> Plot | None:
        """Where every result of one metric stands, by platform; None for fewer than two."""
        if len(rows) < 2:
            return None
        shown, note = rows, _BETTER[rows[0]["higher_is_better"]]
        if len(rows) > self._most:
            platforms = dict.fromkeys(row["platform"] for row in rows)
            each = max(1, self._most // len(platforms))
            groups = ([row for row in rows if row["platform"] == name][:each] for name in platforms)
            shown = [row for group in groups for row in group][: self._most]
            note += f" Drawn are the best {each} of each platform; the table has all."
        metric = words(shown[0]["metric"])
        marks = [self._mark(row) | {"platform": _name(row["platform"])} for row in shown]
        order = list(dict.fromkeys(mark["platform"] for mark in marks))
        encoding = {
            "x": _quantity("value", f"{metric}, {shown[0]['unit']}", marks),
            "y": {"field": "platform", "type": "nominal", "sort": order, "title": None},
        }
        spec = self._spec(marks, _DOTS, encoding) | {"height": {"step": _ROW_HEIGHT}}
        return Plot(f"{metric.capitalize()} by platform", note, spec)

    def batch_curves(self, rows: Sequence[Row]) -> Plot | None:
        """Throughput over batch size; None without a curve of one unit."""
        batches = sorted({row["batch_size"] for row in rows[: self._most]})
        return self._curves(
            "Throughput over batch size",
            _BETTER[True],
            rows,
            "throughput_result_id",
            lambda row: {
                "x": row["batch_size"], "value": row["throughput_items_per_second"], "curve": row["curve_id"],
            },
            lambda marks: {
                "x": {
                    "field": "x", "type": "quantitative", "title": "batch size", "scale": _TIMES_AS_MANY,
                    "axis": {"values": batches, "format": ",d"},
                },
                "y": _quantity("value", f"throughput, {rows[0]['unit']}", marks),
            },
            lambda row: {
                "Throughput": _throughput(row), "Batch size": row["batch_size"], "Platform": row["platform"],
                "Framework": row["framework"], "Precision": row["precision"], "Release": row["sdk_version"],
            },
        )  # fmt: skip

    def latency_against_throughput(self, rows: Sequence[Row]) -> Plot | None:
        """What latency each throughput costs, along the batch sizes of a curve."""
        measured = [row for row in rows if row["latency_ms"] is not None and row["latency_result_id"]]
        return self._curves(
            "Latency against throughput",
            "Down and to the right is better.",
            measured,
            "latency_result_id",
            lambda row: {
                "x": row["throughput_items_per_second"], "value": row["latency_ms"], "curve": row["curve_id"],
            },
            lambda marks: {
                "x": _quantity("x", f"throughput, {measured[0]['unit']}", marks),
                "y": _quantity("value", "latency, ms", marks),
            },
            lambda row: {
                "Latency": f"{number(row['latency_ms'])} ms", "Throughput": _throughput(row),
                "Batch size": row["batch_size"], "Platform": row["platform"], "Framework": row["framework"],
            },
            order={"field": "batch"},
        )  # fmt: skip

    def scaling(self, rows: Sequence[Row]) -> Plot | None:
        """Speed-up over the smallest system, beside the line of linear scaling."""
        rows = [{**row, "value": row["speedup"], "platform": row["platform_to"]} for row in rows]
        ratios = sorted({row["accelerators_to"] / row["accelerators_from"] for row in rows[: self._most]} | {1})
        encoding: Spec = {
            "x": {
                "field": "x", "type": "quantitative", "title": "times as many accelerators",
                "scale": _TIMES_AS_MANY | {"domain": [1, ratios[-1]]}, "axis": {"values": ratios, "format": ",.3~g"},
            },
            "y": {
                "field": "value", "type": "quantitative", "title": "times as fast", "scale": _TIMES_AS_MANY,
                "axis": {"format": ",.3~g"},
            },
        }  # fmt: skip
        plot = self._curves(
            "Scaling over accelerators",
            "The dashed line is linear scaling.",
            rows,
            "result_id_to",
            lambda row: {
                "x": row["accelerators_to"] / row["accelerators_from"], "curve": row["result_id_from"],
                "text": f"{number(row['speedup'])}x from {row['accelerators_from']} to {row['accelerators_to']}",
            },
            lambda marks: encoding,
            lambda row: {
                "Speed-up": f"{number(row['speedup'])}x",
                "Accelerators": f"{row['accelerators_from']} to {row['accelerators_to']}",
                "Of linear": f"{100 * row['efficiency']:.0f}%",
                "Metric, framework": f"{words(row['metric'])}, {row['framework'] or ''}",
                "Platforms": f"{row['platform_from']} to {row['platform_to']}",
            },
            mark=_DOTS,
        )  # fmt: skip
        if plot:
            linear = {
                "data": {"values": [{"x": 1, "value": 1}, {"x": ratios[-1], "value": ratios[-1]}]},
                "mark": {"type": "line", "strokeDash": [4, 4], "color": "var(--muted)", "strokeWidth": 1},
                "encoding": encoding,
            }
            plot.spec["layer"] = [linear, {name: plot.spec.pop(name) for name in ("mark", "encoding", "params")}]
        return plot

    def progress(self, rows: Sequence[Row]) -> Plot | None:
        """Gain of each benchmark over the first release that prints it."""
        releases = sorted({(tuple(row["sdk_order"]), row["sdk_version"]) for row in rows[: self._most]})
        title = "times as good as in the first release"
        return self._curves(
            "Progress over releases",
            "Up is better, in every metric.",
            rows,
            "result_id",
            lambda row: {
                "x": row["sdk_version"], "value": row["gain"], "curve": row["benchmark_key"], "unit": row["unit"],
            },
            lambda marks: {
                "x": {
                    "field": "x", "type": "ordinal", "sort": [version for _, version in releases],
                    "title": "SDK release", "axis": {"labelAngle": 0},
                },
                "y": _quantity("value", title, marks) | {"scale": {"zero": False}},
            },
            lambda row: {
                "Value": f"{number(row['value'])} {row['unit']}", "Release": row["sdk_version"],
                "Against the first": f"{number(row['gain'])}x",
                "Metric": " ".join(filter(None, (words(row[name]) for name in ("task", "metric", "statistic")))),
                "Platform": row["platform"], "Batch size": row["batch_size"],
            },
        )  # fmt: skip

    def _curves(
        self,
        title: str,
        note: str,
        rows: Sequence[Row],
        id: str,
        point: Callable[[Row], Spec],
        encoding: Callable[[Sequence[Spec]], Spec],
        cells: Callable[[Row], dict[str, Any]],
        *,
        mark: Spec = _LINE,
        order: Spec | None = None,
    ) -> Plot | None:
        """A plot of points that belong to curves, with a table; None without rows.

        Args:
            title: What it shows.
            note: How to read it.
            rows: The rows behind it, of which the first are drawn where they are too many.
            id: Column with the result that a point leads to.
            point: What a mark carries beside that of every mark.
            encoding: The axes, made for the marks.
            cells: The cells of the table by their headings.
            mark: How points are drawn.
            order: Along what a curve goes; by default along its first axis.
        """
        shown = rows[: self._most]
        if not shown:
            return None
        if len(rows) > len(shown):
            note += f" Drawn are the first {len(shown)} of {len(rows):,}."
        marks = [self._mark(row, id) | point(row) for row in shown]
        channels = encoding(marks) | {"detail": {"field": "curve"}} | ({"order": order} if order else {})
        table = [cells(row) for row in shown]
        listed = [(*cell.values(), row[id]) for cell, row in zip(table, shown, strict=True)]
        return Plot(title, note, self._spec(marks, mark, channels), [*table[0]], listed)

    def _mark(self, row: Row, id: str = "result_id") -> Spec:
        """What every mark carries: its value, its colour, its link, and the words of its tooltip."""
        facts = {
            "statistic": words(row.get("statistic")), "batch size": row.get("batch_size"),
            "accelerators": row.get("accelerator_count"), "precision": row.get("precision"),
            "framework": row.get("framework"), "release": row.get("sdk_version"),
        }  # fmt: skip
        said = ", ".join(f"{name} {value}" for name, value in facts.items() if value)
        value = row.get("value", row.get("throughput_items_per_second"))
        text = f"{exact(value)} {row.get('unit') or ''}".strip()
        on = _name(row["platform"]) + (f"; {said}" if said else "")
        return {
            "value": value,
            "text": text,
            "on": on,
            "said": f"{text}, {on}",
            "vendor": _name(row.get("vendor")),
            "batch": row.get("batch_size"),
            "page": self._link(row[id]),
        }

    def _spec(self, marks: Sequence[Spec], mark: Spec, encoding: Spec) -> Spec:
        present = sorted({row["vendor"] for row in marks})
        places = [self._places.get(vendor) for vendor in present]
        # One whose maker nobody says is grey.
        colours = ["var(--muted)" if at is None else f"var(--series-{at % _COLOURS + 1})" for at in places]
        shapes = [_SHAPES[(at or 0) // _COLOURS % len(_SHAPES)] for at in places]
        of_vendor = {
            name: {
                "field": "vendor", "type": "nominal", "scale": {"domain": present, "range": values},
                "legend": {"title": None, "orient": "top"} if len(present) > 1 else None,
            }
            for name, values in (("color", colours), ("shape", shapes))
        }  # fmt: skip
        return {
            "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
            "width": "container",
            "height": _HEIGHT,
            "data": {"values": list(marks)},
            "mark": mark | {"cursor": "pointer"},
            "encoding": {
                **encoding,
                **of_vendor,
                "href": {"field": "page"},
                "description": {"field": "said"},
                "tooltip": [{"field": "text", "title": "value"}, {"field": "on"}, {"field": "vendor"}],
            },
            "params": [],
        }


def _throughput(row: Row) -> str:
    return f"{number(row['throughput_items_per_second'])} {row['unit']}"


def _quantity(field: str, title: str, marks: Sequence[Spec]) -> Spec:
    values = [row[field] for row in marks if row[field] is not None]
    is_log = bool(values) and min(values) > 0 and max(values) / min(values) > _LINEAR_UP_TO
    scale: Spec = {"zero": True}
    if is_log:
        scale = {"type": "log", "nice": False, "domain": [min(values) / _LOG_MARGIN, max(values) * _LOG_MARGIN]}
    axis = {"format": ",.6~r", "tickCount": 6, "labelOverlap": True}
    return {"field": field, "type": "quantitative", "title": title, "scale": scale, "axis": axis}


def _name(name: str | None) -> str:
    return name or "not stated"


def number_line(claim: Row) -> dict[str, Any]:
    """What a claim says beside what the printed numbers give, as intervals of the factor on one axis.

    Returns:
        In per cent of the axis: `claimed`, left end and width; `recomputed`, the same of what the numbers give, None
        without numbers; `ticks`, places and labels. `is_open` where the numbers give no upper end.
    """
    intervals = [(claim[f"{name}_low"], claim[f"{name}_high"]) for name in ("factor", "recomputed")]
    ends: list[float] = [end for pair in intervals for end in pair if end is not None and math.isfinite(end)]
    low, high = min(*ends, 1.0), max(ends)
    # Room at the right, where an interval without end goes on.
    high += 0.12 * (high - low) or 1.0

    def place(value: float) -> float:
        return round(100 * (min(max(value, low), high) - low) / (high - low), 2)

    def stretch(pair: tuple[float | None, float | None]) -> tuple[float, float] | None:
        if pair[0] is None or pair[1] is None:
            return None
        # A hair's breadth is still to be seen.
        return place(pair[0]), max(0.6, round(place(pair[1]) - place(pair[0]), 2))

    # A round step that gives four to ten ticks.
    size = 10.0 ** math.floor(math.log10((high - low) / 4))
    step = next(size * factor for factor in (1, 2, 5, 10) if (high - low) / (size * factor) <= 9)
    ticks = range(math.ceil(low / step), int(high / step) + 1)
    return {
        "claimed": stretch(intervals[0]),
        "recomputed": stretch(intervals[1]),
        "is_open": claim["recomputed_high"] is not None and math.isinf(claim["recomputed_high"]),
        "ticks": [(place(index * step), f"{number(index * step)}x") for index in ticks],
    }
