"""Broken variants of every stored document: is the damage detected? `python benchmarks/mutations.py [RAW] [SEED]`.

For each variant the rows that differ from those of the undamaged document must stem from the damaged lines, or
be missing with a reject that says so. A row that differs and stems from sound lines is shifted: there must be none.
A changed digit that stays a plausible number cannot be detected and is not made here.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pipelines.extract.reading import StoredDocument, read_document
from pipelines.ingest.store import read_store
from pipelines.settings import PROJECT

Rows = dict[str, list[dict[str, Any]]]

PER_KIND_AND_DOCUMENT = 6
SEED = 20231204

# Where a row stands is no part of what it says.
_PLACES = frozenset(
    {"document_id", "line", "char_start", "char_end", "section_line", "row_line", "run_line", "repeats_line"}
)
_LINES = ("line", "section_line", "row_line", "run_line", "repeats_line")


@dataclass(frozen=True)
class Variant:
    """A damaged document.

    Attributes:
        content: Its bytes.
        damaged: Lines that the damage touches, numbered in the damaged text.
        removed: Lines of the undamaged text that are gone altogether: what stood there cannot be missed.
    """

    content: bytes
    damaged: frozenset[int] = field(default_factory=frozenset)
    removed: frozenset[int] = field(default_factory=frozenset)


def main() -> None:
    raw = Path(sys.argv[1]) if len(sys.argv) > 1 else PROJECT / "raw"
    chance = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else SEED)
    outcomes: dict[str, Counter[str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for document in read_store(raw).documents:
            text = (raw / document["path"]).read_text("utf-8")
            base = read(text.encode(), document["format"], folder)
            lines = read_lines(text, document["format"], folder)
            for kind, damage in DAMAGES.items():
                for _ in range(PER_KIND_AND_DOCUMENT):
                    variant = damage(text.split("\n"), lines, chance)
                    if variant is None:
                        continue
                    outcome = judge(base, read(variant.content, document["format"], folder), variant)
                    outcomes.setdefault(kind, Counter())[outcome] += 1
                    if outcome in ("shifted", "silent") and "-v" in sys.argv:
                        print(kind, document["path"], sorted(variant.damaged)[:4])
    print_outcomes(outcomes)


def read(content: bytes, format_name: str, folder: str) -> Rows:
    """All rows of a document with these bytes, by kind."""
    path = Path(folder) / "document"
    path.write_bytes(content)
    return read_document(StoredDocument("0" * 64, path, format_name)).rows


def read_lines(text: str, format_name: str, folder: str) -> list[int]:
    """Numbers of the lines that rows of the undamaged document stem from; damage elsewhere says nothing."""
    return sorted(
        {line for rows in read(text.encode(), format_name, folder).values() for row in rows for line in stems(row)}
    )


def stems(row: dict[str, Any]) -> set[int]:
    """Numbers of the lines that a row stems from: its cell, its table row, its headings."""
    first = min(row.get("row_line") or row["line"], row.get("run_line") or row["line"])
    parameters = {row["parameters_line"]} if row.get("parameters_line") else set()
    return set(range(first, row["line"] + 1)) | {row[name] for name in _LINES if row.get(name)} | parameters


def fact(kind: str, row: dict[str, Any]) -> tuple[Any, ...]:
    """What a row says, without where it says it."""
    return (kind, *sorted((name, repr(_plain(value))) for name, value in row.items() if name not in _PLACES))


def _plain(value: Any) -> Any:
    """A text with plain spaces: no-break spaces in a name are the same name."""
    return value.replace("\u00a0", " ") if isinstance(value, str) else value


def facts(rows: Rows) -> dict[tuple[Any, ...], list[dict[str, Any]]]:
    """Rows by what they say, rejects left out."""
    found: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for kind, kind_rows in rows.items():
        for row in kind_rows if kind != "rejects" else ():
            found.setdefault(fact(kind, row), []).append(row)
    return found


def judge(base: Rows, rows: Rows, variant: Variant) -> str:
    """unharmed, exact (only rows of damaged lines differ), rejected, silent (rows gone without a word) or shifted."""
    before, after = facts(base), facts(rows)
    differing = [row for key, found in after.items() for row in found[len(before.get(key, ())) :]]
    gone = [row for key, found in before.items() for row in found[len(after.get(key, ())) :]]
    for row in list(differing):
        if other := next((other for other in gone if _says_less(row, other)), None):
            differing.remove(row)
            gone.remove(other)
    if any(not stems(row) & variant.damaged for row in differing):
        if "-v" in sys.argv:
            print("shifted:", next(row for row in differing if not stems(row) & variant.damaged))
        return "shifted"
    if rows.get("rejects"):
        return "rejected"
    if sum(row["line"] not in variant.removed for row in gone) > len(differing):
        return "silent"
    return "exact" if differing or gone else "unharmed"


def _says_less(row: dict[str, Any], other: dict[str, Any]) -> bool:
    """True when a row differs from a true one only in what it leaves out: a footnote or a heading that is gone."""
    if row.keys() != other.keys():
        return False
    free = _PLACES | {"section", "sentence", "conditions"}
    if "run_line" in row and "epochs" in row:
        # A run whose time or an epoch of which is damaged stands at its heading and counts the epochs that are left.
        free |= {"text_printed", "epochs"}
    return all(_plain(row[name]) in (None, _plain(other[name])) for name in row if name not in free)


def print_outcomes(outcomes: dict[str, Counter[str]]) -> None:
    names = ("unharmed", "exact", "rejected", "silent", "shifted")
    print(f"{'damage':<22}{'variants':>9}" + "".join(f"{name:>10}" for name in names) + f"{'detected':>10}")
    total: Counter[str] = Counter()
    for kind, found in outcomes.items():
        total += found
        harmed = sum(found.values()) - found["unharmed"]
        rate = f"{(harmed - found['silent'] - found['shifted']) / harmed:.0%}" if harmed else "-"
        print(f"{kind:<22}{sum(found.values()):>9}" + "".join(f"{found[name]:>10}" for name in names) + f"{rate:>10}")
    print(f"{'all':<22}{sum(total.values()):>9}" + "".join(f"{total[name]:>10}" for name in names))


Damage = Callable[[list[str], list[int], random.Random], "Variant | None"]


def _with_lines(lines: list[str], *damaged: int, removed: Iterable[int] = ()) -> Variant:
    return Variant("\n".join(lines).encode(), frozenset(damaged), frozenset(removed))


def lose_a_cell(lines: list[str], read: list[int], chance: random.Random) -> Variant:
    """A line is gone; its neighbours stand where it stood."""
    at = chance.choice(read)
    return _with_lines([*lines[: at - 1], *lines[at:]], at - 1, at, removed=[at])


def add_a_cell(lines: list[str], read: list[int], chance: random.Random) -> Variant:
    at = chance.choice(read)
    cell = chance.choice(["1,234", "foo", "\u00a0", lines[at - 1], "SDK 9.9"])
    return _with_lines([*lines[: at - 1], cell, *lines[at - 1 :]], at - 1, at, at + 1)


def swap_two_cells(lines: list[str], read: list[int], chance: random.Random) -> Variant | None:
    at = chance.choice(read)
    if at >= len(lines) or lines[at - 1] == lines[at]:
        return None
    return _with_lines([*lines[: at - 1], lines[at], lines[at - 1], *lines[at + 1 :]], at, at + 1)


def letter_for_a_digit(lines: list[str], read: list[int], chance: random.Random) -> Variant | None:
    at = chance.choice([number for number in read if any(c.isdigit() for c in lines[number - 1])])
    text = lines[at - 1]
    place = chance.choice([n for n, c in enumerate(text) if c.isdigit()])
    return _with_lines([*lines[: at - 1], text[:place] + "O" + text[place + 1 :], *lines[at:]], at)


def decimal_comma(lines: list[str], read: list[int], chance: random.Random) -> Variant | None:
    choices = [number for number in read if "." in lines[number - 1] and any(c.isdigit() for c in lines[number - 1])]
    if not choices:
        return None
    at = chance.choice(choices)
    return _with_lines([*lines[: at - 1], lines[at - 1].translate(str.maketrans(".,", ",.")), *lines[at:]], at)


def swap_a_unit(lines: list[str], read: list[int], chance: random.Random) -> Variant | None:
    pairs = {"(ms)": "(s)", "(items/sec)": "(ms)", "(mins)": "(hours)", "(seconds)": "(ms)", "us/step": "ms/step"}
    choices = [(n, old) for n, line in enumerate(lines, start=1) for old in pairs if old in line]
    if not choices:
        return None
    at, old = chance.choice(choices)
    changed = [*lines[: at - 1], lines[at - 1].replace(old, pairs[old]), *lines[at:]]
    return Variant("\n".join(changed).encode(), frozenset(range(at, len(lines) + 1)))


def rename_a_header(lines: list[str], read: list[int], chance: random.Random) -> Variant | None:
    headers = ("Model", "Platform", "Throughput (items/sec)", "Batch Size", "Precision", "Latency (ms)", "Variant")
    choices = [n for n, line in enumerate(lines, start=1) if line in headers]
    if not choices:
        return None
    at = chance.choice(choices)
    changed = [*lines[: at - 1], "Kolumne X", *lines[at:]]
    return Variant("\n".join(changed).encode(), frozenset(range(at, len(lines) + 1)))


def cut_a_row_in_half(lines: list[str], read: list[int], chance: random.Random) -> Variant:
    at = chance.choice(read)
    return _with_lines(
        [*lines[: at - 1], lines[at - 1][: len(lines[at - 1]) // 2], *lines[at + 3 :]],
        at - 1,
        at,
        at + 1,
        removed=range(at + 1, at + 4),
    )


def carriage_returns(lines: list[str], read: list[int], chance: random.Random) -> Variant:
    return Variant("\r\n".join(lines).encode())


def no_break_spaces(lines: list[str], read: list[int], chance: random.Random) -> Variant:
    return Variant("\n".join(lines).replace(" ", "\u00a0").encode(), frozenset(range(1, len(lines) + 1)))


def tabs_for_lines(lines: list[str], read: list[int], chance: random.Random) -> Variant:
    first = chance.choice(read)
    last = min(first + chance.randrange(2, 12), len(lines))
    joined = "\t".join(lines[first - 1 : last])
    return _with_lines([*lines[: first - 1], joined, *lines[last:]], first - 1, first, first + 1)


def repeat_a_part(lines: list[str], read: list[int], chance: random.Random) -> Variant:
    """The text from one heading on once more at the end: every repeated row is a true one, printed twice."""
    first, last = sorted(chance.sample(range(len(lines) + 1), 2))
    return Variant(
        "\n".join([*lines, "", *lines[first:last]]).encode(), frozenset(range(len(lines) - 1, 2 * len(lines) + 2))
    )


def cut_at_a_byte(lines: list[str], read: list[int], chance: random.Random) -> Variant:
    content = "\n".join(lines).encode()
    cut = content[: chance.randrange(1, len(content))]
    last = cut.count(b"\n") + 1
    return Variant(cut, frozenset({last - 1, last}), frozenset(range(last + 1, len(lines) + 1)))


def latin_1(lines: list[str], read: list[int], chance: random.Random) -> Variant | None:
    text = "\n".join(lines)
    if text.isascii():
        return None
    return Variant(text.encode("latin-1", errors="replace"), frozenset())


DAMAGES: dict[str, Damage] = {
    damage.__name__.replace("_", " "): damage
    for damage in (
        lose_a_cell,
        add_a_cell,
        swap_two_cells,
        letter_for_a_digit,
        decimal_comma,
        swap_a_unit,
        rename_a_header,
        cut_a_row_in_half,
        carriage_returns,
        no_break_spaces,
        tabs_for_lines,
        repeat_a_part,
        cut_at_a_byte,
        latin_1,
    )
}

if __name__ == "__main__":
    main()
