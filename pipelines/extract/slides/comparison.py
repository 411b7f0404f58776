"""Who is compared with whom on a slide: the roles of the sides of its notes, as `Configuration` rows."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from pipelines.extract.rows import Configuration
from pipelines.extract.slides.configurations import Side, read_batch_sizes, read_dataset, read_precision
from pipelines.extract.slides.notes import Notes
from pipelines.extract.slides.titles import printed

# `headline comparisons using lowest latency`, `Throughput comparison at lowest latency`, `Assuming 2x scaling`
_CONDITION = re.compile(r"\b(?:comparisons?|compared|lowest|assum\w+)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The sides of a slide by role; a side that cannot be told is None.

    Attributes:
        subject: The system that the slide is for.
        baseline: The system it is compared with.
        others: Sides whose role is not known.
        topic_dataset: Dataset that the topic states for all sides.
        conditions: What the comparison holds for, as printed in the notes.
    """

    subject: tuple[Side, ...]
    baseline: tuple[Side, ...]
    others: tuple[Side, ...]
    topic_dataset: str | None
    conditions: tuple[str, ...]

    @property
    def subject_name(self) -> str | None:
        """The subject's name as printed."""
        return self.subject[0].system.name if self.subject else None

    @property
    def baseline_name(self) -> str | None:
        """The baseline's name as printed."""
        return self.baseline[0].system.name if self.baseline else None


def compare(notes: Notes, counted: Iterable[tuple[int, str]]) -> Comparison:
    """The sides of the notes by role.

    The first line of a slide's notes is about the system that the slide is for, the second about the one it is measured
    against: the deck's vendor writes first of its own system, and headlines are in its favour. With three systems
    either of two may be the baseline; where a side's line cannot be read, the others may have moved up. A lone side may
    be either: the other line is missing.

    Args:
        notes: What the notes say.
        counted: Systems that labels count: (2, `DGX A100`); the count of a side whose line has none.
    """
    topic = notes.topic.segments if notes.topic else ()
    precision, (low, high, sizes) = read_precision(topic), read_batch_sizes(topic)
    labels = list(counted)
    for side in notes.sides:
        if side.count is None:
            counts = {count for count, name in labels if name.casefold() == side.system.name.casefold()}
            side.count = counts.pop() if len(counts) == 1 else None
        side.precision = side.precision or precision
        if side.batch_sizes is None:
            side.batch_size_low, side.batch_size_high, side.batch_sizes = low, high, sizes
    conditions = [printed(part.text) for part in topic[1:] if _CONDITION.search(part.text)]
    conditions += [condition for side in notes.sides for condition in side.conditions]
    names = list(dict.fromkeys((side.system.name.casefold(), side.count) for side in notes.sides))

    def sides_of(name: tuple[str, int | None]) -> tuple[Side, ...]:
        return tuple(side for side in notes.sides if (side.system.name.casefold(), side.count) == name)

    dataset = read_dataset(topic)
    if notes.unread or len(names) < 2:
        return Comparison((), (), tuple(notes.sides), dataset, tuple(conditions))
    if len(names) == 2:
        return Comparison(sides_of(names[0]), sides_of(names[1]), (), dataset, tuple(conditions))
    others = tuple(side for name in names[1:] for side in sides_of(name))
    return Comparison(sides_of(names[0]), (), others, dataset, tuple(conditions))


def common(values: Iterable[str | None]) -> str | None:
    """The value that all sides have, or None."""
    distinct = set(values)
    return distinct.pop() if len(distinct) == 1 else None


def configurations(
    comparison: Comparison, *, model: str | None, section: str | None, section_line: int
) -> list[Configuration]:
    """One row per side, in the roles `subject`, `baseline` and `other`."""
    roles = {"subject": comparison.subject, "baseline": comparison.baseline, "other": comparison.others}
    return [
        Configuration(
            cell=side.system.cell,
            section=section,
            section_line=section_line,
            role=role,
            platform_printed=side.system.name,
            accelerator_count=side.count,
            model_printed=model,
            framework_printed=side.framework,
            sdk_version=side.sdk_version,
            precision=side.precision,
            batch_sizes_printed=side.batch_sizes,
            batch_size_low=side.batch_size_low,
            batch_size_high=side.batch_size_high,
            dataset_printed=side.dataset or comparison.topic_dataset,
            measured_by=side.measured_by,
        )
        for role, sides in roles.items()
        for side in sides
    ]
