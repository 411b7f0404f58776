"""How exactly tables are read: `python benchmarks/accuracy.py [FOLDER ...] [--heldout FOLDER] [--mappings FOLDER]`.

A folder holds pairs of files: `<case>.<suffix>` with `<case>.expected.csv`, as the golden fixtures have them, or with
`<case>.truth.csv`, in which a person has written what a page says (`--heldout`; see `benchmarks/README.md`). Printed
are by publisher and by dimension the numbers that are right, lack a field, are wrong or missing, and a score in which
a wrong number weighs ten times a missing one. With `--mappings` a page is read by its `<case>.yml`, where there is one.
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path
from typing import Literal

import yaml
from compare import split_percentile
from document_rows import DocumentRows, Listed, Row, rows_of
from lxml import etree, html

PROJECT = Path(__file__).parents[1]
FIXTURES = PROJECT / "tests" / "fixtures" / "results_page"
WEIGHT_OF_WRONG = 10

# Columns of an expectation that say where a row stands, not what it says.
_PLACES = frozenset({"kind", "line", "text", "section", "row_line", "rule", "scope", "reason", "extractor"})
# Columns of a truth, and those of a row that answer them; of several the one that answers best.
_ANSWERS: dict[str, tuple[tuple[str, ...], ...]] = {
    "model": (("model_printed",), ("model_printed", "variant_printed"), ("variant_printed",)),
    "platform": (("platform_printed",),),
    "framework": (("framework_printed",), ("framework_printed", "framework_version")),
    "dataset": (("dataset_printed",),),
    "precision": (("precision",), ("quantization",)),
}
# Lines over which a row of an HTML table may stand.
_LONGEST_ROW = 60
_TRUTH_ONLY = frozenset({"line", "text", "other"})
# Seconds in one.
_TIMES = {
    "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "sec": 1.0, "seconds": 1.0,
    "min": 60.0, "minutes": 60.0, "h": 3600.0, "hours": 3600.0, "d": 86400.0, "days": 86400.0,
}  # fmt: skip
# `ktokens/s`, `k tokens/s`, `M samples/s`
_MULTIPLE = re.compile(r"^([kKM])\s?(?=[a-z]{3})")
# `8x H100`, `1 * Ascend 910`, `H100 x8`, which is taken apart where names are resolved
_COUNT = re.compile(r"(\d+)\s?[x×*]\s?\S.*|.*\S\s[x×*]\s?(\d+)", re.IGNORECASE)
# `Input Length 1024, Output Length 128`, `Input/Output Length 128/2048`
_LENGTH = re.compile(r"(Input|Output)(?:/Output)? Length (\d+[kK]?)(?:[/,] ?(\d+[kK]?))?")
# `8K` tokens are 8,000 or 8,192; which, a page seldom says.
_THOUSANDS = re.compile(r"(\d+)[kK]")
# `212,174,107 samples/sec¹`
_RAISED = re.compile(r"[⁰¹²³⁴-⁹*†‡]+")
# Formats of numbers and statistics under one name.
_SAME = {
    "float8": "fp8", "float16": "fp16", "half": "fp16", "float32": "fp32", "bfloat16": "bf16",
    "amp": "mixed", "median": "p50", "average": "mean", "avg": "mean",
}  # fmt: skip
# Metrics of truths by the words of the vocabulary; a quality that a truth details is one of these all the same.
_METRICS = {
    "tflops": "tflops_per_device", "mfu": "model_flops_utilization", "hfu": "hardware_flops_utilization",
    "top1_accuracy": "accuracy", "acc_top1": "accuracy",
    "top5_accuracy": "top_5_accuracy", "acc_top5": "top_5_accuracy",
    "miou": "mean_iou", "delta1": "delta_1", "abs_rel": "absolute_relative_error",
}  # fmt: skip
# Metrics that are times.
_TIMED = frozenset(
    {
        *("latency", "ttft", "tpot", "token_latency", "inter_token_latency", "request_latency", "prefill_latency"),
        *("step_time", "epoch_time", "time_to_train", "training_time", "forward_time", "backward_time"),
    }
)
# Parts of a dataset, which pages print beside a quality and no row has a column for.
_PARTS = frozenset({"val", "test"})
_SCORED = {"mask": "mask", "pose": "keypoint", "keypoint": "keypoint"}
# Items under one name.
_ITEMS = {
    "it": "step", "iteration": "step",
    "sentence": "sequence", "im": "image", "img": "image", "seq": "sequence", "tok": "token",
}  # fmt: skip
# A point tells versions apart: `2.10` is not `21.0`.
_NO_MEANING = re.compile(r"(?!(?<=\d)\.\d)[\W_]")
# `mixed precision` is `mixed`
_PRECISION = re.compile(r"\s+precision$", re.IGNORECASE)
# `2 x H100` for a truth that has the count in a column of its own
_COUNTED = re.compile(r"^\d{1,4}\s?x\s")
_DIGITS = re.compile(r"\d[\d,]*(?:\.\d+)?|\.\d+")

Outcome = Literal["right", "partial", "wrong"]
Verdict = Literal["right", "missing", "wrong", "ignored"]


@dataclass(frozen=True, slots=True)
class Number:
    """One expected number of a case.

    Attributes:
        line: Where it stands, as its file of expectations says.
        places: Lines of the opened document that this may be; of a page of HTML its cells have lines of their own.
        text: Its characters.
        fields: What is expected, by dimension; `?` where any answer is good.
        publisher: Whose layout it has.
    """

    line: int
    places: frozenset[int]
    text: str
    fields: Mapping[str, str]
    publisher: str


@dataclass
class Score:
    """Counts of one publisher.

    Attributes:
        expected: Numbers that there are.
        right: Those read with every field as expected.
        partial: Those that lack a field and say nothing wrong.
        wrong: Those with a wrong field.
        unexpected: Numbers that nobody expects; wrong as well.
        refused: Those not read, on whose line a reject stands.
        missing: Those not read, without one.
    """

    expected: int = 0
    right: int = 0
    partial: int = 0
    wrong: int = 0
    unexpected: int = 0
    refused: int = 0
    missing: int = 0

    def add(self, other: Score) -> None:
        """Take up another one's counts."""
        for name in self.__dataclass_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    @property
    def score(self) -> float:
        """Right numbers less ten for each wrong one, by expected number; 1 where all are right."""
        return (self.right - WEIGHT_OF_WRONG * (self.wrong + self.unexpected)) / max(self.expected, 1)


@dataclass
class Results:
    """What all cases give.

    Attributes:
        scores: By publisher.
        dimensions: Verdicts by dimension; of values that are expected or given.
        examples: What is not right, by dimension (`row` for whole numbers), in a line each.
        mappings: Lines of the mapping of each page that is read by one.
    """

    scores: dict[str, Score] = field(default_factory=lambda: defaultdict(Score))
    dimensions: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    examples: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    mappings: dict[str, int] = field(default_factory=dict)


def fold(text: object) -> str:
    """Letters, digits and the points between digits, in one case; of formats and statistics one name."""
    folded = _NO_MEANING.sub("", str(text).casefold())
    return _SAME.get(folded, folded)


# Verdicts on one field


def judge_exactly(dimension: str, expected: Number, row: Row) -> Verdict:
    """The verdict on a column of a golden expectation: names are folded, numbers compared as numbers."""
    wanted, given = expected.fields[dimension], row.get(dimension)
    if given is None:
        return "missing" if wanted else "ignored"
    if dimension == "attributes":
        return "right" if set(wanted.split(", ")) == set(str(given).split(", ")) else "wrong"
    if wanted and isinstance(given, (int, float)):
        return "right" if float(wanted) == given else "wrong"
    return "right" if fold(wanted) == fold(given) else "wrong"


def judge_loosely(dimension: str, expected: Number, row: Row) -> Verdict:
    """The verdict on a column of a truth, in which names are as printed, whole or in part, and units as printed."""
    wanted = expected.fields[dimension]
    if wanted == "?":
        return "ignored"
    if dimension == "unit":
        return _judge_unit(wanted, expected.text, row)
    if dimension == "metric":
        return _judge_metric(wanted, row)
    verdicts = []
    for columns in _ANSWERS.get(dimension, ((dimension,),)):
        parts = [str(row[column]) for column in columns if row.get(column) is not None]
        if parts:
            verdicts += [_judge_name(alternative, " ".join(parts)) for alternative in wanted.split("|")]
    order: tuple[Verdict, ...] = ("right", "missing", "wrong")
    return min(verdicts, key=order.index, default="missing" if wanted else "ignored")


def _judge_metric(wanted: str, row: Row) -> Verdict:
    """A throughput of one device is not one of all: metrics are the same or not."""
    given = str(row.get("metric"))
    if given == "duration" and any(_METRICS.get(name, name) in _TIMED for name in wanted.split("|")):
        # A time of which no known word says what it is of.
        return "missing"
    if given in {_METRICS.get(name, name) for name in wanted.split("|")}:
        return "right"
    said = " ".join(str(row.get(column) or "") for column in ("dataset_printed", "attributes")).casefold()
    # `coco_ap_50_95`: what is scored, at which overlap, and words that say of what
    words = set(wanted.split("_"))
    if words.isdisjoint({"ap", "map"}):
        return _judge_detailed(wanted.split("_"), given, said)
    scored = next((_SCORED[word] for word in words if word in _SCORED), "mean")
    overlap = "" if "95" in words else next((f"_{share}" for share in ("50", "75") if share in words), "")
    if given != f"{scored}_average_precision{overlap}":
        return "wrong"
    others = words - {"ap", "map", "box", "50", "75", "95"} - _SCORED.keys()
    return "right" if all(word in said for word in others) else "missing"


def _judge_detailed(wanted: Sequence[str], given: str, said: str) -> Verdict:
    """`rmse_nyu`, `miou_val`: a quality, and of what, which stands in another column."""
    for end in range(len(wanted) - 1, 0, -1):
        name, details = "_".join(wanted[:end]), wanted[end:]
        if given == _METRICS.get(name, name) and all(word in said or word in _PARTS for word in details):
            return "right" if all(word in said for word in details) else "missing"
    return "wrong"


def _judge_name(wanted: str, given: str) -> Verdict:
    if not wanted.strip():
        return "wrong"
    # `FP8-MX` is `MXFP8`
    if sorted(fold(wanted)) == sorted(fold(given)) or _is_same_number(wanted, given):
        return "right"
    given, wanted = _COUNTED.sub("", given), _PRECISION.sub("", wanted)
    of_wanted, of_given = ({fold(word) for word in re.findall(r"[^\W_]+(?:\.\d+)*", text)} for text in (wanted, given))
    if of_wanted <= of_given:
        # `H100` as `NVIDIA H100 SXM`
        return "right"
    # `Llama` for `Llama 3.1 8B` says less, and nothing wrong.
    return "missing" if of_given < of_wanted else "wrong"


def _is_same_number(wanted: str, given: str) -> bool:
    """Whether both are one whole number, `1,024` as `1024`; the point of a version is no decimal one."""
    return not _whole(wanted).isdisjoint(_whole(given))


def _whole(text: str) -> set[int]:
    digits = text.replace(",", "").strip()
    if found := _THOUSANDS.fullmatch(digits):
        return {int(found[1]) * 1000, int(found[1]) * 1024}
    return {int(digits)} if digits.isdecimal() else set()


def _judge_unit(wanted: str, text: str, row: Row) -> Verdict:
    """Whether the stored value, in its unit, is the printed number in the unit that the truth names."""
    unit, value = row.get("unit"), row.get("value")
    if unit is None or value is None:
        return "missing"
    digits = _DIGITS.search(text)
    printed = float(digits[0].replace(",", "")) if digits and len(_DIGITS.findall(text)) == 1 else None
    if not wanted:
        # A quality has no unit in print, a time or a rate has one.
        return "wrong" if unit in _TIMES or "/s" in unit else "right"
    base, _, per = _MULTIPLE.sub("", wanted).partition("/")
    times = {"k": 1e3, "K": 1e3, "M": 1e6}.get(wanted[0], 1.0) if _MULTIPLE.match(wanted) else 1.0
    if not per and base in _TIMES:
        if unit not in _TIMES:
            return "wrong"
        return _same(printed, _TIMES[base], value, _TIMES[unit])
    if per.split("/")[0].strip() in ("s", "sec", "second"):
        if not unit.startswith("items/s"):
            return "wrong"
        if row.get("item") is None and fold(base) not in ("items", "item"):
            return "missing"
        item = _judge_name(_item(base), _item(str(row.get("item") or base)))
        return _same(printed, times, value, 1.0) if item == "right" else item
    return _judge_name(wanted, str(unit))


def _item(printed: str) -> str:
    """What is counted, in the singular: `output tokens` say more than `tokens`, and nothing else."""
    words = (fold(word).removesuffix("s") for word in printed.split())
    return " ".join(_ITEMS.get(word, word) for word in words)


def _same(printed: float | None, printed_scale: float, value: float, scale: float) -> Verdict:
    if printed is None:
        return "right"
    is_same = abs(printed * printed_scale - value * scale) <= 1e-6 * max(abs(printed * printed_scale), 1e-9)
    return "right" if is_same else "wrong"


Judge = Callable[[str, Number, Row], Verdict]


# One case


def score_case(
    label: str,
    expected: Sequence[Number],
    read: DocumentRows,
    judge: Judge,
    results: Results,
    *,
    publisher_at: Callable[[int], str],
    may_stay: Callable[[Row], bool],
    ignored: Iterable[str] = (),
) -> None:
    """Pair expected numbers with rows that stand at the same characters, best pairs first, and count.

    Args:
        label: Name of the case, for examples.
        expected: Its numbers.
        read: What was read.
        judge: The verdict on one field.
        results: Where it is counted.
        publisher_at: Publisher of a line.
        may_stay: Whether a row that nobody expects is to be counted neither way.
        ignored: Dimensions that do not count.
    """
    rows = [split_percentile(row) for row in with_conditions(read)]
    if judge is judge_loosely:
        rows = [_lengths(row) | _count(row) | row for row in rows]
    rejected = {row["line"] for row in read.rows.get("rejects", ())}
    pairs = []
    for i, number in enumerate(expected):
        for j, row in enumerate(rows):
            if row["line"] in number.places and _is_text(number.text, str(row["text_printed"])):
                # What a person knows beside the page is neither right nor wrong.
                beside = {d for d in row.get("said", ()) if number.fields.get(d) == ""}
                verdicts = {d: judge(d, number, row) for d in number.fields if d not in ignored and d not in beside}
                faults = Counter(verdicts.values())
                pairs.append((faults["wrong"], faults["missing"], abs(i - j), i, j, verdicts))
    paired: dict[int, tuple[int, dict[str, Verdict]]] = {}
    for _, _, _, i, j, verdicts in sorted(pairs, key=lambda pair: pair[:5]):
        if i not in paired and j not in {row for row, _ in paired.values()}:
            paired[i] = (j, verdicts)
    for i, number in enumerate(expected):
        score = results.scores[number.publisher]
        score.expected += 1
        if i not in paired:
            outcome = "refused" if number.places & rejected else "missing"
            setattr(score, outcome, getattr(score, outcome) + 1)
            results.examples["row"].append(f"{outcome} [{number.text}] {label}:{number.line}")
            for dimension, wanted in number.fields.items():
                results.dimensions[dimension]["missing"] += wanted not in ("", "?") and dimension not in ignored
            continue
        j, verdicts = paired[i]
        found = set(verdicts.values())
        result = "wrong" if "wrong" in found else "partial" if "missing" in found else "right"
        setattr(score, result, getattr(score, result) + 1)
        for dimension, verdict in verdicts.items():
            results.dimensions[dimension][verdict] += 1
            if verdict in ("wrong", "missing"):
                given = _given(dimension, rows[j])
                example = f"{verdict} {number.fields[dimension]!r} <- {given!r} [{number.text}] {label}:{number.line}"
                results.examples[dimension].append(example)
    for j, row in enumerate(rows):
        if j not in {at for at, _ in paired.values()} and not may_stay(row):
            results.scores[publisher_at(row["line"])].unexpected += 1
            facts = " ".join(str(row.get(name)) for name in ("metric", "model_printed", "platform_printed"))
            results.examples["row"].append(f"unexpected {facts} [{row['text_printed']}] {label}:{row['line']}")


def with_conditions(read: DocumentRows) -> Iterator[Row]:
    """Measurements and prices, with what their conditions say where they have no column for it."""
    conditions = {(row["extractor"], row["number"]): row for row in read.rows.get("conditions", ())}
    for row in (*read.rows.get("measurements", ()), *read.rows.get("prices", ())):
        stated = [conditions[row["extractor"], number] for number in row.get("conditions") or ()]
        own = {condition["dimension"]: condition["value"] for condition in stated}
        own |= {f"{name}_printed": own[name] for name in (*_ANSWERS, "variant") if name in own}
        own["said"] = {condition["dimension"] for condition in stated if condition.get("level") == "mapping"}
        found = own | {name: value for name, value in row.items() if value is not None}
        if (statistic := own.get("statistic")) and "metric" in found:
            # `ttft_max`: what is measured, and which of its numbers.
            found["metric"] = found["metric"].removesuffix(f"_{statistic.replace('.', '_')}")
        yield found


def _lengths(row: Row) -> Row:
    """Input and output length where they stand among the other attributes."""
    found: Row = {}
    for which, first, second in _LENGTH.findall(row.get("attributes") or ""):
        found[f"{which.lower()}_length"] = first
        if second:
            found["output_length"] = second
    return found


def _count(row: Row) -> Row:
    """How many accelerators there are where it stands with their name alone: `8 * Ascend 910`."""
    found = _COUNT.fullmatch(row.get("platform_printed") or "")
    return {"accelerator_count": int(found[1] or found[2])} if found else {}


def _is_text(wanted: str, given: str) -> bool:
    """The same characters, the row's with or without what surrounds a number in its cell (`171 t/s`)."""
    if fold(wanted) == fold(given):
        return True
    numbers = [_DIGITS.search(text) for text in (wanted, given)]
    return all(numbers) and len({number[0].replace(",", "") for number in numbers if number}) == 1


def _given(dimension: str, row: Row) -> str | None:
    if dimension == "unit":
        return f"{row.get('value')} {row.get('item') or ''} {row.get('unit')}"
    columns = _ANSWERS.get(dimension, ((dimension,),))
    return next((str(row[names[0]]) for names in columns if row.get(names[0]) is not None), None)


# Folders of cases


def _page_of(table: Path, ending: str) -> Path:
    """The page beside its expectations."""
    stem = table.name.removesuffix(ending)
    own = {f"{stem}.expected.csv", f"{stem}.truth.csv", f"{stem}.ignored.csv", f"{stem}.truth.py"}
    [page] = [path for path in table.parent.glob(f"{stem}.*") if path.stem == stem and path.name not in own]
    return page


def _read_table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def read_publishers(path: Path) -> tuple[dict[str, dict[int, str]], frozenset[str]]:
    """Publisher of each case from a line on, and those held out of the development of rules."""
    if not path.exists():
        return {}, frozenset()
    content = yaml.safe_load(path.read_text("utf-8"))
    cases = {case: named if isinstance(named, dict) else {1: named} for case, named in content["cases"].items()}
    return cases, frozenset(content["held_out"])


def _publisher_of(from_line: Mapping[int, str]) -> Callable[[int], str]:
    def at(line: int) -> str:
        return next((from_line[first] for first in sorted(from_line, reverse=True) if first <= line), "unknown")

    return at


def score_golden(folder: Path, part: str, instead: str | None, ignored: Sequence[str], results: Results) -> None:
    """Every pair of a page and its golden rows; whole pages are read by the format of result pages alone."""
    publishers, _ = read_publishers(folder / "publishers.yml")
    tables = [path for path in sorted(folder.glob("*.expected.csv")) if part in path.name]
    pages = [Listed(path.name.removesuffix(".expected.csv"), str(_page_of(path, ".expected.csv"))) for path in tables]
    read = rows_of(pages, PROJECT, instead=instead, extractor="results_page")
    for table, listed in zip(tables, pages, strict=True):
        at = _publisher_of(publishers.get(listed.label, {}))
        expected = [
            Number(
                int(row["line"]),
                frozenset({int(row["line"])}),
                row["text"],
                {k: str(v) for k, v in split_percentile(row).items() if k not in _PLACES and v is not None},
                at(int(row["line"])),
            )
            for row in _read_table(table)
            if row["kind"] in ("measurements", "prices")
        ]
        _check_read(listed, read[listed.label])
        score_case(
            listed.label,
            expected,
            read[listed.label],
            judge_exactly,
            results,
            publisher_at=at,
            may_stay=lambda row: False,
            ignored=ignored,
        )


def places_in(page: Path) -> Callable[[int], frozenset[int]]:
    """Lines of the opened document for a line of the file.

    The same, but for HTML, where each cell is a line, and for a row of an HTML table in Markdown, which is one line.
    """
    if page.suffix not in (".html", ".htm"):
        lines = page.read_text("utf-8").splitlines()
        return lambda line: frozenset({line, _start_of_row(lines, line)})
    sys.path.insert(0, str(PROJECT))
    from pipelines.read.files import open_file

    shown = [_RAISED.sub("", " ".join(line.text.split())) for line in open_file(page, "0" * 64).lines]
    root = html.fromstring(page.read_bytes())
    cells = list(root.iter("td", "th"))
    etree.strip_elements(root, "sup", with_tail=False)
    printed = [_RAISED.sub("", " ".join("".join(cell.itertext()).split())) for cell in cells]
    ends = [cell.sourceline or 0 for cell in cells[1:]] + [sys.maxsize]
    found: dict[int, set[int]] = defaultdict(set)
    for block in SequenceMatcher(None, printed, shown, autojunk=False).get_matching_blocks():
        for at in range(block.size):
            cell = cells[block.a + at]
            # A number may stand lines below the tag of its cell.
            for line in range(cell.sourceline or 0, min(ends[block.a + at], (cell.sourceline or 0) + 10) + 1):
                found[line].add(block.b + at + 1)
    return lambda line: frozenset(found[line])


def _start_of_row(lines: Sequence[str], line: int) -> int:
    """The line with the `<tr>` that is open at the end of a line, or else the line."""
    for number in range(line, max(line - _LONGEST_ROW, 0), -1):
        if "<tr" in lines[number - 1]:
            return number
        if number < line and "</tr>" in lines[number - 1]:
            break
    return line


def score_heldout(
    folder: Path,
    part: str,
    instead: str | None,
    ignored: Sequence[str],
    results: Results,
    mappings: Path | None = None,
) -> None:
    """Every page with a truth beside it; read as a build reads it, each page under its own name.

    A mapping stands below `mappings` where its page stands below `folder`.
    """
    tables = [path for path in sorted(folder.rglob("*.truth.csv")) if part in path.name]
    pages = []
    for table in tables:
        page = _page_of(table, ".truth.csv")
        mapping = mappings / page.relative_to(folder).with_suffix(".yml") if mappings else None
        said = str(mapping) if mapping and mapping.is_file() else None
        pages.append(Listed(page.stem, str(page), mapping=said))
    read = rows_of(pages, PROJECT, instead=instead)
    for table, listed in zip(tables, pages, strict=True):
        if listed.mapping:
            results.mappings[listed.label] = lines_of_mapping(Path(listed.mapping))
        places = places_in(Path(listed.path))
        expected = [
            Number(
                int(row["line"]),
                places(int(row["line"])),
                row["text"],
                {k: v for k, v in row.items() if k not in _TRUTH_ONLY},
                listed.label,
            )
            for row in _read_table(table)
        ]
        beside = table.with_name(f"{listed.label}.ignored.csv")
        free = [(places(int(row["line"])), row["text"]) for row in _read_table(beside)] if beside.exists() else []
        _check_read(listed, read[listed.label])
        score_case(
            listed.label,
            expected,
            read[listed.label],
            judge_loosely,
            results,
            publisher_at=lambda line, label=listed.label: label,
            # A truth holds the numbers of tables; what prose says is nothing it knows of.
            may_stay=lambda row, free=free: (
                row["extractor"] != "results_page"
                or any(row["line"] in lines and _is_text(text, str(row["text_printed"])) for lines, text in free)
            ),
            ignored=ignored,
        )


def lines_of_mapping(path: Path) -> int:
    """Lines of a mapping that say something: comments and blank lines do not."""
    lines = (line.strip() for line in path.read_text("utf-8").splitlines())
    return sum(bool(line) and not line.startswith("#") for line in lines)


def _check_read(listed: Listed, read: DocumentRows) -> None:
    broken = [row["reason"] for row in read.rows.get("rejects", ()) if row["rule"] == "mapping_error"]
    for words in [read.error] * bool(read.error) + broken:
        print(f"{listed.label}: {words}", file=sys.stderr)


# What is printed


def report(results: Results, held_out: Iterable[str], shown: int, dimension: str | None) -> Iterator[str]:
    """Publishers, those held out apart, then dimensions, then `shown` examples of each."""
    held_out = set(held_out)
    names = ("expected", "right", "partial", "wrong", "unexpected", "refused", "missing")
    yield "".join(f"{name:>11}" for name in names) + f"{'score':>8}  publisher"

    def line(score: Score, label: str) -> str:
        return "".join(f"{getattr(score, name):>11,}" for name in names) + f"{score.score:>8.3f}  {label}"

    for is_apart, title in ((False, "all in sight"), (True, "all held out")):
        scores = {name: score for name, score in results.scores.items() if (name in held_out) == is_apart}
        total = Score()
        for name in sorted(scores):
            total.add(scores[name])
            yield line(scores[name], name)
        if scores:
            yield line(total, title)
            yield "".join(f"{getattr(total, name) / max(total.expected, 1):>11.1%}" for name in names)
    if results.mappings:
        longest = max(results.mappings, key=lambda label: results.mappings[label])
        yield f"\n{len(results.mappings)} with a mapping, of {results.mappings[longest]} lines at most ({longest})"
    yield f"\n{'precision':>11}{'recall':>11}{'right':>11}{'wrong':>11}{'missing':>11}  dimension"
    for name, counts in sorted(results.dimensions.items(), key=lambda pair: (-pair[1]["wrong"], -pair[1]["missing"])):
        right, wrong, missing = counts["right"], counts["wrong"], counts["missing"]
        if right + wrong + missing:
            precision = f"{right / (right + wrong):>11.3f}" if right + wrong else f"{'-':>11}"
            recall = f"{right / (right + wrong + missing):>11.3f}"
            yield f"{precision}{recall}{right:>11,}{wrong:>11,}{missing:>11,}  {name}"
    for name, examples in results.examples.items():
        if shown and dimension in (None, name):
            yield f"\n{name}: {len(examples):,}"
            yield from (f"  {example}" for example in sorted(examples, reverse=True)[:shown])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "folders", nargs="*", type=Path, help="folders of golden pairs; the fixtures where none is given"
    )
    parser.add_argument("--heldout", action="append", default=[], type=Path, metavar="FOLDER", help="pages with truths")
    parser.add_argument("--mappings", type=Path, metavar="FOLDER", help="mappings of the pages with truths")
    parser.add_argument(
        "--with", dest="instead", metavar="MODULE", help="its extract() takes the place of results_page"
    )
    parser.add_argument("--case", default="", metavar="PART", help="only cases whose name holds this")
    parser.add_argument("--ignore", action="append", default=[], metavar="NAME", help="a dimension that does not count")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="examples of each dimension")
    parser.add_argument("--dimension", metavar="NAME", help="examples of this dimension alone, or `row`")
    arguments = parser.parse_args()
    results = Results()
    for folder in arguments.folders or ([] if arguments.heldout else [FIXTURES]):
        score_golden(folder, arguments.case, arguments.instead, arguments.ignore, results)
    for folder in arguments.heldout:
        score_heldout(folder, arguments.case, arguments.instead, arguments.ignore, results, arguments.mappings)
    _, held_out = read_publishers(FIXTURES / "publishers.yml")
    print("\n".join(report(results, held_out, arguments.show, arguments.dimension)))


if __name__ == "__main__":
    main()
