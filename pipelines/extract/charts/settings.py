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
    # A plot with more filled boxes, or more strokes or signs, is a map, a raster or a texture.
    max_boxes: int = 500
    max_pieces: int = 4000
    # A page with more boxes of lines is a table or a map; near an axis, only as many strokes are compared with labels.
    max_frames: int = 400
    max_strokes: int = 300
    # So many vertices without bends cut a line in pieces.
    hatching: int = 8
    # An arrow has at most so many vertices.
    leader_points: int = 4

    # Shares: what is as good as all of a length, nearly all of it, most of it, half of it, and a part that counts.
    grid: float = 0.9
    covers: float = 0.85
    most: float = 0.6
    half: float = 0.5
    part: float = 0.15

    # Drawing: a stroke that leaves its direction by less is straight, a filled box thinner than `thin` is a stroke.
    straight: float = 0.3
    thin: float = 1.6
    # Boxes whose edges differ by less are one box, or are on one line; signs nearer than that are at one place.
    same: float = 0.8
    same_place: float = 0.7
    # Edges of a frame, ends of gridlines and labels meet within this distance; points of several lines at one category.
    meets: float = 3.0
    aligned: float = 1.6
    # Producers round positions to this at worst.
    position: float = 0.12
    # Shorter strokes are tick marks, thinner boxes are strokes, thicker strokes are no lines; upright ones may be bars.
    long: float = 25.0
    min_breadth: float = 1.0
    max_width: float = 8.0
    broad_stroke: float = 3.0
    # Bars begin no farther from the base line of an axis, which is off the value zero by at most this share of it.
    base_slack: float = 1.2
    base_share: float = 0.012
    min_plot: float = 15.0
    # Signs of a legend, its strokes, and markers are no larger; shorter level strokes are no grid.
    sign: float = 10.0
    legend_line: float = 60.0
    marker: float = 16.0
    # A triangle broader than high by this factor is drawn around its centre of gravity.
    equilateral: float = 1.1
    # A vertex off its neighbours by a smaller share of their distance is no bend.
    in_line: float = 0.02

    # How far plots reach beyond their last label, in steps, and boxes around them as a share of the axis.
    steps_beyond: float = 1.05
    frame_beyond: float = 1.6
    # Marks and names are within this distance of the labels and the plot.
    reach: float = 34.0
    # How exactly labels and marks are on their scale.
    max_residual: float = 0.006
    max_shift: float = 0.75

    # Names, in heights of their text; a heading is set in type larger by this factor than what is below it.
    closer: float = 1.35
    lying_reach: float = 8.0
    name_gap: float = 0.9
    line_gap: float = 0.34
    label_rows: float = 2.0
    sign_gap: float = 2.5
    sign_level: float = 0.65
    value_reach: float = 1.5
    title_reach: float = 3.5
    heading: float = 1.2

    # Bars without axis: how exactly they agree in breadth and foot, how small they may be, how exactly they end.
    same_ratio: float = 1.0
    ratio_breadth: float = 6.0
    ratio_end: float = 0.4
    # A logo, an icon or a portrait covers a smaller share of its page, or is less broad or high.
    picture_share: float = 0.06
    picture_side: float = 90.0


SETTINGS = ChartSettings()
