"""Numbers printed at a chart, read from their characters alone."""

from __future__ import annotations

from collections.abc import Iterator

from pipelines.extract.vector_charts.printed_values import read_number
from pipelines.values.quantity import Quantity
from pipelines.values.ratios import FACTOR, read_factor


def read_label(text: str) -> Iterator[Quantity]:
    """What printed characters may say: a value at a bar (`581`, `2.5M`), a factor (`>60x`)."""
    if number := read_number(text):
        yield Quantity(*number)
    match = FACTOR.fullmatch(text)
    if match and (factor := read_factor(match)):
        yield factor


def in_scale(quantity: Quantity, scale: float) -> Quantity:
    """The quantity in the canonical unit of its axis; as it is where the axis names none."""
    return quantity if scale == 1.0 else quantity.scaled(scale)
