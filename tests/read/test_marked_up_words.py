"""What a reader sees of marked-up pages: the words of cells and lines, the levels of headings, code
left unchanged.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

from pipelines.read.document import Document
from pipelines.read.files import read_bytes
from pipelines.settings import PROJECT


def read(text: str | bytes, name: str) -> Document:
    return read_bytes(text if isinstance(text, bytes) else text.encode(), name, "0" * 64)


def headings(document: Document) -> list[tuple[str, int]]:
    return [(document.line(number).cell.text, level) for number, level in document.levels]


MARKDOWN = {
    "**1,234**": "1,234", "`a` or `b`": "a  or  b", "bert_large_uncased": "bert_large_uncased", r"\-": "-",
    "[BERT](https://example.com/a_b)": "BERT", "[BERT][paper] large": "BERT         large", r"1\_000": "1_000",
    "**Rate (img/s)**[^1]": "Rate (img/s)\u00b9", "1,234<sup>2</sup>": "1,234\u00b2", "~~10~~ 12": "12",
    "mAP<sup>pose<br>50": "mAPpose 50", "<ul><li>A</li><li>B</li></ul>": "A         B", "1,234**": "1,234**",
    "23h&nbsp;43m": "23h\u00a043m", "&lt;5 ms": "<5 ms", r"`a\|b`": "a|b", "![logo](x.png) H100": "H100",
    "\u5343\u95ee**\uff08Int4\uff09**\u7248": "\u5343\u95ee\uff08Int4\uff09\u7248",
}  # fmt: skip


@pytest.mark.parametrize("source", MARKDOWN)
def test_a_cell_of_markdown(source: str) -> None:
    row = f"| x | {source} | y |"
    document = read(
        f"| a | b | c |\n|---|---|---|\n{row}\n\n[paper]: https://example.com", "page.md"
    )
    [grid] = document.grids
    assert grid.texts[1] == ("x", MARKDOWN[source], "y")
    # The cells behind it are where they are printed.
    assert (len(document.line(3).text), grid.rows[1][2].start) == (len(row), row.rindex("y"))


RESTRUCTURED = {
    "**1234**": "1234", "``resnet50``": "resnet50", ":doc:`PyTorch <../x/pytorch>`": "PyTorch", "**open": "**open",
    "`UCC <https://example.com/ucc>`__": "UCC", "8.9 [1]_": "8.9 \u00b9", "8.9 [#mi300x]_": "8.9 \u00b2", "a_b": "a_b",
    "BERT |rocket|": "BERT |rocket|", "m\\ :sup:`2`": "m\u00b2", "1\\_000": "1_000", ".. _label:": "",
}  # fmt: skip


@pytest.mark.parametrize("source", RESTRUCTURED)
def test_a_cell_of_restructured_text(source: str) -> None:
    document = read(
        f".. csv-table::\n\n   x,{source},y\n   1,2,3\n\n.. [1] One\n.. [#mi300x] Two\n", "page.rst"
    )
    [grid] = document.grids
    assert (grid.texts[0], grid.rows[0][2].start) == (
        ("x", RESTRUCTURED[source], "y"),
        len(f"   x,{source},"),
    )
    assert document.line(6).text == "\u00b9:     One"


HTML = {
    "1,234<sup>1</sup>": "1,234\u00b9", "1,234<sup>[2]</sup>": "1,234\u00b2", "10<sup>-3</sup>": "10\u207b\u00b3",
    "95<sup>th</sup> percentile": "95th percentile", "<p>8x</p><p>H100</p>": "8x H100", "  a\n  b&nbsp; ": "a b",
    "<span style='display:none'>00706</span>70,688<td style='color: red; visibility: hidden'>9": "70,688",
    "<span hidden>00706</span>70,688<td hidden>9": "70,688", "Throughput<br/>(img/s)": "Throughput (img/s)",
}  # fmt: skip


@pytest.mark.parametrize("source", HTML)
def test_a_cell_of_html(source: str) -> None:
    for name in ("page.html", "page.md"):
        assert read(f"<table><tr><td>x<td>{source}</table>", name).grids[0].texts == (
            ("x", HTML[source]),
        )


@pytest.mark.parametrize(
    ("page", "lines"),
    [
        (
            "<h1>A</h1><p>b <b>c</b>\n  d<br>e</p><ul><li>F<li>G</ul>h",
            ["A", "", "b c d", "e", "", "F", "", "G", "", "h"],
        ),
        (
            "<pre>Epoch 1/2\n  7000/7000 [=====] - 22s</pre>",
            ["Epoch 1/2", "  7000/7000 [=====] - 22s"],
        ),
        (
            "<head><title>t</title><script>var a = '<p>9,999 images/sec</p>'</script></head><nav>menu</nav><div "
            "role='navigation'>x</div><p>Seen<script>1</script> words<a class='headerlink' href='#'>#</a></p><style>p{}"
            "</style><noscript>no</noscript><select><option>1</option></select><p><del>10</del> 12 ms</p><!-- 5 ms -->"
            "<template><p>x</p></template><svg><text>8</text></svg>",
            ["Seen words", "", "12 ms"],
        ),
        # One of several to leaf through; a script shows it.
        ("<section hidden><p>12 <i hidden>00</i>ms</p></section>", ["12 ms"]),
    ],
)
def test_the_lines_of_a_page_of_html(page: str, lines: list[str]) -> None:
    assert list(read(page, "page.html").texts[:-1]) == lines


@pytest.mark.parametrize(
    ("page", "lines"),
    [
        # The marks of a quotation are none of its words, nor signs of more than a number.
        ("> <td>\n>  1200\n> </td>\n", ["", "1200", ""]),
        ("> <p>\n> A reaches\n> 12 img/s\n", ["", "A reaches 12 img/s", ""]),
        # Blocks that follow each other
        ("1. <b>\n   A: 12 ms\n2. <b>\n   B: 15 ms\n", ["1. A: 12 ms", "", "2. B: 15 ms", ""]),
    ],
)
def test_the_lines_of_html_in_markdown(page: str, lines: list[str]) -> None:
    assert list(read(page, "page.md").texts) == lines


CODE = "# Epoch | 1\n--- | ---\na | 2\n**Bold**\n<table><tr><td>1</table>\n<!-- 2 -->"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (f"```\n{CODE}\n```\n", "page.md"),
        (f"```\n{CODE}", "page.md"),
        ("    " + CODE.replace("\n", "\n    "), "page.md"),
        ("- item\n\n  ```\n  " + CODE.replace("\n", "\n  "), "page.md"),
        (f"> ```\n> {CODE}".replace("\n", "\n> "), "page.md"),
        ("Log::\n\n   Code\n   ====\n\n   .. csv-table::\n\n      1,2", "page.rst"),
    ],
)
def test_code_is_left_as_it_is(text: str, name: str) -> None:
    document = read(text, name)
    assert (document.grids, document.levels) == ((), ())
    assert list(document.texts) == text.rstrip("\n").split("\n")


def test_headings_of_markdown() -> None:
    text = (
        "---\nlicense: mit\n---\n\nTitle\n===\n\n## [Model](x) **Zoo** ##\n\n**Bold:**\n\n<h3 align='center'>A&nbsp;<b>"
        "B</b></h3>\n\n<details>\n<summary>\nMore</summary>\n\n> #### Quoted\n\n</details>\n\n- # In an item\n\n"
        "# ![only a picture](x)\nWords above.\nUnder\n---\n"
    )
    document = read(text, "page.md")
    assert headings(document) == [
        ("Title", 1), ("Model       Zoo", 2), ("Bold:", 7), ("A\u00a0B", 3), ("More", 7), ("Quoted", 4),
        ("", 7), ("In an item", 1), ("Under", 2),
    ]  # fmt: skip
    assert list(document.texts[-3:]) == ["Words above.", "Under", ""]


def test_headings_of_restructured_text() -> None:
    text = (
        "====\nPage\n====\n\nOne **x**\n=========\n\n.. only:: html\n\n   Two\n   ---\n\nThree\n=====\n\n"
        ".. code-block:: text\n   :caption: x\n\n   Code\n   ----\n\n..\n   Comment\n   =======\n\nFour\n----\n\n"
        ".. tab-set::\n\n   .. tab-item:: A100\n\n      Words\n\n   .. tab-item:: H100\n\n      === ===\n      1   2\n"
        "      === ===\n\nWords\n\n.. rubric:: Rates\n\n.. csv-table::\n\n   1,2\n"
    )
    assert headings(read(text, "page.rst")) == [
        ("Page", 1), ("One   x", 2), ("Two", 3), ("Three", 2), ("Four", 3), ("A100", 7), ("", 7), ("H100", 7), ("", 7),
        ("Rates", 7),
    ]  # fmt: skip


def test_headings_of_html() -> None:
    page = "<h1>A</h1><p>Text<h3><a href=x>B</a><br>in 2024</h3>tail<h2><i></i></h2><h2><div>C</div>D</h2>"
    assert headings(read(page, "page.html")) == [("A", 1), ("B", 3), ("C", 2)]


def test_markup_that_says_nothing_is_empty() -> None:
    text = (
        ".. _label:\n.. _a: https://example.com/a\n\nResults\n=======\n\n.. note:: Short\n   :class: x\n\n"
        "   Words a_.\n\n.. meta::\n   :keywords: a,\n      b\n\n.. A comment\n   12 ms\n\nEnd\n"
    )
    document = read(text, "page.rst")
    assert {line.number: line.cell.text for line in document.lines if not line.is_blank} == {
        4: "Results", 7: "Short", 10: "Words a_.", 19: "End",
    }  # fmt: skip
    document = read(
        "<!-- 12\nms -->end <!-- open\n\n[^2]: Note\n\n<div>A&nbsp;B\n</div>\n", "page.md"
    )
    seen = ["", "end <!-- open", "", "\u00b2:    Note", "", "A\u00a0B", ""]
    assert [line.text.strip() for line in document.lines] == seen


@pytest.mark.parametrize("name", ["page", "page.txt", "page.php"])
def test_a_page_is_known_by_how_it_begins(name: str) -> None:
    table = b"<table><tr><td>1<td>2</table>"
    assert read(b"\n<!-- saved --><!DOCTYPE html>" + table, name).grids
    assert read(b"<!---->" * 500 + table, name).grids
    assert not read(b"<!---->" * 500 + b"x" + table, name).grids


def test_its_parsers_are_loaded_for_marked_up_texts_alone() -> None:
    code = "import sys, pipelines.read.files; assert not {'markdown_it', 'docutils'} & sys.modules.keys()"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=PROJECT)
