"""reStructuredText: lists and drawings as tables, spans and wrapped cells, markup left out; every cell at its place."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.read.document import Document, ReadError
from pipelines.read.files import read_bytes


def read(text: str, name: str = "page.rst") -> Document:
    return read_bytes(text.encode(), name, "0" * 64)


def grids(document: Document) -> list[list[list[str]]]:
    for grid in document.grids:
        for cell in (cell for row in grid.rows for cell in row):
            assert document.line(cell.line).text[cell.start : cell.end] == cell.text
    return [[[cell.text for cell in row] for row in grid.rows] for grid in document.grids]


def test_lines_keep_their_numbers_and_markup_is_empty() -> None:
    document = read(".. _label:\n\nResults\n=======\n\n.. note::\n   :class: x\n\n   Words.\n")
    assert [line.text for line in document.lines] == ["", "", "Results", "", "", "", "", "", "   Words."]


def test_labels_addresses_and_contents_that_nobody_sees_are_empty() -> None:
    labels = ".. _a: https://example.com/a\n.. _b: me@example.com\n.. __: c\n"
    document = read(f"{labels}.. meta::\n   :keywords: a,\n      b\n\nWords a_.\n")
    assert [line.text for line in document.lines] == ["", "", "", "", "", "", "", "Words a_."]


def test_a_list_table_with_blank_and_wrapped_cells() -> None:
    document = read(
        ".. list-table:: Serving\n   :header-rows: 1\n\n   * - Model\n     - Throughput\n       (tokens/sec)\n"
        "   * - BERT\n     -\n   * - ViT\n     - 1,234\n\nText\n"
    )
    assert grids(document) == [[["Model", "Throughput (tokens/sec)"], ["BERT", ""], ["ViT", "1,234"]]]
    assert document.grids[0].caption is not None
    assert document.line(6).text == ""


GRID = """\
+--------+--------+-------+
| Model  | Throughput     |
|        +--------+-------+
|        | FP16   | FP8   |
+========+========+=======+
| BERT   | 1,234  | 2,345 |
| large  |        |       |
+--------+--------+-------+
| ViT    |                |
+--------+----------------+
"""


def test_a_grid_table_with_spans() -> None:
    assert grids(read(f"Text\n\n{GRID}\nText")) == [
        [
            ["Model", "Throughput", "Throughput"],
            ["Model", "FP16", "FP8"],
            ["BERT large", "1,234", "2,345"],
            ["ViT", "", ""],
        ]
    ]


@pytest.mark.parametrize("cut", range(1, GRID.count("\n")))
def test_a_grid_table_that_is_cut_breaks_nothing(cut: int) -> None:
    grids(read("\n".join(GRID.split("\n")[:cut]) + "\n\nText"))


def test_a_simple_table() -> None:
    text = (
        "=====  =====  ==========\nModel  GPU    Throughput\n       type   (img/s)\n=====  =====  ==========\n"
        "BERT   H100   1,234\n\\      A100   123\nA name over   99\n------------  ----------\n"
        "ViT    **B**  5 ms and more\n=====  =====  ==========\n\nText"
    )
    assert grids(read(text)) == [
        [
            ["Model", "GPU type", "Throughput (img/s)"],
            ["BERT", "H100", "1,234"],
            ["", "A100", "123"],
            ["A name over", "A name over", "99"],
            ["ViT", "B", "5 ms and more"],
        ]
    ]


def test_drawn_tables_of_wide_characters() -> None:
    table = "+------+----+\n| \u6a21\u578b | A  |\n+======+====+\n| e    | B  |\n+------+----+\n"
    assert grids(read(table)) == [[["\u6a21\u578b", "A"], ["e", "B"]]]
    assert grids(read("======= ====\na       b\n\u6a21\u578b    c\n======= ====\n")) == [
        [["a", "b"], ["\u6a21\u578b", "c"]],
    ]


def test_a_cell_over_rows_may_stand_beside_the_second_one() -> None:
    table = "+---+---+\n|   |   |\n|   +---+\n| a | b |\n+---+---+\n"
    assert grids(read(table)) == [[["a", ""], ["a", "b"]]]


@pytest.mark.parametrize("name", ["page.rst", "page.txt"])
def test_a_table_that_a_program_printed_is_left_as_it_is(name: str) -> None:
    border = "+------+-----+---+\n"
    text = f"{border}| a    | b   | c |\n{border}| BERT | 123 | x |\n| ViT  | 456 |   |\n{border}"
    document = read(text, name)
    assert document.grids == ()
    assert [line.text for line in document.lines] == text.split("\n")[:-1]


def test_a_broken_drawing_is_no_grid_and_loses_nothing() -> None:
    text = GRID.replace("| ViT    | ", "| ViT    |") + "\nNext\n====\n"
    document = read(text)
    assert (document.grids, document.levels) == ((), ((12, 1),))
    assert [line.text for line in document.lines][:11] == text.split("\n")[:11]


def test_a_list_table_of_any_marks() -> None:
    document = read(
        ".. list-table::\n   :stub-columns: 1\n   :header-rows: 1\n\n   *\n     - Model\n     - Rate\n"
        "   * - BERT\n\n     - - 1,234\n       - 2,345\n"
    )
    assert grids(document) == [[["Model", "Rate"], ["BERT", "- 1,234 - 2,345"]]]
    assert grids(read(".. list-table::\n\n   - + a\n     + b\n   - + 1\n     + 2\n")) == [[["a", "b"], ["1", "2"]]]


def test_a_csv_table_with_a_header_of_two_lines() -> None:
    document = read('.. csv-table:: Rates\n   :header: "Model",\n            "Rate, mean"\n   :delim: ,\n\n   BERT,1\n')
    assert grids(document) == [[["Model", "Rate, mean"], ["BERT", "1"]]]
    [grid] = document.grids
    assert grid.caption is not None
    assert grid.caption.text == "Rates"


def test_a_file_is_never_read() -> None:
    assert read(".. csv-table::\n   :file: /etc/passwd\n\n.. include:: /etc/passwd\n\nText\n").grids == ()


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("**1234**", "1234"),
        ("``resnet50``", "resnet50"),
        (":doc:`PyTorch <../x/pytorch>`", "PyTorch"),
        (":ref:`a`", "a"),
        ("`UCC <https://example.com/ucc>`__", "UCC"),
        ("8.9 [1]_", "8.9 \u00b9"),
        ("8.9 [#mi300x]_", "8.9 \u00b2"),
        ("BERT |rocket|", "BERT |rocket|"),
        ("BERT |new|", "BERT |new|"),
        ("m\\ :sup:`2`", "m\u00b2"),
        ("1\\_000", "1_000"),
        ("bert_large", "bert_large"),
        (".. _label:", ""),
        ("**open", "**open"),
        (">=1.3", ">=1.3"),
    ],
)
def test_a_cell_is_what_a_reader_sees(source: str, text: str) -> None:
    notes = (
        ".. [1] One\n.. [#mi300x] Two\n.. |GPU| replace:: MI\n.. |br| raw:: html\n\n   <br>\n.. |new| image:: n.png\n"
    )
    document = read(f".. csv-table::\n\n   x,{source},y\n   1,2,3\n\n{notes}")
    assert grids(document)[0][0] == ["x", text, "y"]
    assert document.grids[0].starts[0][2] == len(f"   x,{source},")
    assert document.line(6).text == "\u00b9:     One"


def test_headings_have_levels_by_their_order() -> None:
    text = (
        "====\nPage\n====\n\nOne **x**\n=========\n\n.. only:: html\n\n   Two\n   ---\n\nThree\n=====\n\n"
        "::\n\n   Code\n   ====\n\n.. code-block:: text\n   :caption: x\n\n   Code\n   ----\n"
        "   .. csv-table::\n\n      1,2\n\n"
        "..\n   Comment\n   =======\n\nFour\n----\n"
    )
    document = read(text)
    assert [(document.line(number).text.strip(), level) for number, level in document.levels] == [
        ("Page", 1), ("One   x", 2), ("Two", 3), ("Three", 2), ("Four", 3),
    ]  # fmt: skip
    assert document.grids == ()
    assert document.line(19).text == "   ===="


def test_directives_of_sphinx_keep_their_tables() -> None:
    table = "   .. list-table:: Rates\n\n      * - a\n        - b\n"
    tabs = ".. tab-set::\n\n   .. tab-item:: MI300X\n      :sync: x\n\n   " + table.replace("\n   ", "\n      ")
    drawn = ".. dropdown:: More\n   :open:\n\n   .. table:: Drawn\n\n      === ===\n      1   2\n      === ===\n"
    document = read(f"Title\n=====\n\n{tabs}\n.. selected:: x y\n\n{table}\n{drawn}\n.. note:: Words\n   more\n")
    assert grids(document) == [[["a", "b"]], [["a", "b"]], [["1", "2"]]]
    assert [grid.caption.text for grid in document.grids if grid.caption] == ["Rates", "Rates", "Drawn"]
    assert [(document.line(number).text.strip(), level) for number, level in document.levels] == [
        ("Title", 1), ("MI300X", 7), ("", 7), ("More", 7), ("", 7),
    ]  # fmt: skip
    assert "Words" in [line.text.strip() for line in document.lines]


def test_a_tab_heads_no_table_behind_it() -> None:
    table = ".. csv-table::\n\n   a,b\n"
    tabs = ".. tab-set::\n\n   .. tab-item:: A100\n\n      Words\n\n   .. tab-item:: H100\n\n      Words\n\n"
    assert read(f"Page\n====\n\n{tabs}Next\n----\n\n{table}").levels == (
        (1, 1),
        (6, 7),
        (9, 7),
        (10, 7),
        (13, 7),
        (14, 2),
    )
    assert read(f"Page\n====\n\n{tabs}{table}").levels == ((1, 1), (6, 7), (9, 7), (10, 7), (13, 7))
    assert read(f"Page\n====\n\n.. rubric:: Rates\n\n{table}").levels == ((1, 1), (4, 7))


@pytest.mark.parametrize("text", [GRID, ".. csv-table::\n\n   a,b\n   1,2\n"])
def test_its_tables_are_known_in_any_text(text: str) -> None:
    assert read(f"Text\n\n{text}", "page.txt").grids


PARTS = [
    "\n", "\n\n", "   ", "word ", "12.5", "=====\n", "-----\n", "=== ===\n", "+---+---+\n", "| a | b |\n", "::\n\n",
    "* - ", "- ", "1. ", ":a: ", ">>> x\n", ".. list-table:: x\n\n", ".. csv-table::\n\n", ".. note:: ",
    ".. tab-item:: x\n\n", "..\n", ".. _a: https://a.b\n", "   :header-rows: 1\n",
    ".. |x| replace:: y\n", ".. [#n] z\n",
    "[#n]_", "|x|",
    ":ref:`a <b>`", "`a <b>`_", "**b**", "a, b\n", '"', "\\", "\t", "\u6a21", "\u2028", "\x0c",
]  # fmt: skip


@given(st.lists(st.sampled_from(PARTS), max_size=40).map("".join) | st.text("=-+| \n.:*`_\\[]#,1a\t", max_size=300))
def test_no_text_breaks_the_reader(text: str) -> None:
    try:
        document, plain = read(text), read(text, "page.csv")
    except ReadError:
        return
    assert len(document.lines) == len(plain.lines)
    grids(document)
    assert list(document.levels) == sorted(set(document.levels))


HOSTILE = {
    "sections": "A\n=\n\nB\n-\n\n" * 1_000,
    "borders": "+---+---+\n" * 5_000,
    "corners": ("+-" * 100 + "+\n") * 200,
    "open drawing": ("+" + "-" * 20 + "+\n") + "| a\n" * 5_000,
    "rulers": "=== ===\na b\n" * 5_000,
    "pipes": ".. csv-table::\n\n   " + "|," * 20_000 + "\n",
    "roles": "* :a:`b " * 5_000,
    "directives": ".. a::\n\n" * 2_000,
    "comments": "..\n  a\n" * 5_000,
    "notes": ".. [#a] b\n" * 3_000,
    "cells": ".. list-table::\n\n" + "   * - a\n     - **b**\n" * 3_000,
    "wrapped cell": ".. list-table::\n\n   * - a\n" + "       b\n" * 3_000,
    "open quote": '.. csv-table::\n\n   "' + "a,\n   " * 3_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_are_read_in_linear_time(name: str) -> None:
    source = HOSTILE[name]
    steps = []
    for text in (source, source + source):
        count = 0

        def step(*_: object) -> None:
            nonlocal count
            count += 1

        sys.setprofile(step)
        try:
            document = read(text)
        finally:
            sys.setprofile(None)
        grids(document)
        steps.append(count)
    assert steps[1] < 3 * steps[0] + 10_000


def test_a_text_without_end_of_nesting_is_refused() -> None:
    with pytest.raises(ReadError, match="too_large"):
        read("- " * 5_000 + "a")
