"""Markdown: tables with and without outer pipes, markup in cells, headings, HTML tables; every cell at its place."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.read.document import Document, ReadError
from pipelines.read.files import read_bytes

PROJECT = Path(__file__).parents[2]


def read(text: str, name: str = "page.md") -> Document:
    return read_bytes(text.encode(), name, "0" * 64)


def grids(document: Document) -> list[list[list[str]]]:
    for grid in document.grids:
        for cell in (cell for row in grid.rows for cell in row):
            assert document.line(cell.line).text[cell.start : cell.end] == cell.text
    return [[[cell.text for cell in row] for row in grid.rows] for grid in document.grids]


@pytest.mark.parametrize(
    "table",
    [
        "| Model | GPU |\n|---|:-:|\n| BERT | H100 |\n| | A100 |",
        "Model | GPU\n--- | ---\nBERT | H100\n | A100",
        "| Model | GPU\n| --- | ---\n| BERT | H100\n| | A100",
        "  Model | GPU  \n:-|-:\nBERT | H100  \n| A100",
    ],
)
def test_pipes_at_the_ends_make_no_difference(table: str) -> None:
    assert grids(read(f"Text.\n\n{table}\n\nMore.")) == [[["Model", "GPU"], ["BERT", "H100"], ["", "A100"]]]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("**1,234**", "1,234"),
        ("*1,234*", "1,234"),
        ("`resnet50`", "resnet50"),
        ("`a` or `b`", "a  or  b"),
        ("`a`, `b`", "a, b"),
        ("bert_large_uncased", "bert_large_uncased"),
        ("[BERT](https://example.com/a_b)", "BERT"),
        ("[BERT][paper] large", "BERT         large"),
        ("1,234[^1]", "1,234\u00b9"),
        ("**Rate (img/s)**[^1]", "Rate (img/s)\u00b9"),
        ("1,234<sup>2</sup>", "1,234\u00b2"),
        ("Gaudi 3<sup>*</sup>", "Gaudi 3*"),
        ("AP<sub>50:95</sub>", "AP50:95"),
        ("mAP<sup>pose<br>50", "mAPpose 50"),
        ("Speed<br>CPU", "Speed    CPU"),
        ("<ul><li>A</li><li>B</li></ul>", "A         B"),
        (r"a\|b", "a|b"),
        (r"`a\|b`", "a|b"),
        (r"1\_000", "1_000"),
        (r"\-", "-"),
        ("23h&nbsp;43m", "23h\u00a043m"),
        ("&lt;5 ms", "<5 ms"),
        ("12&plusmn;1", "12\u00b11"),
        ("&nbsp;", ""),
        ("~~10~~ 12", "12"),
        ("![logo](x.png) H100", "H100"),
        ("<img src='x.png' width=20>", ""),
        ("*", "*"),
        ("1,234**", "1,234**"),
        ("\u5343\u95ee**\uff08Int4\uff09**\u7248", "\u5343\u95ee\uff08Int4\uff09\u7248"),
        ("\u4e2d\u6587 **\u6a21\u578b** \U0001f680", "\u4e2d\u6587   \u6a21\u578b   \U0001f680"),
    ],
)
def test_a_cell_is_what_a_reader_sees(source: str, text: str) -> None:
    row = f"| x | {source} | y |"
    document = read(f"| a | b | c |\n|---|---|---|\n{row}\n\n[paper]: https://example.com")
    assert grids(document) == [[["a", "b", "c"], ["x", text, "y"]]]
    # The cells behind it stand where they are printed.
    assert len(document.line(3).text) == len(row)
    assert document.grids[0].starts[1][2] == row.rindex("y")


def test_bars_of_an_address_part_cells_and_its_row_is_longer() -> None:
    [[_, row]] = grids(read("| a | b |\n|---|---|\n| x | [BERT](https://example.com/a|b) |"))
    assert len(row) == 3


def test_headings_stand_without_their_marks() -> None:
    document = read("# Results #\n\nTraining\n---\n\n**Bold heading**\n\n<!-- 12\nms -->end\n")
    assert [line.text.strip() for line in document.lines] == [
        "Results", "", "Training", "", "", "Bold heading", "", "", "end",
    ]  # fmt: skip


def test_headings_have_levels() -> None:
    text = (
        "Title\n===\n\n## [Model](x) **Zoo** ##\n\n**Bold:**\n\n<h3 align='center'>A&nbsp;<b>B</b></h3>\n\n"
        "<details>\n<summary>\nMore</summary>\n\n> #### Quoted\n\n- # In an item\n\n# ![only a picture](x)\n"
        "Words above.\nUnder\n---\n"
    )
    document = read(text)
    assert [(document.line(number).cell.text, level) for number, level in document.levels] == [
        ("Title", 1),
        ("Model       Zoo", 2),
        ("Bold:", 7),
        ("A\u00a0        B", 3),
        ("More", 7),
        ("Quoted", 4),
        ("In an item", 1),
        ("Under", 2),
    ]
    assert [line.text for line in document.lines][-3:] == ["Words above.", "Under", ""]


def test_a_summary_heads_no_table_behind_its_details() -> None:
    table = "| a | b |\n|---|---|\n| 1 | 2 |\n\n"
    details = f"<details>\n<summary>More</summary>\n\n{table}</details>\n\n"
    document = read(f"# Page\n\n{details}Words.\n\n{table}")
    assert document.levels == ((1, 1), (4, 7), (10, 7))
    assert document.line(10).is_blank


CODE = "# Epoch | 1\n--- | ---\na | 2\n**Bold**\n<table><tr><td>1</table>\n<!-- 2 -->"


@pytest.mark.parametrize(
    "text",
    [
        f"```\n{CODE}\n```\n",
        f"~~~text\n{CODE}\n~~~",
        f"```\n{CODE}",
        "    " + CODE.replace("\n", "\n    "),
        "- item\n\n  ```\n  " + CODE.replace("\n", "\n  "),
        f"> ```\n> {CODE}".replace("\n", "\n> "),
    ],
)
def test_code_is_left_as_it_is(text: str) -> None:
    document = read(text)
    assert (document.grids, document.levels) == ((), ())
    assert [line.text for line in document.lines] == text.rstrip("\n").split("\n")


def test_an_open_fence_ends_with_its_item() -> None:
    document = read("- item\n\n  ```\n  # Comment\n\n## Results\n\n| a | b |\n|---|---|\n| 1 | 2 |\n")
    assert document.levels == ((6, 2),)
    assert grids(document) == [[["a", "b"], ["1", "2"]]]


@pytest.mark.parametrize("mark", ["> ", "  ", "> > ", ">"])
def test_tables_stand_in_quotes_and_items(mark: str) -> None:
    table = "\n".join(mark + row for row in ("| a | b |", "|---|---|", "| 1 | 2 |", "3 | **4**"))
    document = read(f"- item\n\n{table}\n" if mark == "  " else table)
    assert grids(document) == [[["a", "b"], ["1", "2"], ["3", "4"]]]


def test_a_table_may_begin_with_its_item() -> None:
    assert grids(read("- | a | b |\n  |---|---|\n  | 1 | 2 |\n")) == [[["a", "b"], ["1", "2"]]]


def test_a_line_without_bars_is_a_row_only_between_others() -> None:
    document = read("Model | GPU\n--- | ---\nVision\nViT | A\nMeasured in May.\n")
    assert grids(document) == [[["Model", "GPU"], ["Vision"], ["ViT", "A"]]]
    assert document.grids[0].last_line == 4


def test_a_header_right_below_a_table_begins_another() -> None:
    first, second = (
        "| Model | Rate |\n|---|---|\n| ViT | 1 |\n",
        "| GPU | Price | Year |\n|-|-|-|\n| H100 | 2 | 2022 |\n",
    )
    document = read(first + second + second + "| A100 |\n| --- |\n")
    assert grids(document) == [
        [["Model", "Rate"], ["ViT", "1"]],
        [["GPU", "Price", "Year"], ["H100", "2", "2022"]],
        [["GPU", "Price", "Year"], ["H100", "2", "2022"]],
        [["A100"]],
    ]
    assert [(grid.first_line, grid.last_line) for grid in document.grids] == [(1, 3), (4, 6), (7, 9), (10, 11)]


def test_a_row_has_as_many_cells_as_it_prints() -> None:
    [grid] = read("| Model | Rate |\n|---|---|\n| ViT |\n| BERT | 1 | 2 |\n| CLIP | |\n").grids
    assert grid.texts == (("Model", "Rate"), ("ViT",), ("BERT", "1", "2"), ("CLIP", ""))


def test_fields_about_the_page_are_no_headings() -> None:
    document = read("---\nlicense: mit\n---\n\n# Model\n")
    assert document.levels == ((5, 1),)


def test_comments_are_not_seen() -> None:
    words = "Words <!-- 12 --> `code` <!-- open"
    document = read(f"<!-- | a | b |\n\n|---|---| -->\n\n{words}\n\n| a | b |\n|---|---|\n| 1<!-- x --> | 2 |")
    assert grids(document) == [[["a", "b"], ["1", "2"]]]
    assert document.line(5).text.split() == ["Words", "`code`", "<!--", "open"]
    assert document.line(1).is_blank


def test_a_row_of_an_html_table_stands_on_its_line() -> None:
    document = read(
        "Text\n\n<table>\n<tr>\n <th>Model</th>\n <th>GPU<br>type</th></tr>\n"
        "<tr><td rowspan='2'>BERT</td><td>A</td></tr>\n<tr><td>B</td></tr>\n</table>\n\nMore\n"
    )
    assert grids(document) == [[["Model", "GPU type"], ["BERT", "A"], ["BERT", "B"]]]
    assert [line.number for line in document.lines if line.text] == [1, 4, 7, 8, 11]


def test_html_tables_have_headings_spans_and_a_caption() -> None:
    document = read(
        "Words <b>x</b>\n<table><caption>Rates</caption>\n<thead><tr><th>Model<th>Rate</thead>\n\n"
        "<tbody><tr><th rowspan=2>ViT</th>\n<td>\n\n**1,234**\n\n</td></tr>\n<tr><td>&lt;5</td></tr></table> behind\n"
    )
    assert grids(document) == [[["Model", "Rate"], ["ViT", "1,234"], ["ViT", "<5"]]]
    [grid] = document.grids
    assert grid.spans == {(2, 0): (1, 0)}
    assert grid.caption is not None
    assert document.line(2).text[grid.caption.start : grid.caption.end] == grid.caption.text == "Rates"
    assert document.line(11).text == "| <5  behind"


def test_a_line_that_reads_as_a_heading_may_be_of_a_table_of_html() -> None:
    document = read("-<table>\n# <tr><td>a<td>1\n</table>\n")
    assert grids(document) == [[["a", "1"]]]
    assert document.levels == ()


def test_a_cell_of_html_has_no_white_space_around_it() -> None:
    assert grids(read("<table><tr><td>\u2028a&nbsp;</td><td>&nbsp;</td></tr></table>\n")) == [[["a", ""]]]


def test_its_parser_is_loaded_for_marked_up_texts_alone() -> None:
    code = "import sys, pipelines.read.files; assert not {'markdown_it', 'docutils'} & sys.modules.keys()"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=PROJECT)


def test_what_is_around_a_table_of_markdown_is_layout() -> None:
    text = "<table><tr><td>\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n</td></tr></table>\n"
    assert grids(read(text)) == [[["a", "b"], ["1", "2"]]]


def test_a_table_in_a_table_is_the_grid() -> None:
    text = "<table><tr><td>\n<table><tr><td>1<td>2</table>\n<table><tr><td>3<td>4</table>\n</table>\n"
    assert grids(read(text)) == [[["1", "2"]], [["3", "4"]]]


def test_a_table_of_html_that_is_never_closed_is_text() -> None:
    document = read("<table><tr><td>1</td><td>2</td></tr>\n\n# Results\n")
    assert (document.grids, document.levels) == ((), ((3, 1),))
    assert document.line(1).text.split() == ["1", "2"]


@pytest.mark.parametrize("name", ["page.txt", "page"])
def test_a_table_without_outer_pipes_is_known_in_any_text(name: str) -> None:
    assert grids(read("Model | GPU\n--- | ---\nBERT | H100\n", name)) == [[["Model", "GPU"], ["BERT", "H100"]]]


PARTS = [
    "\n", "\n\n", "    ", "word ", "12.5", "| a | b |\n", "|---|---|\n", "a | b\n", "> ", "- ", "1. ", "```\n", "# ",
    "---\n", "===\n", "**", "`", "<table>", "</table>", "<tr>", "<td>", "<th rowspan=2>", "<caption>", "<!--", "-->",
    "<h2>", "</h2>", "<details>", "<summary>", "</summary>", "</details>", "&nbsp;", "&lt;", "<sup>", "</sup>", "<br>",
    "[a](b)", "[^1]", "[^1]: ", "![a](b)", "~~", "\\", '=== "a"\n', "!!! a\n", "\t", "\u6a21", "\u2028",
]  # fmt: skip


@given(
    st.lists(st.sampled_from(PARTS), max_size=40).map("".join)
    | st.text("|-: \n>*_`[]()<>!&;#=~\\tabler1/d", max_size=300)
)
def test_no_text_breaks_the_reader(text: str) -> None:
    try:
        document, plain = read(text), read(text, "page.csv")
    except ReadError:
        return
    assert len(document.lines) == len(plain.lines)
    grids(document)
    assert list(document.levels) == sorted(set(document.levels))


# Each of them once took a time that grows with the square of its length, in one parser or another.
HOSTILE = {
    "pipes": "|" * 30_000,
    "row of pipes": "|a|b|\n|-|-|\n" + "|" * 30_000,
    "wide table": "|" + "a|" * 5_000 + "\n|" + "-|" * 5_000 + "\n" + "|" * 5_000,
    "quotes": ">" * 20_000 + "a",
    "items": "- " * 5_000 + "a",
    "references": "[a]: b\n" * 5_000,
    "brackets": "|a|b|\n|-|-|\n|" + "[" * 20_000 + "|" + "`" * 20_000 + "|\n",
    "comments": "a <!-- " * 5_000,
    "tables of html": "<table>" * 5_000,
    "cells of html": "<table><tr>" + "<td>1" * 20_000,
    "tags": "<div>\n" + "<a " * 20_000,
    "headings of html": "<div>\n" + "<h1>" * 5_000,
    "fences": "```\n" * 5_001,
    "tabs": '=== "a"\n    b\n' * 3_000,
    "nested tabs": "".join(" " * 4 * n + '=== "a"\n' for n in range(300)),
    "front matter": "---\n" * 5_000,
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
