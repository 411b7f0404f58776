"""Plots of `plots.yml` as Vega-Lite. Each mark leads to its evidence."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, Template, Undefined

from pipelines.report.rendering import environment, number
from pipelines.yaml_files import load_yaml

Row = dict[str, Any]

_SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
_NOT_STATED = "not stated"
# Colours of the style sheet, `--series-1` and so on; further vendors of a plot begin again.
_COLOURS = 8
# Values further apart than this are drawn on a logarithmic scale: the small ones could not be told
# apart.
_LINEAR_UP_TO = 30.0
# A logarithmic axis extends beyond the smallest and the largest value by this factor.
_LOG_MARGIN = 1.3
_BETTER = {True: "Higher is better.", False: "Lower is better.", None: ""}


@cache
def _listed() -> dict[str, Row]:
    return load_yaml(Path(__file__).with_name("plots.yml"))  # type: ignore[no-any-return]


@cache
def _texts() -> Environment:
    return environment().overlay(autoescape=False, undefined=Undefined, finalize=_readable)


@cache
def _template(text: str) -> Template:
    return _texts().from_string(text)


def _readable(value: Any) -> Any:
    return "" if value is None else number(value) if isinstance(value, float) else value


def draw(
    name: str,
    rows: Sequence[Row],
    link: Callable[[str], str],
    most: int,
    least: int = 1,
) -> Row | None:
    """A plot of some rows, with the table behind it; None for fewer than `least`.

    Args:
        name: Plot of `plots.yml`.
        rows: Rows of a query, the most important first.
        link: Page of a result, from the page of the plot.
        most: Marks that are drawn at most; where rows have a `place_on_platform`, the best of each
            platform.
        least: Rows that a plot needs.

    Returns:
        Its `title` and `note`; `spec`, which is Vega-Lite; the headings of the table, `columns`,
        and its `rows`: the result that the first cell leads to, and the cells.
    """
    if len(rows) < least:
        return None
    kind, shown, which = _listed()["plots"][name], list(rows), f"the first {most}"
    result, columns = kind.get("result", "result_id"), kind.get("columns", {})
    if len(rows) > most and "place_on_platform" in rows[0]:
        each = max(1, most // len({row["platform"] for row in rows}))
        shown = [row for row in rows if row["place_on_platform"] <= each]
        which = f"the best {each} of each platform"
    shown = shown[:most]
    left = ""
    if len(shown) < len(rows):
        left = f"{len(shown):,} of {len(rows):,} results are shown: {which}."
    notes = (_BETTER[rows[0].get("higher_is_better")], kind.get("note"), left)
    title = _template(kind["title"]).render(shown[0])
    cells = [_template(cell) for cell in columns.values()]
    table = [(row[result], [cell.render(row) for cell in cells]) for row in shown] if cells else []
    fields = {channel["field"]: channel for channel in _channels(kind["spec"])}
    marks = []
    for row in shown:
        # A size that is not stated is drawn as the smallest one.
        drawn = {
            field: row[field] or 0 if "legend" in channel else row[field]
            for field, channel in fields.items()
            if field in row
        }
        text, on = (
            _template(kind["text"]).render(row),
            _template(_listed()["marks"]["on"]).render(row),
        )
        named = {name: row.get(name) or _NOT_STATED for name in ("platform", "vendor", "framework")}
        about = {"text": text, "on": on, "release": row.get("release")}
        marks.append(drawn | about | named | {"page": link(row[result])})
    return {
        "title": title[:1].upper() + title[1:],
        "note": " ".join(filter(None, notes)),
        "spec": _specification(kind["spec"], marks, shown[0]),
        "columns": [*columns],
        "rows": table,
    }


def _channels(spec: Row) -> list[Row]:
    channels: list[Row] = []
    for layer in (spec, *spec.get("layer", ())):
        channels += layer.get("encoding", {}).values()
    return [channel for channel in channels if "field" in channel]


def _specification(spec: Row, marks: Sequence[Row], first: Row) -> Row:
    spec = copy.deepcopy(spec)
    for channel in _channels(spec):
        if channel.get("title"):
            channel["title"] = _template(channel["title"]).render(first)
        if channel.get("type") == "quantitative" and "legend" not in channel:
            channel.setdefault("axis", {"format": ",.6~r", "tickCount": 6, "labelOverlap": True})
            channel.setdefault("scale", _scale([mark[channel["field"]] for mark in marks]))
    top = spec["layer"][-1] if "layer" in spec else spec
    top["mark"]["cursor"] = "pointer"
    common = copy.deepcopy(_listed()["marks"]["encoding"])
    for channel in (common["color"], common["shape"]):
        names = sorted({mark[channel["field"]] for mark in marks})
        if len(names) == 1:
            channel["legend"] = None
        if channel["field"] == "vendor":
            channel["scale"] = {
                "domain": names,
                "range": [_colour(name, at) for at, name in enumerate(names)],
            }
    top["encoding"] |= common
    drawn = {"$schema": _SCHEMA, "width": "container", "data": {"values": list(marks)}}
    return spec | drawn | {"transform": _listed()["marks"]["transform"]}


def _colour(vendor: str, at: int) -> str:
    """Colour of the vendor at this place of a plot; grey where none is stated."""
    return "var(--muted)" if vendor == _NOT_STATED else f"var(--series-{at % _COLOURS + 1})"


def _scale(values: Sequence[float | None]) -> Row:
    there = [value for value in values if value is not None]
    if there and min(there) > 0 and max(there) / min(there) > _LINEAR_UP_TO:
        ends = [min(there) / _LOG_MARGIN, max(there) * _LOG_MARGIN]
        return {"type": "log", "nice": False, "domain": ends}
    return {"zero": True}
