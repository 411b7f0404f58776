"""Makes the chart deck that `raw/` ships as PDF, from the facts in `deck.yml`: `python tests/makers/deck_pdf.py FILE`.

Only what the deck prints is taken over; colours and places of the drawings are this file's own.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import pikepdf
import yaml
from pdfminer.fontmetrics import FONT_METRICS

SLIDES = Path(__file__).with_name("deck.yml")
WIDTH, HEIGHT = 960.0, 540.0
FONTS = {"F1": "Helvetica", "F2": "Helvetica-Bold"}
# The chart's frame: left, right, foot and head, in points from the lower left corner.
LEFT, RIGHT, FOOT, HEAD = 330.0, 900.0, 205.0, 430.0
COLOURS = ("1 0.44 0.47", "0.1 0.27 0.5", "0.6 0.6 0.62")


def make_deck(slides: list[dict[str, Any]] | None = None) -> bytes:
    """The deck as PDF, byte for byte the same each time."""
    pdf = pikepdf.new()
    fonts = pikepdf.Dictionary()
    for name, base in FONTS.items():
        fonts[f"/{name}"] = pdf.make_indirect(
            pikepdf.Dictionary(
                Type=pikepdf.Name.Font,
                Subtype=pikepdf.Name.Type1,
                BaseFont=pikepdf.Name(f"/{base}"),
                Encoding=pikepdf.Name.WinAnsiEncoding,
            )
        )
    for slide in slides or yaml.safe_load(SLIDES.read_text("utf-8")):
        page = pdf.add_blank_page(page_size=(WIDTH, HEIGHT))
        page.Resources = pikepdf.Dictionary(Font=fonts)
        page.Contents = pdf.make_stream("\n".join(draw_slide(slide)).encode("cp1252"))
    content = io.BytesIO()
    pdf.save(content, static_id=True, compress_streams=True)
    return content.getvalue()


def draw_slide(slide: dict[str, Any]) -> list[str]:
    """The operators of a slide: title and headline on top, the chart to the right, notes below."""
    drawn = text(40, 500, slide["title"], 24, "F2") + text(40, 468, slide["headline"], 18)
    if "subtitle" in slide:
        drawn += text(40, 448, slide["subtitle"], 12)
    drawn += text(40, 130, "NOTES:", 9)
    for number, note in enumerate(slide["notes"], start=1):
        drawn += text(40, 130 - 11.5 * number, note, 9)
    if "below" in slide:
        drawn += text(40, 20, slide["below"], 7)
    if "above" in slide:
        drawn += text(40, 330, slide["above"], 20)
    if "curves" in slide:
        return drawn + curves(slide)
    return drawn + (bars_on_axis(slide) if "axis" in slide else bars(slide))


def bars(slide: dict[str, Any]) -> list[str]:
    """Upright bars without an axis, their names below them."""
    step = (RIGHT - LEFT) / len(slide["bars"])
    longest = max(length for _, length, _ in slide["bars"])
    drawn = []
    for index, (names, length, label) in enumerate(slide["bars"]):
        x, middle = LEFT + step * index + step / 4, LEFT + step * (index + 0.5)
        height = (HEAD - FOOT) * length / longest
        drawn += rectangle(x, FOOT, step / 2, height, COLOURS[index % 3])
        for line, name in enumerate(names):
            drawn += centred(middle, FOOT - 18 - 14 * line, name, 12)
        if label:
            drawn += centred(middle, FOOT + height + 8, label, 20)
    return drawn


def bars_on_axis(slide: dict[str, Any]) -> list[str]:
    """Bars to the right on an axis, values at their ends, gridlines behind them."""
    ticks, title = slide["axis"]["ticks"], slide["axis"]["title"]
    left = LEFT + 130
    scale = (RIGHT - left) / (ticks[-1] - ticks[0])
    drawn = []
    for tick in ticks:
        x = left + scale * tick
        drawn += [f"0.5 w 0.85 G {x:.3f} {FOOT:.3f} m {x:.3f} {HEAD:.3f} l S"]
        drawn += centred(x, FOOT - 16, str(tick), 11)
    drawn += centred((left + RIGHT) / 2, FOOT - 36, title, 12)
    step = (HEAD - FOOT) / len(slide["bars"])
    for index, (names, length, label) in enumerate(slide["bars"]):
        y = HEAD - step * (index + 0.75)
        drawn += rectangle(left, y, scale * length, step / 2, COLOURS[index % 3])
        drawn += text(left + scale * length + 6, y + step / 4 - 4, label, 12)
        for line, name in enumerate(names):
            drawn += text(LEFT - 20, y + step / 4 + 3 - 14 * line, name, 11)
    return drawn


def curves(slide: dict[str, Any]) -> list[str]:
    """One curve per system between two plain axes, and the legend."""
    drawn = [f"1 w 0 G {LEFT} {HEAD} m {LEFT} {FOOT} l {RIGHT} {FOOT} l S"]
    for index, name in enumerate(slide["curves"]):
        y = FOOT + 150 - 120 * index
        drawn += [f"2 w {COLOURS[index]} RG {LEFT + 40} {y} m {LEFT + 150} {y + 30} l {LEFT + 330} {y + 42} l S"]
        drawn += text(LEFT + 340, y + 38, name, 12)
    for index, entry in enumerate(slide.get("legend", ())):
        drawn += rectangle(60, 380 - 40 * index, 9, 9, COLOURS[index]) + text(75, 380 - 40 * index, entry, 11)
    return drawn


def rectangle(x: float, y: float, width: float, height: float, colour: str) -> list[str]:
    return [f"{colour} rg {x:.3f} {y:.3f} {width:.3f} {height:.3f} re f"]


def text(x: float, y: float, words: str, size: float, font: str = "F1") -> list[str]:
    escaped = words.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
    return [f"0 g BT /{font} {size:g} Tf {x:.3f} {y:.3f} Td ({escaped}) Tj ET"]


def centred(middle: float, y: float, words: str, size: float) -> list[str]:
    widths = FONT_METRICS["Helvetica"][1]
    return text(middle - sum(widths.get(letter, 500) for letter in words) * size / 2000, y, words, size)


if __name__ == "__main__":
    Path(sys.argv[1]).write_bytes(make_deck())
