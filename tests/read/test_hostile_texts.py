"""Marked-up texts that no writer wrote: nothing breaks a reader, and none takes more than linear
time.
"""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.read.document import Document, ReadError
from pipelines.read.files import read_bytes

PARTS = {
    "page.md": [
        "\n", "\n\n", "    ", "word ", "12.5", "| a | b |\n", "|---|---|\n", "a | b\n", "> ", "- ", "1. ", "```\n",
        "# ", "---\n", "===\n", "**", "`", "<table>", "</table>", "<tr>", "<td>", "<th rowspan=2>", "<caption>", "<!--",
        "-->", "<h2>", "</h2>", "<details>", "<summary>", "</summary>", "</details>", "&nbsp;", "&lt;", "<sup>",
        "</sup>", "<br>", "[a](b)", "[^1]", "[^1]: ", "![a](b)", "~~", "\\", "\t", "\u6a21", "\u2028",
    ],
    "page.rst": [
        "\n", "\n\n", "   ", "word ", "12.5", "=====\n", "-----\n", "=== ===\n", "+---+---+\n", "| a | b |\n", "::\n\n",
        "* - ", "- ", "1. ", ":a: ", ">>> x\n", ".. list-table:: x\n\n", ".. csv-table::\n\n", ".. note:: ",
        ".. tab-item:: x\n\n", "..\n", ".. _a: https://a.b\n", "   :header-rows: 1\n", "   :header: a, 1\n",
        ".. |x| replace:: y\n", ".. [#n] z\n", "[#n]_", "|x|", "table", ":ref:`a <b>`", "`a <b>`_", "**b**", "a, b\n",
        '"', "\\", "\t", "\u6a21", "\u2028", "\x0c",
    ],
    "page.html": ["<", ">", "/", "table", "<tr>", "<td>", "h1", "p", "=", '"', "'", "1", "&", ";", "!", "-", " ", "\n"],
    "page.csv": ["a", ",", ";", "\t", '"', '""', "\n", " ", "1,2\n"],
}  # fmt: skip


def read(text: str, name: str) -> Document:
    document = read_bytes(text.encode(), name, "0" * 64)
    for grid in document.grids:
        for cell in (cell for row in grid.rows for cell in row):
            assert (
                document.line(cell.line).text[cell.start : cell.end]
                == cell.text
                == cell.text.strip()
            )
            assert grid.first_line <= cell.line <= grid.last_line
    return document


@pytest.mark.parametrize("name", PARTS)
@given(data=st.data())
def test_no_text_breaks_its_reader(name: str, data: st.DataObject) -> None:
    text = data.draw(st.lists(st.sampled_from(PARTS[name]), max_size=40).map("".join))
    try:
        document = read(text, name)
    except ReadError:
        return
    assert list(document.levels) == sorted(set(document.levels))
    if name in ("page.md", "page.rst"):
        # Only separated values and pages of HTML have other lines than the file, or none.
        assert len(document.lines) == text.removesuffix("\n").count("\n") + 1


# Each of them once took a time that grows with the square of its length, in one parser or another.
HOSTILE = {
    "pipes.md": "|" * 5_000,
    "row of pipes.md": "|a|b|\n|-|-|\n" + "|" * 5_000,
    "wide table.md": "|" + "a|" * 5_000 + "\n|" + "-|" * 5_000 + "\n" + "|" * 5_000,
    "headers.md": "|a|b|\n|-|-|\n" * 400,
    "quotes.md": ">" * 20_000 + "a",
    "items.md": "- " * 5_000 + "a",
    "references.md": "[a]: b\n" * 1_000,
    "brackets.md": "|a|b|\n|-|-|\n|" + "[" * 20_000 + "|" + "`" * 20_000 + "|\n",
    "comments.md": "a <!-- " * 5_000,
    "tables of html.md": "<table>" * 5_000,
    "cells of html.md": "<table><tr>" + "<td>1" * 3_000 + "</table>",
    "tags.md": "<div>\n" + "<a " * 20_000,
    "headings of html.md": "<div>\n" + "<h1>" * 5_000,
    "fences.md": "```\n" * 5_001,
    "front matter.md": "---\n" * 5_000,
    "sections.rst": "A\n=\n\nB\n-\n\n" * 200,
    "borders.rst": "+---+---+\n" * 500,
    "corners.rst": ("+-" * 100 + "+\n") * 30,
    "open drawing.rst": ("+" + "-" * 20 + "+\n") + "| a\n" * 5_000,
    "rulers.rst": "=== ===\na b\n" * 5_000,
    "separators.rst": ".. csv-table::\n\n   " + "|," * 4_000 + "\n",
    "roles.rst": "* :a:`b " * 5_000,
    "directives.rst": ".. a::\n\n" * 300,
    "notes.rst": ".. [#a] b\n" * 500,
    "cells.rst": ".. list-table::\n\n" + "   * - a\n     - **b**\n" * 300,
    "wrapped cell.rst": ".. list-table::\n\n   * - a\n" + "       b\n" * 500,
    "open quote.rst": '.. csv-table::\n\n   "' + "a,\n   " * 3_000,
    "records.csv": '1,"a\nb",2\n' * 3_000,
    "comments.txt": "<!---->" * 5_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_are_read_in_linear_time(name: str) -> None:
    steps = []
    for text in (HOSTILE[name], HOSTILE[name] * 2):
        count = 0

        def step(*_: object) -> None:
            nonlocal count
            count += 1

        sys.setprofile(step)
        try:
            read_bytes(text.encode(), name, "0" * 64)
        except ReadError as error:
            assert error.rule == "open_quote"  # noqa: PT017
        finally:
            sys.setprofile(None)
        steps.append(count)
    assert steps[1] < 3 * steps[0] + 1_000


@pytest.mark.parametrize(
    ("name", "text"), [("page.rst", "- " * 5_000 + "a"), ("page.html", "<div>" * 5_000 + "a")]
)
def test_a_text_nested_without_end_is_refused(name: str, text: str) -> None:
    with pytest.raises(ReadError, match="too_large"):
        read(text, name)
