"""Charts of Excel workbooks (with the package `xlsxwriter`) and slides with callouts, drawn by LibreOffice (`soffice`)."""

# ruff: noqa: E501
# Elements stand in one line each, as they are written out.

# mypy: ignore-errors
from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from makers.charts.layouts import Data, Known, write_marks

try:
    import xlsxwriter
except ImportError:
    xlsxwriter = None


def office_levels(data, book, sheet):
    """Two levels of categories: platforms under each bar, models under brackets of them."""
    groups, inner = data.models(3), data.platforms(3)
    values = data.values(9, 75)
    rows = [(group if i == 0 else "", name) for group in groups for i, name in enumerate(inner)]
    for place, ((group, name), value) in enumerate(zip(rows, values, strict=True)):
        sheet.write_row(place, 0, (group or None, name, value))
    chart = book.add_chart({"type": data.dice.choice(("column", "bar"))})
    chart.add_series({"categories": ["Sheet1", 0, 0, 8, 1], "values": ["Sheet1", 0, 2, 8, 2]})
    names = [f"{name} {group}" for group in groups for name in inner]
    return chart, 80, [("bar", "", name, None, value) for name, value in zip(names, values, strict=True)]


def office_columns(data, book, sheet):
    """Columns side by side with the looks of a newly made chart of Excel."""
    names, series = data.models(4), data.platforms(3)
    rows = [data.values(4, 430) for _ in series]
    chart = book.add_chart({"type": data.dice.choice(("column", "bar"))})
    sheet.write_row(0, 1, series)
    for place, name in enumerate(names):
        sheet.write_row(place + 1, 0, [name, *(row[place] for row in rows)])
    patterns = data.dice.random() < 0.3
    for index in range(3):
        look = {"pattern": {"pattern": ("wide_upward_diagonal", "percent_20", "trellis")[index], "fg_color": "#4472C4"}}
        chart.add_series({
            "name": ["Sheet1", 0, index + 1], "categories": ["Sheet1", 1, 0, 4, 0],
            "values": ["Sheet1", 1, index + 1, 4, index + 1], **(look if patterns else {}),
        })  # fmt: skip
    chart.set_legend({"position": data.dice.choice(("bottom", "right", "top"))})
    return chart, 500, [
        ("bar", label, name, None, value)
        for label, row in zip(series, rows, strict=True) for name, value in zip(names, row, strict=True)
    ]  # fmt: skip


def office_scatter(data, book, sheet):
    """Points and lines on two scales."""
    xs, series = data.xs(6), data.platforms(2)
    rows = [data.rising(6, 75) for _ in series]
    chart = book.add_chart({"type": "scatter", "subtype": data.dice.choice(("straight_with_markers", "straight"))})
    for place, x in enumerate(xs):
        sheet.write_row(place + 1, 0, [x, *(row[place] for row in rows)])
    sheet.write_row(0, 1, series)
    for index in (1, 2):
        chart.add_series({
            "name": ["Sheet1", 0, index], "categories": ["Sheet1", 1, 0, 6, 0],
            "values": ["Sheet1", 1, index, 6, index],
        })  # fmt: skip
    top = 10 * (int(max(xs) / 10) + 1)
    chart.set_x_axis({"min": 0, "max": top})
    return chart, 80, [
        ("point", name, "", x, value)
        for name, row in zip(series, rows, strict=True) for x, value in zip(xs, row, strict=True)
    ]  # fmt: skip


def _label(text: str, x: float, y: float, width: float, to: tuple[float, float] | None = None) -> str:
    """A text on a slide, in cm; with a callout to a place it is a caption of LibreOffice."""
    name, corner = (
        ("draw:frame", "")
        if to is None
        else ("draw:caption", f'draw:caption-point-x="{to[0] - x:.3f}cm" draw:caption-point-y="{to[1] - y:.3f}cm"')
    )
    paragraph = f'<text:p text:style-name="small">{text}</text:p>'
    body = f"<draw:text-box>{paragraph}</draw:text-box>" if to is None else paragraph
    style = "bare" if to is None else "callout"
    return f'<{name} draw:style-name="{style}" svg:x="{x:.3f}cm" svg:y="{y:.3f}cm" svg:width="{width}cm" svg:height="0.7cm" {corner}>{body}</{name}>'


def callouts(data) -> tuple[str, list[Known]]:
    """A slide with bars or points, drawn by hand, and callouts or strokes from texts to them."""
    names, values, bars = data.models(5), data.values(5, 90), data.dice.random() < 0.5
    how = data.dice.choice(("caption", "caption", "line"))
    shapes = ['<draw:line draw:style-name="axis" svg:x1="3cm" svg:y1="13cm" svg:x2="3cm" svg:y2="2cm"/>']
    shapes.append('<draw:line draw:style-name="axis" svg:x1="3cm" svg:y1="13cm" svg:x2="19.5cm" svg:y2="13cm"/>')
    for value in range(0, 101, 20):
        y = 13 - value / 10
        shapes += [f'<draw:line draw:style-name="axis" svg:x1="2.8cm" svg:y1="{y}cm" svg:x2="3cm" svg:y2="{y}cm"/>']
        shapes += [_label(str(value), 1.2, y - 0.35, 1.5)]
    for place, (name, value) in enumerate(zip(names, values, strict=True)):
        x, y = 4.5 + 3 * place, 13 - value / 10
        shapes.append(
            f'<draw:rect draw:style-name="mark" svg:x="{x - 0.6}cm" svg:y="{y}cm" svg:width="1.2cm" svg:height="{13 - y}cm"/>'
            if bars
            else f'<draw:ellipse draw:style-name="mark" svg:x="{x - 0.1}cm" svg:y="{y - 0.1}cm" svg:width="0.2cm" svg:height="0.2cm"/>'
        )
        away, up = data.dice.choice((0.6, 1.0)), data.dice.choice((1.4, 2.0))
        if how == "caption":
            shapes.append(_label(name, x + away, y - up, 2.8, (x, y)))
        else:
            shapes.append(
                f'<draw:line draw:style-name="axis" svg:x1="{x + away}cm" svg:y1="{y - up + 0.6}cm" svg:x2="{x}cm" svg:y2="{y - 0.12}cm"/>'
            )
            shapes.append(_label(name, x + away - 0.2, y - up, 2.8))
    mark = "bar" if bars else "point"
    return "".join(shapes), [
        Known("libreoffice", "callouts", 1, mark, "", name, None, value, 0, 100)
        for name, value in zip(names, values, strict=True)
    ]


def _style(name: str, look: str) -> str:
    return f'<style:style style:name="{name}" style:family="graphic"><style:graphic-properties {look}/></style:style>'


def make_callouts(seed: int, path: Path) -> list[Known]:
    """Write a slide with callouts; what it shows."""
    shapes, marks = callouts(Data(seed))
    spaces = " ".join(f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{uri}:1.0"' for name, uri in SPACES.items())
    styles = _style("axis", 'draw:stroke="solid" svg:stroke-width="0.02cm" svg:stroke-color="#333333"')
    styles += _style("mark", 'draw:stroke="none" draw:fill="solid" draw:fill-color="#4472c4"')
    styles += _style(
        "bare", 'draw:stroke="none" draw:fill="none" fo:padding="0cm" draw:textarea-horizontal-align="left"'
    )
    styles += _style(
        "callout",
        'draw:stroke="solid" svg:stroke-width="0.02cm" svg:stroke-color="#808080" draw:fill="none" fo:padding="0.1cm"',
    )
    styles += '<style:style style:name="small" style:family="paragraph"><style:text-properties fo:font-size="11pt"/></style:style>'
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, f"{path.stem}.fodg")
        source.write_text(
            f'<?xml version="1.0" encoding="UTF-8"?><office:document {spaces} office:version="1.3" '
            'office:mimetype="application/vnd.oasis.opendocument.graphics"><office:automatic-styles>'
            '<style:page-layout style:name="P"><style:page-layout-properties fo:page-width="21cm" fo:page-height="29.7cm"/></style:page-layout>'
            f'{styles}</office:automatic-styles><office:master-styles><style:master-page style:name="M" style:page-layout-name="P"/></office:master-styles>'
            f'<office:body><office:drawing><draw:page draw:master-page-name="M">{shapes}</draw:page></office:drawing></office:body></office:document>',
            "utf-8",
        )  # fmt: skip
        _convert(source, path)
    return marks


def _convert(source: Path, path: Path) -> None:
    subprocess.run(
        [
            "soffice", f"-env:UserInstallation=file://{Path.home()}/.cache/chart_makers", "--headless",
            "--convert-to", "pdf", "--outdir", str(path.parent), str(source),
        ],
        check=True, capture_output=True, timeout=180,
    )  # fmt: skip


SPACES = {
    "office": "office", "style": "style", "text": "text", "draw": "drawing", "svg": "svg-compatible",
    "fo": "xsl-fo-compatible",
}  # fmt: skip
LAYOUTS = (office_levels, office_columns, office_scatter)


def make(layout, seed: int, path: Path) -> list[Known]:
    """Write one layout as one page; what it shows."""
    data = Data(seed)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, f"{path.stem}.xlsx")
        book = xlsxwriter.Workbook(str(source))
        sheet = book.add_worksheet()
        chart, high, marks = layout(data, book, sheet)
        chart.set_y_axis({"min": 0, "max": high, "name": "Throughput (images/sec)"})
        if len(chart.series) == 1:
            chart.set_legend({"none": True})
        page = book.add_chartsheet()
        page.set_chart(chart)
        page.activate()
        sheet.hide()
        book.close()
        _convert(source, path)
    x_range = max((x for *_, x, _ in marks if x is not None), default=0.0)
    return [
        Known("libreoffice", layout.__name__, 1, mark, series, category, x, value, 0, high, False, x_range)
        for mark, series, category, x, value in marks
    ]


def make_all(folder: Path, first: int, count: int) -> None:
    """Write `count` pages of each layout, with what they show beside them."""
    if not shutil.which("soffice"):
        print("layouts of LibreOffice: left out, as soffice is not installed")
        return
    if xlsxwriter is None:
        print("layouts of workbooks: left out, as xlsxwriter is not installed")
    for seed in range(first, first + count):
        path = folder / f"layout_office_callouts_{seed}.pdf"
        write_marks(make_callouts(seed, path), path.with_suffix(".marks.csv"))
        for layout in LAYOUTS if xlsxwriter else ():
            name = f"layout_{layout.__name__}_{seed}"
            write_marks(make(layout, seed, folder / f"{name}.pdf"), folder / f"{name}.marks.csv")
