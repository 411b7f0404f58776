"""Colours of a PDF as red, green and blue."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from pipelines.read.page import Colour

# Spot colours and indexed ones are numbers without their table or ink: another number is another colour, no more.
_UNKNOWN = frozenset({"Pattern", "Indexed", "Lab", "DeviceN"})


def rgb(colour: Any, space: str) -> Colour | None:
    """A colour as the file has it, as red, green, blue; None for a pattern and for what has no colours of its own."""
    if colour is None or space in _UNKNOWN:
        return None
    parts = tuple(colour) if isinstance(colour, (tuple, list)) else (colour,)
    if not all(isinstance(part, (int, float)) for part in parts):
        return None
    return _mixed(parts, space)


@lru_cache(maxsize=1024)
def _mixed(parts: tuple[float, ...], space: str) -> Colour | None:
    parts = tuple(min(1.0, max(0.0, float(part))) for part in parts)
    if len(parts) == 1:
        # The tint of an ink: none of it is white.
        grey = 1 - parts[0] if space == "Separation" else parts[0]
        return grey, grey, grey
    if len(parts) == 3:
        return parts[0], parts[1], parts[2]
    if len(parts) == 4:
        red, green, blue = ((1 - part) * (1 - parts[3]) for part in parts[:3])
        return red, green, blue
    return None
