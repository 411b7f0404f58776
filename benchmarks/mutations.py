"""Broken variants of every stored document: is the damage detected? `python benchmarks/mutations.py [RAW] [SEED] [-v]`.

At least 300 variants of each document are read in this process. Printed are the kinds of damage with the number of
variants that came out unharmed (nothing differs), exact (what differs says what the damaged characters say), reported,
silent and shifted, and the share of those harmed that is not silent or shifted. With `-v` each of these two is printed.
Exit status 1 where any is silent or shifted.
"""

from __future__ import annotations

import random
import re
import sys
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

from damages import KINDS, Kind, Text, Variant
from judgement import OUTCOMES, PROSE, Findings, Row, judge
from markup import Tags, as_read, tags_of, written

from pipelines.extract.contract import detect_format, formats
from pipelines.extract.prose.sentences import read_sections
from pipelines.extract.reading import StoredDocument, open_document, read_document
from pipelines.extract.slides.splitting import split_slides
from pipelines.extract.tables.tables import Table, find_tables
from pipelines.ingest.store import read_store
from pipelines.read.document import Document, ReadError
from pipelines.read.files import is_pdf
from pipelines.read.html import SUFFIXES, is_html
from pipelines.settings import PROJECT

PER_KIND_AND_DOCUMENT = 25
SEED = 20231204
# Roles of lines that say nothing that is read.
_UNREAD_ROLES = frozenset({"blank", "prose", "boilerplate", "unparsed"})
_NAME_COLUMNS = ("model_printed", "platform_printed", "framework_printed", "dataset_printed")


class Subject:
    """A stored document, what it gives undamaged, and where it can be damaged.

    Args:
        path: Its file.
        format: Format that its sidecar states, or None.
        folder: Where variants may be written.

    Attributes:
        text: Its lines by what stands on them.
        findings: What it gives.
    """

    def __init__(self, path: Path, format: str | None, folder: Path) -> None:
        self._place = folder / path.name
        self._format = format
        self._place.write_bytes(path.read_bytes())
        self._tags: dict[int, Tags] = {}
        document = open_document(self._stored())
        if path.suffix.lower() in SUFFIXES or is_html(path.read_bytes()):
            # Of a page what a reader sees is damaged, and written again as a page.
            self._tags = tags_of(document)
            shown = "\n".join(line.text for line in document.lines).encode()
            self._place.write_bytes(written(Variant(shown, tuple(((0, n),) for n in self._tags)), self._tags))
            document = open_document(self._stored())
            lines = [line.text for line in document.lines]
            self._tags = tags_of(document)
        elif is_pdf(path):
            # Of a file that is no text the text that it is opened as is damaged.
            lines = [line.text for line in document.lines]
            self._place = folder / f"{path.name}.txt"
            self._place.write_text("\n".join(lines), "utf-8")
            document = open_document(self._stored())
        else:
            # As they stand in the file: some file formats are opened with other characters in place of their own.
            lines = re.split(r"\r\n|\n|\r", path.read_bytes().decode())
        self.findings = Findings(read_document(self._stored()))
        runs, tables, prose = _parts(document, format or detect_format(document))
        headings = {line: _headings_of(table) for table in tables for line in _lines_of(table)}
        self.findings.parts = {line: part for part in runs for line in part} | headings
        blocks = [(part[0], part[-1]) for part in runs if part[0] not in prose]
        blocks += [(table.grid.first_line, table.grid.last_line) for table in tables]
        separators = _separators(document, lines, tables)
        self.text = replace(_text(lines, self.findings, blocks, prose, separators), shows_tabs=not self._tags)

    def outcome(self, kind: Kind, variant: Variant) -> tuple[str, Row | None]:
        """How the damage comes out, and the row that makes it silent or shifted."""
        self._place.write_bytes(written(variant, self._tags) if self._tags else variant.content)
        if self._tags:
            variant = as_read(variant, self._opened())
        return judge(self.findings, Findings(read_document(self._stored())), variant, kind.goal)

    def _opened(self) -> Document:
        try:
            return open_document(self._stored())
        except ReadError:
            return Document("", None, ())

    def _stored(self) -> StoredDocument:
        return StoredDocument("0" * 64, self._place, self._format)


def _parts(document: Document, main: str | None) -> tuple[list[range], list[Table], frozenset[int]]:
    """Slides, runs and sections of prose; tables; the lines of prose."""
    taken: set[int] = set()
    parts: list[range] = []
    tables: list[Table] = []
    for name in sorted(formats(), key=lambda name: name != main):
        if name == "results_page":
            tables = [table for table in find_tables(document, taken) if table.reading]
        extraction = formats()[name].extract(document, frozenset(taken))
        if name == "slides" and extraction.lines:
            slides = split_slides(document.without(frozenset(taken)))
            parts += [range(slide.lines[0].number, slide.lines[-1].number + 1) for slide in slides]
        elif name == "training_log" and extraction.lines:
            starts = sorted({line for row in extraction.rows if (line := getattr(row, "run_line", None))})
            ends = [*starts[1:], max(extraction.lines) + 1]
            parts += [range(start, end) for start, end in zip(starts, ends, strict=True)]
        elif name == "claim_prose":
            break
        taken |= extraction.lines
    for section in read_sections(document, taken):
        lines = [piece[1] for sentence in section.sentences for piece in sentence.pieces]
        parts += [range(min(lines), max(lines) + 1)] if lines else []
    return parts, tables, frozenset(range(1, len(document.lines) + 1)) - taken


def _lines_of(table: Table) -> set[int]:
    return {line for row in table.grid.lines for line in row}


def _headings_of(table: Table) -> set[int]:
    return {cell.line for column in table.reading.columns for cell in column.cells} if table.reading else set()


def _separators(document: Document, lines: list[str], tables: list[Table]) -> dict[int, str]:
    """What stands between the cells, for the lines of tables that hold several; not for lines with quoted cells."""
    in_tables = set[int]().union(*(_lines_of(table) for table in tables))
    cells = {(cell.line, cell.start) for grid in document.grids for row in grid.rows for cell in row}
    # A page of HTML has a line for each cell.
    shown = {line for line, times in Counter(line for line, _ in cells).items() if times > 1} & in_tables
    found: dict[int, str] = {}
    for number in sorted(in_tables):
        text = lines[number - 1]
        blanks = ("  ",) if number not in shown and "  " in text.strip() else ()
        marks = ("\t", "</td><td>", "|", *((",",) if number in shown and '"' not in text else blanks))
        if mark := next((mark for mark in marks if text.count(mark)), None):
            found[number] = mark
    return found


def _text(
    lines: list[str],
    findings: Findings,
    blocks: list[tuple[int, int]],
    prose: frozenset[int],
    separators: dict[int, str],
) -> Text:
    roles = dict(enumerate((role for role, _ in findings.reading.accounting.roles), start=1))
    read = [number for number, role in roles.items() if role not in _UNREAD_ROLES]
    cells: dict[int, set[str]] = {}
    values: dict[int, set[int]] = {}
    for _, row in findings.rows:
        if row["extractor"] == PROSE:
            values.setdefault(row["line"], set()).update(range(row["char_start"], row["char_end"]))
        elif row.get("row_line") and row["row_line"] != row["line"]:
            names = {row[column] for column in _NAME_COLUMNS if row[column]}
            for number in range(row["row_line"], row["line"] + 1):
                cells.setdefault(number, set()).update(names)
    headings = [number for number in read if roles[number] == "table_header"]
    typed, names = [], []
    for number in read:
        text = lines[number - 1]
        places = [(number, place) for place, character in enumerate(text) if character.isdigit()]
        if " ".join(text.split()) in cells.get(number, ()):
            names += places
        elif number in prose:
            typed += [(line, place) for line, place in places if place in values.get(number, ())]
        elif number not in headings:
            typed += places
    return Text(lines, read, typed, names, headings, blocks, separators)


def documents(raw: Path) -> list[tuple[Path, str | None]]:
    """Every document of a store with its format; of a folder that is no store, every text file in it."""
    stored = [(raw / row["path"], row["format"]) for row in read_store(raw).documents]
    return stored or [(path, None) for path in sorted(raw.glob("*.txt"))]


def run(
    raw: Path, seed: int, per_kind: int = PER_KIND_AND_DOCUMENT, *, is_loud: bool = False
) -> dict[str, Counter[str]]:
    """How often each kind of damage came out how."""
    outcomes: dict[str, Counter[str]] = {kind.name: Counter() for kind in KINDS}
    with tempfile.TemporaryDirectory() as folder:
        for path, stated in documents(raw):
            subject = Subject(path, stated, Path(folder))
            if not subject.text.read:
                print(f"nothing is read of {path.name}")
                continue
            for kind in KINDS:
                for number in range(per_kind):
                    # Each variant has a seed of its own, so that one can be made again without the others.
                    variant = kind.damage(subject.text, random.Random(f"{seed} {path.name} {kind.name} {number}"))
                    if variant is None:
                        continue
                    outcome, row = subject.outcome(kind, variant)
                    outcomes[kind.name][outcome] += 1
                    if is_loud and row:
                        places = sorted(variant.changed)[:3], sorted(variant.removed)[:5]
                        said = {k: v for k, v in row.items() if v is not None and k not in ("document_id", "sentence")}
                        print(f"{outcome}: {kind.name} {number} of {path.name}, lines {places}: {said}")
    return outcomes


def print_outcomes(outcomes: dict[str, Counter[str]]) -> None:
    print(f"{'damage':<22}{'variants':>9}" + "".join(f"{name:>10}" for name in OUTCOMES) + f"{'detected':>10}")
    for name, found in [*outcomes.items(), ("all", sum(outcomes.values(), Counter()))]:
        harmed = found.total() - found["unharmed"]
        rate = f"{(harmed - found['silent'] - found['shifted']) / harmed:.1%}" if harmed else "-"
        print(f"{name:<22}{found.total():>9}" + "".join(f"{found[key]:>10}" for key in OUTCOMES) + f"{rate:>10}")


def main() -> None:
    arguments = [argument for argument in sys.argv[1:] if argument != "-v"]
    raw = Path(arguments[0]) if arguments else PROJECT / "raw"
    seed = int(arguments[1]) if len(arguments) > 1 else SEED
    outcomes = run(raw, seed, is_loud="-v" in sys.argv)
    print_outcomes(outcomes)
    sys.exit(any(found["silent"] or found["shifted"] for found in outcomes.values()))


if __name__ == "__main__":
    main()
