"""The tolerances of the geometry in one place: distances on the page, and those in heights of its text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ChartSettings:
    """Distances in points, shares of a plot, and numbers of shapes; each has its reason beside it."""

    # A page with more shapes is a drawing or a map; reading it as a chart would take too long.
    max_shapes: int = 20_000
    # A page has no more axes in each direction; a long table has as many columns of numbers.
    max_axes: int = 48
    # A plot with more filled boxes, strokes or signs is a map, a raster or a texture.
    max_boxes: int = 500
    max_pieces: int = 4000
    max_markers: int = 3000
    # A page with more boxes of lines is a table or a map.
    max_frames: int = 400
    # Near an axis, only as many strokes are compared with its labels.
    max_strokes: int = 300

    # Drawing: a stroke that leaves its direction by less is straight, a filled box thinner than `thin` is a stroke.
    straight: float = 0.3
    thin: float = 1.6
    # Boxes whose edges differ by less are one box, or are on one line; pieces of one line meet within `joins`.
    same: float = 0.8
    joins: float = 0.6
    # Edges of a frame, ends of gridlines and labels meet within this distance.
    meets: float = 3.0
    # A mark may be this far outside of its plot; a line that ends this near to an edge may be cut there.
    inside: float = 0.7
    edge: float = 0.35
    # Producers round positions to this at worst.
    position: float = 0.12
    # Shorter strokes are tick marks, thinner boxes are strokes, thicker strokes are bars or no lines at all.
    long: float = 25.0
    min_breadth: float = 1.0
    thick_stroke: float = 3.0
    max_width: float = 8.0
    min_plot: float = 15.0

    # Signs: of a legend, as markers, at one place, at the share of points that makes them those of a line.
    sign: float = 10.0
    legend_line: float = 60.0
    marker: float = 16.0
    min_marker: float = 1.2
    same_place: float = 0.7
    marked: float = 0.6
    on_line: float = 0.8
    # A triangle broader than high by this factor is drawn around its centre of gravity.
    equilateral: float = 1.1
    # Points of several lines at one category are within this distance.
    same_c: float = 1.5
    # A line of so many vertices, this share of which are no bends, is cut in pieces.
    pieces: int = 9
    cut_pieces: float = 0.6
    in_line: float = 0.02
    # Of so many lines of two vertices painted alike none is a series; a leader has at most so many vertices.
    hatching: int = 8
    leader_points: int = 4

    # Bars: the share of its box that a path fills, and the share of the plot that makes it a background.
    bar_fill: float = 0.86
    rounded_fill: float = 0.79
    band: float = 0.92
    # Boxes of one size that cover this share of the plot without a gap are cells of a table.
    cells: float = 0.7
    # More than this share of boxes that stand nowhere, and no bar of the plot is trusted.
    loose: float = 0.5
    # The base line is off the value zero by at most this share of the axis.
    base_share: float = 0.012

    # Plots: how far they reach beyond their last label, in steps, and as a share of a framed axis.
    steps_beyond: float = 1.05
    share_beyond: float = 0.6
    clip_beyond: float = 1.6
    # A plot within another one is smaller than this share of it; plots that share more are one plot.
    inset: float = 0.5
    same_plot: float = 0.5
    # A filled area spans at least this share of its plot, a cross scale that, a gridline that.
    least_area: float = 0.15
    least_cross: float = 0.2
    grid: float = 0.9
    covers: float = 0.85
    cross_reach: float = 40.0
    least_grid: float = 60.0
    # A number further off the place that the scale gives it, in steps, is of another scale.
    off_scale: float = 0.5
    # Without tick marks, a plot begins within this distance of its labels.
    label_gap: float = 12.0

    # Axes: how exactly labels and marks are on their scale.
    aligned: float = 1.6
    text_share: float = 0.4
    text_off: float = 0.5
    max_residual: float = 0.006
    exact: float = 0.25
    step_fault: float = 0.05
    max_shift: float = 0.75
    same_shift: float = 0.5
    mark_reach: float = 34.0
    raised_size: float = 0.9

    # Names, in heights of their text but for `name_reach` and `value_off` in points.
    same_column: float = 0.8
    closer: float = 1.35
    name_reach: float = 34.0
    lying_reach: float = 8.0
    name_gap: float = 0.9
    line_gap: float = 0.34
    place: float = 0.6
    tight: float = 0.7
    label_rows: float = 2.0
    sign_gap: float = 2.5
    entry_gap: float = 0.75
    sign_level: float = 0.4
    legend_row: float = 2.5
    value_reach: float = 1.5
    value_off: float = 3.0
    title_reach: float = 3.5
    # A heading of a page is set in type larger by this factor than what is below it.
    heading: float = 1.2

    # Bars without axis: how exactly they agree in breadth and foot, how small they may be, how exactly they end.
    same_ratio: float = 1.0
    ratio_breadth: float = 6.0
    ratio_length: float = 0.2
    ratio_end: float = 0.4
    # A logo, an icon or a portrait covers a smaller share of its page, or is less broad or high.
    picture_share: float = 0.06
    picture_side: float = 90.0


SETTINGS = ChartSettings()
