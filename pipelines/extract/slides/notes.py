"""The notes of a slide: which of their lines says what, and who is compared with whom. Lines: `configurations.py`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from pipelines.extract.rows import Configuration
from pipelines.extract.slides.configurations import (
    Side,
    Statement,
    has_parameter,
    has_sdk,
    read_batch_sizes,
    read_dataset,
    read_precision,
    read_side,
)
from pipelines.extract.slides.damaged import damaged_parameters, misprinted_names
from pipelines.extract.slides.labels import is_label, read_headlines
from pipelines.extract.slides.splitting import Slide, notes_head
from pipelines.extract.slides.titles import is_model_of, printed, read_system
from pipelines.read.document import Cell, Line

_URL = re.compile(r"\(?https?://", re.IGNORECASE)
# `A100 results published by NVIDIA (https://...)`: who measured, about the system it begins with
_PUBLISHED = re.compile(
    r"(?>(?P<about>.+?)(?<!\s)\s+results?\b).*?\b(?:published|measured|reported)\s+by\s+(?P<who>[^|(),;]+)",
    re.IGNORECASE,
)
# `No GPU results published on NV results website - using NV github results`
_INSTEAD = re.compile(r"(?>No\s+(?P<about>.+?)(?<!\s)\s+results?\b).*?\busing\s+(?P<who>[^|(),;]+)", re.IGNORECASE)
# `1x | FP32`, `2 x A100 (A100-SX` cut off: counts a system, whether its name can be read or not
_MULTIPLIER = re.compile(r"\d{1,6}\s?[xX×](?!\d)")


@dataclass
class Notes:
    """What the notes of one slide say.

    Attributes:
        topic: The line on model, dataset and what is compared, or None: the first one above the sides that begins
            with the title's model, or else the first.
        sides: The lines that say how a system was run, in order.
        unread: Lines that look like that and cannot be read; the sides are then not known.
        damages: Words of them that should be a number and are none, and lines that are cut, with the reason.
        lines: Numbers of all their lines.
    """

    topic: Statement | None = None
    sides: list[Side] = field(default_factory=list)
    unread: list[Cell] = field(default_factory=list)
    damages: list[tuple[Cell, str]] = field(default_factory=list)
    lines: set[int] = field(default_factory=set)


def read_notes(slide: Slide) -> Notes:
    """The notes of a slide, empty where it has none."""
    notes = Notes()
    remarks: list[Statement] = []
    statements = _statements(slide, notes)
    notes.topic = _topic(statements, slide)
    for statement in statements:
        side = read_side(statement)
        if side:
            notes.sides.append(side)
            notes.damages += side.damages
        elif statement is notes.topic:
            notes.damages += (damage for part in statement.segments for damage in damaged_parameters(part))
            known = {cell.start for cell, _ in notes.damages if cell.line == statement.cell.line}
            names = misprinted_names(statement.segments, "datasets")
            notes.damages += ((cell, reason) for cell, reason in names if cell.start not in known)
        elif _looks_like_side(statement):
            notes.unread.append(statement.cell)
        else:
            remarks.append(statement)
            if _is_cut(statement):
                reason = (
                    "the line begins with a system and says neither how it was run nor who measured it: it may be cut"
                )
                notes.damages.append((statement.cell, reason))
    for remark in remarks:
        if not _apply(remark, notes.sides):
            notes.damages.append((remark.cell, "the line says who measured a system that the notes do not name"))
    return notes


def _topic(statements: Sequence[Statement], slide: Slide) -> Statement | None:
    above: list[Statement] = []
    for statement in statements:
        if read_side(statement):
            break
        if not _is_surely_side(statement):
            above.append(statement)
    model = slide.title.model if slide.title else None
    # A foreign line may stand right behind the head of the notes.
    return next((each for each in above if model and is_model_of(each.cell.text, model)), next(iter(above), None))


def _statements(slide: Slide, notes: Notes) -> list[Statement]:
    statements: list[Statement] = []
    for cell in _cells(slide.lines, notes.lines):
        if _URL.match(cell.text):
            continue
        if statements and _continues(statements[-1], cell):
            statements[-1] = statements[-1].joined(cell)
        else:
            statements.append(Statement.of(cell))
    return statements


def _cells(lines: Sequence[Line], numbers: set[int]) -> list[Cell]:
    """The lines from the head of the notes to the next blank line, and further lines of parameters right behind it."""
    cells: list[Cell] = []
    visible = (line for line in lines if not line.is_blank)
    head = next((line for line in visible if notes_head(line.cell) is not None), None)
    if head is None:
        return cells
    numbers.add(head.number)
    if (rest := notes_head(head.cell)) and not rest.is_blank:
        cells.append(rest)
    last = head.number
    for line in visible:
        # Behind a blank line only what is surely a side's goes on; whatever else stands there ends the notes.
        is_behind_blank = bool(cells) and line.number > last + 1
        if _is_chart(line.cell) or (is_behind_blank and not _is_side(line.cell) and not _is_remark(line.cell)):
            break
        last = line.number
        numbers.add(last)
        if notes_head(line.cell) is None:
            cells.append(line.cell)
    return cells


def _is_chart(cell: Cell) -> bool:
    """True for a headline, read or damaged, and for a label: some dumps leave no blank line before them."""
    return any(read_headlines(cell)) or is_label(cell)


def _is_side(cell: Cell) -> bool:
    """True for a line such as `1x H100 | FP8`, which belongs to the notes though a blank line stands before it."""
    return "|" in cell.text and read_side(Statement.of(cell)) is not None


def _is_remark(cell: Cell) -> bool:
    """True for a line that says who measured a system."""
    return bool(_PUBLISHED.match(cell.text) or _INSTEAD.match(cell.text))


def is_stray_note(cell: Cell) -> bool:
    """True for a line outside the notes that can only belong to some: how a system was run, or who measured it."""
    statement = Statement.of(cell)
    return _is_remark(cell) or (len(statement.segments) > 1 and has_parameter(statement))


def _is_cut(statement: Statement) -> bool:
    """True for a remark that begins with a known system and says nothing of it: its line was cut."""
    if not statement.segments:
        return False
    first = statement.segments[0]
    if "(" in first.text and ")" not in first.text:
        # `IPU-POD64 (16x IPU-M20`
        first = Cell(name := first.text.partition("(")[0].rstrip(), first.line, first.start, first.start + len(name))
    system = read_system(first)
    return system is not None and system.is_sure and not _is_remark(statement.cell)


def _continues(before: Statement, cell: Cell) -> bool:
    """True for the rest of a wrapped line: a bar stands at the break, and no system at the start."""
    if cell.text.startswith("|"):
        return True
    return before.ends_open and read_side(Statement.of(cell)) is None


def _looks_like_side(statement: Statement) -> bool:
    """True for `lx IPU-M2000 | FP 16.16` and `1x | FP32`; false for a remark such as `Batch size 64 on both`."""
    return _is_surely_side(statement) or (len(statement.segments) > 1 and has_parameter(statement))


def _is_surely_side(statement: Statement) -> bool:
    """True for a line that is no topic: it starts with a multiplier, or states an SDK, which is one system's."""
    return bool(_MULTIPLIER.match(statement.cell.text)) or has_sdk(statement)


def _apply(remark: Statement, sides: list[Side]) -> bool:
    """Who measured goes to the one system whose line has the words that the remark is about: `A100`, `GPU`.

    False for a remark on a system that no side is.
    """
    text = printed(remark.cell.text)
    match = _PUBLISHED.match(text) or _INSTEAD.match(text)
    if match is None:
        return True
    about = match["about"].removeprefix("No ").removeprefix("no ").casefold().split()
    meant = [side for side in sides if set(about) <= set(re.findall(r"[^\s|(),;]+", side.text.casefold()))]
    if len({side.system.name.casefold() for side in meant}) == 1:
        for side in meant:
            side.measured_by = side.measured_by or printed(match["who"])
    return bool(meant) or not sides


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
