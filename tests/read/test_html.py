"""HTML: lines as a reader sees them, grids with spans, what is left out, encodings, broken and hostile pages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.read.document import Document, ReadError
from pipelines.read.files import read_bytes


def read(text: str | bytes, name: str = "page.html") -> Document:
    return read_bytes(text if isinstance(text, bytes) else text.encode(), name, "0" * 64)


def lines(text: str) -> list[str]:
    return [line.text for line in read(text).lines]


def grid(text: str) -> list[list[str]]:
    document = read(text)
    [found] = document.grids
    for row in found.rows:
        for cell in row:
            assert document.line(cell.line).text[cell.start : cell.end] == cell.text
            assert found.first_line <= cell.line <= found.last_line
    return [[cell.text for cell in row] for row in found.rows]


def test_a_block_is_a_line_and_an_empty_line_stands_between_blocks() -> None:
    page = "<h1>Results</h1><p>First <b>bold</b>\n  words<br>second line</p><ul><li>One<li>Two</ul>tail"
    assert lines(page) == ["Results", "", "First bold words", "second line", "", "One", "", "Two", "", "tail", ""]


def test_what_is_no_text_for_a_reader_is_left_out() -> None:
    page = (
        "<head><title>t</title><script>var a = '<p>9,999 images/sec</p>'</script></head><nav>menu</nav>"
        "<div role='navigation'>menu</div><p>Seen<script>1</script> words<a class='headerlink' href='#'>#</a></p>"
        "<style>p{}</style><noscript>no</noscript><select><option>1</option></select><p><del>10</del> 12 ms</p>"
        "<!-- 5 ms --><template><p>x</p></template><svg><text>8</text></svg>"
    )
    assert [line for line in lines(page) if line] == ["Seen words", "12 ms"]


def test_text_in_pre_keeps_its_lines() -> None:
    assert lines("<pre>Epoch 1/2\n  7000/7000 [=====] - 22s</pre>")[:2] == ["Epoch 1/2", "  7000/7000 [=====] - 22s"]


def test_a_cell_stands_in_each_place_that_it_spans() -> None:
    page = (
        "<table><tr><th>Model<th>GPU<th colspan=2>Throughput</tr><tr><td rowspan=2>BERT<td>A<td>1<td>2</tr>"
        "<tr><td>B<td>3<td></tr><tr><td colspan=4>Vision</tr></table>"
    )
    assert grid(page) == [
        ["Model", "GPU", "Throughput", "Throughput"],
        ["BERT", "A", "1", "2"],
        ["BERT", "B", "3", ""],
        ["Vision"] * 4,
    ]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("1,234<sup>1</sup>", "1,234\u00b9"),
        ("1,234<sup>[2]</sup>", "1,234\u00b2"),
        ("10<sup>-3</sup>", "10\u207b\u00b3"),
        ("12*<sup>\u2020</sup>", "12*\u2020"),
        ("95<sup>th</sup> percentile", "95th percentile"),
        ("Throughput<br/>(img/s)", "Throughput (img/s)"),
        ("<p>8x</p><p>H100</p>", "8x H100"),
        ("23h&nbsp;43m", "23h\u00a043m"),
        ("  a\n  b ", "a b"),
    ],
)
def test_the_text_of_a_cell(source: str, text: str) -> None:
    assert grid(f"<table><tr><td>x<td>{source}</table>") == [["x", text]]


def test_a_table_in_a_table_is_the_grid_and_the_outer_one_is_layout() -> None:
    assert grid("<table><tr><td>left<td><table><tr><td>1<td>2</table></table>") == [["1", "2"]]


def test_cells_without_a_row_are_given_one() -> None:
    head, body = "<thead><th>Model<th>Rate</thead>", "<tbody><td>ViT<td>1<tr><td>BERT<td>2</tr><td>CLIP<td>3</tbody>"
    found = [["Model", "Rate"], ["ViT", "1"], ["BERT", "2"], ["CLIP", "3"]]
    for page in (f"<table>{head}{body}</table>", f"<table><th>Model<th>Rate{body}</table>"):
        assert grid(page) == found
    assert read(f"Text\n\n<table>\n{head}\n{body}\n</table>\n", "page.md").grids[0].texts == tuple(map(tuple, found))


def test_the_caption_stands_above_the_table() -> None:
    document = read("<table><caption>Training</caption><tr><td>1<td>2</table>")
    assert document.grids[0].caption is not None
    assert [line.text for line in document.lines][:4] == ["Training", "", "1", "2"]


def test_a_span_ends_with_its_part_of_the_table_and_counts_rows_without_cells() -> None:
    head = "<thead><tr><th rowspan=2>Model<th rowspan=3>GPU</thead>"
    vision = "<tbody><tr><td rowspan=0>ResNet<td>A<tr><td>B</tbody>"
    language = "<tbody><tr><td rowspan=2>BERT<td>A<tr></tr><tr><td>GPT<td>C</tbody>"
    assert grid(f"<table>{head}{vision}{language}</table>") == [
        ["Model", "GPU"], ["ResNet", "A"], ["ResNet", "B"], ["BERT", "A"], ["GPT", "C"],
    ]  # fmt: skip


@pytest.mark.parametrize("unseen", ["style='display:none'", "style='color: red; visibility: hidden'", "hidden"])
def test_what_says_that_nobody_sees_it_is_no_part_of_a_number(unseen: str) -> None:
    cell = f"<td><span {unseen}>0070688</span>70,688<td {unseen}>9"
    assert grid(f"<table><tr><th>Model<th>Rate<th {unseen}>Key<tr><td>ViT{cell}</table>") == [
        ["Model", "Rate"],
        ["ViT", "70,688"],
    ]
    assert lines(f"<p><i {unseen}>00</i>12 ms</p>")[0] == "12 ms"
    # One of several to leaf through; a script shows it.
    assert lines(f"<section {unseen}><p>12 ms</p></section>")[0] == "12 ms"


@pytest.mark.parametrize("span", ["0", "-1", "x", "1e9", "9" * 5_000])
def test_no_span_makes_a_table_endless(span: str) -> None:
    rows = grid(f"<table><tr><td rowspan='{span}'>a<td>b<tr><td colspan='{span}'>c</table>")
    assert sum(map(len, rows)) < 2_100


def test_a_table_with_too_many_places_is_refused() -> None:
    with pytest.raises(ReadError, match="too_large"):
        read("<table>" + "<tr><td colspan=1000>1" * 600 + "</table>")


def test_a_page_nested_deeply_is_read_and_one_without_end_is_refused() -> None:
    def nested(depth: int) -> str:
        return "<div>" * depth + "deep" + "</div>" * depth + "<p>behind</p>"

    assert [line for line in lines(nested(1_500)) if line] == ["deep", "behind"]
    with pytest.raises(ReadError, match="too_large"):
        read(nested(5_000))


@pytest.mark.parametrize(
    ("content", "word"),
    [
        ("<meta charset='iso-8859-1'><p>Zürich</p>".encode("latin-1"), "Zürich"),
        ("<?xml version='1.0' encoding='utf-8'?><html><p>Zürich</p></html>".encode(), "Zürich"),
        ("<html><p>Zürich</p></html>".encode("utf-16"), "Zürich"),
    ],
)
def test_encodings(content: bytes, word: str) -> None:
    assert word in [line.text for line in read(content).lines]


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        (b"<html><p>Z\xfcrich</p>", "wrong_encoding"),
        (b"<meta charset='klingon'><p>a</p>", "wrong_encoding"),
        (b"<html><body><script>load()</script></body></html>", "empty_document"),
        (b"<html>", "empty_document"),
        (b"  ", "empty_document"),
        (b"<!-- nothing -->", "empty_document"),
    ],
)
def test_what_cannot_be_read_is_refused(content: bytes, rule: str) -> None:
    with pytest.raises(ReadError) as refused:
        read(content)
    assert refused.value.rule == rule


@pytest.mark.parametrize("name", ["page", "page.txt", "page.php"])
def test_a_page_is_known_by_how_it_begins(name: str) -> None:
    assert read(b"\n<!-- saved --><!DOCTYPE html><table><tr><td>1<td>2</table>", name).grids


@given(st.text("<>/tabledrhp =\"'1&;!-\n", max_size=200))
def test_no_page_breaks_the_reader(text: str) -> None:
    try:
        document = read(text)
    except ReadError:
        return
    for grid in document.grids:
        for cell in (cell for row in grid.rows for cell in row):
            assert document.line(cell.line).text[cell.start : cell.end] == cell.text


def test_a_spanning_cell_stands_once_and_is_repeated_in_its_other_places() -> None:
    [found] = read("<table><tr><th>Model<th colspan=2>Rate<tr><td rowspan=2>BERT<td>1<td>2<tr><td>3<td>4</table>").grids
    assert found.texts == (("Model", "Rate", "Rate"), ("BERT", "1", "2"), ("BERT", "3", "4"))
    assert found.spans == {(0, 2): (0, 1), (2, 0): (1, 0)}
    assert found.rows[2][0] is found.rows[1][0]


def test_a_cell_begins_behind_the_no_break_spaces_before_it() -> None:
    [found] = read("<table><tr><td>&nbsp; 1,234&nbsp;<td>&nbsp;</table>").grids
    assert (found.texts, found.starts) == ((("1,234", ""),), ((2, 0),))


def test_a_file_of_comments_is_soon_told_from_a_page() -> None:
    assert not read(b"<!---->" * 500 + b"x", "page.txt").grids
    assert read(b"<!---->" * 500 + b"<table><tr><td>1</table>", "page.txt").grids


def test_headings_have_the_level_that_the_page_gives_them() -> None:
    page = "<h1>Results</h1><p>Text<h3><a href=x>Training</a><br>in 2024</h3>tail<h2><i></i></h2><h2><div>A</div>B</h2>"
    document = read(page)
    assert [(document.line(line).text, level) for line, level in document.levels] == [
        ("Results", 1),
        ("Training", 3),
        ("A", 2),
    ]
