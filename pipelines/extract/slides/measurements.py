"""Numbers printed at the bars of a slide, as measurements of what its axis says."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pipelines.extract.named_quantities import QuantityName
from pipelines.extract.rows import Measurement, Reject
from pipelines.extract.slides.comparison import common
from pipelines.extract.slides.context import SlideContext
from pipelines.extract.slides.labels import read_bars
from pipelines.read.document import Cell, Line
from pipelines.values.quantity import Quantity


def read_measurements(
    context: SlideContext, lines: Sequence[Line], on_axes: Collection[Cell] = ()
) -> list[Measurement | Reject]:
    """One row per number at a bar, in the unit of the chart's one axis title; without such a title there are none.

    A dump does not say whose bar a number stands at, so the rows name no platform; the order of labels is no evidence.
    """
    unsure = context.slide.unsure
    bars = read_bars([line for line in lines if line.number not in unsure], on_axes)
    between = read_bars([line for line in lines if line.number in unsure], on_axes)
    if between.axes:
        reason = "the number stands between two slides whose border nothing marks, and may be either slide's"
        return [_unread(context, cell, reason) for cell in (*(cell for cell, _ in between.values), *between.unsure)]
    axes = {(axis.metric, axis.unit): axis for axis in bars.axes}
    if not axes:
        return []
    if len(axes) > 1:
        reason = "the chart has several axes, and which of them the number belongs to is not printed"
        return [_unread(context, cell, reason) for cell, _ in bars.values]
    (axis,) = axes.values()
    rows: list[Measurement | Reject] = [_measurement(context, axis, cell, value) for cell, value in bars.values]
    reason = "a number that can be neither a bar nor one of the ticks read on the axis"
    return rows + [_unread(context, cell, reason) for cell in bars.unsure]


def _unread(context: SlideContext, cell: Cell, reason: str) -> Reject:
    return context.reject(cell, "unread_label", reason, "row", cell.text)


def _measurement(context: SlideContext, axis: QuantityName, cell: Cell, printed: Quantity) -> Measurement:
    if axis.metric is None or axis.unit is None:
        raise ValueError(f"an axis without metric or unit: {axis.cell.text!r}")
    value = printed.scaled(axis.unit.scale)
    comparison = context.comparison
    sides = (*comparison.subject, *comparison.baseline, *comparison.others)
    return Measurement(
        cell=cell,
        section=context.section,
        section_line=context.section_line,
        metric=axis.metric,
        value=value.value,
        value_low=value.low,
        value_high=value.high,
        bound=value.bound,
        unit=axis.unit.name,
        unit_printed=axis.unit.printed,
        item=axis.unit.item,
        task=context.task,
        model_printed=context.model,
        dataset_printed=common(side.dataset or comparison.topic_dataset for side in sides) or comparison.topic_dataset,
    )
