"""The tables of each file format as grids: cells at their place, spans, wrapped cells, and what is
no table.
"""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.read.document import Document, ReadError
from pipelines.read.files import read_bytes
from pipelines.read.separated_values import read_records

Rows = list[list[str]]


def read(text: str, name: str) -> Document:
    document = read_bytes(text.encode(), name, "0" * 64)
    for grid in document.grids:
        for cell in (cell for row in grid.rows for cell in row):
            assert document.line(cell.line).text[cell.start : cell.end] == cell.text
            assert grid.first_line <= cell.line <= grid.last_line
    return document


def grids(text: str, name: str) -> list[Rows]:
    return [[list(row) for row in grid.texts] for grid in read(text, name).grids]


AB = [["a", "b"], ["1", "2"]]
GPUS = [["Model", "GPU"], ["BERT", "H100"], ["", "A100"]]
SPANS = [
    ["Model", "Rate", "Rate"],
    ["Model", "FP16", "FP8"],
    ["BERT large", "1,234", "2,345"],
    ["ViT", "", ""],
]
PARTED = [["Model", "Rate"], ["ViT", "1"], ["BERT", "2"], ["CLIP", "3"]]
DRAWN = """\
+--------+--------+-------+
| Model  | Rate           |
|        +--------+-------+
|        | FP16   | FP8   |
+========+========+=======+
| BERT   | 1,234  | 2,345 |
| large  |        |       |
+--------+--------+-------+
| ViT    |                |
+--------+----------------+
"""
HEAD, BODY = (
    "<thead><th>Model<th>Rate</thead>",
    "<tbody><td>ViT<td>1<tr><td>BERT<td>2</tr><td>CLIP<td>3</tbody>",
)
LISTED = ".. list-table:: Serving\n   :header-rows: 1\n\n   * - Model\n     - GPU\n   * - BERT\n     - H100\n"
TABLES: dict[str, tuple[str, list[Rows]]] = {
    # Bars at the ends of rows make no difference; a bar at the beginning may be behind a blank
    # cell.
    "bars.md": ("| Model | GPU |\n|---|:-:|\n| BERT | H100 |\n| | A100 |", [GPUS]),
    "no bars at the ends.md": ("Text\n\nModel | GPU\n--- | ---\nBERT | H100\n | A100\n\nText", [GPUS]),
    "bars at one end.md": ("| Model | GPU\n| --- | ---\n| BERT | H100\n| | A100", [GPUS]),
    "blanks at the ends.md": ("  Model | GPU  \n:-|-:\nBERT | H100  \n| A100", [GPUS]),
    "a row has the cells it prints.md": ("| a | b |\n|-|-|\n| 1 |\n| 1 | 2 | 3 |\n", [[["a", "b"], ["1"], [*"123"]]]),
    "bars of an address.md": ("| a |\n|-|\n| [b](https://c.d/e|f) |\n", [[["a"], ["[b](https://c.d/e", "f)"]]]),
    "no bars between others.md": ("a | b\n-|-\nVision\n1 | 2\nIn May.\n", [[["a", "b"], ["Vision"], ["1", "2"]]]),
    "a header ends a table.md": ("|a|b|\n|-|-|\n|1|2|\n" * 2 + "| c |\n|---|\n", [AB, AB, [["c"]]]),
    "in a quote.md": ("> > | a | b |\n> > |---|---|\n> > 1 | **2**\n", [AB]),
    "in an item.md": ("- | a | b |\n  |---|---|\n  | 1 | 2 |\n", [AB]),
    "an open fence ends with its item.md": ("- x\n\n  ```\n  # y\n\n| a | b |\n|-|-|\n| 1 | 2 |\n", [AB]),
    "comments.md": ("<!-- | a |\n\n|-| -->\n\n| a | b |\n|-|-|\n| 1<!-- x --> | 2 |", [AB]),
    "rows of html.md": (
        "x\n<table>\n<tr>\n <td>a</td>\n <td>b<tr><td rowspan='2'>1<td>2\n<tr><td>3</table> y",
        [[["a", "b"], ["1", "2"], ["1", "3"]]],
    ),
    "html between empty lines.md": ("<table><tr><td>a<td>b\n\n<tr><td>\n\n**1**\n\n<td>2</table>\n", [AB]),
    "html around markdown.md": ("<table><tr><td>\n\n| a | b |\n|-|-|\n| 1 | 2 |\n\n</td></tr></table>\n", [AB]),
    "html in html.md": ("<table><tr><td>\n<table><tr><td>a<td>b<tr><td>1<td>2</table>\n</table>\n", [AB]),
    "cells without a row.md": (f"Text\n\n<table>\n{HEAD}\n{BODY}\n</table>\n", [PARTED]),
    "cells without a row.html": (f"<table>{HEAD}{BODY}</table>", [PARTED]),
    "cells and rows without a part.html": (f"<table><th>Model<th>Rate{BODY}</table>", [PARTED]),
    "html in html.html": ("<table><tr><td>x<td><table><tr><td>a<td>b<tr><td>1<td>2</table></table>", [AB]),
    "spans.html": (
        "<table><tr><th rowspan=2>Model<th colspan=2>Rate<tr><th>FP16<th>FP8<tr><td>BERT large<td>1,234<td>2,345"
        "<tr><td>ViT<td colspan=2></table>",
        [[*SPANS[:3], ["ViT", "", ""]]],
    ),
    "hidden rows.html": (
        "<table><tr><td>Model<td>Rate<tr style='display:none'><td>ViT<td>1<tr hidden><td>BERT<td>2"
        "<tbody hidden><tr><td>CLIP<td>3</table>",
        [PARTED],
    ),
    # A span ends with its part of the table; a row without cells counts.
    "ends of spans.html": (
        "<table><thead><tr><th rowspan=3>a<th>b</thead><tbody><tr><td rowspan=0>c<td>d<tr><td>e</tbody>"
        "<tbody><tr><td rowspan=2>f<td>g<tr></tr><tr><td>h<td>i</table>",
        [[["a", "b"], ["c", "d"], ["c", "e"], ["f", "g"], ["h", "i"]]],
    ),
    "drawn.rst": (f"Text\n\n{DRAWN}\nText", [SPANS]),
    "drawn.txt": (f"Text\n\n{DRAWN}", [SPANS]),
    "drawn in any text.rst": ("- x\n\n  +---+---+\n  | a | b |\n  +---+---+\n  | 1 | 2 |\n  +---+---+\n", [AB]),
    "beside the second row.rst": ("+---+---+\n|   |   |\n|   +---+\n| a | b |\n+---+---+\n", [[["a", ""], ["a", "b"]]]),
    "wide characters.rst": ("+------+---+\n| \u6a21\u578b | b |\n+======+===+\n| 1    | 2 |\n+------+---+\n",
                            [[["\u6a21\u578b", "b"], ["1", "2"]]]),
    "simple.rst": (
        "=====  =====  ==========\nModel  GPU    Throughput\n       type   (img/s)\n=====  =====  ==========\n"
        "BERT   H100   1,234\n\\      A100   123\nA name over   99\n------------  ----------\n"
        "ViT    **B**  5 ms and more\n=====  =====  ==========\n\nText",
        [[
            ["Model", "GPU type", "Throughput (img/s)"], ["BERT", "H100", "1,234"], ["", "A100", "123"],
            ["A name over", "A name over", "99"], ["ViT", "B", "5 ms and more"],
        ]],
    ),
    "simple.txt": ("Text\n\n===  ===\na    b\n===  ===\n1    2\n===  ===\n", [AB]),
    # Its parser takes a time that grows with the square of the corners.
    "more corners than any table has.rst": ("+-" * 600 + "+\n" + "|1" * 600 + "|\n" + "+-" * 600 + "+\n", []),
    "list.rst": (LISTED + "\n   * -\n     - A100\n\nText\n", [GPUS]),
    "list.txt": (LISTED + "   * -\n     - A100\n", [GPUS]),
    "wrapped list.rst": (
        ".. list-table::\n\n   *\n     - a\n     - b\n       c\n   * - 1\n\n     - - 2\n       - 3\n",
        [[["a", "b c"], ["1", "- 2 - 3"]]],
    ),
    "list of other marks.rst": (".. list-table::\n\n   - + a\n     + b\n   - + 1\n     + 2\n", [AB]),
    "list in tabs.rst": (
        ".. tab-set::\n\n   .. tab-item:: x\n      :sync: y\n\n      .. list-table::\n\n         * - a\n"
        "           - b\n",
        [[["a", "b"]]],
    ),
    "values.rst": ('.. csv-table::\n   :delim: ;\n\n   Model;GPU\n   "BERT"; "H100"\n   ;A100\n', [GPUS]),
    "values between semicolons.rst": (".. csv-table::\n\n   a;b\n   1;2\n", [AB]),
    "values with a header.rst": ('.. csv-table::\n   :header: a,\n            "b"\n\n   1,2\n', [AB]),
    "a file.rst": (".. csv-table::\n   :file: /etc/passwd\n\n.. include:: /etc/passwd\n\nText\n", []),
    "values in a comment.rst": ("..\n   .. csv-table::\n\n      1,2\n", []),
    # A program prints rows without lines between them, which docutils takes for one; no number is
    # read of its cells.
    "printed.txt": ("+----+---+\n| a  | b |\n+----+---+\n| BERT | 1 |\n| ViT  | 2 |\n+----+---+\n", []),
    "printed.rst": ("+---+---+\n| a | b |\n+---+---+\n| 1 | 3 |\n| 2 | 4 |\n+---+---+\n",
                    [[["a", "b"], ["1 2", "3 4"]]]),
    "commas.csv": ('Model,GPU\nBERT,"H100"\n,A100\n', [GPUS]),
    "semicolons.csv": ("Model;GPU\nBERT;H100\n\n;A100\n", [GPUS]),
    "tabs.tsv": ("Model\tGPU\nBERT\tH100\n\tA100\n", [GPUS]),
    "inches.csv": (
        'model,width,height,note\nA,11",8",a; b\nB,12",9",c; d\n',
        [[["model", "width", "height", "note"], ["A", '11"', '8"', "a; b"], ["B", '12"', '9"', "c; d"]]],
    ),
    "no name": ("a;b,c;d\n1;2;3\n", [[["a", "b,c", "d"], ["1", "2", "3"]]]),
    "years.txt": ("a,b,c\n2019,2020,2021\n", [[["a", "b", "c"], ["2019", "2020", "2021"]]]),
    "other separators.csv": ("a;b,c;d\n1;2;3\n", [[["a", "b,c", "d"], ["1", "2", "3"]]]),
    "sentence.txt": ("One sentence, with commas, in it.\n", []),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_the_cells_of_tables(name: str) -> None:
    text, expected = TABLES[name]
    assert grids(text, name) == expected


def test_a_broken_drawing_is_no_grid_and_loses_nothing() -> None:
    text = DRAWN.replace("| ViT    | ", "| ViT    |") + "\nNext\n====\n"
    document = read(text, "page.rst")
    assert (document.grids, document.levels) == ((), ((12, 1),))
    assert list(document.texts[:11]) == text.split("\n")[:11]


def test_a_banner_does_not_turn_a_log_into_markup() -> None:
    text = "+=========+\n| RESULTS |\n+=========+\n.. 12 ms"
    assert list(read(text, "run.log").texts) == text.split("\n")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("page.html", "<table><caption>Rates</caption><tr><td rowspan=2>a<td>1<tr><td>2</table>"),
        (
            "page.md",
            "Words\n\n<table><caption>Rates</caption><tr><td rowspan=2>a<td>1<tr><td>2</table>",
        ),
        (
            "page.rst",
            ".. table:: Rates\n\n   +---+---+\n   | a | 1 |\n   |   +---+\n   |   | 2 |\n   +---+---+\n",
        ),
    ],
)
def test_captions_and_spans(name: str, text: str) -> None:
    document = read(text, name)
    [grid] = document.grids
    assert (grid.texts, grid.spans) == ((("a", "1"), ("a", "2")), {(0, 0): (0, 0), (1, 0): (0, 0)})
    assert grid.rows[1][0] is grid.rows[0][0]
    assert grid.caption is not None
    caption = grid.caption
    assert document.line(caption.line).text[caption.start : caption.end] == caption.text == "Rates"


@pytest.mark.parametrize("span", ["0", "-1", "x", "1e9", "9" * 5_000])
def test_no_span_makes_a_table_endless(span: str) -> None:
    [rows] = grids(
        f"<table><tr><td rowspan='{span}'>a<td>b<tr><td colspan='{span}'>c</table>", "page.html"
    )
    assert sum(map(len, rows)) < 2_100
    with pytest.raises(ReadError, match="too_large"):
        read("<table>" + "<tr><td colspan=1000>1" * 600 + "</table>", "page.html")


def test_a_table_of_html_that_is_never_closed_is_text() -> None:
    document = read("<table><tr><td>1</td><td>2</td></tr>\n\n# Results\n", "page.md")
    assert (document.grids, document.levels) == ((), ((3, 1),))
    assert document.line(1).text.split() == ["1", "2"]


def test_a_quoted_cell_goes_over_any_number_of_lines() -> None:
    page = "text, with commas;\n\n" * 30
    document = read(
        f'Model,Answer,Rate,Note\nBERT,"{page}said ""so""",5,"a\nb"\nViT,,6,\n', "table.csv"
    )
    answer = " ".join(["text, with commas;"] * 30)
    assert document.grids[0].texts[1:] == (
        ("BERT", f'{answer} said ""so""', "5", "a b"),
        ("ViT", "", "6", ""),
    )
    assert document.grids[0].lines == ((1, 1, 1, 1), (2, 2, 62, 62), (64, 64, 64, 64))


def test_a_cell_may_be_as_long_as_an_answer() -> None:
    answer = "word " * 40_000
    [grid] = read(f'Model,Answer\nBERT,"{answer}"\n', "table.csv").grids
    assert grid.texts[1] == ("BERT", answer.strip())


@pytest.mark.parametrize("row", ['One,"3.5\nTwo,2\n', 'One,"3.5\nTwo" x,2\n'])
def test_a_quote_that_is_never_closed_is_refused(row: str) -> None:
    with pytest.raises(ReadError, match="open_quote in line 2: a quoted cell is not closed"):
        read(f"Model,Disk\n{row}", "table.csv")
    assert grids(f"Model,Disk,Rate\n1,2,3\n4,{row}", "page.txt") == []
    text = f".. csv-table::\n\n   Model,Disk\n   {row}"
    assert list(read(text, "page.rst").texts[2:]) == text.split("\n")[2:-1]


CELLS = st.text(
    st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs")), max_size=8
).map(str.strip)


@given(
    st.lists(st.lists(CELLS, min_size=2, max_size=5), min_size=1, max_size=5),
    st.sampled_from(",;\t"),
)
def test_the_cells_are_those_of_the_csv_module(rows: Rows, separator: str) -> None:
    written = io.StringIO()
    csv.writer(written, delimiter=separator, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(
        rows
    )
    found = list(read_records(written.getvalue().split("\n")[:-1], separator))
    assert [[cell.text.replace('""', '"') for cell in record] for record in found] == rows


@pytest.mark.parametrize(
    ("text", "widths"),
    [
        (
            "Metric,avg,p99\nTTFT,1,2\nITL,3,4\n\nMetric,Value\nRate,260.25\nRequests,1.50\n",
            [[3, 3, 3], [2, 2, 2]],
        ),
        ("A,B\n1,2\n\n\nC,D,E\n1,2,3\n\nF,G\n5,6\n", [[2, 2], [3, 3], [2, 2]]),
        # A title, a note, a row that lacks a cell, and an empty line within a table
        ("Results\n\nA,B\n1,2\n", [[1, 2, 2]]),
        ("A,B\n1,2\n\nMeasured in May\n", [[2, 2, 1]]),
        ("A,B,C\n1,2,3\n\n4,5\n6,7,8\n", [[3, 3, 2, 3]]),
        ("A,B\n1,2\n\n3,4\n", [[2, 2, 2]]),
        ("A,B,C\n1,2,3\n4,5\n6,7\n", [[3, 3, 2, 2]]),
    ],
)
def test_tables_below_each_other_in_separated_values(text: str, widths: list[list[int]]) -> None:
    document = read(text, "page.csv")
    assert [[len(row) for row in grid.texts] for grid in document.grids] == widths
    # Every line is in one of them.
    spans = [(grid.first_line, grid.last_line) for grid in document.grids]
    assert [first for first, _ in spans] == [1, *(last + 1 for _, last in spans[:-1])]
    assert spans[-1][1] == len(document.texts)


@pytest.mark.parametrize(
    "parts",
    [
        "<tfoot><tr><td>ViT<td>2</tfoot><tr><th>Model<th>Rate<tr><td>BERT<td>1",
        "<tr><th>Model<th>Rate</tr><tfoot><td>ViT<td>2</tfoot><tbody><tr><td>BERT<td>1</tbody>",
        "<tbody><tr><td>BERT<td>1</tbody><tfoot><tr><td>ViT<td>2</tfoot><thead><tr><th>Model<th>Rate</thead><caption>Late</caption>",
    ],
)
@pytest.mark.parametrize("name", ["page.html", "page.md"])
def test_head_and_foot_of_a_table(parts: str, name: str) -> None:
    [grid] = read(f"<table>{parts}</table>\n", name).grids
    assert grid.texts == (("Model", "Rate"), ("BERT", "1"), ("ViT", "2"))


def test_text_between_the_cells_of_a_table_is_above_it() -> None:
    page = (
        "<table>All in ms <caption>First</caption><caption>Second 2</caption><tr>3<th>Model</th><th>Rate</th></tr>"
        "<p>4 runs</p><tr><td>BERT</td>5<td>1</td></tr>6</table>"
    )
    document = read(page, "page.html")
    [grid] = document.grids
    assert grid.texts == (("Model", "Rate"), ("BERT", "1"))
    assert [text for text in document.texts[: grid.first_line - 1] if text] == [
        "All in ms Second 2 3 4 runs 5 6",
        "First",
    ]
