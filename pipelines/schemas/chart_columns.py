"""Columns about drawn charts."""

from __future__ import annotations

from pipelines.schemas.column import ID, Column

_TABLE = "resolved.chart_values"

COLUMNS = (
    Column("chart_value_id", "text", "identifier of the bar or point", pattern=ID),
    Column("drawn_page", "integer", "page that the bar or point is drawn on, from 1", at_least=1),
    Column("drawn_x0", "number", "left edge of the bar's or point's box in points, cut to the plot"),
    Column("drawn_top", "number", "upper edge of that box in points"),
    Column("drawn_x1", "number", "right edge of that box in points"),
    Column("drawn_bottom", "number", "lower edge of that box in points"),
    Column("page", "integer", "page that the bar or point is drawn on, from 1", at_least=1, table=_TABLE),
    Column("x0", "number", "left edge of the bar's or point's box in points, cut to the plot", table=_TABLE),
    Column("top", "number", "upper edge of that box in points", table=_TABLE),
    Column("x1", "number", "right edge of that box in points", table=_TABLE),
    Column("bottom", "number", "lower edge of that box in points", table=_TABLE),
    Column("chart_number", "integer", "number of the chart on its page, from 1", at_least=1),
    Column("mark_number", "integer", "number of the bar or point in its chart, from 1", at_least=1),
    Column("mark", "text", "what is drawn", one_of=("bar", "line_point", "scatter_point")),
    Column(
        "method",
        "text",
        "where the value is from: a number printed at the bar, the geometry and the axis, or, without an axis, the "
        "ratio to the shortest bar",
        one_of=("printed", "geometry", "ratio"),
    ),
    Column("series_printed", "text", "what the legend says of the colour; unknown where no legend does"),
    Column("category_printed", "text", "label at the place of the bar or point; unknown where none stands there"),
    Column("x_value", "number", "value on the other axis, where that is a scale"),
    Column("axis_printed", "text", "title of the value axis"),
    Column("axis_scale", "text", "linear or log (base ten); null without an axis", one_of=("linear", "log")),
    Column("printed_value", "number", "number printed at the bar; without an axis the factor claimed beside it"),
    Column("printed_low", "number", "least value that the rounding of the printed number allows"),
    Column("printed_high", "number", "greatest value that the rounding of the printed number allows"),
    Column("drawn_value", "number", "what the geometry says"),
    Column("drawn_low", "number", "least value that the precision of the drawing allows"),
    Column("drawn_high", "number", "greatest value that the precision of the drawing allows"),
    Column(
        "agrees", "flag", "true where printed number and drawn value meet within their intervals; null without both"
    ),
)
