"""The tolerances of the geometry: distances in points, shares of a plot, heights of text, numbers
of shapes.
"""


class SETTINGS:
    """Each has its reason beside it."""

    # A page with more shapes is a drawing or a map; reading it as a chart would take too long.
    max_shapes = 20_000
    # A page has no more axes in each direction; a long table has as many columns of numbers.
    max_axes = 48
    # A plot with more filled boxes, or more strokes or signs, is a map, a raster or a texture.
    max_boxes = 500
    max_pieces = 4000
    # A page with more boxes of lines is a table or a map; near an axis, only as many strokes are
    # compared with labels.
    max_frames = 400
    max_strokes = 300
    # So many vertices without bends cut a line in pieces.
    hatching = 8
    # An arrow has at most so many vertices.
    leader_points = 4

    # Shares: what is as good as all of a length, nearly all of it, most of it, half of it, and a
    # part that counts.
    grid = 0.9
    covers = 0.85
    most = 0.6
    half = 0.5
    part = 0.15

    # Drawing: a stroke that leaves its direction by less is straight, a filled box thinner than
    # `thin` is a stroke.
    straight = 0.3
    thin = 1.6
    # Boxes whose edges differ by less are one box, or are on one line; signs nearer than that are
    # at one place.
    same = 0.8
    same_place = 0.7
    # Edges of a frame, ends of gridlines and labels meet within this distance; points of several
    # lines at one category.
    meets = 3.0
    aligned = 1.6
    # Producers round positions to this at worst.
    position = 0.12
    # Shorter strokes are tick marks, thinner boxes are strokes, thicker strokes are no lines;
    # upright ones may be bars.
    long = 25.0
    min_breadth = 1.0
    max_width = 8.0
    broad_stroke = 3.0
    # Bars begin no farther from the base line of an axis, which is off the value zero by at most
    # this share of it.
    base_slack = 1.2
    base_share = 0.012
    min_plot = 15.0
    # Signs of a legend, its strokes, and markers are no larger; shorter level strokes are no grid.
    sign = 10.0
    legend_line = 60.0
    marker = 16.0
    # A triangle broader than high by this factor is drawn around its centre of gravity.
    equilateral = 1.1
    # A vertex off its neighbours by a smaller share of their distance is no bend.
    in_line = 0.02

    # How far plots reach beyond their last label, in steps, and boxes around them as a share of the
    # axis.
    steps_beyond = 1.05
    frame_beyond = 1.6
    # Marks and names are within this distance of the labels and the plot.
    reach = 34.0
    # How exactly labels and marks are on their scale.
    max_residual = 0.006
    max_shift = 0.75

    # Names, in heights of their text; a heading is set in type larger by this factor than what is
    # below it.
    closer = 1.35
    lying_reach = 8.0
    name_gap = 0.9
    line_gap = 0.34
    label_rows = 2.0
    sign_gap = 2.5
    sign_level = 0.65
    value_reach = 1.5
    title_reach = 3.5
    heading = 1.2

    # Bars without axis: how exactly they agree in breadth and foot, how small they may be, how
    # exactly they end.
    same_ratio = 1.0
    ratio_breadth = 6.0
    ratio_end = 0.4
    # A logo, an icon or a portrait covers a smaller share of its page, or is less broad or high.
    picture_share = 0.06
    picture_side = 90.0
