"""Charts of Excel workbooks, drawn by LibreOffice; needs the package `xlsxwriter` and the program `soffice`."""

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
        subprocess.run(
            [
                "soffice", f"-env:UserInstallation=file://{Path.home()}/.cache/chart_makers", "--headless",
                "--convert-to", "pdf", "--outdir", str(path.parent), str(source),
            ],
            check=True, capture_output=True, timeout=180,
        )  # fmt: skip
    x_range = max((x for *_, x, _ in marks if x is not None), default=0.0)
    return [
        Known("libreoffice", layout.__name__, 1, mark, series, category, x, value, 0, high, False, x_range)
        for mark, series, category, x, value in marks
    ]


def make_all(folder: Path, first: int, count: int) -> None:
    """Write `count` pages of each layout, with what they show beside them."""
    if xlsxwriter is None or not shutil.which("soffice"):
        print("layouts of workbooks: left out, as xlsxwriter or soffice is not installed")
        return
    for layout in LAYOUTS:
        for seed in range(first, first + count):
            name = f"layout_{layout.__name__}_{seed}"
            write_marks(make(layout, seed, folder / f"{name}.pdf"), folder / f"{name}.marks.csv")
