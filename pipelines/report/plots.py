"""Plots as Vega-Lite, and the number line of a claim. Each mark leads to its evidence; colours are the style sheet's.

The specifications are plain dictionaries: five of them need no library that makes them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pipelines.report.rendering import exact, number, words
from pipelines.report.rows import grouped

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
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]


class Painter:
    """Makes the plots of one page; knows the vendors of the whole site, so that each keeps its colour.

    Args:
        vendors: All vendors, in order.
        link: Gives the address of a result, as seen from the page that the plot stands on.
        most: Marks that one plot may have.
    """

    def __init__(self, vendors: Sequence[str], link: Callable[[str], str], most: int) -> None:
        self._vendors, self._link, self._most = vendors, link, most

    def results(self, rows: Sequence[Row]) -> Plot | None:
        """Where every result of one metric stands, by platform; None for fewer than two."""
        if len(rows) < 2:
            return None
        shown, note = rows, ""
        if len(rows) > self._most:
            groups = grouped(rows, "platform").values()
            each = max(1, self._most // len(groups))
            shown = [row for group in groups for row in group[:each]][: self._most]
            note = f" Drawn are the best {each} of each platform; the table has all."
        higher, unit = shown[0]["higher_is_better"], shown[0]["unit"]
        platforms = list(dict.fromkeys(_name(row["platform"]) for row in shown))
        marks = [self._mark(row) | {"platform": _name(row["platform"])} for row in shown]
        spec = self._spec(
            marks,
            {"type": "point", "filled": True, "size": 90, "opacity": 0.8},
            {
                "x": _quantity("value", f"{words(shown[0]['metric'])}, {unit}", marks),
                "y": {"field": "platform", "type": "nominal", "sort": platforms, "title": None},
            },
        ) | {"height": {"step": _ROW_HEIGHT}}
        return Plot(f"{words(shown[0]['metric']).capitalize()} by platform", _better(higher) + note, spec, (), ())

    def batch_curves(self, rows: Sequence[Row]) -> Plot | None:
        """Throughput over batch size; None without a curve of one unit."""
        shown, note = self._at_most(rows)
        if not shown:
            return None
        marks = [
            self._mark(row, "throughput_result_id")
            | {"x": row["batch_size"], "value": row["throughput_items_per_second"], "curve": row["curve_id"]}
            for row in shown
        ]
        encoding = {
            "x": {
                "field": "x", "type": "quantitative", "title": "batch size", "scale": {"type": "log", "base": 2},
                "axis": {"values": sorted({row["x"] for row in marks}), "format": ",d"},
            },
            "y": _quantity("value", f"throughput, {shown[0]['unit']}", marks),
            "detail": {"field": "curve"},
        }  # fmt: skip
        table = [
            (
                f"{number(row['throughput_items_per_second'])} {row['unit']}", row["batch_size"], row["platform"],
                row["framework"], row["precision"], row["sdk_version"], row["throughput_result_id"],
            )
            for row in shown
        ]  # fmt: skip
        columns = ("Throughput", "Batch size", "Platform", "Framework", "Precision", "Release")
        spec = self._spec(marks, _LINE, encoding)
        return Plot("Throughput over batch size", _better(True) + note, spec, columns, table)

    def latency_against_throughput(self, rows: Sequence[Row]) -> Plot | None:
        """What latency each throughput costs, along the batch sizes of a curve."""
        shown, note = self._at_most([row for row in rows if row["latency_ms"] is not None and row["latency_result_id"]])
        if not shown:
            return None
        marks = [
            self._mark(row, "latency_result_id")
            | {"x": row["throughput_items_per_second"], "value": row["latency_ms"], "curve": row["curve_id"]}
            for row in shown
        ]
        encoding = {
            "x": _quantity("x", f"throughput, {shown[0]['unit']}", marks),
            "y": _quantity("value", "latency, ms", marks),
            "detail": {"field": "curve"},
            "order": {"field": "batch"},
        }
        table = [
            (
                f"{number(row['latency_ms'])} ms", f"{number(row['throughput_items_per_second'])} {row['unit']}",
                row["batch_size"], row["platform"], row["framework"], row["latency_result_id"],
            )
            for row in shown
        ]  # fmt: skip
        columns = ("Latency", "Throughput", "Batch size", "Platform", "Framework")
        spec = self._spec(marks, _LINE, encoding)
        return Plot("Latency against throughput", f"Down and to the right is better.{note}", spec, columns, table)

    def scaling(self, rows: Sequence[Row]) -> Plot | None:
        """Speed-up over the smallest system, beside the line of linear scaling."""
        shown, note = self._at_most(rows)
        if not shown:
            return None
        marks = [
            self._mark({**row, "value": row["speedup"], "platform": row["platform_to"]}, "result_id_to")
            | {
                "x": row["accelerators_to"] / row["accelerators_from"], "curve": row["result_id_from"],
                "text": f"{number(row['speedup'])}x from {row['accelerators_from']} to {row['accelerators_to']}",
            }
            for row in shown
        ]  # fmt: skip
        most = max(row["x"] for row in marks)
        ratios = sorted({row["x"] for row in marks} | {1})
        encoding = {
            "x": {
                "field": "x", "type": "quantitative", "title": "times as many accelerators",
                "scale": {"type": "log", "base": 2, "domain": [1, most]},
                "axis": {"values": ratios, "format": ",.3~g"},
            },
            "y": {
                "field": "value", "type": "quantitative", "title": "times as fast",
                "scale": {"type": "log", "base": 2}, "axis": {"format": ",.3~g"},
            },
            "detail": {"field": "curve"},
        }  # fmt: skip
        spec = self._spec(marks, {"type": "point", "filled": True, "size": 90, "opacity": 0.8}, encoding)
        linear = {
            "data": {"values": [{"x": 1, "value": 1}, {"x": most, "value": most}]},
            "mark": {"type": "line", "strokeDash": [4, 4], "color": "var(--muted)", "strokeWidth": 1},
            "encoding": {name: encoding[name] for name in ("x", "y")},
        }
        layer = {name: spec.pop(name) for name in ("mark", "encoding", "params")}
        spec["layer"] = [linear, layer]
        table = [
            (
                f"{number(row['speedup'])}x", f"{row['accelerators_from']} to {row['accelerators_to']}",
                f"{100 * row['efficiency']:.0f}%", f"{words(row['metric'])}, {row['framework'] or ''}",
                f"{row['platform_from']} to {row['platform_to']}", row["result_id_to"],
            )
            for row in shown
        ]  # fmt: skip
        columns = ("Speed-up", "Accelerators", "Of linear", "Metric, framework", "Platforms")
        return Plot("Scaling over accelerators", f"The dashed line is linear scaling.{note}", spec, columns, table)

    def progress(self, rows: Sequence[Row]) -> Plot | None:
        """Gain of each benchmark over the first release that prints it."""
        shown, note = self._at_most(rows)
        if not shown:
            return None
        releases = [version for _, version in sorted({(tuple(row["sdk_order"]), row["sdk_version"]) for row in shown})]
        marks = [
            self._mark(row)
            | {"x": row["sdk_version"], "value": row["gain"], "curve": row["benchmark_key"], "unit": row["unit"]}
            for row in shown
        ]
        encoding = {
            "x": {
                "field": "x", "type": "ordinal", "sort": releases, "title": "SDK release", "axis": {"labelAngle": 0},
            },
            "y": _quantity("value", "times as good as in the first release", marks) | {"scale": {"zero": False}},
            "detail": {"field": "curve"},
        }  # fmt: skip
        table = [
            (
                f"{number(row['value'])} {row['unit']}", row["sdk_version"], f"{number(row['gain'])}x",
                " ".join(filter(None, (words(row["task"]), words(row["metric"]), words(row["statistic"])))),
                row["platform"], row["batch_size"], row["result_id"],
            )
            for row in shown
        ]  # fmt: skip
        columns = ("Value", "Release", "Against the first", "Metric", "Platform", "Batch size")
        spec = self._spec(marks, _LINE, encoding)
        return Plot("Progress over releases", f"Up is better, in every metric.{note}", spec, columns, table)

    def _at_most(self, rows: Sequence[Row]) -> tuple[Sequence[Row], str]:
        if len(rows) <= self._most:
            return rows, ""
        return rows[: self._most], f" Drawn are the first {self._most} of {len(rows):,}."

    def _mark(self, row: Row, id: str = "result_id") -> dict[str, Any]:
        """What every mark carries: its value, its colour, its link, and the words of its tooltip."""
        facts = {
            "statistic": words(row.get("statistic")), "batch size": row.get("batch_size"),
            "accelerators": row.get("accelerator_count"), "precision": row.get("precision"),
            "framework": row.get("framework"), "release": row.get("sdk_version"),
        }  # fmt: skip
        said = ", ".join(f"{name} {value}" for name, value in facts.items() if value)
        value = row.get("value", row.get("throughput_items_per_second"))
        text = f"{exact(value)} {row.get('unit') or ''}".strip()
        on = f"{_name(row['platform'])}" + (f"; {said}" if said else "")
        return {
            "value": value,
            "text": text,
            "on": on,
            "said": f"{text}, {on}",
            "vendor": _name(row.get("vendor")),
            "batch": row.get("batch_size"),
            "page": self._link(row[id]),
        }

    def _spec(self, marks: Sequence[Row], mark: Spec, encoding: Spec) -> Spec:
        present = sorted({row["vendor"] for row in marks})
        # One whose maker nobody says comes last, and is grey.
        places = {vendor: place for place, vendor in enumerate(self._vendors)}
        colours = [
            f"var(--series-{places[vendor] % _COLOURS + 1})" if vendor in places else "var(--muted)"
            for vendor in present
        ]
        shapes = [_SHAPES[places.get(vendor, 0) // _COLOURS % len(_SHAPES)] for vendor in present]
        legend = {"title": None, "orient": "top"} if len(present) > 1 else None
        return {
            "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
            "width": "container",
            "height": _HEIGHT,
            "data": {"values": list(marks)},
            "mark": mark | {"cursor": "pointer"},
            "encoding": encoding
            | {
                "color": {
                    "field": "vendor", "type": "nominal", "scale": {"domain": present, "range": colours},
                    "legend": legend,
                },
                "shape": {
                    "field": "vendor", "type": "nominal", "scale": {"domain": present, "range": shapes},
                    "legend": legend,
                },
                "href": {"field": "page"},
                "description": {"field": "said"},
                "tooltip": [{"field": "text", "title": "value"}, {"field": "on"}, {"field": "vendor"}],
            },
            "params": [],
        }  # fmt: skip


_LINE: Spec = {"type": "line", "point": {"filled": True, "size": 70}, "strokeWidth": 1.5}


@dataclass(frozen=True)
class NumberLine:
    """Two intervals on one axis, in per cent of its width.

    Attributes:
        claimed: Left end, width and value of what is claimed.
        recomputed: The same of what the numbers give; None without numbers.
        is_open: Whether the numbers give no upper end.
        ticks: Places and labels of the axis.
    """

    claimed: tuple[float, float]
    recomputed: tuple[float, float] | None
    is_open: bool
    ticks: Sequence[tuple[float, str]]


def number_line(claim: Row) -> NumberLine:
    """What a claim says beside what the printed numbers give, as intervals of the factor."""
    intervals = [(claim["factor_low"], claim["factor_high"]), (claim["recomputed_low"], claim["recomputed_high"])]
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

    step = _step(high - low)
    first = math.ceil(low / step)
    ticks = [(place(index * step), f"{number(index * step)}x") for index in range(first, int(high / step) + 1)]
    upper = claim["recomputed_high"]
    claimed = stretch(intervals[0])
    assert claimed is not None
    return NumberLine(claimed, stretch(intervals[1]), upper is not None and math.isinf(upper), ticks)


def _step(width: float) -> float:
    """A round step that gives four to ten ticks."""
    size = 10.0 ** math.floor(math.log10(width / 4))
    return next(size * factor for factor in (1, 2, 5, 10) if width / (size * factor) <= 9)


def _quantity(field: str, title: str, marks: Sequence[Row]) -> Spec:
    values = [row[field] for row in marks if row[field] is not None]
    is_log = bool(values) and min(values) > 0 and max(values) / min(values) > _LINEAR_UP_TO
    scale: Spec = {"zero": True}
    if is_log:
        scale = {"type": "log", "nice": False, "domain": [min(values) / _LOG_MARGIN, max(values) * _LOG_MARGIN]}
    axis = {"format": ",.6~r", "tickCount": 6, "labelOverlap": True}
    return {"field": field, "type": "quantitative", "title": title, "scale": scale, "axis": axis}


def _better(higher: bool | None) -> str:
    return {True: "Higher is better.", False: "Lower is better.", None: ""}[higher]


def _name(name: str | None) -> str:
    return name or "not stated"
