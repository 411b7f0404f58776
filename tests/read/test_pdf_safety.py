"""PDFs that are locked, cut, damaged, empty or made to exhaust a reader: each has its own reason,
the rest goes on.
"""

from __future__ import annotations

import io
import time
import zlib
from dataclasses import replace

import pikepdf
import pytest
from conftest import Ledger
from makers.small_pdf import make_pdf, saved, write

from pipelines.read.document import ReadError
from pipelines.read.pdf import LIMITS, PdfLimits
from pipelines.read.pdf.reader import check_pdf_size, read_pdf
from pipelines.settings import PROJECT

DECK = (
    PROJECT / "raw" / "graphcore" / "mk2-benchmark-charts" / "2020-12-01" / "benchmark_charts.pdf"
)
ID = "0" * 64
MIB = 1 << 20
FORM = {"/Type": pikepdf.Name.XObject, "/Subtype": pikepdf.Name.Form, "/BBox": [0, 0, 600, 700]}


def refused(content: bytes, limits: PdfLimits = LIMITS) -> ReadError:
    with pytest.raises(ReadError) as raised:
        read_pdf(content, ID, None, limits)
    assert raised.value.reason
    return raised.value


def with_contents(data: bytes, **keys: object) -> bytes:
    """A page whose contents are these bytes, whatever their filter says."""
    pdf = pikepdf.open(io.BytesIO(make_pdf(write(60, 700, "text", 10))))
    stream = pdf.make_stream(b"")
    stream.write(data, filter=keys.get("filter"))
    pdf.pages[0].Contents = stream
    return saved(pdf, stream_decode_level=pikepdf.StreamDecodeLevel.none, compress_streams=False)


def flate(data: bytes) -> bytes:
    return with_contents(data, filter=pikepdf.Name.FlateDecode)


def nested(depth: int, width: int) -> bytes:
    """A drawing that paints `width` drawings, each of which does so again."""
    pdf = pikepdf.open(io.BytesIO(make_pdf(write(60, 700, "text", 10))))
    inner = pdf.make_stream(b"0 0 1 1 re f", FORM)
    for _ in range(depth):
        resources = pikepdf.Dictionary(XObject=pikepdf.Dictionary(X=inner))
        inner = pdf.make_stream(b"/X Do " * width, FORM | {"/Resources": resources})
    pdf.pages[0].Resources.XObject = pikepdf.Dictionary(X=inner)
    pdf.pages[0].Contents = pdf.make_stream(b"/X Do")
    return saved(pdf)


def picture_page() -> bytes:
    pdf = pikepdf.open(io.BytesIO(make_pdf(["q 612 0 0 792 0 0 cm /Im Do Q"])))
    image = pdf.make_stream(
        bytes(100 * 100),
        Type=pikepdf.Name.XObject,
        Subtype=pikepdf.Name.Image,
        Width=100,
        Height=100,
        ColorSpace=pikepdf.Name.DeviceGray,
        BitsPerComponent=8,
    )
    pdf.pages[0].Resources.XObject = pikepdf.Dictionary(Im=image)
    return saved(pdf)


def rectangles(number: int) -> list[str]:
    return ["0 0 1 1 re f"] * number


def repeated() -> bytes:
    pdf = pikepdf.open(io.BytesIO(make_pdf(write(60, 700, "2.6x", 10) * 2000)))
    pdf.pages[0].obj.Contents = pikepdf.Array([pdf.pages[0].obj.Contents] * 10_000)
    return saved(pdf)


WHOLE = make_pdf(write(60, 700, "2.6x", 10))
REFUSED = {
    "pdf_encrypted": lambda: [
        make_pdf(write(60, 700, "x", 10), encryption=pikepdf.Encryption(owner="a", user="b"))
    ],
    "pdf_damaged": lambda: [b"%PDF-1.7\nand nothing else\n%%EOF\n"],
    # Cut before its first text it is not empty.
    "pdf_truncated": lambda: [b"%PDF-1.7\nand nothing else", WHOLE[: len(WHOLE) // 2]],
    "pdf_no_objects": lambda: [make_pdf([]), with_contents(b"\x00\x01 garbage ) ] >> \xff")],
    "pdf_page_damaged": lambda: [flate(b"no zlib data at all")],
    "pdf_decompression_bomb": lambda: [
        repeated(),
        flate(zlib.compress(b"0 0 1 1 re f " * (70 * MIB // 13), 9)),
    ],
    "pdf_image_only": lambda: [picture_page()],
    "pdf_no_text": lambda: [make_pdf(["0 0 10 10 re f"])],
}


@pytest.mark.parametrize("rule", REFUSED)
def test_each_fault_has_its_own_reason(rule: str) -> None:
    for content in REFUSED[rule]():
        assert refused(content).rule == rule


def test_a_file_that_only_forbids_printing_or_has_an_empty_page_is_read() -> None:
    assert read_pdf(make_pdf(write(60, 700, "2.6x", 10), []), ID).notes == ()
    marked = make_pdf(write(60, 700, "2.6x", 10), encryption=pikepdf.Encryption(owner="a", user=""))
    assert [line.text for line in read_pdf(marked, ID).lines] == ["2.6x"]


def test_what_stands_before_a_cut_is_read_and_the_loss_is_said() -> None:
    deck = DECK.read_bytes()
    found = read_pdf(deck[: len(deck) // 2], ID)
    [note] = [note for note in found.notes if note.rule == "pdf_truncated"]
    assert note.scope == "page"
    assert "repaired" in note.reason
    assert any("2.6x Higher Throughput" in line.text for line in found.lines)


def test_a_file_padded_behind_its_end_is_not_taken_for_cut() -> None:
    found = read_pdf(make_pdf(write(60, 700, "2.6x", 10)) + b"\n" * 5000, ID)
    assert [note.rule for note in found.notes] == ["pdf_repaired"]
    assert " at 0x" not in found.notes[0].reason


def test_a_broken_table_of_contents_is_repaired_once_and_marked() -> None:
    deck = DECK.read_bytes()
    start = deck.rindex(b"startxref")
    broken = deck[:start] + b"startxref\n1\n%%EOF\n"
    found, whole = read_pdf(broken, ID), read_pdf(deck, ID)
    assert [(note.rule, note.scope) for note in found.notes] == [("pdf_repaired", "note")]
    assert found.lines == whole.lines


@pytest.mark.parametrize(
    ("printed", "broken"), [(b"[ 3 0 R", b"[ 9 0 R"), (b"\n3 0 obj\n<<", b"\n3 0 obj\n>>")]
)
def test_a_page_that_is_lost_from_the_tree_of_pages_is_said(printed: bytes, broken: bytes) -> None:
    whole = make_pdf(write(60, 700, "one", 10), write(60, 700, "two", 10))
    assert printed in whole
    found = read_pdf(whole.replace(printed, broken), ID)
    assert [line.text for line in found.lines] == ["two"]
    [note] = found.notes
    assert (note.rule, "repaired and 1 page found" in note.reason) == ("pdf_repaired", True)


def test_contents_damaged_in_the_middle_are_read_up_to_there_with_a_note() -> None:
    operators = "\n".join(
        operator for n in range(400) for operator in write(60, 750 - n, f"line {n}", 1)
    ).encode()
    packed = zlib.compress(operators)
    found = read_pdf(flate(packed[: len(packed) // 2]), ID)
    assert [note.rule for note in found.notes] == ["pdf_page_damaged"]
    assert "line 0" in [line.text for line in found.lines]


def test_a_page_of_many_rectangles_is_left_out_and_the_others_are_read() -> None:
    assert refused(make_pdf(rectangles(60_000))).rule == "pdf_too_many_objects"
    found = read_pdf(make_pdf(write(60, 700, "2.6x", 10), rectangles(60_000)), ID)
    assert [(note.rule, note.page, note.scope) for note in found.notes] == [
        ("pdf_too_many_objects", 2, "page")
    ]
    assert [line.text for line in found.lines] == ["2.6x"]


def test_a_page_that_unpacks_to_more_than_the_memory_is_left_out() -> None:
    bomb = zlib.compress(bytes(400 * MIB), 1)
    pdf = pikepdf.open(io.BytesIO(make_pdf(write(60, 700, "2.6x", 10), [])))
    pdf.pages[1].Contents = pdf.make_stream(b"")
    pdf.pages[1].Contents.write(bomb, filter=pikepdf.Name.FlateDecode)
    content = saved(pdf, stream_decode_level=pikepdf.StreamDecodeLevel.none, compress_streams=False)
    found = read_pdf(content, ID, None, replace(LIMITS, memory_mib=200))
    assert [(note.rule, note.page) for note in found.notes] == [("pdf_decompression_bomb", 2)]
    assert [line.text for line in found.lines] == ["2.6x"]


def test_drawings_within_drawings_end_the_child_that_reads_them() -> None:
    assert (
        refused(nested(depth=10, width=10), replace(LIMITS, memory_mib=200)).rule
        == "pdf_out_of_memory"
    )
    assert refused(nested(depth=3, width=3)).rule == "pdf_no_text"


def test_a_drawing_that_paints_itself_does_not_end_the_build() -> None:
    pdf = pikepdf.open(io.BytesIO(make_pdf(write(60, 700, "2.6x", 10))))
    form = pdf.make_stream(b"/X Do", FORM)
    form.Resources = pikepdf.Dictionary(XObject=pikepdf.Dictionary(X=form))
    pdf.pages[0].Resources.XObject = pikepdf.Dictionary(X=form)
    pdf.pages[0].Contents = pdf.make_stream(pdf.pages[0].Contents.read_bytes() + b" /X Do")
    assert [line.text for line in read_pdf(saved(pdf), ID).lines] == ["2.6x"]


def test_memory_is_limited() -> None:
    # Packed twice by a filter that is not counted beforehand.
    pdf = pikepdf.open(io.BytesIO(make_pdf(write(60, 700, "text", 10))))
    stream = pdf.make_stream(b"")
    parameters = pikepdf.Dictionary(Predictor=1)
    stream.write(
        zlib.compress(bytes(400 * MIB), 9), filter=pikepdf.Name.FlateDecode, decode_parms=parameters
    )
    pdf.pages[0].Contents = stream
    content = saved(pdf, stream_decode_level=pikepdf.StreamDecodeLevel.none, compress_streams=False)
    assert refused(content, replace(LIMITS, memory_mib=200)).rule == "pdf_out_of_memory"
    # The next document has a process of its own, and memory.
    assert refused(make_pdf([])).rule == "pdf_no_objects"


def test_processor_time_is_limited() -> None:
    # Few objects with long texts: nothing to count, much to read.
    busy = make_pdf([operator for n in range(200) for operator in write(0, n, "x" * 20_000, 1)])
    started = time.monotonic()
    assert refused(busy, replace(LIMITS, cpu_s=0.5, cpu_s_per_page=0.5)).rule == "pdf_timeout"
    assert time.monotonic() - started < 60


def test_pages_and_bytes_are_limited() -> None:
    assert refused(make_pdf([], []), replace(LIMITS, pages=1)).rule == "pdf_too_many_pages"
    with pytest.raises(ReadError) as raised:
        check_pdf_size(LIMITS.file_bytes + 1)
    assert raised.value.rule == "pdf_too_large"


def test_the_build_goes_on_and_says_what_was_lost(ledger: Ledger) -> None:
    deck = DECK.read_bytes()
    ledger.add(deck, "acme/deck", "2020-12-01", name="deck.pdf")
    ledger.add(deck[: len(deck) // 2], "acme/cut", "2020-12-01", name="cut.pdf")
    ledger.add(make_pdf(rectangles(60_000)), "acme/dense", "2020-12-01", name="dense.pdf")
    ledger.add(picture_page(), "acme/scan", "2020-12-01", name="scan.pdf")
    outcome = ledger.resolve()
    assert outcome.success, outcome.faults
    found = ledger.sql(
        "select path, rule, scope from audit.rejects where extractor = 'read' order by path"
    )
    assert [(row["path"].split("/")[1], row["rule"], row["scope"]) for row in found] == [
        ("cut", "pdf_truncated", "page"),
        ("dense", "pdf_too_many_objects", "document"),
        ("scan", "pdf_image_only", "document"),
    ]
    evidence = ledger.sql(
        "select * from resolved.evidence where page is null or not (x0 < x1 and top < bottom)"
    )
    assert evidence == []
    assert (
        ledger.sql("select count(distinct page) as pages from resolved.evidence")[0]["pages"] == 12
    )
