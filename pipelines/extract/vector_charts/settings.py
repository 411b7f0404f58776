"""The tolerances of the geometry in one place: distances on the page, and those in heights of its text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ChartSettings:
    """Distances in points, shares of a plot, and numbers of shapes.

    Attributes:
        max_shapes: A page with more shapes is a drawing or a map; reading it as a chart would take too long.
        max_axes: A page has no more axes in each direction; a long table has as many columns of numbers.
        max_boxes: A plot with more filled boxes is a map or a raster.
        max_pieces: A plot with more strokes is a map or a texture.
        max_markers: A plot with more signs is a texture.
        max_strokes: Near an axis, only as many strokes are looked at.
        max_frames: A page with more boxes of lines is a table or a map.
        straight: A stroke that leaves its direction by less is straight for the eye.
        hatch: Slanted strokes of a hatching are no farther from each other, level and upright ones half as far.
        thin: A filled box thinner than this is drawn as a line: LibreOffice and browsers fill ticks and gridlines.
        same: Boxes whose edges differ by less are the same box, or stand on one line.
        meets: Edges of a frame, ends of gridlines and labels meet within this distance.
        joins: Pieces of one line meet within this distance.
        inside: A mark may stand this far outside of its plot: half of a stroke, and rounding.
        edge: A line that ends within this distance of an edge of its plot may have been cut there.
        position: Positions are rounded by their producer to this at worst.
        long: Shorter strokes are tick marks.
        min_plot: A smaller box frames no plot.
        min_breadth: Thinner boxes are strokes.
        thick_stroke: A thicker stroke is a bar.
        max_width: A thicker stroke is no line.
        sign: A box no larger than this is a marker or the sign of a legend.
        least_sign: A shorter stroke is no sign of a legend.
        legend_line: A longer stroke is no sign of a legend.
        marker: A larger sign is no marker.
        min_marker: A smaller sign is a dot of a dashed line.
        equilateral: A triangle broader than high by this factor stands around its centre of gravity.
        dots: More strokes too short to be seen alone draw curves or a texture.
        letters: A letter printed in a plot so often is a marker.
        same_place: Signs nearer than this are one sign, drawn in several strokes.
        marked: Signs at this share of the points of a line are its markers.
        on_line: Of signs of one look this share is on a smooth line that leads through them.
        hatching: So many parallel strokes that one box cuts are its hatching.
        in_line: A vertex as near to the line through its neighbours is no bend.
        pieces: A line with fewer vertices is not cut into pieces.
        cut_pieces: One of which this share is no bends is.
        same_c: Points of several lines at one category stand within this distance.
        bar_fill: A path that fills less of its box is no bar: a circle fills 0.785.
        rounded_fill: A rounded end may fill less, when the bar is not short.
        band: A box as broad as this share of the plot is a background or a band.
        cells: Boxes of one size that cover this share of the plot without a gap are cells of a table.
        covers: A box that frames a plot is at least this share of its axis long.
        steps_beyond: A plot reaches beyond its last label by up to so many steps.
        share_beyond: A framed plot may reach further, by this share of its axis: a log axis with few labels.
        clip_beyond: A clipping box is a plot even this far beyond the labels that were read.
        inset: A plot within another one is smaller than this share of it.
        least_area: A filled area spans at least this share of its plot.
        least_cross: A scale across a plot is at least this share of it long.
        cross_reach: Its labels stand within this distance of the plot.
        off_scale: A number further off the place that the scale gives it, in steps of it, tells of another scale.
        run_together: Of labels printed over one another each is this near to its place, in heights of it.
        label_gap: Without tick marks, a plot begins within this distance of its labels.
        same_plot: Plots of which more than this share is common are one plot.
        least_grid: A shorter stroke is no line of a grid of its own.
        grid: A straight stroke across this share of the plot is a gridline.
        loose: More than this share of boxes that stand nowhere, and no bar of the plot is trusted.
        leader_points: A stroke with more points is no leader.
        least_leader: A shorter one is a tick.
        leader_text: A leader begins within this distance of its text.
        leader_gap: It ends within this distance of its mark.
        leader_off: It points at its mark as exactly.
        leader_hit: A mark whose middle is as near to the end is the one, whatever stands beside it.
        leader_clear: The next text or mark is farther off by this much.
        word_gap: Words of one text stand closer, in heights of it.
        line_gap: Lines of one text stand closer, in heights of it.
        end_gap: A name begins within so many heights of it from the end of its line.
        end_off: Its middle is as near to the height of that end, in heights of it.
        bracket: A narrower stroke brackets no bars.
        bracket_reach: Brackets stand within this distance of the plot.
        bracket_text: Their names follow within so many heights.
        text_share: Without tick marks a scale is known only as well as text is placed, in heights of its labels.
        max_residual: A tick is off its scale by no more than this share of the axis.
        text_off: Text is placed this exactly; on a very short axis that is more than the share above.
        same_column: Columns of bars whose middles are nearer are one column.
        closer: Bars of one group stand closer than groups do, by this factor.
        name_reach: A name begins within this distance of its plot.
        lying_reach: The name of a lying bar ends within so many heights of it.
        place: A place reaches this far to either side of its middle, in distances of the nearest two.
        tight: Names broader than this share of their place were broken for want of room.
        slanted_reach: A slanted name begins within this distance of its plot.
        slanted_line: Its words differ in their distance from the line of the first by less, in heights of them.
        name_gap: Words of one name stand closer, in heights of them.
        sign_stroke: A shorter stroke of a legend is a tick.
        sign_gap: The text of a sign begins within so many heights of it.
        entry_gap: Words of one line of a legend stand closer, in heights of them.
        value_reach: A printed value stands within so many heights of the end of its bar.
        value_off: It is off the middle of its bar by no more than this.
        aligned: Labels of one axis end, begin or have their middle at one line, as exactly.
        exact: Marks of ticks are on their scale as exactly as they are drawn.
        step_fault: Printed ticks are rounded by this share of their step: 0.33, 0.67, 1.
        tick: A longer stroke is no tick.
        tick_reach: The ticks of an axis with one or two labels stand within this distance of them.
        digit_fault: A minor tick tells its digit when it is as near to it: 9 and 10 differ by a tenth.
        max_shift: The middle of a text is off that of its digits, from ascent to descent, by so many heights at most.
        same_shift: All labels are off by one and the same shift, as exactly.
        mark_reach: Tick marks and gridlines begin within this distance of their label.
        foot: A shorter line is a tick, not the foot of a plot.
        raised_size: Raised characters are smaller than this share of those they stand at.
        title_reach: The title of an axis stands within so many heights of its labels.
        same_ratio: Bars without axis agree as exactly in breadth and in the line they stand on.
        ratio_breadth: Thinner boxes are none of them.
        ratio_length: Shorter ones are none either.
        ratio_end: Their ends are known as exactly.
        sign_level: The middle of a sign is at the height of its text, in heights of it.
        legend_row: Lines of a legend follow each other within so many heights of their text.
        heading: A heading of a page is set in type larger by this factor than what it stands above.
        picture_share: A logo, an icon or a portrait covers a smaller share of its page,
        picture_side: or is less broad or high.
        label_rows: The labels of a chart begin within so many heights of the first one.
        base_share: The base line is off the value zero by at most this share of the axis.
    """

    max_shapes: int = 20_000
    max_axes: int = 48
    max_boxes: int = 500
    max_pieces: int = 4000
    max_markers: int = 3000
    max_strokes: int = 300
    max_frames: int = 400
    straight: float = 0.3
    hatch: float = 9.0
    thin: float = 1.6
    same: float = 0.8
    meets: float = 3.0
    joins: float = 0.6
    inside: float = 0.7
    edge: float = 0.35
    position: float = 0.12
    long: float = 25.0
    min_plot: float = 15.0
    min_breadth: float = 1.0
    thick_stroke: float = 3.0
    max_width: float = 8.0
    sign: float = 10.0
    least_sign: float = 4.0
    legend_line: float = 60.0
    marker: float = 16.0
    min_marker: float = 1.2
    equilateral: float = 1.1
    dots: int = 100
    letters: int = 4
    same_place: float = 0.7
    marked: float = 0.6
    on_line: float = 0.8
    hatching: int = 3
    in_line: float = 0.02
    pieces: int = 9
    cut_pieces: float = 0.6
    same_c: float = 1.5
    bar_fill: float = 0.86
    rounded_fill: float = 0.79
    band: float = 0.92
    cells: float = 0.7
    covers: float = 0.85
    steps_beyond: float = 1.05
    share_beyond: float = 0.6
    clip_beyond: float = 1.6
    inset: float = 0.5
    least_area: float = 0.15
    least_cross: float = 0.2
    cross_reach: float = 40.0
    off_scale: float = 0.5
    run_together: float = 0.5
    label_gap: float = 12.0
    same_plot: float = 0.5
    least_grid: float = 60.0
    grid: float = 0.9
    loose: float = 0.5
    leader_points: int = 4
    least_leader: float = 3.0
    leader_text: float = 6.5
    leader_gap: float = 8.0
    leader_off: float = 1.5
    leader_hit: float = 0.5
    leader_clear: float = 1.5
    word_gap: float = 0.6
    line_gap: float = 0.34
    end_gap: float = 2.2
    end_off: float = 0.45
    bracket: float = 12.0
    bracket_reach: float = 60.0
    bracket_text: float = 4.5
    text_share: float = 0.4
    max_residual: float = 0.006
    text_off: float = 0.5
    same_column: float = 0.8
    closer: float = 1.35
    name_reach: float = 34.0
    lying_reach: float = 8.0
    place: float = 0.6
    tight: float = 0.7
    slanted_reach: float = 14.0
    slanted_line: float = 0.5
    name_gap: float = 0.9
    sign_stroke: float = 9.0
    sign_gap: float = 2.5
    entry_gap: float = 0.75
    value_reach: float = 1.5
    value_off: float = 3.0
    aligned: float = 1.6
    exact: float = 0.25
    step_fault: float = 0.05
    tick: float = 14.0
    tick_reach: float = 20.0
    digit_fault: float = 0.025
    max_shift: float = 0.75
    same_shift: float = 0.5
    mark_reach: float = 34.0
    foot: float = 40.0
    raised_size: float = 0.9
    title_reach: float = 3.5
    same_ratio: float = 1.0
    ratio_breadth: float = 6.0
    ratio_length: float = 0.2
    ratio_end: float = 0.4
    sign_level: float = 0.4
    legend_row: float = 2.5
    heading: float = 1.2
    picture_share: float = 0.06
    picture_side: float = 90.0
    label_rows: float = 2.0
    base_share: float = 0.012


SETTINGS = ChartSettings()
