"""Markdown: tables with and without outer pipes, markup in cells, headings, HTML tables; every cell at its place."""

from __future__ import annotations

import pytest

from pipelines.read.document import Document
from pipelines.read.files import read_bytes


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
        ("`resnet50`", "resnet50"),
        ("[BERT](https://example.com/a|b)", None),
        ("[BERT](https://example.com/a_b)", "BERT"),
        ("1,234[^1]", "1,234\u00b9"),
        ("1,234<sup>2</sup>", "1,234\u00b2"),
        (r"a\|b", "a b"),
        (r"1\_000", "1 _000"),
        ("![logo](x.png) H100", "H100"),
    ],
)
def test_markup_in_a_cell_becomes_blanks(source: str, text: str | None) -> None:
    document = read(f"| a | b |\n|---|---|\n| x | {source} |")
    [[_, row]] = grids(document)
    assert len(document.line(3).text) == len(f"| x | {source} |")
    if text is not None:
        assert [" ".join(cell.split()) for cell in row] == ["x", text.replace("a b", "a |b")]


def test_headings_stand_without_their_marks() -> None:
    document = read("# Results #\n\nTraining\n---\n\n**Bold heading**\n\n<!-- 12\nms -->end\n")
    assert [line.text.strip() for line in document.lines] == [
        "Results", "", "Training", "", "", "Bold heading", "", "", "end",
    ]  # fmt: skip


def test_code_is_left_as_it_is() -> None:
    text = "```\n# Epoch | 1\n--- | ---\n```"
    document = read(text)
    assert document.grids == ()
    assert [line.text for line in document.lines] == text.split("\n")


def test_a_row_of_an_html_table_stands_on_its_line() -> None:
    document = read(
        "Text\n\n<table>\n<tr>\n <th>Model</th>\n <th>GPU<br>type</th></tr>\n"
        "<tr><td rowspan='2'>BERT</td><td>A</td></tr>\n<tr><td>B</td></tr>\n</table>\n\nMore\n"
    )
    assert grids(document) == [[["Model", "GPU type"], ["BERT", "A"], ["BERT", "B"]]]
    assert [line.number for line in document.lines if line.text] == [1, 4, 7, 8, 11]


@pytest.mark.parametrize("name", ["page.txt", "page"])
def test_a_table_without_outer_pipes_is_known_in_any_text(name: str) -> None:
    assert grids(read("Model | GPU\n--- | ---\nBERT | H100\n", name)) == [[["Model", "GPU"], ["BERT", "H100"]]]
