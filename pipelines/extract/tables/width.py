"""Whether rows found one after the other prove that a row is as wide as its header. Finding them is for `alignment`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

# From this width on, two rows with a damaged one between them still show how long a row is.
_MIN_WIDTH_TO_SKIP = 4


def is_width_proven(starts: Sequence[int], width: int, end: int, *, knows_all: bool) -> bool:
    """True when most rows stand as far apart as there are headings; otherwise a heading is missing or too many.

    Args:
        starts: Indices of the first cells of possible rows, in order.
        width: Number of headings.
        end: Index behind the last cell of the table.
        knows_all: Whether the vocabulary knows every heading.
    """
    # Two short rows are soon as long as three shorter ones.
    steps = {width, 2 * width} if width >= _MIN_WIDTH_TO_SKIP else {width}
    if len(starts) < 2:
        return bool(starts) and end in steps
    if knows_all and _frames_one_damage(starts, width, end):
        return True
    apart = [behind - start in steps for start, behind in pairwise(starts)]
    fills = 2 * len(starts) * width >= starts[-1] + width
    return fills and 2 * sum(apart) >= len(apart)


def _frames_one_damage(starts: Sequence[int], width: int, end: int) -> bool:
    """True when the cells begin with a row, end with one, and between two stands one that lost or got a cell or none.

    Were a heading lost or too many, rows could not both begin behind the headings and end with the last cell.
    """
    gaps = [behind - start - width for start, behind in pairwise(starts) if behind - start != width]
    is_framed = starts[0] == 0 and starts[-1] + width == end
    return is_framed and len(gaps) == 1 and abs(gaps[0] - width) <= 1 < gaps[0]
