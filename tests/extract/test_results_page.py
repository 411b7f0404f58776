"""Result pages: golden fixtures, the shipped page and the original, columns in any order, what damage may not do."""

from __future__ import annotations

import csv
import os
import random
import time
from collections import Counter
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.extract import results_page
from pipelines.extract.rows import KIND_OF, Measurement, Price, Reject, Row
from pipelines.extract.tables.cell_types import read_evaluation, read_value
from pipelines.extract.tables.headings import Heading, read_heading
from pipelines.read.document import Cell, Document
from pipelines.read.files import open_file
from pipelines.read.text import read_text
from pipelines.settings import PROJECT

_FOLDER = Path(__file__).parents[1] / "fixtures" / "results_page"
FIXTURES = sorted(path for path in _FOLDER.iterdir() if not path.name.endswith((".expected.csv", ".yml")))
SHIPPED = PROJECT / "raw/graphcore/performance-results/2023-07-04/performance_results.txt"
ORIGINALS = Path(os.environ.get("BENCHLEDGER_ORIGINALS", "."))
needs_originals = pytest.mark.skipif("BENCHLEDGER_ORIGINALS" not in os.environ, reason="no original documents")
PAGES = [
    pytest.param(SHIPPED, id="shipped"),
    pytest.param(ORIGINALS / "performance_results.txt", id="original", marks=needs_originals),
]
LOGS = [
    pytest.param(next(PROJECT.glob("raw/unknown/mk2-a100-training-log/*/training_log.txt")), id="shipped"),
    pytest.param(ORIGINALS / "training_log.txt", id="original", marks=needs_originals),
]
BLANK = "\u00a0"

# Fields that say where a row stands, not what it says.
PLACES = frozenset({"cell", "headings_printed", "row_line", "section_line"})
FACTS = [field.name for field in fields(Measurement) if field.name not in PLACES]
Fact = tuple[str, ...]


@dataclass
class Reading:
    """What a document gives."""

    document: Document
    measurements: list[Measurement]
    rejects: list[Reject]

    @cached_property
    def facts(self) -> set[Fact]:
        return {fact(row) for row in self.measurements}

    def facts_without(self, name: str) -> set[Fact]:
        place = FACTS.index(name)
        return {fact[:place] + fact[place + 1 :] for fact in self.facts}

    @property
    def rules(self) -> list[tuple[str, str]]:
        return [(row.rule, row.scope) for row in self.rejects]

    def rows_lost(self, other: Reading) -> int:
        """Printed rows of which some fact is missing in another reading."""
        return len({row.row_line for row in self.measurements if fact(row) not in other.facts})


def fact(row: Measurement) -> Fact:
    return tuple(" ".join(str(getattr(row, name)).split()) for name in FACTS)


def read(text: str | bytes) -> Reading:
    document = read_text(text if isinstance(text, bytes) else text.encode(), "0" * 64)
    rows = results_page.extract(document, frozenset()).rows
    check_places(document, rows)
    return Reading(
        document,
        [row for row in rows if isinstance(row, Measurement)],
        [row for row in rows if isinstance(row, Reject)],
    )


def check_places(document: Document, rows: list[Row]) -> None:
    """Every row points at its characters."""
    for row in rows:
        assert document.line(row.cell.line).text[row.cell.start : row.cell.end] == row.cell.text
        assert row.cell.text.strip() or isinstance(row, Reject)


@pytest.fixture(scope="module", params=PAGES)
def page_read(request: pytest.FixtureRequest) -> Reading:
    return read(request.param.read_bytes())


# Golden fixtures


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.name)
def test_golden(path: Path) -> None:
    with path.with_name(f"{path.stem}.expected.csv").open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        expected = list(reader)
    document = open_file(path, "0" * 64)
    rows = results_page.extract(document, frozenset()).rows
    assert [printed(row, list(reader.fieldnames or ())) for row in rows] == expected
    assert results_page.recognise(document) == 0.9
    check_places(document, rows)


def printed(row: Row, columns: list[str]) -> dict[str, str]:
    places = {"kind": KIND_OF[type(row)], "line": row.cell.line, "text": row.cell.text}
    cells = {column: places[column] if column in places else getattr(row, column, None) for column in columns}
    return {column: "" if value is None else str(value) for column, value in cells.items()}


# The page the project was made for


def test_counts_of_the_page(page_read: Reading) -> None:
    rows = page_read.measurements
    assert page_read.rejects == []
    assert len(rows) == 356
    assert len({row.row_line for row in rows}) == 248
    assert Counter(row.metric for row in rows) == {
        "throughput": 236,
        "latency": 104,
        "time_to_train": 13,
        "mae": 1,
        "mrr": 1,
        "time_to_result": 1,
    }
    starts = sorted({row.section_line for row in rows if row.section_line})
    assert len(starts) == 7
    sections = Counter((row.section, row.task, row.suite) for row in rows if row.section_line != starts[0])
    assert sections == {
        ("Bow Platform - Training", "training", None): 64,
        ("Bow Platform - Inference", "inference", None): 72,
        ("MLPerf v2.0 Training Performance", "training", "MLPerf Training v2.0"): 11,
        ("IPU-POD Classic - Training", "training", None): 62,
        ("IPU-POD Classic - Time to Result", None, None): 1,
        ("IPU-POD Classic - Inference", "inference", None): 140,
    }


def test_every_value_of_the_page_is_the_one_printed(page_read: Reading) -> None:
    headings = {
        "throughput": "Throughput (items/sec)",
        "latency": "Latency (ms)",
        "time_to_result": "Time to Result (secs)",
    }
    for row in page_read.measurements:
        if row.metric in ("mae", "mrr"):
            evaluation = read_evaluation(row.cell)
            assert evaluation is not None
            assert evaluation[0].value == row.value
            continue
        name = headings.get(row.metric, "Time to Train (mins)" if row.submission_id else "Time to Train")
        value = read_value(row.cell, heading(name))
        assert value is not None
        assert (value[0].value, value[0].low, value[0].high) == (row.value, row.value_low, row.value_high)


def heading(text: str) -> Heading:
    found = read_heading(Cell(text, 1, 0, len(text)))
    assert found is not None, text
    return found


def test_the_challenge_table(page_read: Reading) -> None:
    rows = [row for row in page_read.measurements if row.ranking]
    assert {(row.row_line, row.ranking, row.suite) for row in rows} == {
        (rows[0].row_line, "First", "OGB-LSC 2022"),
        (rows[-1].row_line, "First", "OGB-LSC 2022"),
    }
    assert [(r.dataset_printed, r.metric, r.value, r.unit, r.unit_printed, r.item) for r in rows] == [
        ("PCQM4Mv2", "throughput", 17800, "items/s", "graphs/s", "graphs"),
        ("PCQM4Mv2", "time_to_train", 85380, "s", None, None),
        ("PCQM4Mv2", "mae", 0.0719, "MAE", None, None),
        ("WikiKG90Mv2", "throughput", 1260000, "items/s", "triples/s", "triples"),
        ("WikiKG90Mv2", "time_to_train", 42600, "s", None, None),
        ("WikiKG90Mv2", "mrr", 0.2562, "MRR", None, None),
    ]
    assert (rows[1].value_low, rows[1].value_high) == (85350, 85410)


def test_the_submission_table(page_read: Reading) -> None:
    rows = [row for row in page_read.measurements if row.submission_id]
    assert len({row.submission_id for row in rows}) == len(rows) == 11
    assert Counter(row.division for row in rows) == {"Closed": 10, "Open": 1}
    assert Counter(row.quality_target for row in rows) == {
        "75.90% classification": 4,
        "0.72 Mask-LM accuracy": 6,
        None: 1,
    }
    assert {row.batch_size for row in rows} == {None}


def test_blank_cells_units_and_precisions(page_read: Reading) -> None:
    rows = page_read.measurements
    [tgn] = [row for row in rows if row.platform_printed == "1x Bow IPU" and row.model_printed == "TGN"]
    assert (tgn.variant_printed, tgn.framework_printed, tgn.value) == (
        "Temporal Graph Network",
        "Pytorch Geometric",
        31617,
    )
    assert (tgn.dataset_printed, tgn.batch_size, tgn.precision, tgn.activation_bits) == (None, None, None, None)
    frames = [row for row in rows if row.unit_printed == "frames/s"]
    assert {(row.model_printed, row.item, row.variant_printed) for row in frames} == {("FastPitch", "frames", None)}
    pairs = {(row.precision, row.activation_bits, row.weight_bits) for row in rows if row.precision}
    assert {("16.16", 16, 16), ("16.32", 16, 32), ("32.32", 32, 32)} <= pairs
    assert not {text for row in rows for text in (row.dataset_printed, row.variant_printed) if text in ("", "-", BLANK)}


def test_a_pair_is_not_explained_without_its_footnote() -> None:
    text = SHIPPED.read_text("utf-8")
    assert "X.Y" in text
    rows = read(text.replace("X.Y", "Z")).measurements
    assert {(row.activation_bits, row.weight_bits) for row in rows} == {(None, None)}
    assert "16.32" in {row.precision for row in rows}


@pytest.mark.parametrize("path", LOGS)
def test_the_table_behind_the_training_log(path: Path) -> None:
    reading = read(path.read_bytes())
    rows = reading.measurements
    assert reading.rejects == []
    assert len({row.row_line for row in rows}) == 13
    assert Counter((row.metric, row.unit, row.item) for row in rows) == {
        ("epoch_time", "s", None): 13,
        ("throughput", "items/s", "images"): 13,
    }
    assert {str(row.section).startswith("TABLE 4: ") for row in rows} == {True}
    assert [(row.platform_printed, row.accelerator_count, row.batch_size, row.value) for row in rows[-2:]] == [
        ("Mk2-IPU", 16, 10, 4.9),
        ("Mk2-IPU", 16, 10, 21547),
    ]


# Headers

COLUMNS = {
    "Model": ["BERT-Large", "ResNet-50 v1.5", "GPT2", "AcmeNet 7", "ViT"],
    "Variant": ["SL128", "Fine-Tuning (SL384 - SQuAD)", "GPT2-Large (SL512)", BLANK],
    "Platform": ["Bow Pod16", "IPU-M2000", "H100", "AcmeBox", "8x A100"],
    "SDK Version": ["SDK 3.1", "SDK 2.4.0", "SDK 3.3", BLANK],
    "Framework": ["PyTorch", "TensorFlow2", "PopART", "AcmeFlow"],
    "Dataset": ["Wikipedia", "ImageNet2012", "Generated", BLANK],
    "Batch Size": ["1", "16", "65,536", BLANK],
    "Precision": ["16.16", "FP32", "INT8", BLANK],
    "# GPUs": ["1", "8", "64"],
    "Sequence Length": ["128", "2,048", BLANK],
    "Nodes": ["1", "2", "16"],
    "Server": ["DGX A100", "AcmeServer 2U", BLANK],
    "Remarks": ["measured in house", "see note 3", BLANK],
    "MLPerf ID": ["2.0-2045", "4.1-0053"],
    "Division": ["Closed", "Open"],
}
VALUES = {
    "Throughput (items/sec)": ["6,044", "17.3", "1,260,000"],
    "Latency (ms)": ["0.93", "12.1", BLANK],
    "Time to Train (mins)": ["19.64", "153.58", BLANK],
    "Epoch Time": ["23h 43m", "704 ms", "8h39m", BLANK],
    "Evaluation Metric": ["0.0719 MAE", "0.2562 MRR"],
}
UNKNOWN = ["Colour", "Phase of the moon", "Weather"]


@dataclass
class Table:
    """A made table as one cell per line."""

    headings: list[str]
    rows: list[list[str]]
    first: int = 4

    @property
    def body(self) -> range:
        start = self.first + len(self.headings)
        return range(start, start + len(self.headings) * len(self.rows))

    @property
    def values(self) -> int:
        return sum(
            cell != BLANK for row in self.rows for cell, name in zip(row, self.headings, strict=True) if name in VALUES
        )

    @property
    def lines(self) -> list[str]:
        cells = [cell for row in self.rows for cell in row]
        return ["Results", "", "Acme - Training", "", *self.headings, *cells, "", "Measured in June.", "", BLANK]

    def row_of(self, place: int) -> int:
        return (place - self.body.start) // len(self.headings)

    def delimited(self, join: str, edge: str, rule: str = "") -> str:
        lines = [f"{edge}{join.join(cells)}{edge}" for cells in [self.headings, *self.rows]]
        return "\n".join(["Results", "", "Acme - Training", "", lines[0], *([rule] if rule else []), *lines[1:], ""])


def make_table(rng: random.Random, *, unknown: int = 0, least: int = 2) -> Table:
    """Any known columns in any order, with a model or a platform and a value."""
    subject = rng.choice(["Model", "Platform"]) if not unknown else "Model"
    measured = rng.choice(list(VALUES))
    others = [name for name in [*COLUMNS, *VALUES] if name not in (subject, measured)]
    names = [subject, measured, *rng.sample(others, rng.randint(least - 2, 7))]
    headings = rng.sample(names, len(names))
    for name in rng.sample(UNKNOWN, unknown):
        headings.insert(rng.randrange(len(headings) + 1), name)
    choices = {**COLUMNS, **VALUES, **{name: ["red", "7", "3.5"] for name in UNKNOWN}}
    rows = [[rng.choice(choices[name]) for name in headings] for _ in range(rng.randint(4, 8))]
    for row in rows:
        row[headings.index(measured)] = choices[measured][0]
    return Table(headings, rows)


seeds = st.integers(0, 2**32 - 1).map(random.Random)


@settings(max_examples=60, deadline=None)
@given(seeds)
def test_known_columns_in_any_order_and_layout(rng: random.Random) -> None:
    table = make_table(rng)
    reading = read("\n".join(table.lines))
    assert reading.rejects == []
    assert len(reading.measurements) == table.values
    assert {row.cell.text for row in reading.measurements} <= {cell for row in table.rows for cell in row}
    for text in (
        table.delimited("\t", ""),
        table.delimited(" | ", "|"),
        table.delimited("|", "|", "|".join(["", *[":---:"] * len(table.headings), ""])),
    ):
        assert read(text).facts == reading.facts


@settings(max_examples=60, deadline=None)
@given(seeds, st.integers(1, 2))
def test_unknown_headings_are_told_and_shift_nothing(rng: random.Random, unknown: int) -> None:
    table = make_table(rng, unknown=unknown, least=4)
    known = [n for n, name in enumerate(table.headings) if name not in UNKNOWN]
    without = Table([table.headings[n] for n in known], [[row[n] for n in known] for row in table.rows])
    for text in ("\n".join(table.lines), table.delimited("\t", "")):
        reading = read(text)
        assert reading.rules == [("unknown_heading", "table")] * unknown
        # Rows that are alike in all else are told apart by the cells below an unknown heading.
        assert reading.facts_without("attributes") == read("\n".join(without.lines)).facts_without("attributes")


def damage_header(rng: random.Random, table: Table) -> tuple[str, str]:
    """What was done to the header of a table, and the page with it."""
    place = rng.randrange(len(table.headings))
    headings, kind = list(table.headings), rng.choice(["lost", "renamed", "split", "doubled", "text", "blank", "empty"])
    if kind == "lost":
        del headings[place]
    elif kind == "renamed":
        headings[place] = rng.choice(UNKNOWN)
    elif kind == "split":
        headings[place : place + 1] = [headings[place][:3], headings[place][3:] or "x"]
    elif kind == "empty":
        headings.insert(max(place, 1), "")
    else:
        headings.insert(place, {"doubled": headings[place], "text": "Phase of the moon", "blank": BLANK}[kind])
    lines = table.lines
    return kind, "\n".join([*lines[: table.first], *headings, *lines[table.body.start :]])


@settings(max_examples=150, deadline=None)
@given(seeds)
def test_a_damaged_header_shifts_nothing_and_is_told(rng: random.Random) -> None:
    table = make_table(rng, least=4)
    before = read("\n".join(table.lines))
    kind, text = damage_header(rng, table)
    after = read(text)
    assert after.rejects or {*map(said, after.measurements)} == {*map(said, before.measurements)}, (kind, text)
    # What a lost column said is missing; all else is as it was, and no column says what another one does.
    kept = {said(row) for row in before.measurements}
    for row in after.measurements:
        assert any(all(new in ("None", old) for new, old in zip(said(row), old_row, strict=True)) for old_row in kept)


def said(row: Measurement) -> tuple[str, ...]:
    """What the cells of a row say that are read as they are printed."""
    names = ("model_printed", "platform_printed", "sdk_version", "dataset_printed", "framework_printed", "batch_size")
    more = ("accelerator_count", "precision", "submission_id", "division", "variant_printed", "metric")
    return (row.cell.text, *(str(getattr(row, name)) for name in (*names, *more)))


def test_headings_and_cells_on_one_line_are_told() -> None:
    table = make_table(random.Random(1))
    reading = read("\t".join([*table.headings, *(cell for row in table.rows for cell in row)]))
    assert reading.rules == [("no_line_breaks", "table")]
    assert reading.measurements == []


# Damage

ONE_CELL = ("lose", "text", "number", "blank", "twice", "letter", "comma", "empty")


def damage_cell(rng: random.Random, lines: list[str], place: int, kind: str) -> list[str] | None:
    """The lines with one cell damaged, or None where this damage changes nothing."""
    cell = lines[place]
    digits = [n for n, character in enumerate(cell) if character.isdigit()]
    match kind:
        case "lose":
            return [*lines[:place], *lines[place + 1 :]]
        case "letter" if digits:
            n = rng.choice(digits)
            return [*lines[:place], f"{cell[:n]}O{cell[n + 1 :]}", *lines[place + 1 :]]
        case "comma" if digits and {",", "."} & set(cell):
            return [*lines[:place], cell.translate(str.maketrans(",.", ".,")), *lines[place + 1 :]]
        case "letter" | "comma":
            return None
    added = {
        "text": "foo bar",
        "number": rng.choice(["1,234", "16", "7.5"]),
        "blank": BLANK,
        "twice": cell,
        "empty": "",
    }
    return [*lines[:place], added[kind], *lines[place:]]


def check_damage(before: Reading, after: Reading, in_place: range | None) -> None:
    """Nothing is read that was not printed, save in the damaged row itself; what is missing is told."""
    for row in after.measurements:
        if fact(row) not in before.facts:
            assert in_place is not None, row
            assert row.row_line in in_place, row
    if before.facts - after.facts and in_place is None:
        assert after.rejects


@pytest.mark.parametrize("kind", ONE_CELL)
@settings(max_examples=60, deadline=None)
@given(rng=seeds)
def test_one_damaged_cell_shifts_nothing_and_is_told(kind: str, rng: random.Random) -> None:
    table = make_table(rng, least=3)
    place = rng.choice(table.body)
    lines = damage_cell(rng, table.lines, place, kind)
    if lines is None:
        return
    start = table.body.start + table.row_of(place) * len(table.headings)
    in_place = range(start + 1, start + 1 + len(table.headings)) if kind in ("letter", "comma") else None
    before, after = read("\n".join(table.lines)), read("\n".join(lines))
    check_damage(before, after, in_place)
    # In so small a table the width of a row is hardly proven: a table of four rows may be lost as a whole.
    assert before.rows_lost(after) <= max(4, len(table.rows) // 2)


@settings(max_examples=120, deadline=None)
@given(seeds, st.sampled_from(["piece", "tail of a row", "tail of a table"]))
def test_lost_pieces_shift_nothing_and_are_told(rng: random.Random, kind: str) -> None:
    table = make_table(rng, least=4)
    width = len(table.headings)
    place = rng.choice([n for n in table.body if (n - table.body.start) % width])
    # Whole rows lost leave no trace; neither does the end of one row with as much of the next one's start.
    end = {
        "piece": min(place + rng.randrange(1, width), table.body.stop),
        "tail of a row": table.body.start + (table.row_of(place) + 1) * width,
        "tail of a table": table.body.stop,
    }[kind]
    lines = table.lines
    check_damage(read("\n".join(lines)), read("\n".join([*lines[:place], *lines[end:]])), None)


@pytest.mark.parametrize("kind", ONE_CELL)
def test_one_damaged_cell_of_the_page_costs_its_row_and_rarely_a_neighbour(page_read: Reading, kind: str) -> None:
    lines = [line.text for line in page_read.document.lines]
    rows = sorted({row.row_line for row in page_read.measurements if row.row_line})
    rng, lost, tried = random.Random(kind), 0, 0
    # Rows with another one right behind them.
    inside = [(first, behind) for first, behind in pairwise(rows) if behind - first <= 10]
    for first, behind in rng.sample(inside, 6):
        place = rng.randrange(first - 1, behind - 1)
        damaged = damage_cell(rng, lines, place, kind)
        if damaged is None:
            continue
        after = read("\n".join(damaged))
        in_place = range(first, behind) if kind in ("letter", "comma") else None
        check_damage(page_read, after, in_place)
        tried, lost = tried + 1, lost + page_read.rows_lost(after)
        assert page_read.rows_lost(after) <= 2
    assert tried > 2
    assert lost <= (0.2 if kind == "empty" else 1.2) * tried


@settings(max_examples=40, deadline=None)
@given(seeds)
def test_several_damages_shift_almost_nothing(rng: random.Random) -> None:
    """Two cells far apart: each costs its own row."""
    table = make_table(rng, least=4)
    width, lines = len(table.headings), table.lines
    first, last = (rng.randrange(table.body.start + n * width, table.body.start + (n + 1) * width) for n in (0, -1))
    last += width * len(table.rows)
    damaged = lines
    for place in (last, first):
        damaged = damage_cell(rng, damaged, place, rng.choice(["lose", "text", "blank"])) or damaged
    before, after = read("\n".join(lines)), read("\n".join(damaged))
    # Two damages of opposite kinds can cover for each other in one row, of which nothing printed tells.
    strangers = {row.row_line for row in after.measurements if fact(row) not in before.facts}
    assert len(strangers) <= 1
    assert after.rejects or strangers or before.facts == after.facts


# A page that is cut has lost this line too, on which the meaning of `16.16` depends.
FOOTNOTE = next(line for line in SHIPPED.read_text("utf-8").split("\n") if "X.Y" in line)


def test_a_table_cut_in_the_middle_of_a_header_or_of_a_row() -> None:
    before = read(SHIPPED.read_bytes())
    lines = [line.text for line in before.document.lines]
    body = sorted({row.row_line or 0 for row in before.measurements if row.section == "Bow Platform - Training"})
    for cut in range(body[0] - 6, body[3]):
        after = read("\n".join([*lines[:cut], "", FOOTNOTE]))
        assert after.facts <= before.facts
        # Between two rows nothing shows the cut; a lone row beside a cut one does not prove that the header is whole.
        whole, clean = sum(first + 8 <= cut for first in body), cut + 1 in body[1:]
        assert bool(after.rejects) == (not clean)
        assert len(after.measurements) == 6 + (0 if whole == 1 and not clean else whole)


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_the_page_cut_at_any_byte(data: st.DataObject) -> None:
    content = SHIPPED.read_bytes()
    before = read(content)
    cut = data.draw(st.integers(content.index(b"Bow Platform - Training"), len(content)))
    text = content[:cut].decode("utf-8", errors="ignore")
    after = read(f"{text}\n\n{FOOTNOTE}")
    last_line = text.count("\n") + 1
    for row in after.measurements:
        # The last cell may be cut within its characters, and then says something else.
        assert fact(row) in before.facts or (row.row_line or 0) > last_line - 10


def test_a_table_repeated_says_nothing_new(page_read: Reading) -> None:
    text = "\n".join(line.text for line in page_read.document.lines)
    twice = read(f"{text}\n\n{text}")
    assert twice.rejects == []
    assert twice.facts == page_read.facts
    assert len(twice.measurements) == 2 * len(page_read.measurements)


@settings(max_examples=30, deadline=None)
@given(seeds)
def test_line_ends_and_kinds_of_blanks_change_nothing(rng: random.Random) -> None:
    table = make_table(rng)
    text = "\n".join(table.lines)
    expected = read(text)
    assert read(text.replace("\n", "\r\n")).facts == expected.facts
    assert read(text.replace(" ", BLANK)).facts == expected.facts
    assert read("\n".join(f"  {line} " if line else "" for line in table.lines)).facts == expected.facts
    assert expected.rejects == []


@settings(max_examples=40, deadline=None)
@given(seeds)
def test_blank_cells_printed_as_empty_lines(rng: random.Random) -> None:
    """A page without no-break spaces: an empty line is a blank cell, or parts two rows."""
    table = make_table(rng, least=4)
    for row in table.rows:
        # An empty line where a row would start is no cell.
        row[0] = next(cell for cell in {**COLUMNS, **VALUES}[table.headings[0]] if cell != BLANK)
        row[-1] = next(cell for cell in {**COLUMNS, **VALUES}[table.headings[-1]] if cell != BLANK)
    expected = read("\n".join(table.lines))
    lines = ["" if line == BLANK else line for line in table.lines[:-1]]
    assert read("\n".join([*lines, "End."])).facts == expected.facts
    full = Table(table.headings, [row for row in table.rows if BLANK not in row])
    if len(full.rows) > 1:
        parted = [line for row in full.rows for line in ("", *row)]
        page = read("\n".join([*full.lines[: full.body.start], *parted, "", "End.", ""]))
        assert (page.rejects, page.facts) == ([], read("\n".join(full.lines)).facts)


def test_a_table_goes_on_behind_empty_lines_and_a_broken_row() -> None:
    table = Table(["Model", "Platform", "Latency (ms)"], [[f"AcmeNet {n}.1", "H100", f"{n}.5"] for n in range(1, 8)])
    lines = [*table.lines[:7], *(line for row in table.rows for line in ("", *row)), "", "End.", "", BLANK]
    del lines[lines.index("4.5")]
    reading = read("\n".join(lines))
    assert [row.value for row in reading.measurements] == [1.5, 2.5, 3.5, 5.5, 6.5, 7.5]
    assert reading.rules == [("row_does_not_fit", "row")]
    rows = table.delimited("\t", "").replace("H100\t4.5", "H100").replace("\nAcmeNet 6", "\n\nAcmeNet 6")
    assert [row.value for row in read(rows).measurements] == [1.5, 2.5, 3.5, 5.5, 6.5, 7.5]


def test_rows_below_a_heading_of_their_own_without_headings_are_told() -> None:
    table = Table(["Model", "Platform", "Latency (ms)"], [["AcmeNet", "H100", f"{n}.5"] for n in range(1, 4)])
    again = ["Acme - Inference", "", *(cell for row in table.rows for cell in row), ""]
    reading = read("\n".join([*table.lines, *again]))
    assert len(reading.measurements) == 3
    assert reading.rules == [("row_does_not_fit", "row")]


# Speed


def test_time_grows_with_the_page_not_with_its_square() -> None:
    rng = random.Random(3)
    table = make_table(rng, least=6)
    for damaged in (False, True):
        times = []
        for count in (1000, 4000):
            lines = Table(table.headings, [table.rows[n % len(table.rows)] for n in range(count)]).lines
            if damaged:
                for place in sorted(rng.sample(range(20, len(lines) - 20), count // 20), reverse=True):
                    del lines[place]
            document = read_text("\n".join(lines).encode(), "0" * 64)
            start = time.process_time()
            results_page.recognise(document)
            results_page.extract(document, frozenset())
            times.append(time.process_time() - start)
        assert times[1] < 8 * times[0]


THREE_ROWS = Table(
    ["Model", "Platform", "SDK Version", "Batch Size", "Throughput (items/sec)"],
    [[model, "Bow Pod16", "SDK 3.3", "16,384", value] for model, value in (("ViT", "1"), ("DINO", "2"), ("TGN", "3"))],
)


@pytest.mark.parametrize(
    "middle",
    [
        ["DINO", "Bow Pod16", "SDK 3.3", "16,384"],
        ["DINO", "Bow Pod16", "16,384", "2"],
        ["DINO", "Bow Pod16", "SDK 3.3", "extra", "16,384", "2"],
        ["DINO", "Bow Pod16", "SDK 3.3", "16,38A", "2"],
    ],
)
def test_of_three_rows_only_the_damaged_one_is_lost(middle: list[str]) -> None:
    reading = read("\n".join([*THREE_ROWS.headings, *THREE_ROWS.rows[0], *middle, *THREE_ROWS.rows[2]]))
    assert [row.value for row in reading.measurements] == [1, 3]
    assert reading.rules == [("row_does_not_fit", "row")]


@pytest.mark.parametrize("path", PAGES)
def test_a_page_with_empty_lines_for_blank_cells_keeps_all_rows_but_the_last(path: Path) -> None:
    text = path.read_text("utf-8")
    whole = read(text)
    reading = read("\n".join(line if line.strip() else "" for line in text.split("\n")))
    assert not reading.facts - whole.facts
    # Whether the blank cell that ends the page's last row is one, or the end of the table, cannot be told.
    assert whole.rows_lost(reading) == 1
    assert reading.rules == [("row_does_not_fit", "row")]


@pytest.mark.parametrize("printed", ["46,466*", "46,466 †", "46,466 [1]", "46,466\u00b9", "46,466<sup>1</sup>"])
@pytest.mark.parametrize("separator", ["\t", "\n"])
def test_a_footnote_mark_is_no_part_of_a_value(printed: str, separator: str) -> None:
    rows = [["Model", "Platform", "Throughput (items/sec)"], ["ViT", "H100", printed], ["DINO", "H100", "12"]]
    reading = read("\n".join(separator.join(row) for row in rows))
    assert [(row.cell.text, row.value) for row in reading.measurements] == [("46,466", 46466), ("12", 12)]


def test_a_power_is_no_footnote() -> None:
    reading = read("Model\tPlatform\tThroughput (items/sec)\nViT\tH100\t10\u00b2\nDINO\tH100\t12")
    assert [row.value for row in reading.measurements] == [12]
    assert reading.rules == [("row_does_not_fit", "row")]


def test_thousands_and_millions_below_a_heading_with_a_unit() -> None:
    reading = read("Model\tPlatform\tThroughput (tokens/s)\nViT\tH100\t12.5K\nDINO\tH100\t1.2M")
    assert [(row.value, row.value_low) for row in reading.measurements] == [(12500, 12450), (1200000, 1150000)]
    times = read("Model\tPlatform\tTime to Train (min)\nViT\tH100\t12M\nDINO\tH100\t1K")
    assert [row.value for row in times.measurements] == [720]


@pytest.mark.parametrize(
    ("heading", "metric", "unit"),
    [
        ("Throughput (tokens/s/GPU)", "throughput_per_device", "items/s"),
        ("Throughput per GPU (tokens/s/GPU)", "throughput_per_device", "items/s"),
        ("Throughput (images/s/W)", "efficiency", "items/s/W"),
    ],
)
def test_a_unit_may_make_another_metric(heading: str, metric: str, unit: str) -> None:
    reading = read(f"Model\tPlatform\t{heading}\nViT\tH100\t12.5")
    assert [(row.metric, row.value, row.unit) for row in reading.measurements] == [(metric, 12.5, unit)]


@pytest.mark.parametrize(
    ("heading", "printed", "framework"),
    [
        ("Framework Version", "2.5.1", None),
        ("Framework Version", "v0.6.3", None),
        ("Framework Version", "PyTorch 2.5", "PyTorch 2.5"),
        ("PyTorch Version", "2.5.1", "PyTorch 2.5.1"),
    ],
)
def test_a_version_alone_is_no_framework(heading: str, printed: str, framework: str | None) -> None:
    reading = read(f"Model\tPlatform\t{heading}\tThroughput (tokens/s)\nViT\tH100\t{printed}\t12.5")
    assert [row.framework_printed for row in reading.measurements] == [framework]


def test_list_prices_beside_times() -> None:
    text = "System\tTime to Train (min)\tList Price ($)\nDGX A100\t21.7\t~$300K\nIPU-POD16\t34.5\t149,995"
    document = read_text(text.encode(), "0" * 64)
    rows = results_page.extract(document, frozenset()).rows
    prices = [(row.platform_printed, row.price_usd, row.bound) for row in rows if isinstance(row, Price)]
    assert prices == [("DGX A100", 300000, "approx"), ("IPU-POD16", 149995, "eq")]
    assert [row.value for row in rows if isinstance(row, Measurement)] == [1302, 2070]
    bare = read(text.replace("($)", "").replace("~$", "$"))
    assert [(row.rule, row.cell.text) for row in bare.rejects] == [("unread_value", "149,995")]


def test_a_lost_heading_does_not_give_its_rows_the_task_of_the_table_above() -> None:
    table = "Model\tPlatform\tThroughput (items/sec)\nViT\tH100\t12"
    reading = read(f"MLPerf Training v2.0\n\n{table}\n\n\n{table}")
    assert [(row.task, row.suite) for row in reading.measurements] == [
        ("training", "MLPerf Training v2.0"),
        (None, None),
    ]


def test_lines_joined_by_tabs_are_no_name() -> None:
    names = ["ViT", "DINO", "GPT2", "TGN"]
    rows = [[name, "Bow Pod16", "SDK 3.3", "16,384", str(value)] for value, name in enumerate(names)]
    joined = "\t".join([rows[0][-1], rows[1][0]])
    cells = [*THREE_ROWS.headings, *rows[0][:-1], joined, *rows[1][1:], *rows[2], *rows[3]]
    reading = read("\n".join(cells))
    assert [row.model_printed for row in reading.measurements] == ["GPT2", "TGN"]
    assert reading.rules == [("row_does_not_fit", "row")]


def test_a_letter_in_the_sequence_length_of_a_variant_is_told() -> None:
    rows = "\n".join(f"BERT\tPh1 Pre-Training ({length})\tH100\t12" for length in ("SL12S", "SLl28", "SL128"))
    reading = read(f"Model\tVariant\tPlatform\tThroughput (items/sec)\n{rows}")
    assert [row.sequence_length for row in reading.measurements] == [128]
    assert reading.rules == [("row_does_not_fit", "row")] * 2


def test_a_table_cut_in_the_first_cell_of_a_row_is_told() -> None:
    table = "Platform\tModel\tThroughput (items/sec)\nMk2-IPU\tViT\t12\nMk2-IPU\tDINO\t13"
    for cut in ("Mk2-IPU", "Mk2", "M"):
        reading = read(f"{table}\n{cut}")
        assert [row.value for row in reading.measurements] == [12, 13]
        assert reading.rules == [("row_does_not_fit", "row")]
    assert read(f"{table}\nMeasured in June").rules == []


def test_a_sentence_is_no_name() -> None:
    sentence = "Precision terminology: two formats, that of activations and gradients, then that of weights. " * 2
    cells = [
        "Model",
        "Platform",
        "Throughput (items/sec)",
        "ViT",
        "H100",
        "12",
        sentence,
        "H100",
        "13",
        "DINO",
        "H100",
        "14",
    ]
    assert [row.model_printed for row in read("\n".join(cells)).measurements] == ["ViT", "DINO"]


def test_a_letter_in_a_length_is_told() -> None:
    rows = "\n".join(f"ViT\tH100\t{length}\t12" for length in ("l28", "1O24", "12O", "128", "80GB"))
    reading = read(f"Model\tPlatform\tInput Length\tThroughput (tokens/s)\n{rows}")
    assert [row.attributes for row in reading.measurements] == ["Input Length 128", "Input Length 80GB"]
    assert reading.rules == [("row_does_not_fit", "row")] * 3


def test_a_lost_heading_does_not_give_its_rows_the_tuning_of_the_table_above() -> None:
    table = "Model\tPlatform\tThroughput (items/sec)\nViT\tH100\t12"
    reading = read(f"Models - latency optimized\n\n{table}\n\n\n{table}")
    assert [row.configuration for row in reading.measurements] == ["latency optimized", None]
