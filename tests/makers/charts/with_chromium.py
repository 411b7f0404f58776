"""Charts drawn as SVG and printed by Chromium; needs the program `chromium`."""

# ruff: noqa: E731
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
    totals = [v for row in plan.values for v in row]
    if plan.kind == "stacked":
        totals = [sum(column) for column in zip(*plan.values, strict=True)]
    if plan.log:
        low, high = math.floor(math.log10(min(totals))), math.ceil(math.log10(max(totals)) + 1e-9)
        ticks = [10.0**e for e in range(low, max(high, low + 2) + 1)]
        share = lambda v: (math.log10(v) - low) / (len(ticks) - 1)
    else:
        ticks = nice_ticks(min(0, *totals), max(0, *totals))
        share = lambda v: (v - ticks[0]) / (ticks[-1] - ticks[0])
    wide, tall = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    colours = COLOURS[plan.looks["colour"]]
    along = (lambda v: share(v) * wide) if plan.lying else (lambda v: tall - share(v) * tall)
    out = [f'<svg width="{WIDTH}" height="{HEIGHT}"><defs>']
    for i, colour in enumerate(colours):
        stops = f'<stop offset="0" stop-color="{colour}"/><stop offset="1" stop-color="#eee"/>'
        out.append(f'<linearGradient id="g{i}" x1="0" y1="0" x2="0" y2="1">{stops}</linearGradient>')
    out.append(f'</defs><rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/><g transform="translate({LEFT},{TOP})">')
    for tick in ticks:
        u, words = along(tick), tick_text(tick, plan.looks["font"])
        if plan.log and plan.looks["font"] == 0:
            words = f'10<tspan dy="-5" font-size="7">{round(math.log10(tick))}</tspan>'
        if plan.looks["grid"]:
            out.append(line(u, 0, u, tall, "#ddd") if plan.lying else line(0, u, wide, u, "#ddd"))
        elif plan.looks["frame"]:
            out.append(line(u, tall, u, tall + 6) if plan.lying else line(-6, u, 0, u))
        out.append(below(u, tall, words, 10) if plan.lying else beside(u, words))
    zero = along(ticks[0] if plan.log else 0)
    out.append(line(zero, 0, zero, tall) if plan.lying else line(0, zero, wide, zero))
    place = f"translate({wide / 2},{tall + 40})" if plan.lying else f"translate(-70,{tall / 2}) rotate(-90)"
    out.append(f'<text transform="{place}" font-size="11" text-anchor="middle">{escape(plan.axis_title)}</text>')
    out += (_bars if plan.kind in ("bar", "grouped", "stacked") else _points)(plan, along, zero, wide, tall, colours)
    for i, name in enumerate(plan.series if len(plan.series) > 1 else ()):
        out.append(f'<rect x="{i * 150}" y="-32" width="12" height="12" fill="{colours[i]}"/>')
        out.append(f'<text x="{i * 150 + 17}" y="-22" font-size="11">{escape(name)}</text>')
    return "".join(out) + "</g></svg>"


def line(x1: float, y1: float, x2: float, y2: float, colour: str = "#000") -> str:
    """A straight stroke."""
    return f'<line x1="{x1:.2f}" y1="{y1:.2f}" x2="{x2:.2f}" y2="{y2:.2f}" stroke="{colour}"/>'


def below(x: float, tall: float, words: str, size: int) -> str:
    """A text below the plot, in the middle of a place."""
    return f'<text x="{x:.2f}" y="{tall + 9}" dy="0.71em" font-size="{size}" text-anchor="middle">{words}</text>'


def beside(y: float, words: str) -> str:
    """A text to the left of the plot."""
    return f'<text x="-9" y="{y:.2f}" dy="0.32em" font-size="10" text-anchor="end">{words}</text>'


def _bars(plan, along, zero, wide, tall, colours):
    out = []
    is_stacked = plan.kind == "stacked"
    band = (tall if plan.lying else wide) / len(plan.categories)
    part = 0.7 * band / (1 if is_stacked else len(plan.values))
    for place, name in enumerate(plan.categories):
        ground = 0.0
        for i, row in enumerate(plan.values):
            c = (place + 0.15) * band + (0 if is_stacked else i * part)
            low, high = sorted((along(ground) if is_stacked else zero, along(ground + row[place])))
            ground += row[place] if is_stacked else 0
            x, y, w, h = (low, c, high - low, part) if plan.lying else (c, low, part, high - low)
            fill = f"url(#g{i})" if plan.looks["gradient"] else colours[i]
            if plan.looks["rounded"] and not is_stacked and min(w, h) > 8:
                out.append(f'<rect x="{x:.2f}" y="{y:.2f}" width="{w:.2f}" height="{h:.2f}" rx="3" fill="{fill}"/>')
            else:
                out.append(f'<path d="M{x:.2f},{y:.2f}h{w:.2f}v{h:.2f}h{-w:.2f}Z" fill="{fill}"/>')
            if plan.printed:
                x, y, anchor = (
                    (high + 4, c + part / 2 + 3, "start") if plan.lying else (c + part / 2, low - 3, "middle")
                )
                out.append(f'<text x="{x:.2f}" y="{y:.2f}" font-size="8" text-anchor="{anchor}">{row[place]:g}</text>')
        middle = (place + 0.5) * band
        out.append(beside(middle, escape(name)) if plan.lying else below(middle, tall, escape(name), 9))
    return out


def _points(plan, along, zero, wide, tall, colours):
    count = len(plan.values[0])
    at = [(i + 0.5) * wide / count for i in range(count)]
    labels = list(zip(at, plan.categories, strict=False))
    if not plan.categories:
        ticks = nice_ticks(min(plan.xs), max(plan.xs))
        at, places = ([(x - ticks[0]) / (ticks[-1] - ticks[0]) * wide for x in xs] for xs in (plan.xs, ticks))
        labels = [(place, f"{tick:g}") for place, tick in zip(places, ticks, strict=True)]
    out = [line(x, tall, x, tall + 6) + below(x, tall, escape(text), 9) for x, text in labels]
    for i, row in enumerate(plan.values):
        points = [(x, along(v)) for x, v in zip(at, row, strict=True)]
        if plan.kind == "line":
            path = "L".join(f"{x:.2f},{y:.2f}" for x, y in points)
            out.append(f'<path d="M{path}" fill="none" stroke="{colours[i]}" stroke-width="2"/>')
        if plan.kind == "scatter" or plan.looks["markers"]:
            out += [f'<circle cx="{x:.2f}" cy="{y:.2f}" r="3" fill="{colours[i]}"/>' for x, y in points]
    return out
