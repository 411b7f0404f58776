"""Cells that could be their column's, but are unlike all others in it: what one changed character makes of a cell.

Only what the rest of the column contradicts is taken out; a cell that no column could hold is for `cell_types`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from pipelines.extract.tables.alignment import Damage
from pipelines.extract.tables.grid import ResultTable
from pipelines.extract.tables.headings import Heading
from pipelines.extract.tables.misprints import cut_short, is_known_name, misprinted_name
from pipelines.extract.tables.nothing import is_nothing
from pipelines.extract.tables.swapped_cells import swapped_rows
from pipelines.values.numbers import parse_count, parse_number

# Columns of words with digits in them.
_WORDS = frozenset({"attribute", "variant", "quality_target", "image_size", "framework", "framework_version"})
_NAMES = frozenset({"model", "platform"})
# `PyTorch 2.x`: any release of that line
_ANY_RELEASE = re.compile(r".*\d\.x", re.IGNORECASE)
# Fewer other cells show no habit.
_MIN_OTHERS = 2
# `41k`, `5,60M`, `28.3272k`, `4e4`, where a column has no other letter; `1.2k` is what people print
_LONE_LETTER = re.compile(r"[\d,]+\s?[kKM]|\d+\.\d{3,}\s?[kKM]|\d+(?:\.\d+)?[eE]\d+")
_HAS_LETTER = re.compile(r"[\d.]\s?[kKMeE]")
# `5.833` beside `5,109`, and `4,533` beside `50.877`: a comma for a point, or a point for a comma
_POINT_OF_THREE = re.compile(r"\d{1,3}\.\d{3}")
_SMALL_COUNT = re.compile(r"\d{1,3}")
_COMMA_OF_THREE = re.compile(r"\d{1,3},\d{3}")
_THREE_PLACES = re.compile(r"\d+\.\d{3}")
# `S28`, `3G`, `x`, in a column of counts; `auto`, `8 (NVL)` and `8x7B` are something else
_COUNT_WITH_LETTER = re.compile(r"(?!\d+x\d+[A-Z]?$)(?=.*[A-Za-z])(?:\w*\d\w*|\w)")


def set_odd_rows_apart(tables: Sequence[ResultTable]) -> None:
    """Moves rows with an odd cell, or two swapped ones, from the rows of their table to its damages, with the reason.

    Words are compared with those in the columns of the same kind in all tables, numbers with those of their column.
    """
    words: dict[str, set[str]] = {}
    for table in tables:
        for place, heading in enumerate(table.headings):
            if heading.column in _WORDS | _NAMES:
                words.setdefault(heading.column, set()).update(row[place].text.strip() for row in table.rows)
    meant = {column: _sound_texts(texts) for column, texts in words.items()}
    swapped: dict[int, dict[int, str]] = {}
    for table, position, reason in swapped_rows(tables):
        swapped.setdefault(id(table), {})[position] = reason
    for table in tables:
        _set_apart(table, meant, swapped.get(id(table), {}))


def _set_apart(
    table: ResultTable, meant: Mapping[str, Mapping[tuple[str, str], str]], swapped: Mapping[int, str]
) -> None:
    faults = dict(swapped)
    for place, heading in enumerate(table.headings):
        texts = [row[place].text.strip() for row in table.rows]
        said = [text for row, text in zip(table.rows, texts, strict=True) if not is_nothing(row[place])]
        why = _test_of(heading, said, meant.get(heading.column, {}))
        # A name stands in many rows.
        reasons = {text: why(text) for text in dict.fromkeys(texts)}
        for number, text in enumerate(texts):
            if reason := reasons[text]:
                name = " ".join(heading.cell.text.split())
                faults.setdefault(number, f"{text!r} {reason} in the column {name!r}")
    for number in sorted(faults, reverse=True):
        table.damages.append(Damage(table.rows.pop(number), faults[number]))
        if table.row_lines:
            table.row_lines.pop(number)
    table.damages.sort(key=lambda damage: (damage.cells[0].line, damage.cells[0].start))


def _test_of(
    heading: Heading, texts: Sequence[str], meant: Mapping[tuple[str, str], str]
) -> Callable[[str], str | None]:
    """What tells an odd cell in a column with these texts."""
    tests: list[Callable[[Sequence[str]], Callable[[str], str | None] | None]] = []
    cut = {} if heading.is_value else cut_short(heading.column, texts)
    if len(texts) > _MIN_OTHERS:
        tests = [_letters, _commas] if heading.is_value else [_counts] if heading.column == "attribute" else []
    found = [test for make in tests if (test := make(texts))]
    if meant:
        found.append(lambda text: None if is_known_name(heading.column, text) else _misprint(text, meant))
    if heading.column in _NAMES:
        found.append(lambda text: _misprinted(heading.column, text))
    if cut:
        found.append(lambda text: f"looks like {cut[text]!r} without its end" if text in cut else None)
    return lambda text: next((reason for test in found if (reason := test(text))), None)


def _letters(texts: Sequence[str]) -> Callable[[str], str | None] | None:
    if sum(bool(_HAS_LETTER.search(text)) for text in texts) != 1 or sum(map(_is_number, texts)) < _MIN_OTHERS:
        return None
    reason = "has a letter as no other number has"
    return lambda text: reason if _LONE_LETTER.fullmatch(text) else None


def _commas(texts: Sequence[str]) -> Callable[[str], str | None] | None:
    numbers = [text for text in texts if _is_number(text)]
    points = [text for text in numbers if "." in text]
    commas = [text for text in numbers if "," in text]
    if len(points) == 1 and len(commas) >= _MIN_OTHERS:
        return lambda text: (
            "may group thousands by a point, as no other number does" if _POINT_OF_THREE.fullmatch(text) else None
        )
    whole = [text for text in numbers if _SMALL_COUNT.fullmatch(text)]
    grouped = [text for text in numbers if _POINT_OF_THREE.fullmatch(text) and not text.startswith("0")]
    if whole and len(grouped) >= _MIN_OTHERS and len(whole) + len(grouped) == len(numbers):
        return lambda text: (
            "may group thousands by a point: the others are whole numbers below a thousand" if text in grouped else None
        )
    others = [text for text in numbers if text not in commas]
    if len(commas) == 1 and len(others) >= _MIN_OTHERS and all(map(_THREE_PLACES.fullmatch, others)):
        return lambda text: (
            "may have a comma for its point, as no other number has" if _COMMA_OF_THREE.fullmatch(text) else None
        )
    return None


def _counts(texts: Sequence[str]) -> Callable[[str], str | None] | None:
    if sum(parse_count(text) is not None for text in texts) < len(texts) - 1:
        return None
    return lambda text: (
        "is no count as all others are" if parse_count(text) is None and _COUNT_WITH_LETTER.fullmatch(text) else None
    )


def _sound_texts(texts: Iterable[str]) -> dict[tuple[str, str], str]:
    """The texts by what is left when one of their digits is left out, so that none is compared with every other."""
    return {hole: text for text in sorted(texts) for hole in _holes(text, str.isdigit)}


def _misprint(text: str, meant: Mapping[tuple[str, str], str]) -> str | None:
    """`Matmult-BF1x` where another cell is `Matmult-BF16`."""
    if _ANY_RELEASE.fullmatch(text):
        return None
    other = next((meant[hole] for hole in _holes(text, str.isalpha) if hole in meant), None)
    return f"looks like {other!r} with a letter in place of a digit" if other else None


def _misprinted(column: str, text: str) -> str | None:
    """`MI3O0X`, which is no name where `MI300X` is one."""
    other = misprinted_name(column, text)
    return f"looks like {other!r} with a letter in place of a digit" if other else None


def _holes(text: str, is_left_out: Callable[[str], bool]) -> Iterator[tuple[str, str]]:
    """What stands before and behind each of the characters that are left out."""
    return ((text[:place], text[place + 1 :]) for place, character in enumerate(text) if is_left_out(character))


def _is_number(text: str) -> bool:
    return parse_number(text) is not None
