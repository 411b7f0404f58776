"""What the text around a table says of its rows: heading, task, suite, units in footnotes, meaning of a precision."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pipelines.extract.tables.headings import Unit, read_unit
from pipelines.read.document import Document, Line
from pipelines.vocabulary.lookup import find, spelling_pattern

# `tokens/s/GPU`, `k images/sec`, `thousands of samples/s`, `million tokens per second`
_UNIT = (
    r"(?P<unit>(?:(?:[kMG]|thousands?(?: of)?|millions?(?: of)?|billions?(?: of)?) )?"
    r"[A-Za-z]+(?: ?/ ?[A-Za-z]+)+|(?:(?:thousands?|millions?|billions?)(?: of)? )?[A-Za-z]+(?: per [A-Za-z]+)+)"
)
_MEASURED = r"throughput\s+(?:is\s+|was\s+)?(?:measured|given|reported|shown|stated)\s+in\s+"
# `PQM4Mv2 throughput measured in graphs/s`
_UNIT_NOTE = re.compile(rf"(?P<name>[\w+.-]*[\w+-](?: [\w+.-]+)?)\s+{_MEASURED}{_UNIT}", re.IGNORECASE)
# `All throughput is measured in k images/sec`: words that name nothing
_EVERY = frozenset(["all", "the", "training", "inference", "reported", "and", "note", "that"])
# `Throughput is measured in k images/sec`
_TABLE_NOTE = re.compile(rf"(?:^|[.;:*\n])\s*(?:(?:{'|'.join(sorted(_EVERY))})\s+)*{_MEASURED}{_UNIT}", re.IGNORECASE)
# `X is the precision for storing the activations & gradients, and Y is ... the weights`
_PAIR_NOTE = re.compile(r"\bX\.Y\b.*?\bX\b[^.;]*activation(?:&\w+;|[^.;])*\bY\b[^.;]*weight", re.IGNORECASE | re.DOTALL)
# `MLPerf v2.0 Training Performance`, `MLPerf(TM) Inference v4.1`, `MLPerf Training 3.0`
_SUITE = re.compile(
    r"MLPerf\W{0,4}\s*(?:(?P<before>Training|Inference)\s*)?v?(?P<version>\d+\.\d+)(?:\s*(?P<after>Training|Inference))?",
    re.IGNORECASE,
)
# `Encoder models - throughput optimized`, `Optimized for latency`: the same cells below two such headings are two tests
_TUNING = re.compile(
    r"\b(?P<before>throughput|latency)[\s-]+optimi[sz]ed\b|\boptimi[sz]ed\s+for\s+(?P<behind>throughput|latency)\b",
    re.IGNORECASE,
)
_TASK = re.compile(r"\b(training|inference)\b", re.IGNORECASE)

# A section heading is a label on a line of its own.
_MAX_HEADING = 80
# `TABLE 4: Performance of the representative model on ...`: a caption may be long.
_CAPTION = re.compile(r"table\s+\d+\s*[:.]", re.IGNORECASE)
# Words that mark a line as the text of a picture, not as a heading.
_PICTURE = re.compile(r"\blogo$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Context:
    """What holds for every row of a table.

    Attributes:
        section: Nearest heading above the table, as printed.
        section_line: Its line.
        task: `training` or `inference` where the heading says so.
        suite: `MLPerf Training v2.0` where the heading names one.
        tuning: `throughput optimized` or `latency optimized` where the heading says so.
        defines_pairs: True where the document says what X and Y of a precision `X.Y` are.
        platform: Platform that the heading names, for tables without a column of platforms.
        release: Release that a footnote names for the row, which goes before the one in its cells.
        units: Units that a footnote gives for a canonical dataset or model; None for one that no vocabulary knows.
        unit_of_table: Unit that a footnote gives for all throughputs, for headings that print none.
    """

    section: str | None = None
    section_line: int | None = None
    task: str | None = None
    suite: str | None = None
    tuning: str | None = None
    defines_pairs: bool = False
    platform: str | None = None
    release: str | None = None
    units: Mapping[str, Unit | None] = field(default_factory=dict)
    unit_of_table: Unit | None = None

    def unit_for(self, facts: Mapping[str, Any]) -> Unit | None:
        """The footnote's unit for a row, by its dataset or its model."""
        name = self._noted(facts)
        return self.units[name] if name else None

    def has_unread_unit(self, facts: Mapping[str, Any]) -> bool:
        """True where a footnote gives the row a unit that no vocabulary knows: the heading's would be a wrong one."""
        name = self._noted(facts)
        return name is not None and self.units[name] is None

    def _noted(self, facts: Mapping[str, Any]) -> str | None:
        for kind, column in (("datasets", "dataset_printed"), ("models", "model_printed")):
            printed = facts.get(column)
            entry = find(kind, printed) if printed else None  # type: ignore[arg-type]
            if entry and entry.name in self.units:
                return entry.name
        return None


def read_suite(text: str) -> str | None:
    """`MLPerf Training v2.0` for the ways in which a heading names a round of MLPerf, or None."""
    match = _SUITE.search(text)
    if not match:
        return None
    kind = match["before"] or match["after"]
    return f"MLPerf {kind.capitalize()} v{match['version']}" if kind else f"MLPerf v{match['version']}"


def read_context(
    document: Document,
    lines: range,
    notes: str,
    taken: Collection[int],
    before: Context | None,
    *,
    is_torn: bool = False,
) -> Context:
    """The context of a table.

    Args:
        document: The document that holds it.
        lines: Numbers of the lines between the table before and this one, where its heading may stand.
        notes: The text right behind it.
        taken: Lines of another format, which are no headings of tables.
        before: Context of the table before. Where no heading stands between, its section holds on, but not what its
            words say: the table's own heading may be lost, and its task may be the other one.
        is_torn: Whether the table's heading may stand in joined lines above `lines`: no section holds on then.
    """
    heading = _nearest_heading(document, lines, taken)
    if before is None:
        before = Context(defines_pairs=_defines_precision_pairs(document))
    if heading is None and is_torn:
        before = replace(before, section=None, section_line=None)
    if heading is None:
        return replace(
            before,
            task=None,
            suite=None,
            tuning=None,
            platform=None,
            units=_units(notes),
            unit_of_table=_unit_of_table(notes),
        )
    text = heading.cell.text
    tasks = {match[1].casefold() for match in _TASK.finditer(text)}
    return Context(
        section=text,
        section_line=heading.number,
        task=tasks.pop() if len(tasks) == 1 else None,
        suite=read_suite(text),
        tuning=_read_tuning(text),
        platform=_read_platform(text),
        defines_pairs=before.defines_pairs,
        units=_units(notes),
        unit_of_table=_unit_of_table(notes),
    )


def _read_tuning(text: str) -> str | None:
    match = _TUNING.search(text)
    return f"{(match['before'] or match['behind']).casefold()} optimized" if match else None


def _read_platform(text: str) -> str | None:
    """The platform that a heading names, as printed; None where it names none or several."""
    found = {match[0] for match in spelling_pattern("platforms").finditer(text)}
    return found.pop() if len(found) == 1 else None


def _defines_precision_pairs(document: Document) -> bool:
    """True where a footnote says that X.Y means the precision of activations and of weights."""
    return any("X.Y" in line.text and _PAIR_NOTE.search(line.text) for line in document.lines)


def unmatched_notes(notes: str) -> list[str]:
    """Names in unit footnotes that neither the datasets nor the models know."""
    return [
        match["name"]
        for match in _UNIT_NOTE.finditer(notes)
        if not set(match["name"].casefold().split()) <= _EVERY and _named(match["name"]) is None
    ]


def _units(notes: str) -> dict[str, Unit | None]:
    return {
        name: read_unit(match["unit"], "items/s")
        for match in _UNIT_NOTE.finditer(notes)
        if (name := _named(match["name"])) is not None
    }


def _unit_of_table(notes: str) -> Unit | None:
    """The one unit that the footnotes give for all throughputs."""
    units = {unit for match in _TABLE_NOTE.finditer(notes) if (unit := read_unit(match["unit"], "items/s"))}
    return units.pop() if len(units) == 1 else None


def _named(printed: str) -> str | None:
    # The word before a name (`and Wikipedia`) may be none of it.
    for text in (printed, printed.split()[-1]):
        if entry := find("datasets", text) or find("models", text):
            return entry.name
    return None


def _nearest_heading(document: Document, lines: range, taken: Collection[int]) -> Line | None:
    """The last of these lines that stands alone and is a label, not a sentence."""
    for number in reversed(lines):
        line = document.line(number)
        if number in taken or line.is_blank or not _is_label(line.cell.text):
            continue
        if number == lines.stop - 1 or document.line(number + 1).is_blank:
            return line
    return None


def _is_label(text: str) -> bool:
    if _CAPTION.match(text):
        return True
    return (
        # One letter is what a wrong encoding leaves of a blank line.
        1 < len(text) <= _MAX_HEADING
        and "|" not in text
        and "\t" not in text
        and not text.startswith(("<", "\u2022", "*"))
        and not text.endswith((".", ":", "!", "?", ","))
        and any(character.isalpha() for character in text)
        and not _PICTURE.search(text)
    )
