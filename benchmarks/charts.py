"""How exactly drawn charts are read: `python benchmarks/charts.py [FOLDER] [--charts N] [--keep FOLDER]`.

Without FOLDER, N charts per producer (matplotlib, and LibreOffice, Chromium, gnuplot and R where their programs are
installed) are made from seeds that nothing was tuned on, with pages without charts and pictures of charts among them,
and a fifth as many of each layout beyond one plot: small multiples, broken axes, clipped curves, hatched and floating
bars, markers without lines, log axes with one label (matplotlib, gnuplot, ggplot2, pgfplots; `--python PATH` adds an
interpreter with another version of matplotlib).
With FOLDER, its PDFs are read: beside each `name.pdf` a `name.expected.csv` or `name.marks.csv` says what it shows, as
`--keep` writes them. Printed are shares per producer and layout, then the goals; exit status 1 where one is missed.
"""

from __future__ import annotations

import argparse
import importlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from makers.charts import (
    layouts_matplotlib,
    layouts_office,
    layouts_scripts,
    layouts_streams,
    pages_without_charts,
)
from makers.charts.layouts import read_marks
from makers.charts.plans import KINDS, draw_plan, read_known, write_known
from makers.charts.scoring import Score, Tally, score_chart, tally_marks

from pipelines.extract.vector_charts.reading import read_charts
from pipelines.read.pdf.reader import read_pdf

TESTS = Path(__file__).parent.parent / "tests"
# `layout_broken_axis_matplotlib_3.6.3_300000.marks.csv`, `layout_gnuplot_log_300000.marks.csv`
_LAYOUT = re.compile(r"(_matplotlib_[\d.]+)?_\d+\.marks\.csv$")
PRODUCERS = ("matplotlib", "libreoffice", "chromium", "gnuplot", "r")
# The reader was tuned on seeds below this one.
FIRST_SEED = 1_400_000
BARS = ("bar", "grouped", "stacked")
# Name, share of what, least share (or greatest, for what must not be).
GOALS = (
    ("bars within 0.5% of the axis range", "bars", "half", "marks", 0.98),
    ("points within 1% of the axis range", "points", "one", "marks", 0.90),
    ("labels exactly right", "all", "right", "labels", 0.85),
)
MOST_WRONG_LABELS = 0.002
# Of layouts: marks that are not shown there, marks within half a percent in both directions.
MOST_FALSE, LEAST_EXACT = 0.001, 0.95


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, help="charts with their known data; made when left out")
    parser.add_argument("--charts", type=int, default=30, help="charts per producer")
    parser.add_argument("--keep", type=Path, help="folder to make the charts in, kept afterwards")
    parser.add_argument("--python", action="append", default=[], help="interpreter with another version of matplotlib")
    options = parser.parse_args()
    if options.folder:
        return score_folder(options.folder)
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        make_charts(folder, options.charts)
        make_layouts(folder, max(1, options.charts // 5), options.python)
        return score_folder(folder)


def make_charts(folder: Path, count: int) -> None:
    for producer in PRODUCERS:
        maker = importlib.import_module(f"makers.charts.with_{producer}")
        program = getattr(maker, "PROGRAM", None)
        if program and not shutil.which(program):
            print(f"{producer}: left out, as the program {program} is not installed")
            continue
        for seed in range(FIRST_SEED, FIRST_SEED + count):
            name = f"{producer}_{seed}"
            plan = draw_plan(seed, name, getattr(maker, "KINDS", KINDS))
            plan = maker.adapt(plan) if hasattr(maker, "adapt") else plan
            maker.make(plan, folder / f"{name}.pdf")
            write_known(plan.truth(producer), folder / f"{name}.expected.csv")
    for seed in range(FIRST_SEED, FIRST_SEED + max(1, count // 5)):
        for kind in pages_without_charts.KINDS:
            name = f"{kind}_{seed}"
            pages_without_charts.make(seed, kind, folder / f"{name}.pdf")
            write_known({"producer": "matplotlib", "kind": "none"}, folder / f"{name}.expected.csv")
        pages_without_charts.make_picture(seed, folder / f"picture_{seed}.pdf")
        write_known({"producer": "matplotlib", "kind": "picture"}, folder / f"picture_{seed}.expected.csv")


def make_layouts(folder: Path, count: int, interpreters: list[str]) -> None:
    for maker in (layouts_matplotlib, layouts_scripts, layouts_office, layouts_streams):
        maker.make_all(folder, FIRST_SEED, count)
    for number, interpreter in enumerate(interpreters, start=1):
        first = FIRST_SEED + number * 1000
        subprocess.run(
            [interpreter, "-m", "makers.charts.layouts", str(folder), str(first), str(count)],
            check=True, env=os.environ | {"PYTHONPATH": str(TESTS)},
        )  # fmt: skip


def known_charts(folder: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    for path in sorted(folder.glob("*.expected.csv")):
        yield folder / f"{path.name.removesuffix('.expected.csv')}.pdf", read_known(path)


def score_folder(folder: Path) -> int:
    scores: defaultdict[tuple[str, str], Score] = defaultdict(Score)
    faults: list[str] = []
    empty = pictures = 0
    for path, truth in known_charts(folder):
        found = [read_charts(page) for page in read_pdf(path.read_bytes(), path.stem).pages]
        charts = [chart for page_charts, _ in found for chart in page_charts]
        refused = {refusal.rule for _, refusals in found for refusal in refusals}
        if truth["kind"] == "none":
            empty += 1
            faults += [f"{path.name}: a chart where there is none"] * bool(charts)
        elif truth["kind"] == "picture":
            pictures += 1
            faults += [f"{path.name}: a number from a picture"] * bool(charts)
            faults += [f"{path.name}: not refused as image_chart"] * ("image_chart" not in refused)
        else:
            scores[truth["producer"], "bars" if truth["kind"] in BARS else "points"].add(score_chart(truth, charts))
    total: defaultdict[str, Score] = defaultdict(Score)
    print("producer      marks         count  found   0.5%     1%  extra | labels  right  wrong | printed  right")
    for (producer, kind), score in sorted(scores.items()):
        print(_line(producer, kind, score))
        total[kind].add(score)
        total["all"].add(score)
    print(f"{empty} pages without a chart, {pictures} pictures of charts")
    missed = _judge(total, faults)
    return int(missed | _judge_layouts(folder))


def _judge_layouts(folder: Path) -> int:
    """Print what was read of each layout and how it meets the goals; 1 where one is missed."""
    tallies: defaultdict[str, Tally] = defaultdict(Tally)
    for path in sorted(folder.glob("*.marks.csv")):
        known = read_marks(path)
        pdf = path.with_name(f"{path.name.removesuffix('.marks.csv')}.pdf")
        found = [read_charts(page) for page in read_pdf(pdf.read_bytes(), path.stem).pages]
        charts, refused = [c for page, _ in found for c in page], [r for _, page in found for r in page]
        tally = tally_marks(known, charts, refused)
        tallies[_LAYOUT.sub("", path.name).removeprefix("layout_")].add(tally)
    if not tallies:
        return 0
    print("layout             marks  exact  false missing silent | labels  right  wrong")
    for name, t in [*sorted(tallies.items()), ("all", _sum(tallies.values()))]:
        print(
            f"{name:<18} {t.marks:>5} {_share(t.exact, t.marks)} {t.false:>6} {t.missing:>7} {t.silent:>6} | "
            f"{t.labels:>6} {_share(t.right, t.labels)} {t.wrong:>6}"
        )
    t = _sum(tallies.values())
    goals = (
        (f"false values: {t.false} of {t.exact + t.false} (at most 1 in 1,000)", t.false <= MOST_FALSE * t.marks),
        (f"wrong labels: {t.wrong} of {t.labels} (at most 1 in 500)", t.wrong <= MOST_WRONG_LABELS * t.labels),
        (f"exact: {_share(t.exact, t.marks).strip()} (at least {LEAST_EXACT:.0%})", t.exact >= LEAST_EXACT * t.marks),
        (f"missing without a word: {t.silent} (none)", t.silent == 0),
    )
    for words, is_met in goals:
        print(f"{'met   ' if is_met else 'MISSED'} layouts, {words}")
    return int(not all(is_met for _, is_met in goals))


def _sum(tallies: Iterable[Tally]) -> Tally:
    total = Tally()
    for tally in tallies:
        total.add(tally)
    return total


def _line(producer: str, kind: str, s: Score) -> str:
    return (
        f"{producer:<13} {kind:<12} {s.marks:>6} {_share(s.found, s.marks)} {_share(s.half, s.marks)} "
        f"{_share(s.one, s.marks)} {s.extra:>6} | {s.labels:>6} {_share(s.right, s.labels)} "
        f"{_share(s.wrong, s.labels)} | {s.printed:>7} {_share(s.printed_right, s.printed)}"
    )


def _share(part: int, whole: int) -> str:
    return f"{part / whole:>6.1%}" if whole else "     -"


def _judge(total: dict[str, Score], faults: list[str]) -> int:
    missed = len(faults)
    for fault in faults:
        print(f"MISSED {fault}")
    for name, marks, part, whole, least in GOALS:
        score = total.get(marks, Score())
        if not getattr(score, whole):
            continue
        share = getattr(score, part) / getattr(score, whole)
        missed += share < least
        print(f"{'met   ' if share >= least else 'MISSED'} {name}: {share:.1%} (at least {least:.0%})")
    score = total.get("all", Score())
    wrong = score.wrong / score.labels if score.labels else 0.0
    missed += wrong > MOST_WRONG_LABELS
    verdict = "met   " if wrong <= MOST_WRONG_LABELS else "MISSED"
    print(f"{verdict} labels wrong: {wrong:.2%} (at most {MOST_WRONG_LABELS:.1%})")
    return int(missed > 0)


if __name__ == "__main__":
    raise SystemExit(main())
