"""A mapping laid on damaged tables: what stays right, is refused, is wrong?
`python benchmarks/damages.py [-v]`.

Damaged are the tables of the shipped pages and of the fixtures, each with its mapping, as a reader
gives them: what a page says is changed, not its bytes. A number is right where all that is said of
it is as before, less where some of it is said no more, refused where it is not read, else wrong.
With `-v` the wrong ones are printed. Exit status 1 where any is wrong that a mapping can tell.
"""

from __future__ import annotations

import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from pipelines.extract.rows import Condition, Measurement, Price
from pipelines.extract.tables.apply import apply
from pipelines.extract.tables.entries import load_entries
from pipelines.extract.tables.mapping import MappingEntry
from pipelines.extract.tables.measurements import to_rows
from pipelines.extract.tables.printed import Passage, PrintedTable, tables_of
from pipelines.read.document import Cell, Document
from pipelines.read.files import open_file
from pipelines.settings import PROJECT

FIXTURES = PROJECT / "tests" / "fixtures" / "results_page"
SEED, PER_KIND_AND_PAGE = 20231204, 10
OUTCOMES = ("right", "less", "refused", "wrong")
# What is said of a number, by the place of its characters.
Facts = dict[tuple[int, int, str], frozenset[tuple[str, str]]]
# Gives damaged tables, or None where there is nothing to damage.
Damage = Callable[[list[PrintedTable], random.Random], "list[PrintedTable] | None"]


def _columns_of(table: PrintedTable) -> int:
    return min(len(row) for row in table.texts)


def _of_columns(
    table: PrintedTable, order: Sequence[int], *, heading_rows: int | None = None
) -> PrintedTable:
    """A table with its columns in another order, all of them or only the rows of its headings."""
    rows = range(len(table.texts) if heading_rows is None else heading_rows)
    moved = [
        tuple(row[at] for at in order) if n in rows else row for n, row in enumerate(table.rows)
    ]
    return replace(table, rows=tuple(moved))


def _with_text(table: PrintedTable, row: int, column: int, text: str) -> PrintedTable:
    rows = [list(cells) for cells in table.rows]
    cell = rows[row][column]
    rows[row][column] = Cell(text, cell.line, cell.start, cell.start + len(text))
    return replace(table, rows=rows)


def _one_table(damage: Callable[[PrintedTable, random.Random], PrintedTable | None]) -> Damage:
    """Damage to one table of a page, drawn by chance."""

    def apply_to(tables: list[PrintedTable], chance: random.Random) -> list[PrintedTable] | None:
        at = chance.randrange(len(tables))
        # A table with an empty row has no columns that all rows share.
        damaged = (
            damage(tables[at], chance)
            if _columns_of(tables[at]) and len(tables[at].texts) > 1
            else None
        )
        return [*tables[:at], damaged, *tables[at + 1 :]] if damaged else None

    return apply_to


def _delete_column(table: PrintedTable, chance: random.Random) -> PrintedTable | None:
    width = _columns_of(table)
    gone = chance.randrange(width)
    return _of_columns(table, [at for at in range(width) if at != gone]) if width > 1 else None


def _insert_column(table: PrintedTable, chance: random.Random) -> PrintedTable:
    width = _columns_of(table)
    new = chance.randrange(width + 1)
    widened = _of_columns(table, [*range(new), 0, *range(new, width)])
    for row in range(len(widened.rows)):
        widened = _with_text(widened, row, new, "7" if row else "Warm-up")
    return widened


def _swap_headings(table: PrintedTable, chance: random.Random) -> PrintedTable | None:
    width = _columns_of(table)
    if width < 2:
        return None
    one, other = chance.sample(range(width), 2)
    order = [other if at == one else one if at == other else at for at in range(width)]
    return _of_columns(table, order, heading_rows=1)


def _rename_heading(table: PrintedTable, chance: random.Random) -> PrintedTable | None:
    at = chance.randrange(_columns_of(table))
    text = table.texts[0][at]
    return _with_text(table, 0, at, f"{text} v2") if text else None


_OTHER_UNITS = {
    "ms": "s",
    "tokens": "requests",
    "img": "batches",
    "items": "ms",
    "min": "hours",
    "/sec": "/min",
}


def _change_unit(table: PrintedTable, chance: random.Random) -> PrintedTable | None:
    places = [
        (at, text, unit)
        for at, text in enumerate(table.texts[0])
        for unit in _OTHER_UNITS
        if f"({unit}" in text
    ]
    if not places:
        return None
    at, text, unit = chance.choice(places)
    return _with_text(table, 0, at, text.replace(f"({unit}", f"({_OTHER_UNITS[unit]}"))


def _of_row(table: PrintedTable, row: int, order: Sequence[int]) -> PrintedTable:
    rows = list(table.rows)
    # Cells of their own: one that is printed twice spans nothing.
    rows[row] = [Cell(*rows[row][at]) for at in order]
    return replace(table, rows=rows)


def _drop_cell(table: PrintedTable, chance: random.Random) -> PrintedTable | None:
    row = chance.randrange(1, len(table.texts))
    cells = len(table.texts[row])
    gone = chance.randrange(cells)
    return _of_row(table, row, [at for at in range(cells) if at != gone]) if cells > 1 else None


def _double_cell(table: PrintedTable, chance: random.Random) -> PrintedTable:
    row = chance.randrange(1, len(table.texts))
    cells = len(table.texts[row])
    twice = chance.randrange(cells)
    return _of_row(table, row, sorted([*range(cells), twice]))


# `1,200`, `0.0719`, `512`; in a version, a name or a precision any word may stand.
_MEASURED = re.compile(r"\d{1,3}(?:,\d{3})+|\d{3,}|\d+\.\d{3,}")


def _misread_digit(table: PrintedTable, chance: random.Random) -> PrintedTable | None:
    cells = (
        (row, at, text)
        for row, texts in enumerate(table.texts)
        for at, text in enumerate(texts)
        if row
    )
    places = [(row, at) for row, at, text in cells if _MEASURED.fullmatch(text)]
    if not places:
        return None
    row, at = chance.choice(places)
    return _with_text(table, row, at, f"l{table.texts[row][at][1:]}")


def _lose_headings(table: PrintedTable, chance: random.Random) -> PrintedTable:
    return replace(table, rows=table.rows[1:])


def _rename_section(table: PrintedTable, chance: random.Random) -> PrintedTable | None:
    heading = next((passage for passage in table.near if passage.level != "sentence"), None)
    if heading is None:
        return None
    renamed = Passage((Cell("Latest figures", heading.pieces[0].line, 0, 14),), heading.level)
    return replace(
        table, near=[renamed if passage is heading else passage for passage in table.near]
    )


def _lose_section(tables: list[PrintedTable], chance: random.Random) -> list[PrintedTable] | None:
    """A table falls under the section of the one before it."""
    if len(tables) < 2:
        return None
    at = chance.randrange(1, len(tables))
    above = tables[at - 1]
    moved = replace(tables[at], near=above.near, far=above.far, heading=above.heading)
    return [*tables[:at], moved, *tables[at + 1 :]]


def _lose_table(tables: list[PrintedTable], chance: random.Random) -> list[PrintedTable] | None:
    gone = chance.randrange(len(tables))
    return [table for at, table in enumerate(tables) if at != gone] if len(tables) > 1 else None


KINDS: dict[str, Damage] = {
    "column deleted": _one_table(_delete_column),
    "column inserted": _one_table(_insert_column),
    "heading renamed": _one_table(_rename_heading),
    "headings swapped": _one_table(_swap_headings),
    "unit changed": _one_table(_change_unit),
    "cell dropped": _one_table(_drop_cell),
    "cell doubled": _one_table(_double_cell),
    "digit misread": _one_table(_misread_digit),
    "headings gone": _one_table(_lose_headings),
    "section renamed": _one_table(_rename_section),
    "section gone": _lose_section,
    "table gone": _lose_table,
}
# A page that says another thing in the same words: no mapping can tell.
UNTOLD = frozenset({"headings swapped", "section gone"})


def facts(document: Document, tables: list[PrintedTable], entries: Sequence[MappingEntry]) -> Facts:
    """What is said of each number."""
    result = apply(document, tables, entries)
    extraction = to_rows(document, result)
    rows = extraction.rows
    conditions = {
        row.number: (row.dimension, row.value) for row in rows if isinstance(row, Condition)
    }
    found: Facts = {}
    for row in rows:
        if isinstance(row, Measurement):
            said = {conditions[number] for number in row.conditions}
            what = {("value", f"{row.value} {row.unit} {row.item}")}
            found[row.cell.line, row.cell.start, row.metric] = frozenset(said | what)
        elif isinstance(row, Price):
            found[row.cell.line, row.cell.start, "price"] = frozenset(
                {("value", f"{row.price_usd} {row.platform_printed}")}
            )
    return found


def pages(sources: Collection[str] = ()) -> Iterator[tuple[Path, Path]]:
    """Every page that has a mapping, with it: the newest of each shipped source (or of some, as
    `publisher/source`), and the fixtures.
    """
    for mapping in sorted((PROJECT / "raw").glob("*/*/mapping.yml")):
        if sources and "/".join(mapping.parts[-3:-1]) not in sources:
            continue
        newest = max(folder for folder in mapping.parent.iterdir() if folder.is_dir())
        yield next(path for path in sorted(newest.iterdir()) if path.suffix != ".yml"), mapping
    for mapping in sorted(FIXTURES.glob("*.mapping.yml")):
        beside = FIXTURES.glob(f"{mapping.name.removesuffix('.mapping.yml')}.*")
        yield (
            next(path for path in beside if not path.name.endswith((".yml", ".expected.csv"))),
            mapping,
        )


def run(
    page: Path, mapping: Path, per_kind: int, *, is_loud: bool = False
) -> dict[str, Counter[str]]:
    """How the numbers of a page come out of each kind of damage."""
    entries = load_entries(mapping)
    document = open_file(page, "0" * 64)
    tables = tables_of(document, (), entries)
    tables = [table for table in tables if table.rows_of is None and len(table.texts) > 1]
    outcomes: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
    if not tables:
        return outcomes
    before = facts(document, tables, entries)
    for kind, damage in KINDS.items():
        for number in range(per_kind):
            damaged = damage(tables, random.Random(f"{SEED} {page.name} {kind} {number}"))
            if damaged is None:
                continue
            after = facts(document, damaged, entries)
            places = {place[:2] for place in before}
            for place, said in before.items():
                outcome = _outcome(said, after.get(place))
                outcomes[kind][outcome] += 1
                if is_loud and outcome == "wrong":
                    print(
                        f"wrong: {kind} {number} of {page.name}, line {place[0]}: {sorted(said ^ after[place])}"
                    )
            outcomes[kind]["wrong"] += sum(
                1 for place in after if place not in before and place[:2] in places
            )
    return outcomes


def _outcome(before: frozenset[tuple[str, str]], after: frozenset[tuple[str, str]] | None) -> str:
    if after is None:
        return "refused"
    return "right" if after == before else "less" if after < before else "wrong"


def main() -> None:
    outcomes: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
    for page, mapping in pages():
        for kind, found in run(page, mapping, PER_KIND_AND_PAGE, is_loud="-v" in sys.argv).items():
            outcomes[kind] += found
    print(f"{'damage':<22}" + "".join(f"{name:>10}" for name in OUTCOMES))
    for kind, found in [*outcomes.items(), ("all", sum(outcomes.values(), Counter()))]:
        print(f"{kind:<22}" + "".join(f"{found[name]:>10}" for name in OUTCOMES))
    sys.exit(any(found["wrong"] for kind, found in outcomes.items() if kind not in UNTOLD))


if __name__ == "__main__":
    main()
