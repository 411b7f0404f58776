"""Is damage to a document detected? Compares what a damaged document gives with what the undamaged one gave.

A row that differs must say what the damaged characters say; else it is shifted. A row that is gone must be reported
at its place, by a reject, by a numeral or a line that is `unparsed`, or by a name that no vocabulary knows; else it is
silent. So is a row that says less without any report, unless the lines that are gone may have said it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from damages import Goal, Variant

from pipelines.extract.reading import Reading
from pipelines.vocabulary.lookup import find
from pipelines.vocabulary.resolution import resolve_name

Row = dict[str, Any]
Found = tuple[str, Row]

OUTCOMES = ("unharmed", "exact", "reported", "silent", "shifted")

# Where a row stands, and the words around it: no part of what it says.
_PLACES = frozenset(
    {
        "document_id", "extractor", "line", "char_start", "char_end", "section", "section_line", "row_line", "run_line",
        "repeats_line", "sentence", "conditions", "headings_printed",
    }
)  # fmt: skip
_LINES = ("line", "section_line", "row_line", "run_line", "repeats_line")
PROSE = "claim_prose"
# Roles of lines that speak of one row only.
_CELLS = ("table_cell", "measurement")
# What is typed: a damaged one must not be read as another one. `1,4,0` is not `1`.
_TYPED = (
    "value", "value_low", "value_high", "factor", "factor_low", "factor_high", "price_usd", "batch_size",
    "batch_size_low", "batch_size_high", "accelerator_count", "sequence_length", "phase", "sdk_version",
    "subject_sdk_version", "baseline_sdk_version", "precision", "epoch", "epoch_time_s", "step_time_ms", "loss",
    "steps", "training_time_s", "total_parameters", "trainable_parameters", "submission_id", "image_size", "metric",
    "unit",
)  # fmt: skip
_NAMES = {
    "model_printed": "models",
    "platform_printed": "platforms",
    "subject_printed": "platforms",
    "baseline_printed": "platforms",
    "accelerator_printed": "platforms",
    "framework_printed": "frameworks",
    "dataset_printed": "datasets",
}


@dataclass
class Findings:
    """What one reading of a document gives, for comparison.

    Attributes:
        reading: The reading.
        parts: For each line the lines of the slide, section or run it stands in, where the document has such.
    """

    reading: Reading
    parts: dict[int, Collection[int]] = field(default_factory=dict)

    @cached_property
    def rows(self) -> list[Found]:
        """All rows but rejects, with their kind. A condition is judged with the measurement that holds under it."""
        return [
            (kind, row)
            for kind, rows in self.reading.rows.items()
            if kind not in ("rejects", "conditions")
            for row in rows
        ]

    @property
    def rejects(self) -> list[Row]:
        return self.reading.rows.get("rejects", [])

    @cached_property
    def facts(self) -> dict[tuple[Any, ...], list[Found]]:
        """Rows by what they say."""
        found: dict[tuple[Any, ...], list[Found]] = {}
        for kind, row in self.rows:
            said = sorted((name, repr(_plain(value))) for name, value in row.items() if name not in _PLACES)
            found.setdefault((kind, *said), []).append((kind, row))
        return found


def judge(base: Findings, found: Findings, variant: Variant, goal: Goal) -> tuple[str, Row | None]:
    """One of `OUTCOMES`, and the row that makes it silent or shifted."""
    differing = [row for fact, rows in found.facts.items() for row in rows[len(base.facts.get(fact, ())) :]]
    gone = [row for fact, rows in base.facts.items() for row in rows[len(found.facts.get(fact, ())) :]]
    if not differing and not gone:
        return "unharmed", None
    reports = Reports(base, found, variant)
    silent: Row | None = None
    for kind, row in differing:
        other = _counterpart(kind, row, gone, variant)
        if other is not None:
            gone.remove((kind, other))
        # A true row may be printed twice, in full or in part.
        true = other or _counterpart(kind, row, base.rows, variant)
        if true is not None and _says_less(row, true):
            is_told = reports.lines or other is None or not _loses(row, true) or _may_lose(true, base, variant)
            is_damaged = (goal == "readable" or row["extractor"] == PROSE) and _may_differ(row, base, variant, goal)
            silent = silent or (None if is_told or is_damaged else row)
        elif not _may_differ(row, base, variant, goal) or (goal == "unreadable" and other and _is_misread(row, other)):
            return "shifted", row
        elif goal == "unreadable" and other and not reports.lines and not _unknown_names(row) - _unknown_names(other):
            silent = silent or row
    moved = {origin for line in variant.changed for origin in variant.origins_of(line)}
    for kind, row in gone:
        # Where a value or its heading stands in the place of another cell, that cell says another thing, as printed.
        places = {row["line"], *(base.parts.get(row["line"], ()) if kind == "measurements" else ())}
        is_said_otherwise = goal == "readable" and bool(differing) and bool(places & moved)
        silent = silent or (None if is_said_otherwise or reports.explain(row) else row)
    if silent is not None:
        return "silent", silent
    is_reported = bool(reports.lines) or any(_unknown_names(row) for _, row in differing)
    return ("reported" if is_reported else "exact"), None


class Reports:
    """What of a damaged document is reported that was not reported of the undamaged one.

    Attributes:
        lines: Undamaged lines with something on them that was not read; negative numbers are added lines.
    """

    def __init__(self, base: Findings, found: Findings, variant: Variant) -> None:
        before = Counter((line, word) for line, _, _, word in _reported(base))
        starts = {(line, start, word) for line, start, _, word in _reported(base)}
        # Line by line, so that what stands twice is not taken for reported twice.
        now = Counter(
            (line, origin, word)
            for line, start, end, word in _reported(found)
            for origin in (*variant.origins_of(line, start, end), *(() if variant.origin(line) else (-line,)))
        )
        places = {(origin, word) for (_, origin, word), times in now.items() if times > before[origin, word]}
        # What is left of a line that is cut stands where it stood.
        places |= {
            (line, word)
            for line, start, _, word in _reported(found)
            if line in variant.cuts and (line, start, word) not in starts
        }
        self.lines = {line for line, _ in places}
        self._numerals = {line for line, word in places if word != "line"}
        self._removed, self._cuts = variant.removed, variant.cuts
        self._is_whole = any(row["scope"] == "document" for row in found.rejects)

    def explain(self, row: Row) -> bool:
        """Whether a row of the undamaged document that is gone is reported, or cannot be missed."""
        if self._is_whole:
            return True
        if row["line"] in self._removed or row["char_end"] > self._cuts.get(row["line"], row["char_end"]):
            cells = set(range(row["row_line"], row["line"] + 1)) if row.get("row_line") else set()
            left = cells - self._removed
            # The first letters of a row's first cell may be reported with the row before, or with the table.
            return not left or bool(left & self.lines) or (left <= set(self._cuts) and bool(self.lines))
        has_digits = any(map(str.isdigit, row["text_printed"]))
        return bool(_own_lines(row) & (self._numerals if has_digits else self.lines))


def _reported(findings: Findings) -> Iterator[tuple[int, int, int | None, str]]:
    """Places that were not read, line, first and last character, and what says so."""
    accounting = findings.reading.accounting
    yield from ((row["line"], row["char_start"], row["char_end"], "reject") for row in findings.rejects)
    for line, (start, end), (status, _) in zip(accounting.lines, accounting.spans, accounting.statuses, strict=True):
        if status == "unparsed":
            yield line, start, end, "numeral"
    yield from ((n, 0, None, "line") for n, (role, _) in enumerate(accounting.roles, start=1) if role == "unparsed")


def _own_lines(row: Row) -> set[int]:
    """The line of a value; of an epoch the header above its time and the loss on one of the two lines below it, too."""
    return set(range(row["line"] - 2, row["line"] + 3)) if "loss" in row else {row["line"]}


def _may_differ(row: Row, base: Findings, variant: Variant, goal: Goal) -> bool:
    """Whether a row stems from changed characters; in a table a lost, added or cut cell changes no other cell."""
    if goal == "structural" and row.get("row_line"):
        return row["line"] in variant.changed and bool(variant.removed)
    stems = _stems(row, base, variant)
    if row["extractor"] == PROSE:
        # A sentence says what it says below its heading: where that or a sentence beside it is damaged, so is the row.
        origins = {origin for line in stems for origin in variant.origins_of(line)}
        near = {line + step for line in stems for step in (-1, 0, 1)}
        gone = {*variant.removed, *variant.joined, *variant.cuts}
        part = {number for origin in origins for number in base.parts.get(origin, ())}
        return bool(near & variant.changed or part & gone)
    return bool(stems & variant.changed)


def _may_lose(row: Row, base: Findings, variant: Variant) -> bool:
    """Whether what a row of the undamaged document says less may have stood on the lines that are gone.

    Any line but one of cells may say something of every row; a row of cells says nothing of another row.
    """
    gone = {
        *variant.removed,
        *variant.cuts,
        *(origin for line in variant.changed for origin in variant.origins_of(line)),
    }
    own = set(range(row.get("row_line") or row["line"], row["line"] + 1))
    own |= {number for line in own for number in base.parts.get(line, ())}
    roles = base.reading.accounting.roles
    told = {row["line"] for _, row in base.rows if row["extractor"] == PROSE}
    # Behind a line end at the end of a file stands a line that is none.
    return any(line in own | told or roles[line - 1][0] not in _CELLS for line in gone if line <= len(roles))


def _stems(row: Row, base: Findings, variant: Variant) -> set[int]:
    """Numbers of the damaged document's lines that a row stems from."""
    first = min(row.get("row_line") or row["line"], row.get("run_line") or row["line"])
    lines = set(range(first, row["line"] + 1)) | {row[name] for name in _LINES if row.get(name)} | _own_lines(row)
    parts = set[int]()
    for origin in {origin for line in lines for origin in variant.origins_of(line)}:
        parts |= set(base.parts.get(origin, ()))
    return lines | {
        line for line, places in enumerate(variant.origins, start=1) if any(number in parts for _, number in places)
    }


def _counterpart(kind: str, row: Row, among: list[Found], variant: Variant) -> Row | None:
    """The row of the undamaged document that stands at the same place; where there are several, the likest."""
    origin = variant.origin(row["line"], row["char_start"])
    same = [other for other_kind, other in among if other_kind == kind]
    at_place = [other for other in same if other["line"] == origin] or [o for o in same if _says_less(row, o)]
    return min(
        at_place,
        key=lambda other: (not _says_less(row, other), other["text_printed"] != row["text_printed"]),
        default=None,
    )


def _says_less(row: Row, other: Row) -> bool:
    """True when a row says nothing that the other one does not say."""
    free = set(_PLACES)
    if "epochs" in row:
        # A run whose time or an epoch of which is damaged stands at its heading and counts the epochs that are left.
        free |= {"text_printed", "epochs", "epochs_planned"}
    if "loss" in row and row["loss"] is None:
        free.add("loss_is_nan")
    if "item" in row and row["item"] is None:
        # What is counted stands in a footnote; without it the heading's `items/sec` is left.
        free.add("unit_printed")
    return all(
        value is None
        or _plain(value) == _plain(other[name])
        or (name, value) == ("role", "other")
        or (name == "suite" and value == re.sub(r" (?:Training|Inference)", "", other[name] or ""))
        or (name in _NAMES and _is_same_or_wider(_name(row, name), _name(other, name), _NAMES[name]))
        for name, value in row.items()
        if name not in free
    )


def _loses(row: Row, other: Row) -> bool:
    return any(value is None and other[name] is not None for name, value in row.items() if name not in _PLACES)


def _is_misread(row: Row, other: Row) -> bool:
    return any(row.get(name) is not None and row[name] != other.get(name) for name in _TYPED)


def _unknown_names(row: Row) -> set[str]:
    return {row[column] for column in _NAMES if row.get(column) and _name(row, column) is None}


def _name(row: Row, column: str) -> str | None:
    """The canonical name of a printed one, None where no vocabulary knows it."""
    if not row[column]:
        return None
    printed = {"kind": _NAMES[column], "name_printed": row[column], "suite": row.get("suite")}
    return str(name) if (name := resolve_name(printed)["name"]) else None


def _is_same_or_wider(name: str | None, other: str | None, kind: str) -> bool:
    """True where both names are one, or the first is the family of the other: `ResNet-50` of `ResNet-50 v1.5`."""
    entry = find(kind, other) if other else None  # type: ignore[arg-type]
    return name is not None and (name == other or (entry is not None and name == entry.facts.get("family")))


def _plain(value: Any) -> Any:
    """A text with plain spaces: no-break spaces in a name are the same name."""
    return " ".join(value.split()) if isinstance(value, str) else value
