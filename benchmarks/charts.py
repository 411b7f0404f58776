"""How exactly drawn charts are read:
`python benchmarks/charts.py [FOLDER] [--charts N] [--everyday N] [--keep FOLDER]`.

Without FOLDER, N charts are made by matplotlib from seeds that nothing was tuned on, and each of
sixteen everyday charts five times; pages without charts are those of the tests.
With FOLDER, its charts are read; each has its known data beside it, as `makers.charts.plans` writes
it.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from makers.charts import everyday, with_matplotlib
from makers.charts.plans import draw_plan, read_known, write_known
from makers.charts.scoring import BARS, Tally, known_marks, tally_marks

from pipelines.extract.charts.reading import read_charts
from pipelines.read.pdf.reader import read_pdf

# Pages without charts and pictures of charts.
PAGES, NO_CHARTS = (
    Path(__file__).parent.parent / "tests" / "fixtures" / "charts",
    ("none", "picture"),
)
# The reader was tuned on seeds below this one.
FIRST_SEED = 1_400_000
# Shares of marks found, and of labels right; nothing may be false.
LEAST_FOUND, LEAST_RIGHT = 0.85, 0.85


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "folder", nargs="?", type=Path, help="charts with their known data; made when left out"
    )
    parser.add_argument("--charts", type=int, default=30, help="charts to make")
    parser.add_argument("--everyday", type=int, default=5, help="times to make each everyday chart")
    parser.add_argument("--keep", type=Path, help="folder to make the charts in, kept afterwards")
    options = parser.parse_args()
    if options.folder:
        return score_folder(options.folder)
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        make_charts(folder, options.charts)
        return max(score_folder(folder), score_everyday(folder, options.everyday))


def make_charts(folder: Path, count: int) -> None:
    for seed in range(FIRST_SEED, FIRST_SEED + count):
        plan = draw_plan(seed, f"matplotlib_{seed}")
        with_matplotlib.make(plan, folder / f"{plan.name}.pdf")
        write_known(plan.truth("matplotlib"), folder / f"{plan.name}.expected.csv")


def score_everyday(folder: Path, count: int) -> int:
    """Print how sixteen everyday charts are read; 1 where a point is false, a label wrong, a mark
    lost in silence, or a chart read that has two scales.
    """
    print("everyday chart               count  found  false silent  wrong  refused as")
    is_wrong = False
    for maker in (*everyday.READ, *everyday.REFUSED):
        total, rules = Tally(), Counter[str]()
        for seed in range(FIRST_SEED, FIRST_SEED + count):
            path = folder / f"{maker.__name__}_{seed}.pdf"
            known = everyday.make(maker, seed, path)
            found = [read_charts(page) for page in read_pdf(path.read_bytes(), path.stem).pages]
            charts = [chart for on_page, _ in found for chart in on_page]
            refused = [refusal for _, on_page in found for refusal in on_page]
            total.add(tally_marks(known, charts, refused))
            rules.update(refusal.rule for refusal in refused)
        is_ambiguous = maker in everyday.REFUSED and total.exact > 0
        is_wrong |= is_ambiguous or bool(total.false or total.wrong or total.silent)
        print(
            f"{maker.__name__:<27} {total.marks:>6} {_share(total.exact, total.marks)} {total.false:>6} "
            f"{total.silent:>6} {total.wrong:>6}  {', '.join(sorted(rules))}"
        )
    return int(is_wrong)


def score_folder(folder: Path) -> int:
    """Print how the charts of a folder are read; 1 where a point is false, a label wrong, or too
    few are found.
    """
    tallies: defaultdict[tuple[str, str], Tally] = defaultdict(Tally)
    faults: list[str] = []
    for path in sorted((*folder.glob("*.expected.csv"), *PAGES.glob("*.expected.csv"))):
        truth, pdf = (
            read_known(path),
            path.with_name(f"{path.name.removesuffix('.expected.csv')}.pdf"),
        )
        found = [read_charts(page) for page in read_pdf(pdf.read_bytes(), pdf.stem).pages]
        charts, refused = (
            [c for on_page, _ in found for c in on_page],
            [r for _, on_page in found for r in on_page],
        )
        if path.parent == PAGES and truth["kind"] not in NO_CHARTS:
            continue
        if truth["kind"] in NO_CHARTS:
            faults += [f"{pdf.name}: a chart where there is none"] * bool(charts)
            continue
        tally = tally_marks(known_marks(truth), charts, refused)
        for name in ("false", "wrong", "silent"):
            faults += [f"{pdf.name}: {getattr(tally, name)} {name}"] * bool(getattr(tally, name))
        tallies[truth["producer"], "bars" if truth["kind"] in BARS else "points"].add(tally)
    total = Tally()
    print("producer      marks         count  found  false silent | labels  right  wrong")
    for (producer, kind), tally in sorted(tallies.items()):
        print(_line(producer, kind, tally))
        total.add(tally)
    print(_line("all", "", total))
    for fault in faults:
        print(f"MISSED {fault}")
    is_enough = (
        total.exact >= LEAST_FOUND * total.marks and total.right >= LEAST_RIGHT * total.labels
    )
    return int(bool(faults) or not is_enough)


def _line(producer: str, kind: str, t: Tally) -> str:
    return (
        f"{producer:<13} {kind:<12} {t.marks:>6} {_share(t.exact, t.marks)} {t.false:>6} {t.silent:>6} | "
        f"{t.labels:>6} {_share(t.right, t.labels)} {t.wrong:>6}"
    )


def _share(part: int, whole: int) -> str:
    return f"{part / whole:>6.1%}" if whole else "     -"


if __name__ == "__main__":
    raise SystemExit(main())
