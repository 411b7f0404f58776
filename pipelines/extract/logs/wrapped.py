"""The loss that stands below its bar because a line was wrapped. What a bar says itself is for `bars.py`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pipelines.extract.logs.bars import Bar, parse_loss, read_bar, split_fields, visible
from pipelines.read.document import Line

# A wrapped loss stands one or two lines below its bar; further down it would be something else.
_WRAPPED_WITHIN = 2


def with_wrapped_loss(bar: Bar, lines: Sequence[Line], index: int) -> tuple[Bar, int]:
    """The bar of line `index` with the loss that stands below it, and how many lines it takes."""
    if bar.state != "finished" or bar.loss is not None or index + 1 == len(lines):
        return bar, 1
    line = lines[index + 1]
    if line.number - bar.line.number > _WRAPPED_WITHIN:
        return bar, 1
    fields = list(split_fields(line))
    if "loss" in bar.metrics:
        value = fields[0].value if fields and fields[0].name is None else None
        names = bar.metrics
    elif visible(line.text).lstrip().startswith("- ") or visible(bar.line.text).rstrip().endswith(" -"):
        value = next((field.value for field in fields if field.name == "loss"), None)
        names = (*bar.metrics, *(field.name for field in fields if field.name))
    else:
        return bar, 1
    if value is None or " " in value.text:
        return bar, 1
    loss = parse_loss(value.text)
    if loss is not None:
        return replace(bar, loss=loss, metrics=names), 2
    if any(character.isdigit() for character in value.text) and read_bar(line) is None:
        reason = f"the loss `{value.text}` in line {line.number} is not a number"
        return replace(bar, state="damaged", place=value, reason=reason), 2
    return bar, 1
