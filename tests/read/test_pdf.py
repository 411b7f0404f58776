"""PDFs: the shipped deck against its text dump, places, columns, tables, axes, drawings and
clipping.
"""

from __future__ import annotations

import io
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pikepdf
import pytest
from conftest import OF_PAGES
from extract.test_slides import contents
from makers.mapped import load
from makers.small_pdf import make_pdf, write

from pipelines.extract import results_page, slides
from pipelines.extract.rows import Measurement
from pipelines.read.document import Document
from pipelines.read.files import read_bytes
from pipelines.read.pdf.contents import Char, join_chars
from pipelines.read.text import read_text
from pipelines.settings import PROJECT

DECK = (
    PROJECT / "raw" / "graphcore" / "mk2-benchmark-charts" / "2020-12-01" / "benchmark_charts.pdf"
)
FIXTURES = Path(__file__).parents[1] / "fixtures" / "pdf"
DUMP = FIXTURES.with_name("deck") / "benchmark_charts.txt"
ID = "0" * 64

mpl.use("pdf")


def read(content: bytes) -> Document:
    return read_bytes(content, "deck.pdf", ID)


def lines(document: Document) -> list[str]:
    return [line.text for line in document.lines if not line.is_blank]


@pytest.fixture(scope="module")
def deck() -> Document:
    return read(DECK.read_bytes())


def test_the_deck_gives_the_rows_of_its_text_dump(deck: Document) -> None:
    found = slides.extract(deck, ())
    assert contents(found) == contents(slides.extract(read_text(DUMP.read_bytes(), ID), ()))
    assert len(found.rows) == 51


def test_labels_that_the_dump_runs_together_are_apart(deck: Document) -> None:
    assert "2.6xA100" in DUMP.read_text("utf-8")
    assert "2.6x" in lines(deck)
    assert not any("2.6xA100" in line for line in lines(deck))


def test_every_row_has_a_page_and_a_box_with_its_characters(deck: Document) -> None:
    for row in slides.extract(deck, ()).rows:
        found = deck.box(row.cell)
        assert found is not None
        page, (x0, top, x1, bottom) = found
        shown = deck.pages[page - 1]
        assert 0 <= x0 < x1 <= shown.width
        assert 0 <= top < bottom <= shown.height
        middles = [
            (word, (left + right) / 2, letter)
            for word in shown.words
            for letter, left, right in zip(word.text, word.edges, word.edges[1:], strict=False)
            if word.top >= top - 0.01 and word.bottom <= bottom + 0.01
        ]
        printed = "".join(letter for _, middle, letter in middles if x0 <= middle <= x1)
        assert "".join(row.cell.text.split()) in printed


def test_every_word_stands_on_exactly_one_line(deck: Document) -> None:
    placed = [word.word for place in deck.places if place for word in place.words]
    assert sorted(map(id, placed)) == sorted({id(word): word for word in placed})
    assert len(placed) == sum(len(page.words) for page in deck.pages)
    for line, place in zip(deck.lines, deck.places, strict=True):
        for word in place.words if place else ():
            assert line.text[word.start : word.end] == word.word.text


@pytest.mark.parametrize("white", [0, 12])
def test_two_columns_are_read_one_after_the_other(white: int) -> None:
    left = [f"Left line {n} speaks of throughput and more" for n in range(12)]
    right = [f"Right line {n} speaks of latency and less" for n in range(12)]
    drawn = write(60, 740, "A headline across both of the columns of this page", 18)
    for n in range(12):
        y = 700 - 13 * n - (white if n > 5 else 0)
        drawn += write(60, y, left[n], 10) + write(320, y, right[n], 10)
    found = lines(read(make_pdf(drawn)))
    assert found == ["A headline across both of the columns of this page", *left, *right]


def test_a_table_without_rulings_is_one_row_per_line() -> None:
    printed = [
        ("Model", "Platform", "SDK Version", "Batch Size", "Throughput (items/sec)"),
        ("ResNet-50 v1.5", "Bow Pod16", "SDK 3.4", "16,384", "40,112"),
        ("BERT Large Ph1", "Bow Pod16", "SDK 3.4", "", "4,521"),
        ("ViT", "Bow Pod64", "SDK 3.4", "2,040", "31,007"),
    ]
    drawn = write(60, 740, "Training results of this release", 14)
    for line, row in enumerate(printed):
        for column, cell in enumerate(row):
            drawn += write(60 + 100 * column, 700 - 16 * line, cell, 10)
    found = lines(read(make_pdf(drawn)))
    assert found == ["Training results of this release", *("\t".join(row) for row in printed)]


def test_wrapped_cells_are_one_cell() -> None:
    drawn: list[str] = []
    for column, head in enumerate(("Model", "Platform", "Batch", "Throughput")):
        drawn += write(60 + 110 * column, 700, head, 10)
    drawn += write(170 + 110 * 2, 688.5, "(items/sec)", 10)
    for line, (name, value) in enumerate(
        (("GPT-2", "120"), ("ResNet-50", "4,000"), ("BERT", "33"))
    ):
        y = 664 - 28 * line
        drawn += write(60, y, name, 10) + write(60, y - 11.5, "Large", 10)
        drawn += (
            write(170, y - 5, "Pod16", 10)
            + write(280, y - 5, "16", 10)
            + write(390, y - 5, value, 10)
        )
    assert lines(read(make_pdf(drawn))) == [
        "Model\tPlatform\tBatch\tThroughput (items/sec)",
        "GPT-2 Large\tPod16\t16\t120",
        "ResNet-50 Large\tPod16\t16\t4,000",
        "BERT Large\tPod16\t16\t33",
    ]


def test_bars_are_no_table() -> None:
    figure, axes = plt.subplots()
    axes.bar(["IPU-M2000", "A100"], [595, 58])
    axes.set_title("EFFICIENTNET-B4 : TRAINING")
    axes.set_ylabel("Throughput (images/sec)")
    for place, value in enumerate((595, 58)):
        axes.text(place, value + 3, str(value))
    found = lines(read(saved(figure)))
    ticks = [line for line in found if line.isdecimal() and int(line) % 100 == 0]
    assert ticks == ["600", "500", "400", "300", "200", "100", "0"]
    assert {"595", "58", "Throughput (images/sec)", "IPU-M2000", "A100"} <= set(found)
    assert not any("\t" in line for line in found)


def saved(figure: plt.Figure) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="pdf")
    plt.close(figure)
    return buffer.getvalue()


def test_shapes_have_their_colour_and_the_clipping_in_force() -> None:
    drawn = [
        "q 100 100 200 50 re W n 1 0 0 rg 90 90 400 20 re f Q",
        "0 0 1 RG 3 w [4 2] 0 d 10 10 m 60 10 l S",
        "0 1 0 0 k 10 20 5 5 re F",
        *write(10, 700, "text", 10),
    ]
    bar, line, small = read(make_pdf(drawn)).pages[0].shapes
    assert (bar.kind, bar.fill_colour, bar.stroke, bar.box) == (
        "rect",
        (1.0, 0.0, 0.0),
        False,
        (90, 682, 490, 702),
    )
    assert bar.clip == (100, 642, 300, 692)
    assert (line.kind, line.stroke_colour, line.linewidth, line.dash) == (
        "line",
        (0.0, 0.0, 1.0),
        3.0,
        (4.0, 2.0),
    )
    assert (line.clip, small.clip) == (None, None)
    assert small.fill_colour == (1.0, 0.0, 1.0)


def test_turned_and_cropped_pages_are_seen_as_they_are_shown() -> None:
    pdf = pikepdf.open(
        io.BytesIO(make_pdf([*write(300, 400, "Here", 10), *write(5, 5, "outside", 10)]))
    )
    pdf.pages[0].CropBox = [200, 300, 500, 700]
    pdf.pages[0].Rotate = 90
    turned = io.BytesIO()
    pdf.save(turned)
    (page,) = read(turned.getvalue()).pages
    assert (page.width, page.height) == (400, 300)
    (word,) = page.words
    assert (word.text, word.angle) == ("Here", 270)
    assert (round(word.x0), round(word.top)) == (98, 100)


def test_shadows_are_read_once_and_double_letters_stay() -> None:
    drawn = write(60, 700, "Small Bill 11.1x", 20) + write(60.8, 699.2, "Small Bill 11.1x", 20)
    assert lines(read(make_pdf(drawn))) == ["Small Bill 11.1x"]


def test_text_set_letter_by_letter_is_words() -> None:
    places = zip((60, 65.56, 68.34, 73.9), "4.6x", strict=True)
    drawn = [operator for x, letter in places for operator in write(x, 700, letter, 10)]
    assert lines(read(make_pdf(drawn))) == ["4.6x"]


def test_tables_printed_by_a_browser_are_read_cell_by_cell(tmp_path: Path) -> None:
    document = read((FIXTURES / "results_page_chromium.pdf").read_bytes())
    extraction = results_page.extract(document, (), load(tmp_path, OF_PAGES))
    found = [
        (
            row.model_printed,
            row.variant_printed,
            row.platform_printed,
            row.batch_size,
            row.metric,
            row.cell.text,
        )
        for row in sorted(extraction.rows, key=lambda row: (row.cell.line, row.cell.start))
        if isinstance(row, Measurement)
    ]
    assert found == [
        ("ResNet-50 v1.5", None, "Bow Pod16", 16384, "throughput", "38,036"),
        ("BERT Large", "Ph1, Pre-Training (SL=128)", "Bow Pod16", 65536, "throughput", "5,180"),
        ("ViT", None, "Bow Pod16", 65536, "throughput", "8,101"),
        ("ResNet-50 v1.5", None, "Bow-2000", 4, "throughput", "10,350"),
        ("ResNet-50 v1.5", None, "Bow-2000", 4, "latency", "1.14"),
        ("ResNet-50 v1.5", None, "Bow-2000", 8, "throughput", "17,077"),
        ("ResNet-50 v1.5", None, "Bow-2000", 8, "latency", "1.39"),
    ]
    assert [(grid.first_line, grid.last_line) for grid in document.grids] == [(7, 10), (17, 19)]


def test_rulings_part_cells_that_nearly_touch() -> None:
    drawn: list[str] = []
    for line, row in enumerate(
        [("Model", "Batch", "items/s"), ("BERT", "16384", "38036"), ("GPT-2", "65536", "51801")]
    ):
        for column, cell in enumerate(row):
            drawn += write(62 + 32 * column, 700 - 14 * line, cell, 10)
    drawn += [f"0.5 w {60 + 32 * n} 710 m {60 + 32 * n} 660 l S" for n in range(4)]
    assert lines(read(make_pdf(drawn))) == [
        "Model\tBatch\titems/s",
        "BERT\t16384\t38036",
        "GPT-2\t65536\t51801",
    ]


def test_a_heading_below_a_table_is_none_of_its_rows() -> None:
    drawn: list[str] = []
    for line, row in enumerate(
        [("Model", "Batch", "items/s"), ("BERT", "16", "380"), ("GPT-2", "32", "501")]
    ):
        for column, cell in enumerate(row):
            drawn += write(60 + 90 * column, 700 - 14 * line, cell, 10)
    drawn += write(60, 640, "Inference", 16)
    found = lines(read(make_pdf(drawn)))
    assert found == ["Model\tBatch\titems/s", "BERT\t16\t380", "GPT-2\t32\t501", "Inference"]


def test_a_raised_mark_belongs_to_the_word_before_it() -> None:
    drawn: list[str] = []
    for line, row in enumerate(
        [("Model", "Latency", "Rate (items/s)"), ("BERT", "16", "380"), ("GPT-2", "32", "501")]
    ):
        for column, cell in enumerate(row):
            drawn += write(60 + 90 * column, 700 - 14 * line, cell, 10)
            drawn += write(185.6, 704, "1", 6) if cell == "Latency" else []
    drawn += write(60, 640, "1", 6) + write(64, 636, "Without the transfer of the batch.", 10)
    assert lines(read(make_pdf(drawn)))[:3] == [
        "Model\tLatency1\tRate (items/s)",
        "BERT\t16\t380",
        "GPT-2\t32\t501",
    ]


def test_the_letters_of_dingbats_are_the_signs_that_they_print() -> None:
    pdf = pikepdf.new()
    pdf.add_blank_page(page_size=(200, 100))
    font = pikepdf.Dictionary(
        Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type1, BaseFont=pikepdf.Name.ZapfDingbats
    )
    pdf.pages[0].Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(F1=font))
    pdf.pages[0].Contents = pdf.make_stream(
        b"BT /F1 8 Tf 1 0 0 1 50 50 Tm (l) Tj 1 0 0 1 90 50 Tm (n) Tj ET"
    )
    content = io.BytesIO()
    pdf.save(content)
    words = read(content.getvalue()).pages[0].words
    assert [word.text for word in words] == ["●", "■"]
    # R sets the disc 0.347 heights above its line, around its point.
    assert (words[0].top + words[0].bottom) / 2 == pytest.approx(50 - 0.347 * 8, abs=0.1)


def test_a_minus_in_a_higher_font_leaves_its_number_as_high_as_others() -> None:
    chars = [
        Char(text, 0, x, x + 5, 50, bottom - top, (x, top, x + 5, bottom), font, None)
        for text, x, top, bottom, font in (
            ("−", 20.0, 38.0, 52.0, "CMSY10"),
            ("1", 25.0, 41.0, 51.0, "CMR12"),
        )
    ]
    (word,) = join_chars(chars)
    assert (word.text, word.x0, word.top, word.bottom, word.size) == ("−1", 20, 41, 51, 10)
