"""Separated values: the cells that the csv module reads, each at its place; line breaks in cells; which separator."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.read.document import Document, ReadError
from pipelines.read.files import media_type_of, read_bytes
from pipelines.read.separated_values import read_records


def read(text: str, name: str = "table.csv") -> Document:
    return read_bytes(text.encode(), name, "0" * 64)


def texts(document: Document) -> list[list[str]]:
    for grid in document.grids:
        for row in grid.rows:
            for cell in row:
                assert document.line(cell.line).text[cell.start : cell.end] == cell.text
    return [[cell.text for cell in row] for grid in document.grids for row in grid.rows]


CELLS = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs")), max_size=8).map(str.strip)


@given(st.lists(st.lists(CELLS, min_size=2, max_size=5), min_size=1, max_size=5), st.sampled_from(",;\t"))
def test_the_cells_are_those_of_the_csv_module(rows: list[list[str]], separator: str) -> None:
    written = io.StringIO()
    csv.writer(written, delimiter=separator, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(rows)
    lines = written.getvalue().split("\n")[:-1]
    found = [[text.replace('""', '"') for text in record.texts] for record in read_records(lines, separator)]
    assert found == rows


def test_a_quoted_cell_over_several_lines_stands_on_its_first() -> None:
    document = read('Model,"Throughput\n(images/sec)"\r\n"a, b","1,234"\n')
    assert [line.text for line in document.lines] == ['Model,"Throughput (images/sec)"', "", '"a, b","1,234"']
    assert texts(document) == [["Model", "Throughput (images/sec)"], ["a, b", "1,234"]]


def test_a_quoted_cell_goes_over_any_number_of_lines() -> None:
    page = "text, with commas;\n\n" * 30
    document = read(f'Model,Answer,Rate,Note\nBERT,"{page}said ""so""",5,"a\nb"\nViT,,6,\n')
    answer = " ".join(["text, with commas;"] * 30)
    assert texts(document) == [
        ["Model", "Answer", "Rate", "Note"], ["BERT", f'{answer} said ""so""', "5", "a b"], ["ViT", "", "6", ""],
    ]  # fmt: skip
    assert document.grids[0].lines == ((1, 1, 1, 1), (2, 2, 62, 62), (64, 64, 64, 64))


@pytest.mark.parametrize("row", ['One,"3.5\nTwo,2\n', 'One,"3.5\nTwo" x,2\n'])
def test_a_quote_that_is_never_closed_is_refused(row: str) -> None:
    with pytest.raises(ReadError, match="open_quote in line 2: a quoted cell has no end"):
        read(f"Model,Disk\n{row}")
    assert read(f"Model,Disk,Rate\n1,2,3\n4,{row}", "page.txt").grids == ()


@pytest.mark.parametrize(
    ("name", "separator"),
    [("a.csv", ","), ("a.csv", ";"), ("a.csv", "\t"), ("a.tsv", "\t"), ("a.txt", ","), ("a", ";")],
)
def test_the_separator_is_found(name: str, separator: str) -> None:
    rows = [["Model", "GPU", "Batch Size", "Throughput"], ["BERT", "H100", "8", "1"], ["ViT", "H100", "16", "2"]]
    assert texts(read("\n".join(separator.join(row) for row in rows), name)) == rows


@pytest.mark.parametrize("text", ["One sentence, with commas, in it.\n", "a,b,c\nd,e\n", "Words only\nand more\n"])
def test_a_text_with_commas_is_no_table(text: str) -> None:
    assert read(text, "page.txt").grids == ()


def test_the_media_type_is_that_of_the_suffix() -> None:
    assert [media_type_of(name) for name in ("a.csv", "A.TSV", "a.rst", "a.txt", "a")] == [
        "text/csv", "text/tab-separated-values", "text/x-rst", "text/plain", "text/plain",
    ]  # fmt: skip
