"""Chart decks: golden fixtures, the original deck, and what damage, order and layout may not
change.
"""

from __future__ import annotations

import csv
import os
from dataclasses import fields
from pathlib import Path

import pytest

from pipelines.extract import slides
from pipelines.extract.accounting.ledger import account
from pipelines.extract.contract import Extraction
from pipelines.extract.rows import KIND_OF, Claim, Configuration, Measurement, Reject, Row
from pipelines.extract.slides.deck import (
    Bars,
    read_bars,
    read_line,
    spelling_of,
    split_slides,
)
from pipelines.extract.slides.notes import read_system
from pipelines.read.document import Cell, Document, Line
from pipelines.read.text import read_text

FIXTURES = Path(__file__).parents[1] / "fixtures" / "slides"
ORIGINALS = os.environ.get("BENCHLEDGER_ORIGINALS")
needs_originals = pytest.mark.skipif(not ORIGINALS, reason="BENCHLEDGER_ORIGINALS is not set")

# Fields of a row that say where it stands, not what it says.
PLACES = frozenset({"cell", "section_line", "repeats_line", "row_json"})


def read(text: str) -> Document:
    return read_text(text.encode(), "0" * 64)


def extract(text: str) -> Extraction:
    return slides.extract(read(text), ())


def values(row: Row, columns: list[str]) -> dict[str, str]:
    printed = {"kind": KIND_OF[type(row)], "line": row.cell.line, "text": row.cell.text}
    cells = {
        column: printed[column] if column in printed else getattr(row, column, None)
        for column in columns
    }
    return {column: "" if value in (None, ()) else str(value) for column, value in cells.items()}


def contents(extraction: Extraction) -> list[tuple[str, ...]]:
    """What the rows say without the lines they stand on, in one order."""
    return sorted(
        (
            KIND_OF[type(row)],
            " ".join(row.cell.text.split()),
            str(getattr(row, "repeats_line", None) is None),
            *(
                f"{field.name}={getattr(row, field.name)}"
                for field in fields(row)
                if field.name not in PLACES
            ),
        )
        for row in extraction.rows
    )


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("*.txt")), ids=lambda path: path.stem)
def test_golden(path: Path) -> None:
    document = read_text(path.read_bytes(), "0" * 64)
    extraction = slides.extract(document, ())
    with path.with_name(f"{path.stem}.expected.csv").open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        expected = list(reader)
    columns = list(reader.fieldnames or ())
    assert [values(row, columns) for row in extraction.rows] == expected
    assert extraction.lines == {line.number for line in document.lines}
    assert slides.recognise(document) >= 0.8
    for row in extraction.rows:
        assert document.line(row.cell.line).text[row.cell.start : row.cell.end] == row.cell.text


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("*.txt")), ids=lambda path: path.stem)
def test_line_endings_and_no_break_spaces_change_nothing(path: Path) -> None:
    text = path.read_text("utf-8")
    assert contents(extract(text.replace("\n", "\r\n"))) == contents(extract(text))
    spaced = contents(extract(text.replace(" ", "\u00a0")))
    assert [tuple(part.replace("\u00a0", " ") for part in row) for row in spaced] == contents(
        extract(text)
    )


@pytest.mark.parametrize(
    "text",
    [
        "BERT-Large Training\nThe IPU is over 5x faster.\n\nNOTES:\n1x A100 | FP16\n3.4x higher throughput\n",
        "Model\tThroughput (images/sec)\nResNet-50\t58\n",
        "Task: training\nEpoch 1/3\n7000/7000 [=====] - 22s 3ms/step - loss: 0.1113\n",
        "RESNET-50 : TRAINING\nplain text\n",
    ],
)
def test_other_documents_are_no_decks(text: str) -> None:
    assert slides.recognise(read(text)) == 0.0
    extraction = extract(text)
    assert (extraction.rows, extraction.lines) == ([], set())


def test_taken_lines_are_not_read() -> None:
    text = "RESNET-50 : TRAINING\n2x higher throughput\nNOTES:\nResNet-50\n1x AcmeOne | FP16\n"
    extraction = slides.extract(read(text), {2})
    assert not [row for row in extraction.rows if isinstance(row, Claim)]
    assert extraction.lines == {1, 3, 4, 5}


HEADLINES = {
    "2.6x Higher Throughput": [("2.6x", 2.6, "eq", "throughput", None)],
    "40x higher throughput  | >3x lower latency": [
        ("40x", 40, "eq", "throughput", None), (">3x", 3, "gt", "latency", None),
    ],
    "Up to 3.2X higher throughput": [("Up to 3.2X", 3.2, "up_to", "throughput", None)],
    "50% lower latency": [("50%", 2.0, "eq", "latency", None)],
    "10x faster at lowest latency": [("10x", 10, "eq", None, "at lowest latency")],
}  # fmt: skip
NO_HEADLINES = [
    "1x IPU-M2000", "16x IPU-M2000 Server", "ResNext-101_32x4d", "Higher throughput", "Throughput on 2x AcmeOne",
    "4.6 higher throughput", "4.Gx Higher Throughput", "4,6x higher throughput", "l0x lower latency", "0x faster",
]  # fmt: skip


@pytest.mark.parametrize("text", [*HEADLINES, *NO_HEADLINES])
def test_headlines(text: str) -> None:
    line = read_line(Line(1, text))
    found = [
        (
            text[each.factor.outer : each.factor.end],
            each.quantity.value,
            each.quantity.bound,
            each.metric,
            condition,
        )
        for each, condition in line.comparisons
    ]
    assert found == HEADLINES.get(text, [])
    assert (line.kind == "headline") == (text in HEADLINES)


def test_a_headline_in_which_the_subject_is_worse_is_told() -> None:
    assert rejects(extract(SLIDE.replace("2.6x Higher Throughput", "2x higher latency"))) == [
        ("unread_headline", "2x"), ("unread_label", "2.6x"),
    ]  # fmt: skip


SYSTEMS = {
    "1x IPU-M2000 | FP 16.16": ("IPU-M2000", 1),
    "1x A100 (A100-SXM4-80GB) in DGX A100 Platform using TensorFlow": ("A100 (A100-SXM4-80GB)", 1),
    "1xA100 (40GB) GPU results for TensorFlow": ("A100 (40GB)", 1),
    "1x Latest GPU (EN-B4 best throughput) using TensorFlow": ("Latest GPU", 1),
    "IPU-POD64 (16x IPU-M2000 Server) using PopART": ("IPU-POD64", None),
    "DGX A100 results calculated using NV published TensorFlow throughput": ("DGX A100", None),
    "8 x H100 SXM5 (80 GB) FP8": ("H100 SXM5 (80 GB)", 8),
    "2x AcmeOne X2 FP16 on two nodes": ("AcmeOne X2", 2),
    **dict.fromkeys(
        ["1x A100 (A100-SX", "32x4d", "0x A100 | FP16", "| FP16", "(40GB)", "AcmeOne | FP16"]
    ),
}


@pytest.mark.parametrize("text", SYSTEMS)
def test_systems(text: str) -> None:
    system = read_system(Cell(text, 1, 0, len(text)))
    assert (system and (system[0].text, system[1])) == SYSTEMS[text]


@pytest.mark.parametrize(
    ("title", "statement", "model"),
    [
        ("RESNET-50 : TRAINING", "ResNet-50 v1.5 Training Throughput", "ResNet-50 v1.5"),
        ("RESNEXT-101 : INFERENCE", "ResNext-101_32x4d", "ResNext-101_32x4d"),
        ("DeepVoice 3 TTS: TRAINING", "DeepVoice3 TextToSpeech", "DeepVoice3"),
        ("LSTM : INFERENCE", "2 LSTM layers, each with 256 units", "LSTM"),
        ("EFFICIENTNET-B0: INFERENCE", "EfficientNet-B4", "EFFICIENTNET-B0"),
        ("FOONET-XL : TRAINING", "FooNet-XL Training Throughput", "FooNet-XL"),
        ("FOONET : TRAINING", "FooNet-XL v2 Training Throughput", "FOONET"),
        ("FOONET-1 : TRAINING", "FooNet-10", "FOONET-1"),
        ("FOONET : TRAINING", "Something else", "FOONET"),
    ],
)
def test_the_better_spelling_is_taken_where_it_agrees(
    title: str, statement: str, model: str
) -> None:
    read = read_line(Line(1, title))
    assert read.kind == "title"
    assert (spelling_of(read.model, statement) or read.model) == model


def bars_of(*texts: str, on_axes: tuple[str, ...] = ()) -> Bars:
    lines = [read_line(Line(number, text)) for number, text in enumerate(texts, start=1)]
    return read_bars(lines, {line.cell for line in lines if line.cell.text in on_axes})


def test_ticks_are_no_values() -> None:
    title, mixed = "Throughput (images/sec)", ["58", "581", "595", "800", "600", "400", "200", "0"]
    bars = bars_of(*mixed, title, "12 13")
    assert ([bar.text for bar, _ in bars.values], [bar.text for bar in bars.unsure]) == (
        ["12", "13"],
        mixed,
    )
    logarithmic = bars_of("10", "100", "1,000", "10,000", "100,000", "1,000,000", title, "12,500")
    assert (logarithmic.values, len(logarithmic.unsure)) == ([], 7)
    assert [bar.text for bar, _ in bars_of("3", "5", "33", title, "17").values] == [
        "3",
        "5",
        "33",
        "17",
    ]
    drawn = bars_of("3", "5", "33", title, "17", on_axes=("3", "5", "33"))
    assert ([bar.text for bar, _ in drawn.values], [tick.text for tick, _ in drawn.ticks]) == (
        ["17"],
        ["3", "5", "33"],
    )


def test_page_numbers_are_no_bars() -> None:
    slide = "\fVIT : TRAINING\nThroughput (images/sec)\n{bar}\n2x faster\nNOTES:\nViT\n1x A100 | FP16\n\n{page}\n"
    extraction = extract(slide.format(bar=500, page=7) + slide.format(bar=600, page=8))
    assert [row.value for row in extraction.rows if isinstance(row, Measurement)] == [500.0, 600.0]


def test_a_lone_side_that_another_measured_is_no_subject() -> None:
    extraction = extract(
        "X : TRAINING\n2x faster\nNOTES:\nX\n1x A100 | FP16\nA100 results published by NVIDIA\n"
    )
    (configuration,) = [row for row in extraction.rows if isinstance(row, Configuration)]
    (claim,) = [row for row in extraction.rows if isinstance(row, Claim)]
    assert (configuration.role, configuration.measured_by, claim.subject_printed) == (
        "other",
        "NVIDIA",
        None,
    )


def rejects(extraction: Extraction) -> list[tuple[str, str]]:
    return [(row.rule, row.cell.text) for row in extraction.rows if isinstance(row, Reject)]


SLIDE = """BERT-LARGE : TRAINING
2.6x Higher Throughput

NOTES:
BERT-Large Training | SQuAD
1x AcmeOne using PyTorch | FP 16.16 | SDK 1.4.0 | Batch size 4 through 360
1x A100 (A100-SXM4-40GB) using TensorRT 7.2 | INT8 | Batch size 1,2,8+
A100 results published by NVIDIA

2.6x

AcmeOne
"""


def unparsed(text: str) -> list[str]:
    """The numerals of a deck that are not accounted for, and what is rejected."""
    document = read(text)
    extraction = slides.extract(document, ())
    accounting = account(document, {slides.FORMAT.name: extraction})
    texts = zip(accounting.texts, accounting.statuses, strict=True)
    return [text for text, (status, _) in texts if status == "unparsed"] + [
        text for _, text in rejects(extraction)
    ]


@pytest.mark.parametrize(
    ("printed", "damaged", "column"),
    [
        ("SDK 1.4.0", "SDK 1,4,0", "sdk_version"),
        ("SDK 1.4.0", "SDK 1.4.O", "sdk_version"),
        ("FP 16.16", "FP 16.l6", "precision"),
        ("FP 16.16", "FP 16,16", "precision"),
        ("4 through 360", "4 through 36O", "batch_sizes_printed"),
        ("4 through 360", "4 through l60", "batch_sizes_printed"),
        ("1,2,8+", "1,x2,8+", "batch_sizes_printed"),
        ("Batch size 1,", "Batch size l,", "batch_sizes_printed"),
        ("SDK 1.4.0", "SDK 1.4.0 | PyTorch Batch Size 1O36", "batch_sizes_printed"),
    ],
)
def test_a_damaged_parameter_is_told_and_not_read_in_part(
    printed: str, damaged: str, column: str
) -> None:
    sides = [row for row in extract(SLIDE).rows if isinstance(row, Configuration)]
    found = [
        row
        for row in extract(SLIDE.replace(printed, damaged)).rows
        if isinstance(row, Configuration)
    ]
    assert unparsed(SLIDE.replace(printed, damaged)) != unparsed(SLIDE) == []
    assert [row.role for row in found] == ["subject", "baseline"]
    lost = [
        (a, b)
        for a, b in zip(sides, found, strict=True)
        if getattr(a, column) != getattr(b, column)
    ]
    assert [getattr(b, column) for _, b in lost] == [None]


@pytest.mark.parametrize("label", ["5O1", "5.Ox", "2,6xA100", ">6OOx", "S7x", "2x DGX A1O0"])
def test_a_label_with_a_letter_in_its_number_is_told(label: str) -> None:
    assert unparsed(f"{SLIDE}\n{label}\n") != []


@pytest.mark.parametrize(
    "label",
    ["2.6x the memory", "501", "A100", "2x DGX A100", "80GB", "Series1", "GPU", "ResNet-50", "1x"],
)
def test_other_labels_are_not(label: str) -> None:
    assert contents(extract(f"{SLIDE}\n{label}\n")) == contents(extract(SLIDE))


@pytest.mark.parametrize("lost", ["1x AcmeOne", "1x A100"])
def test_a_lone_side_has_no_role(lost: str) -> None:
    extraction = extract("\n".join(line for line in SLIDE.split("\n") if not line.startswith(lost)))
    (side,) = [row for row in extraction.rows if isinstance(row, Configuration)]
    claims = [row for row in extraction.rows if isinstance(row, Claim)]
    assert side.role == "other"
    assert {(row.subject_printed, row.baseline_printed) for row in claims} == {(None, None)}


def test_notes_without_their_head_are_told() -> None:
    extraction = extract(f"{SLIDE}\n{SLIDE.replace('NOTES:', '').replace('2.6x', '9x')}")
    notes = [text for rule, text in rejects(extraction) if rule == "unread_configuration"]
    assert notes == SLIDE.split("\n")[5:8]


@pytest.mark.parametrize(
    "slide",
    [
        SLIDE.replace("\n\n", "\n") * 2,
        SLIDE.replace("2.6x\n\nAcmeOne", "2.6x\tAcmeOne"),
        f"NOTES:\n{SLIDE}",
    ],
)
def test_a_slide_that_nothing_parts_is_refused_whole(slide: str) -> None:
    rows = extract(slide).rows
    assert {row.rule for row in rows if isinstance(row, Reject)} == {"slides_not_parted"}
    assert len(rows) == sum(any(map(str.isdigit, line)) for line in slide.split("\n"))


# The original deck: (factor, bound, metric, model, task, subject, baseline) of every claim.
IPU, A80, A40, GPU = "IPU-M2000", "A100 (A100-SXM4-80GB)", "A100 (A100-SXM4-40GB)", "Latest GPU"
CLAIMS = [
    (2.6, "eq", "throughput", "ResNet-50 v1.5", "training", IPU, A80),
    (4.6, "eq", "throughput", "ResNet-50 v1.5", "inference", IPU, A80),
    (3.7, "eq", "throughput", "ResNeXt-101", "training", IPU, A40),
    (40.0, "eq", "throughput", "ResNext-101_32x4d", "inference", IPU, "A100 (40GB)"),
    (10.0, "eq", "latency", "ResNext-101_32x4d", "inference", IPU, "A100 (40GB)"),
    (10.0, "eq", "throughput", "EfficientNet-B4", "training", IPU, GPU),
    (18.0, "eq", "throughput", "EfficientNet-B4", "training", IPU, GPU),
    (60.0, "gt", "throughput", "EfficientNet-B0", "inference", IPU, GPU),
    (16.0, "gt", "latency", "EfficientNet-B0", "inference", IPU, GPU),
    (5.3, "eq", "time_to_train", "BERT-Large", "training", "IPU-POD64", "DGX A100"),
    (3.4, "eq", "throughput", "BERT-Large", "inference", IPU, A40),
    (17.0, "eq", "time_to_result", "Markov Chain Monte Carlo", "training", IPU, GPU),
    (27.0, "eq", "time_to_result", "Markov Chain Monte Carlo", "training", IPU, GPU),
    (600.0, "gt", "throughput", "LSTM", "inference", IPU, GPU),
    (13.6, "eq", "throughput", "DeepVoice3", "training", IPU, GPU),
]
REPEATS = {13: 1, 18: 20, 37: 28, 86: 84, 109: 107, 143: 134, 161: 150, 196: 190, 205: 197}
FIRST_LINES = [1, 18, 28, 43, 59, 92, 115, 134, 150, 167, 183, 197]


def original() -> Document:
    return read_text((Path(ORIGINALS or "") / "benchmark_charts.txt").read_bytes(), "0" * 64)


@needs_originals
def test_original_claims() -> None:
    document = original()
    rows = slides.extract(document, ()).rows
    first = [row for row in rows if isinstance(row, Claim) and row.repeats_line is None]
    assert [
        (
            r.factor,
            r.bound,
            r.metric,
            r.model_printed,
            r.task,
            r.subject_printed,
            r.baseline_printed,
        )
        for r in first
    ] == CLAIMS
    assert {(row.subject_sdk_version, row.baseline_sdk_version) for row in first} == {
        ("1.4.0", None)
    }
    assert {
        r.cell.line: r.repeats_line for r in rows if isinstance(r, Claim) and r.repeats_line
    } == REPEATS
    assert {row.cell.line: row.conditions for row in first if row.conditions} == {
        20: "Throughput comparison at lowest latency",
        51: "headline comparisons using lowest latency",
        84: "with standard EN-B4",
        107: "with IPU optimised configuration",
        120: "headline comparisons using lowest latency",
        134: "Assume linear scaling from 1x to 2x DGX A100",
        150: "at lowest latency; headline comparisons using lowest latency",
        190: "at lower latency",
    }
    assert not [row for row in rows if isinstance(row, Reject)]
    assert [
        next(line.cell.line for line in slide if line.kind != "blank")
        for slide in split_slides(document.lines)
    ] == FIRST_LINES
    bars = [
        (r.value, r.unit_printed, r.model_printed, r.platform_printed)
        for r in rows
        if isinstance(r, Measurement)
    ]
    assert bars == [
        (value, "images/sec", "EfficientNet-B4", None) for value in (58.0, 581.0, 595.0)
    ]


@needs_originals
def test_original_sides() -> None:
    rows = [row for row in slides.extract(original(), ()).rows if isinstance(row, Configuration)]
    assert [row.role for row in rows] == ["subject", "baseline"] * 12
    assert len({row.section_line for row in rows}) == 12
    columns = {
        # A chart with bars for one DGX A100 and for two does not say which of them a line of the
        # notes is about.
        "accelerator_count": {9: 1, 147: None, 148: None},
        "framework_printed": {25: "TensorFlow & PyTorch", 26: "TensorRT 7.2.1", 202: "PopART"},
        "precision": {9: "16.16", 26: "INT8", 73: "16.32", 126: "FP32", 147: "mixed"},
        "batch_sizes_printed": {
            9: "TensorFlow Batch Size 1024 | PyTorch Batch Size 1036", 25: "4 through 360", 158: "1,2,8+", 147: None,
        },
        "batch_size_low": {9: 1024, 25: 4, 157: 4, 158: 1, 147: None},
        "batch_size_high": {9: 1036, 25: 360, 157: 12, 158: None},
        "dataset_printed": {
            10: "ImageNet2012", 26: "Synthetic Data", 46: None, 98: "Real Data (ImageNet)", 148: "Wikipedia",
            157: "SQuAD", 175: None, 203: "VCTK Corpus",
        },
        "measured_by": {
            34: "NVIDIA", 46: "NV github results", 75: "results measured using public Google repo", 157: None,
            148: "results calculated using NV published TensorFlow throughput & training scheme",
        },
    }  # fmt: skip
    for name, expected in columns.items():
        assert {
            row.cell.line: getattr(row, name) for row in rows if row.cell.line in expected
        } == expected, name


@needs_originals
def test_original_cut_anywhere_gives_no_wrong_claim() -> None:
    lines = [line.text for line in original().lines]
    models = {
        (factor, metric): (task, subject, baseline)
        for factor, _, metric, _, task, subject, baseline in CLAIMS
    }
    models[10.0, "throughput"] = ("training", IPU, GPU)
    for cut in range(1, len(lines)):
        for part in (lines[:cut], lines[cut:]):
            if not "".join(part).strip():
                continue
            for row in extract("\n".join(part)).rows:
                if isinstance(row, Claim):
                    known = models[row.factor, row.metric or ""]
                    said = (row.task, row.subject_printed, row.baseline_printed)
                    assert all(
                        word in (None, right) for word, right in zip(said, known, strict=True)
                    ), (cut, row)
                if isinstance(row, Measurement):
                    assert row.model_printed in (None, "EfficientNet-B4", "EFFICIENTNET-B4"), cut


@pytest.mark.parametrize(
    "end",
    ["", " ", " (16", " (16x IPU-M20", " (16x IPU-M2000 Server", " (16x IPU-M2000 Server) us"],
)
def test_a_configuration_cut_at_the_end_of_a_deck_is_reported(end: str) -> None:
    text = (
        f"BERT-LARGE: TRAINING\n\n3.1\n\nNOTES:\nBERT-Large using Wikipedia dataset\nIPU-POD64{end}"
    )
    extraction = extract(text)
    assert any(isinstance(row, Reject) and "IPU-POD64" in row.row_json for row in extraction.rows)
