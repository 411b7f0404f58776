"""What the working tree reads otherwise than an earlier commit:
`python benchmarks/compare.py [--base COMMIT] ...`.

Every document of `raw/`, of the originals and samples where they are at hand, and of the fixtures
is read with the code of both. Printed by document and in all are the rows that are equal, changed,
only before and only now, and by column how many values differ, with examples. Exit status 0, or 1
with `--strict` where anything differs.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from document_rows import DocumentRows, Listed, Row, list_files, list_raw, rows_of

PROJECT = Path(__file__).parents[1]
# The last commit whose tables were read by rules for each layout.
START = "6c6158c2192a8cb72f7928c66c6a9df240213c6a"
CACHE = PROJECT / ".compare_cache"
FIXTURES = ("results_page", "claim_prose", "program_log", "training_log", "slides", "deck")

# More documents than fit on a screen say no more than these.
_MOST_DOCUMENTS = 30
# Columns by which rows are matched, or that follow from them.
_PLACE = frozenset({"document_id", "line", "char_start", "char_end"})
# `latency_p99`, `ttft_p99_9`: a percentile in the name of a metric, which stands in a column of its
# own elsewhere
_PERCENTILE = re.compile(r"(.+)_(p\d+(?:_\d+)?)")
# `p99`, where `mean` is none
_IS_PERCENTILE = re.compile(r"p\d")


@dataclass(frozen=True, slots=True)
class Change:
    """One value that differs.

    Attributes:
        column: Where.
        before: The row of the base.
        now: The row of the working tree.
    """

    column: str
    before: Row
    now: Row


@dataclass
class Comparison:
    """The rows of one document on both sides.

    Attributes:
        equal: Pairs of rows that differ in no column that both sides have.
        changed: Pairs of rows that do.
        changes: Their values that differ.
        lost: Rows of the base alone, with their kinds.
        gained: Rows of the working tree alone, with their kinds.
        errors: Tracebacks of a reading that raised, by side.
    """

    equal: int = 0
    changed: int = 0
    changes: list[Change] = field(default_factory=list)
    lost: list[tuple[str, Row]] = field(default_factory=list)
    gained: list[tuple[str, Row]] = field(default_factory=list)
    errors: dict[str, str] = field(default_factory=dict)

    @property
    def is_equal(self) -> bool:
        return not (self.changed or self.lost or self.gained or self.errors)


def split_percentile(row: Row) -> Row:
    """The row with its percentile in `statistic`, as code writes it that keeps it out of the
    metric.
    """
    if row.get("statistic") is None and (found := _PERCENTILE.fullmatch(row.get("metric") or "")):
        return row | {"metric": found[1], "statistic": found[2].replace("_", ".")}
    return row


def spell_conditions(read: DocumentRows, kind: str) -> Iterator[Row]:
    """The rows of a kind, with what their conditions say in place of the numbers of these, which
    mean nothing.
    """
    said = {
        (
            row["extractor"],
            row["number"],
        ): f"{row['dimension']} {row['value']} ({row['level']}, line {row['line']})"
        for row in read.rows.get("conditions", ())
    }
    for row in read.rows.get(kind, ()):
        numbers = row.get("conditions")
        # Those of a claim are words.
        is_list = isinstance(numbers, list)
        yield (
            row | {"conditions": sorted(said[row["extractor"], n] for n in numbers)}
            if is_list
            else row
        )


def _without_other_statistics(row: Row) -> Row:
    """The row without a mean or maximum, which code does not tell that has percentiles as metrics
    alone.
    """
    return row if _IS_PERCENTILE.match(row.get("statistic") or "p0") else row | {"statistic": None}


def compare_rows(
    before: DocumentRows,
    now: DocumentRows,
    extractor: str | None = None,
    ignored: Collection[str] = (),
) -> Comparison:
    """The rows of one document on both sides, matched by kind, place and metric, then by kind and
    place alone.

    Rejects are matched by line and rule. Columns and kinds of rows that one side does not have are
    not compared.
    """
    comparison = Comparison(
        errors={side: r.error for side, r in (("before", before), ("now", now)) if r.error}
    )
    # Conditions are compared with the rows that they hold for.
    for kind in sorted((before.columns.keys() & now.columns.keys()) - {"conditions"}):
        old, new = (
            [
                split_percentile(row)
                for row in spell_conditions(read, kind)
                if extractor in (None, row["extractor"])
            ]
            for read in (before, now)
        )
        if kind == "rejects":
            _match_rejects(comparison, old, new)
            continue
        if "metric" in before.columns[kind] and not all(
            "statistic" in r.columns[kind] for r in (before, now)
        ):
            old, new = ([_without_other_statistics(row) for row in rows] for rows in (old, new))
        known = set(before.columns[kind]) & set(now.columns[kind]) | {
            "extractor",
            "text_printed",
            "statistic",
        }
        columns = sorted(known - _PLACE - set(ignored))
        for with_metric in (True, False):
            old, new = _match(comparison, old, new, columns, with_metric=with_metric)
        comparison.lost += [(kind, row) for row in old]
        comparison.gained += [(kind, row) for row in new]
    return comparison


def _match(
    comparison: Comparison,
    old: Iterable[Row],
    new: Iterable[Row],
    columns: Sequence[str],
    *,
    with_metric: bool,
) -> tuple[list[Row], list[Row]]:
    """Pair the rows that stand at one place, those that differ least first; returns what has no
    partner.
    """
    groups: dict[Any, tuple[list[Row], list[Row]]] = defaultdict(lambda: ([], []))
    for side, rows in enumerate((old, new)):
        for row in rows:
            metric = (row.get("metric"), row.get("statistic")) if with_metric else None
            groups[row["line"], row["char_start"], metric][side].append(row)
    left: tuple[list[Row], list[Row]] = ([], [])
    for olds, news in groups.values():
        pairs = sorted(
            (
                (_differing(a, b, columns), i, j)
                for i, a in enumerate(olds)
                for j, b in enumerate(news)
            ),
            key=lambda pair: (len(pair[0]), pair[1], pair[2]),
        )
        old_paired, new_paired = set(), set()
        for differing, i, j in pairs:
            if i in old_paired or j in new_paired:
                continue
            old_paired.add(i)
            new_paired.add(j)
            comparison.equal += not differing
            comparison.changed += bool(differing)
            comparison.changes += [Change(column, olds[i], news[j]) for column in differing]
        left[0].extend(row for i, row in enumerate(olds) if i not in old_paired)
        left[1].extend(row for j, row in enumerate(news) if j not in new_paired)
    return left


def _differing(before: Row, now: Row, columns: Iterable[str]) -> list[str]:
    return [column for column in columns if before.get(column) != now.get(column)]


def _match_rejects(comparison: Comparison, old: Iterable[Row], new: Iterable[Row]) -> None:
    waiting: dict[tuple[int, str], list[Row]] = defaultdict(list)
    for row in new:
        waiting[row["line"], row["rule"]].append(row)
    for row in old:
        if waiting[row["line"], row["rule"]]:
            waiting[row["line"], row["rule"]].pop()
            comparison.equal += 1
        else:
            comparison.lost.append(("rejects", row))
    comparison.gained += [("rejects", row) for rows in waiting.values() for row in rows]


# Documents and both sides


def _git(*arguments: str) -> str:
    """What git prints, without the end of its line."""
    return subprocess.run(
        ["git", "-C", PROJECT, *arguments], check=True, stdout=subprocess.PIPE, text=True
    ).stdout.strip()


def list_documents() -> Iterator[Listed]:
    """All that is compared: stored documents, originals, samples, fixtures."""
    yield from list_raw(PROJECT / "raw")
    common = _git("rev-parse", "--path-format=absolute", "--git-common-dir")
    # Beside the checkout, also where this is one more working tree of it.
    beside = Path(common).parents[1] / "shared"
    originals = Path(os.environ.get("BENCHLEDGER_ORIGINALS", beside / "originals"))
    yield from list_files(originals, "*.txt", "originals/")
    samples = Path(os.environ.get("BENCHLEDGER_SAMPLES", beside / "samples"))
    yield from list_files(samples, "aws_neuron/**/*.csv", "samples/")
    for name in FIXTURES:
        yield from list_files(PROJECT / "tests" / "fixtures" / name, "*", f"fixtures/{name}/")


def base_rows(documents: Sequence[Listed], commit: str) -> dict[str, DocumentRows]:
    """Rows of the documents by label as the code of the commit reads them, which is done once for
    each content.
    """
    store = CACHE / f"{commit}.json"
    kept: dict[str, Any] = json.loads(store.read_text("utf-8")) if store.exists() else {}
    new = [listed for listed in documents if listed.key not in kept]
    if new:
        with tempfile.TemporaryDirectory() as folder:
            archive = subprocess.run(
                ["git", "-C", PROJECT, "archive", commit, "pipelines"],
                check=True,
                stdout=subprocess.PIPE,
            ).stdout
            with tarfile.open(fileobj=io.BytesIO(archive)) as files:
                files.extractall(folder, filter="data")
            read = rows_of(new, Path(folder))
        kept |= {
            listed.key: {"rows": found.rows, "columns": found.columns, "error": found.error}
            for listed in new
            for found in [read[listed.label]]
        }
        CACHE.mkdir(parents=True, exist_ok=True)
        part = store.with_suffix(f".{os.getpid()}.part")
        part.write_text(json.dumps(kept), "utf-8")
        part.replace(store)
    return {listed.label: DocumentRows(**kept[listed.key]) for listed in documents}


# What is printed


def _fact(kind: str, row: Row) -> str:
    """A row in one line."""
    if kind == "rejects":
        return f"{row['rule']}: {row['reason']}"
    names = (
        "metric",
        "statistic",
        "value",
        "price_usd",
        "factor",
        "unit",
        "item",
        "model_printed",
        "platform_printed",
    )
    return " ".join(str(row[name]) for name in names if row.get(name) is not None)


class Lines:
    """The lines of documents as they are opened, for showing where a row stands."""

    def __init__(self, documents: Iterable[Listed]) -> None:
        self._paths = {listed.label: listed for listed in documents}
        self._lines: dict[str, list[str]] = {}

    def of(self, label: str, number: int) -> str:
        """A line, cut to what fits on a screen."""
        if label not in self._lines:
            # The code of the working tree, wherever the script is started.
            sys.path.insert(0, str(PROJECT))
            from pipelines.extract.reading import StoredDocument, open_document
            from pipelines.read.document import ReadError

            listed = self._paths[label]
            try:
                opened = open_document(StoredDocument("0" * 64, Path(listed.path), listed.format))
                self._lines[label] = [line.text for line in opened.lines]
            except ReadError:
                self._lines[label] = []
        lines = self._lines[label]
        return " ".join(lines[number - 1].split())[:160] if 0 < number <= len(lines) else ""


def report(
    comparisons: Mapping[str, Comparison], lines: Lines, *, shown: int, dimension: str | None = None
) -> Iterator[str]:
    """What differs, in lines of text: documents, totals, rows on one side, columns; `shown`
    examples of each.
    """
    row = "{equal:>7}{changed:>9}{lost:>8}{gained:>7}  {label}"
    yield row.format(
        equal="equal", changed="changed", lost="before", gained="now", label="document"
    )
    counts = {
        label: Counter(
            equal=found.equal, changed=found.changed, lost=len(found.lost), gained=len(found.gained)
        )
        for label, found in comparisons.items()
    }
    differing = [label for label, found in comparisons.items() if not found.is_equal]
    differing.sort(key=lambda label: counts[label]["equal"] - counts[label].total())
    for label in differing[:_MOST_DOCUMENTS]:
        yield row.format(**counts[label], label=label)
        for side, error in comparisons[label].errors.items():
            yield f"{'':33}{side}: {error.splitlines()[-1]}"
    if len(differing) > _MOST_DOCUMENTS:
        yield f"{'':33}and {len(differing) - _MOST_DOCUMENTS} documents more"
    total = Counter(equal=0, changed=0, lost=0, gained=0)
    for count in counts.values():
        total.update(count)
    same = len(comparisons) - len(differing)
    yield row.format(**total, label=f"all {len(comparisons)} documents, {same} of them equal")
    if dimension is None:
        for side in ("lost", "gained"):
            yield from _one_sided(comparisons, side, lines, shown)
    changes: dict[str, list[tuple[str, Change]]] = defaultdict(list)
    for label, found in comparisons.items():
        for change in found.changes:
            changes[change.column].append((label, change))
    for column, changed in sorted(changes.items(), key=lambda pair: -len(pair[1])):
        if dimension not in (None, column):
            continue
        yield f"\n{column}: {len(changed):,} values differ"
        for label, change in changed[:shown]:
            place = f"[{change.now['text_printed']}] {label}:{change.now['line']}"
            yield f"  {change.before.get(column)!r} -> {change.now.get(column)!r}  {place}"
            yield f"      {lines.of(label, change.now['line'])}"


def _one_sided(
    comparisons: Mapping[str, Comparison], side: str, lines: Lines, shown: int
) -> Iterator[str]:
    rows = [
        (label, kind, row)
        for label, found in comparisons.items()
        for kind, row in getattr(found, side)
    ]
    name = "only before" if side == "lost" else "only now"
    for kind, count in Counter(kind for _, kind, _ in rows).most_common():
        rules = Counter(row["rule"] for _, k, row in rows if k == kind == "rejects")
        yield f"\n{name}: {count:,} {kind} {', '.join(f'{rule} {n}' for rule, n in rules.most_common())}".rstrip()
        for label, _, row in [found for found in rows if found[1] == kind][:shown]:
            yield f"  {_fact(kind, row)}  [{row['text_printed']}] {label}:{row['line']}"
            yield f"      {lines.of(label, row['line'])}"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--base", default=START, help="commit to compare with")
    parser.add_argument(
        "--show", type=int, default=5, metavar="N", help="examples of each difference"
    )
    parser.add_argument(
        "--document", default="", metavar="PART", help="only documents whose label holds this"
    )
    parser.add_argument("--dimension", metavar="NAME", help="only the values of this column")
    parser.add_argument(
        "--ignore", action="append", default=[], metavar="NAME", help="a column that may differ"
    )
    parser.add_argument("--format", metavar="NAME", help="only rows of this source format")
    parser.add_argument(
        "--with",
        dest="instead",
        metavar="MODULE",
        help="its extract() takes the place of results_page",
    )
    parser.add_argument(
        "--strict", action="store_true", help="exit status 1 where anything differs"
    )
    return parser.parse_args()


def main() -> None:
    arguments = _arguments()
    started = time.monotonic()
    commit = _git("rev-parse", "--verify", f"{arguments.base}^{{commit}}")
    documents = [listed for listed in list_documents() if arguments.document in listed.label]
    before = base_rows(documents, commit)
    now = rows_of(documents, PROJECT, instead=arguments.instead)
    comparisons = {
        listed.label: compare_rows(
            before[listed.label], now[listed.label], arguments.format, arguments.ignore
        )
        for listed in documents
    }
    print(
        "\n".join(
            report(
                comparisons, Lines(documents), shown=arguments.show, dimension=arguments.dimension
            )
        )
    )
    print(f"\n{commit[:7]} against the working tree, {time.monotonic() - started:.0f} s")
    if arguments.strict and not all(found.is_equal for found in comparisons.values()):
        sys.exit(1)


if __name__ == "__main__":
    main()
