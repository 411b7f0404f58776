"""Cost of reading PDFs against plain pdfplumber: `python benchmarks/pdf.py [FILE ...]`.

Plain is what nobody can do without: pdfplumber opens the file and gives the characters, rectangles,
lines, curves and images of each page. Ours is the same bytes to pages and lines, in the child
process, with all checks, words, lines and places. Both are measured in turn in processes that are
warm, as both are for the second document of a build; a third figure says what the first one costs
more.
"""

from __future__ import annotations

import io
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
import pdfplumber

from pipelines.read.pdf import LIMITS
from pipelines.read.pdf.pages import read_contents
from pipelines.sandbox import run_limited
from pipelines.settings import PROJECT

REPEATS = 9
# The limit the project sets itself, for ordinary decks.
MAX_RATIO = 1.5

DECK = (
    PROJECT / "raw" / "graphcore" / "mk2-benchmark-charts" / "2020-12-01" / "benchmark_charts.pdf"
)


def plain(content: bytes) -> int:
    """Read all objects of all pages with pdfplumber; returns the number of pages."""
    with pdfplumber.open(io.BytesIO(content)) as pdf:
        for page in pdf.pages:
            _ = page.chars, page.rects, page.lines, page.curves, page.images
        return len(pdf.pages)


def decks() -> dict[str, bytes]:
    """The shipped deck, and two that are drawn with matplotlib: bars with tables of text, and dense
    curves.
    """
    return {
        "shipped deck": DECK.read_bytes(),
        "bars and notes": _bars(),
        "curves and points": _curves(),
    }


def _bars() -> bytes:
    mpl.use("pdf")
    import matplotlib.pyplot as plt
    from matplotlib.backends.backend_pdf import PdfPages

    buffer = io.BytesIO()
    with PdfPages(buffer) as pages:
        for page in range(8):
            figure, axes = plt.subplots(figsize=(13, 7))
            axes.bar([f"System {n}" for n in range(6)], [(n + page) * 10 for n in range(1, 7)])
            axes.set_title("RESNET-50 : TRAINING")
            for line in range(12):
                figure.text(
                    0.05,
                    0.3 - line * 0.02,
                    "8x System | FP16 | SDK 1.4.0 | Batch size 4 through 360 " * 2,
                )
            pages.savefig(figure)
            plt.close(figure)
    return buffer.getvalue()


def _curves() -> bytes:
    mpl.use("pdf")
    import matplotlib.pyplot as plt
    from matplotlib.backends.backend_pdf import PdfPages

    buffer = io.BytesIO()
    with PdfPages(buffer) as pages:
        for page in range(4):
            figure, axes = plt.subplots(figsize=(13, 7))
            for series in range(5):
                axes.plot(
                    range(200),
                    [(x * (series + 1) + page) % 97 for x in range(200)],
                    label=f"Series {series}",
                )
                axes.scatter(range(50), [(x * (series + 2)) % 89 for x in range(50)])
            axes.legend()
            axes.grid(visible=True)
            pages.savefig(figure)
            plt.close(figure)
    return buffer.getvalue()


def seconds(action: Callable[[], object]) -> float:
    """Elapsed time of one call."""
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def ours(content: bytes) -> object:
    """The pages and lines of a PDF, as a child process reads them."""
    return run_limited(read_contents, content, LIMITS, limits=LIMITS.sandbox())


def main() -> None:
    """Print the figures; exit status 1 where a deck costs more than the limit."""
    files = {Path(name).name: Path(name).read_bytes() for name in sys.argv[1:]} or decks()
    first = seconds(lambda: ours(next(iter(files.values()))))
    worst = 0.0
    print(f"{'file':<22}{'pages':>6}{'plain ms/page':>15}{'ours ms/page':>14}{'ratio':>8}")
    for name, content in files.items():
        pages = plain(content)
        ratios, mine, theirs = [], [], []
        for _ in range(REPEATS):
            theirs.append(seconds(lambda content=content: plain(content)))
            mine.append(seconds(lambda content=content: ours(content)))
            ratios.append(mine[-1] / theirs[-1])
        ratio = statistics.median(ratios)
        worst = max(worst, ratio)
        times = [1000 * statistics.median(values) / pages for values in (theirs, mine)]
        print(f"{name:<22}{pages:>6}{times[0]:>15.1f}{times[1]:>14.1f}{ratio:>8.2f}")
    print(f"the first document of a build: {first:.2f} s, with the start of its process")
    print(f"limit {MAX_RATIO}, worst {worst:.2f}")
    sys.exit(worst > MAX_RATIO)


if __name__ == "__main__":
    main()
