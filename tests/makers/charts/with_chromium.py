"""Charts drawn as SVG and printed by Chromium; needs the program `chromium`."""

# ruff: noqa: E501, E731
# Markup and commands stand in one line each, as they are written out.
from __future__ import annotations

import math
import subprocess
import tempfile
from html import escape
from pathlib import Path

from makers.charts.plans import Plan

PROGRAM = "chromium"
WIDTH, HEIGHT = 640, 400
LEFT, RIGHT, TOP, BOTTOM = 130, 30, 40, 80
COLOURS = (
    ("#4e79a7", "#f28e2b", "#e15759"), ("#222", "#888", "#bbb"), ("#1f77b4", "#ff7f0e", "#2ca02c"),
    ("#003f5c", "#bc5090", "#ffa600"), ("#76b7b2", "#59a14f", "#edc948"),
)  # fmt: skip


def make(plan: Plan, path: Path) -> None:
    """Write the plan as one page."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "chart.html")
        page.write_text(
            f"<html><style>@page{{margin:1cm}} text{{font-family:sans-serif}}</style><body>{draw(plan)}</body></html>",
            "utf-8",
        )
        subprocess.run(
            [
                "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer",
                f"--user-data-dir={folder}/profile", f"--print-to-pdf={path}", page.as_uri(),
            ],
            check=True, capture_output=True, timeout=120,
        )  # fmt: skip


def nice_ticks(low: float, high: float) -> list[float]:
    """About six round numbers from at most `low` to at least `high`."""
    raw = (high - low) / 5
    unit = 10 ** math.floor(math.log10(raw))
    step = next(unit * m for m in (1, 2, 2.5, 5, 10) if unit * m >= raw)
    first = math.floor(low / step)
    return [round((first + i) * step, 10) for i in range(math.ceil(high / step) - first + 1)]


def tick_text(value: float, style: int) -> str:
    """A tick as charting libraries print it: `2,500`, `2.5k`, `2.5M`."""
    if style == 1 and abs(value) >= 1000:
        return f"{value / 1e6:g}M" if abs(value) >= 1e6 else f"{value / 1e3:g}k"
    if style == 2:
        return f"{value:g}" if abs(value) < 1e5 else f"{value:.0f}"
    return f"{value:,.10g}".replace("-", "−")


def draw(plan: Plan) -> str:
    """The plan as SVG, in the manner of D3: groups with transforms, ticks as lines, bars as rectangles or paths."""
    totals = (
        [sum(c) for c in zip(*plan.values, strict=True)]
        if plan.kind == "stacked"
        else [v for r in plan.values for v in r]
    )
    if plan.log:
        low, high = math.floor(math.log10(min(totals))), math.ceil(math.log10(max(totals)) + 1e-9)
        ticks = [10.0**e for e in range(low, high + 1)]
        while len(ticks) < 3:
            ticks.append(ticks[-1] * 10)
        low, high = math.log10(ticks[0]), math.log10(ticks[-1])
        share = lambda v: (math.log10(v) - low) / (high - low)
    else:
        ticks = nice_ticks(min(0, *totals), max(0, *totals))
        share = lambda v: (v - ticks[0]) / (ticks[-1] - ticks[0])
    wide, tall = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    colours = COLOURS[plan.looks["colour"]]
    along = (lambda v: share(v) * wide) if plan.lying else (lambda v: tall - share(v) * tall)
    out = [f'<svg width="{WIDTH}" height="{HEIGHT}"><defs>']
    for i, colour in enumerate(colours):
        out.append(
            f'<linearGradient id="g{i}" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="{colour}"/><stop offset="1" stop-color="#eee"/></linearGradient>'
        )
    out.append(f'</defs><rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/><g transform="translate({LEFT},{TOP})">')
    style = plan.looks["font"]
    for tick in ticks:
        u = along(tick)
        text = tick_text(tick, style)
        if plan.log and style == 0:
            text = f'10<tspan dy="-5" font-size="7">{round(math.log10(tick))}</tspan>'
        if plan.lying:
            if plan.looks["grid"]:
                out.append(f'<line x1="{u:.2f}" x2="{u:.2f}" y1="0" y2="{tall}" stroke="#ddd"/>')
            elif plan.looks["frame"]:
                out.append(f'<line x1="{u:.2f}" x2="{u:.2f}" y1="{tall}" y2="{tall + 6}" stroke="#000"/>')
            out.append(
                f'<text x="{u:.2f}" y="{tall + 9}" dy="0.71em" font-size="10" text-anchor="middle">{text}</text>'
            )
        else:
            if plan.looks["grid"]:
                out.append(f'<line x1="0" x2="{wide}" y1="{u:.2f}" y2="{u:.2f}" stroke="#ddd"/>')
            elif plan.looks["frame"]:
                out.append(f'<line x1="-6" x2="0" y1="{u:.2f}" y2="{u:.2f}" stroke="#000"/>')
            out.append(f'<text x="-9" y="{u:.2f}" dy="0.32em" font-size="10" text-anchor="end">{text}</text>')
    zero = along(ticks[0] if plan.log else 0)
    out.append(
        f'<path d="M{zero:.2f},0V{tall}" stroke="#000" fill="none"/>'
        if plan.lying
        else f'<path d="M0,{zero:.2f}H{wide}" stroke="#000" fill="none"/>'
    )
    title = escape(plan.axis_title)
    out.append(
        f'<text x="{wide / 2}" y="{tall + 40}" font-size="11" text-anchor="middle">{title}</text>'
        if plan.lying
        else f'<text transform="translate(-70,{tall / 2}) rotate(-90)" font-size="11" text-anchor="middle">{title}</text>'
    )
    out += (_bars if plan.kind in ("bar", "grouped", "stacked") else _points)(plan, along, zero, wide, tall, colours)
    if len(plan.series) > 1:
        for i, name in enumerate(plan.series):
            x = i * 150
            out.append(
                f'<rect x="{x}" y="-32" width="12" height="12" fill="{colours[i]}"/><text x="{x + 17}" y="-22" font-size="11">{escape(name)}</text>'
            )
    return "".join(out) + "</g></svg>"


def _bars(plan, along, zero, wide, tall, colours):
    out = []
    count, lines = len(plan.categories), len(plan.values)
    band = (tall if plan.lying else wide) / count
    for place, name in enumerate(plan.categories):
        ground = 0.0
        for i, row in enumerate(plan.values):
            part = 0.7 * band / (lines if plan.kind != "stacked" else 1)
            c = place * band + 0.15 * band + (i * part if plan.kind != "stacked" else 0)
            start, end = (
                (along(ground), along(ground + row[place])) if plan.kind == "stacked" else (zero, along(row[place]))
            )
            ground += row[place]
            low, high = sorted((start, end))
            x, y, w, h = (low, c, high - low, part) if plan.lying else (c, low, part, high - low)
            fill = f"url(#g{i})" if plan.looks["gradient"] else colours[i]
            if plan.looks["rounded"] and plan.kind != "stacked" and min(w, h) > 8:
                out.append(f'<rect x="{x:.2f}" y="{y:.2f}" width="{w:.2f}" height="{h:.2f}" rx="3" fill="{fill}"/>')
            else:
                out.append(f'<path d="M{x:.2f},{y:.2f}h{w:.2f}v{h:.2f}h{-w:.2f}Z" fill="{fill}"/>')
            if plan.printed:
                value = f"{row[place]:g}"
                out.append(
                    f'<text x="{high + 4:.2f}" y="{c + part / 2:.2f}" dy="0.32em" font-size="8">{value}</text>'
                    if plan.lying
                    else f'<text x="{c + part / 2:.2f}" y="{low - 3:.2f}" font-size="8" text-anchor="middle">{value}</text>'
                )
        middle = (place + 0.5) * band
        out.append(
            f'<text x="-9" y="{middle:.2f}" dy="0.32em" font-size="10" text-anchor="end">{escape(name)}</text>'
            if plan.lying
            else f'<text x="{middle:.2f}" y="{tall + 9}" dy="0.71em" font-size="9" text-anchor="middle">{escape(name)}</text>'
        )
    return out


def _points(plan, along, zero, wide, tall, colours):
    out = []
    count = len(plan.values[0])
    if plan.categories:
        at = [(i + 0.5) * wide / count for i in range(count)]
        labels = list(zip(at, plan.categories, strict=True))
    else:
        ticks = nice_ticks(min(plan.xs), max(plan.xs))
        place = lambda x: (x - ticks[0]) / (ticks[-1] - ticks[0]) * wide
        at = [place(x) for x in plan.xs]
        labels = [(place(t), f"{t:g}") for t in ticks]
    for x, text in labels:
        out.append(f'<line x1="{x:.2f}" x2="{x:.2f}" y1="{tall}" y2="{tall + 6}" stroke="#000"/>')
        out.append(
            f'<text x="{x:.2f}" y="{tall + 9}" dy="0.71em" font-size="9" text-anchor="middle">{escape(text)}</text>'
        )
    for i, row in enumerate(plan.values):
        points = [(x, along(v)) for x, v in zip(at, row, strict=True)]
        if plan.kind == "line":
            path = "L".join(f"{x:.2f},{y:.2f}" for x, y in points)
            out.append(f'<path d="M{path}" fill="none" stroke="{colours[i]}" stroke-width="2"/>')
        if plan.kind == "scatter" or plan.looks["markers"]:
            out += [f'<circle cx="{x:.2f}" cy="{y:.2f}" r="3" fill="{colours[i]}"/>' for x, y in points]
    return out
