"""Charts drawn by LibreOffice Calc and Impress from a flat document; needs the program `soffice`."""

# ruff: noqa: E501, E731
# Markup and commands stand in one line each, as they are written out.
from __future__ import annotations

import subprocess
import tempfile
from dataclasses import replace
from html import escape
from pathlib import Path

from makers.charts.plans import Plan

PROGRAM = "soffice"
KINDS = ("bar", "grouped", "stacked", "line")
NAMESPACES = " ".join(
    f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{full}:1.0"'
    for short, full in (
        ("office", "office"), ("style", "style"), ("text", "text"), ("table", "table"), ("draw", "drawing"),
        ("chart", "chart"), ("svg", "svg-compatible"), ("fo", "xsl-fo-compatible"), ("presentation", "presentation"),
    )
)  # fmt: skip
COLOURS = (
    ("#004586", "#ff420e", "#ffd320"), ("#4472c4", "#ed7d31", "#a5a5a5"), ("#1b9e77", "#d95f02", "#7570b3"),
    ("#333333", "#888888", "#cccccc"), ("#e41a1c", "#377eb8", "#4daf4a"),
)  # fmt: skip


def adapt(plan: Plan) -> Plan:
    """The plan as its charts show it: what stands below a line is a category, numbers too."""
    return replace(plan, categories=plan.categories or tuple(f"{x:g}" for x in plan.xs), xs=())


def make(plan: Plan, path: Path) -> None:
    """Write the plan as one page, in a sheet or on a slide."""
    suffix, document = (".fods", sheet(plan)) if plan.looks["font"] else (".fodp", slide(plan))
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, path.stem + suffix)
        source.write_text(document, "utf-8")
        subprocess.run(
            [
                "soffice", f"-env:UserInstallation=file://{Path.home()}/.cache/chart_makers", "--headless",
                "--convert-to", "pdf", "--outdir", str(path.parent), str(source),
            ],
            check=True, capture_output=True, timeout=180,
        )  # fmt: skip


def sheet(plan: Plan) -> str:
    """A spreadsheet with nothing but the chart."""
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document {NAMESPACES} office:version="1.3" '
        'office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:body><office:spreadsheet>'
        f'<table:table table:name="Sheet1"><table:shapes>{_frame(plan, "15cm", "9cm")}</table:shapes>'
        "<table:table-column/><table:table-row><table:table-cell/></table:table-row></table:table>"
        "</office:spreadsheet></office:body></office:document>"
    )


def slide(plan: Plan) -> str:
    """A slide with the chart."""
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document {NAMESPACES} office:version="1.3" '
        'office:mimetype="application/vnd.oasis.opendocument.presentation"><office:body><office:presentation>'
        f'<draw:page draw:name="page1">{_frame(plan, "22cm", "14cm")}</draw:page>'
        "</office:presentation></office:body></office:document>"
    )


def _frame(plan: Plan, width: str, height: str) -> str:
    return f'<draw:frame svg:width="{width}" svg:height="{height}" svg:x="1cm" svg:y="1cm"><draw:object>{_chart(plan, width, height)}</draw:object></draw:frame>'


def _chart(plan: Plan, width: str, height: str) -> str:
    colours = COLOURS[plan.looks["colour"]]
    lines, count = len(plan.values), len(plan.categories) or len(plan.xs)
    kind = "line" if plan.kind == "line" else "bar"
    plot = f'chart:vertical="{str(plan.lying).lower()}" chart:stacked="{str(plan.kind == "stacked").lower()}"'
    logarithmic = 'chart:logarithmic="true"' if plan.log else ""
    symbol = 'chart:symbol-type="automatic"' if plan.looks["markers"] else 'chart:symbol-type="none"'
    label = 'chart:data-label-number="value"' if plan.printed else ""
    styles = [
        f'<style:style style:name="plot" style:family="chart"><style:chart-properties {plot}/></style:style>',
        '<style:style style:name="x" style:family="chart"><style:chart-properties chart:display-label="true" chart:text-overlap="true" text:line-break="true"/></style:style>',
        f'<style:style style:name="y" style:family="chart"><style:chart-properties chart:display-label="true" chart:tick-marks-major-outer="true" {logarithmic}/></style:style>',
        '<style:style style:name="grid" style:family="chart"><style:graphic-properties svg:stroke-color="#cccccc"/></style:style>',
    ]
    for i in range(lines):
        fill = 'draw:fill="solid"'
        stroke = (
            f'draw:stroke="solid" svg:stroke-width="0.08cm" svg:stroke-color="{colours[i]}"'
            if kind == "line"
            else 'draw:stroke="none"'
        )
        styles.append(
            f'<style:style style:name="s{i}" style:family="chart"><style:chart-properties {symbol} {label}/>'
            f'<style:graphic-properties {stroke} {fill} draw:fill-color="{colours[i]}"/></style:style>'
        )
    grid = '<chart:grid chart:style-name="grid" chart:class="major"/>' if plan.looks["grid"] else ""
    series = "".join(
        f'<chart:series chart:style-name="s{i}" chart:values-cell-range-address="local-table.{chr(66 + i)}2:.{chr(66 + i)}{count + 1}" '
        f'chart:label-cell-address="local-table.{chr(66 + i)}1" chart:class="chart:{kind}"><chart:data-point chart:repeated="{count}"/></chart:series>'
        for i in range(lines)
    )
    legend = (
        f'<chart:legend chart:legend-position="{("end", "bottom", "top")[plan.looks["colour"] % 3]}"/>'
        if lines > 1
        else ""
    )
    places = plan.categories or tuple(f"{x:g}" for x in plan.xs)
    cell = lambda v: (
        f'<table:table-cell office:value-type="float" office:value="{v}"><text:p>{v}</text:p></table:table-cell>'
    )
    words = lambda v: f'<table:table-cell office:value-type="string"><text:p>{escape(v)}</text:p></table:table-cell>'
    head = "".join(words(name or "data") for name in plan.series)
    rows = "".join(
        f"<table:table-row>{words(name)}{''.join(cell(row[i]) for row in plan.values)}</table:table-row>"
        for i, name in enumerate(places)
    )
    return (
        f'<office:document office:mimetype="application/vnd.oasis.opendocument.chart" office:version="1.3"><office:automatic-styles>{"".join(styles)}</office:automatic-styles>'
        f'<office:body><office:chart><chart:chart svg:width="{width}" svg:height="{height}" chart:class="chart:{kind}">{legend}'
        f'<chart:plot-area chart:style-name="plot" chart:data-source-has-labels="both">'
        f'<chart:axis chart:dimension="x" chart:name="primary-x" chart:style-name="x"><chart:categories table:cell-range-address="local-table.A2:.A{count + 1}"/></chart:axis>'
        f'<chart:axis chart:dimension="y" chart:name="primary-y" chart:style-name="y"><chart:title><text:p>{escape(plan.axis_title)}</text:p></chart:title>{grid}</chart:axis>'
        f"{series}</chart:plot-area>"
        f'<table:table table:name="local-table"><table:table-header-columns><table:table-column/></table:table-header-columns><table:table-columns><table:table-column table:number-columns-repeated="{lines}"/></table:table-columns>'
        f"<table:table-header-rows><table:table-row><table:table-cell/>{head}</table:table-row></table:table-header-rows><table:table-rows>{rows}</table:table-rows></table:table>"
        "</chart:chart></office:chart></office:body></office:document>"
    )
