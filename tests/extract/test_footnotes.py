"""Footnotes that name another release than the page does: however they are set, the row has theirs."""

from __future__ import annotations

import pytest

from pipelines.extract.results_page import extract
from pipelines.extract.rows import Measurement, Reject
from pipelines.read.files import read_bytes

DOCUTILS = '<a class="footnote-reference brackets" href="#n"><span class="fn-bracket">[</span>1<span>]</span></a>'


def read(page: str, name: str = "page.html") -> list[Measurement]:
    extraction = extract(read_bytes(page.encode(), name, "0" * 64), ())
    assert [row for row in extraction.rows if isinstance(row, Reject)] == []
    return [row for row in extraction.rows if isinstance(row, Measurement)]


def page(mark: str, foot: str, inside: str = "", above: str = "<p>All results were measured with SDK 3.3.</p>") -> str:
    return (
        f"<h1>Training results</h1>{above}<table><tr><th>Model<th>Platform<th>Throughput (images/sec)"
        f"<tr><td>ResNet-50{mark}<td>Bow Pod16<td>2,900<tr><td>ViT<td>Bow Pod16<td>900{inside}</table>{foot}"
    )


@pytest.mark.parametrize(
    ("mark", "foot", "inside"),
    [
        (" \u2020", "<p>\u2020 SDK 3.2 results. \u2021 Results of SDK 3.1.</p>", ""),
        (" \u2021", "<p>\u2020 SDK 3.1 results \u2021 Results of SDK 3.2</p>", ""),
        (" (2)", "<p>(1) Batch size 16. (2) Measured with SDK 3.2.</p>", ""),
        (" (a)", "<p>(a) Measured with SDK 3.2.</p>", ""),
        ("<sup>b</sup>", "<p><sup>a</sup> Batch size 16<br><sup>b</sup> SDK 3.2</p>", ""),
        ("<sup>1</sup>", "<ol><li>Measured with SDK 3.2.</li></ol>", ""),
        (
            "<sup>4</sup>",
            "<ol start=3><li><p>Batch size 16</p><li><p>Measured with SDK 3.2. <a>\u21a9</a></p></ol>",
            "",
        ),
        (DOCUTILS, "<aside><span>[</span>1<span>]</span><p>Measured with SDK 3.2.</p></aside>", ""),
        (DOCUTILS, "<dl><dt><a>1</a></dt><dd><p>Measured with SDK 3.2.</p></dd></dl>", ""),
        ("*", "", "<tfoot><tr><td colspan=3>* Measured with SDK 3.2</tfoot>"),
        ("<sup>1</sup>", "", "<tr><td colspan=3><sup>1</sup> Measured with SDK 3.2"),
    ],
)
def test_a_footnote_is_found_however_it_is_set(mark: str, foot: str, inside: str) -> None:
    rows = read(page(mark, foot, inside))
    assert [(row.model_printed, row.sdk_version) for row in rows] == [("ResNet-50", "3.2"), ("ViT", "3.3")]


def test_a_name_in_brackets_is_no_mark_where_no_note_has_it() -> None:
    rows = read(page(" (a)", "<p>(b) Measured with SDK 3.2.</p>"))
    assert [(row.model_printed, row.sdk_version) for row in rows] == [("ResNet-50 (a)", "3.3"), ("ViT", "3.3")]


@pytest.mark.parametrize(
    ("heading", "release"),
    [
        ("SDK 3.3", "3.3"),
        ("Poplar SDK 3.3", "3.3"),
        ("SDK version 3.3", "3.3"),
        ("Neuron 2.20.1", None),
        ("Release 24.07", "24.07"),
        ("New in SDK 3.3", None),
        ("PyTorch release 2.3.1", None),
        ("MLPerf release 3.1", None),
    ],
)
def test_a_heading_that_is_a_release_is_that_of_the_rows_below(heading: str, release: str | None) -> None:
    rows = read(page("", "", above=f"<h2>{heading}</h2>"))
    assert [row.sdk_version for row in rows] == [release] * 2
    other = page("", "", above=f"<h2>{heading}</h2>") + page("", "", above="<h2>SDK 2.6</h2>").replace("h1", "h2")
    assert [row.sdk_version for row in read(other)] == [release, release, "2.6", "2.6"]
