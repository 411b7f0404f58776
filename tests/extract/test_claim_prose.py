"""Prose: every form of a comparison, what is none, golden fixtures, and the originals."""

from __future__ import annotations

import csv
import math
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.extract import claim_prose
from pipelines.extract.rows import KIND_OF, Claim, Measurement, Price, Reject, Row, Submission
from pipelines.read.document import Document
from pipelines.read.text import read_text
from pipelines.vocabulary.resolution import resolve_name

FIXTURES = Path(__file__).parents[1] / "fixtures" / "claim_prose"
# What a golden file shows of a row; `value` is the factor, the measured value, the price or the identifier.
COLUMNS = [
    "kind", "line", "text", "value", "low", "high", "bound", "metric", "task", "model", "subject", "baseline",
    "section", "suite", "conditions",
]  # fmt: skip


def document_of(text: str) -> Document:
    return read_text(text.encode(), "test")


def rows_of(text: str, taken: tuple[int, ...] = ()) -> list[Row]:
    document = document_of(text)
    rows = claim_prose.extract(document, taken).rows
    for row in rows:
        cell = row.cell
        assert document.line(cell.line).text[cell.start : cell.end] == cell.text, cell
        assert cell.text.strip() == cell.text != ""
    return rows


def only_claim(text: str) -> Claim:
    claims = [row for row in rows_of(text) if isinstance(row, Claim)]
    # Of a change (`from 12 to 9 minutes`) the new value is a result as well.
    others = [row for row in rows_of(text) if row not in claims and row.cell.end != claims[0].cell.end]
    assert (len(claims), others) == (1, [])
    return claims[0]


def golden(row: Row) -> dict[str, str]:
    shown = {
        "kind": KIND_OF[type(row)],
        "line": row.cell.line,
        "text": row.cell.text,
        "section": row.section,
        "value": _first(row, "factor", "value", "price_usd", "submission_id", "reason"),
        "low": _first(row, "factor_low", "value_low", "price_low_usd"),
        "high": _first(row, "factor_high", "value_high", "price_high_usd"),
        "model": _first(row, "model_printed"),
        "subject": _first(row, "subject_printed", "platform_printed"),
        "baseline": _first(row, "baseline_printed", "baseline_sdk_version"),
        **{name: _first(row, name) for name in ("bound", "metric", "task", "suite", "conditions")},
    }
    return {name: "" if (value := shown[name]) in (None, ()) else str(value) for name in COLUMNS}


def _first(row: Row, *names: str) -> object:
    values = [getattr(row, name, None) for name in names]
    value = next((value for value in values if value is not None), None)
    return float(f"{value:.6g}") if isinstance(value, float) else value


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("*.txt")), ids=lambda path: path.stem)
def test_golden_fixture(path: Path) -> None:
    rows = rows_of(path.read_text("utf-8"))
    with path.with_suffix(".expected.csv").open(encoding="utf-8", newline="") as file:
        assert [golden(row) for row in rows] == list(csv.DictReader(file))


# (sentence, factor, low, high, bound, metric, subject, baseline, characters of the value)
FORMS = [
    ("The Foo-9000 delivers 31% better throughput than the Bar-77.",
     1.31, 1.305, 1.315, "eq", "throughput", "Foo-9000", "Bar-77", "31%"),
    ("Gaudi2 is twice as fast as the A100.", 2, 1.5, 2.5, "eq", None, "Gaudi2", "A100", "twice"),
    ("The MI300X reaches up to 3.2X higher throughput than the H100.",
     3.2, 0, 3.2, "up_to", "throughput", "MI300X", "H100", "3.2X"),
    ("The Foo-9000 shows a 45% reduction in latency compared to the Bar-77.",
     1 / 0.55, 1 / 0.555, 1 / 0.545, "eq", "latency", "Foo-9000", "Bar-77", "45%"),
    ("The Foo-9000 processes 1.5 times more tokens per second than the Bar-77.",
     1.5, 1.45, 1.55, "eq", "throughput", "Foo-9000", "Bar-77", "1.5 times"),
    ("The Foo-9000 has an order of magnitude lower latency than the Bar-77.",
     10, 5, 15, "approx", "latency", "Foo-9000", "Bar-77", "an order of magnitude"),
    ("The Foo-9000 achieves 2x-3x higher throughput versus the A100.",
     2, 2, 3, "eq", "throughput", "Foo-9000", "A100", "2x-3x"),
    ("The Foo-9000 achieves between 2x and 3x higher throughput versus the A100.",
     2, 2, 3, "eq", "throughput", "Foo-9000", "A100", "2x and 3x"),
    ("The Foo-9000 offers 3x more performance per watt than the A100.",
     3, 2.5, 3.5, "eq", "efficiency", "Foo-9000", "A100", "3x"),
    ("The Foo-9000 is 30% faster than the A100.", 1.3, 1.295, 1.305, "eq", None, "Foo-9000", "A100", "30%"),
    ("The Foo-9000 trains BERT-Large 30% faster than the A100.",
     1.3, 1.295, 1 / 0.695, "eq", "time_to_train", "Foo-9000", "A100", "30%"),
    ("The Foo-9000 improves latency by 30% over the A100.",
     1.3, 1.295, 1 / 0.695, "eq", "latency", "Foo-9000", "A100", "30%"),
    ("The Foo-9000 has 120% faster time to train than the A100.",
     2.2, 2.195, 2.205, "eq", "time_to_train", "Foo-9000", "A100", "120%"),
    ("We measured a 2.5x speedup over the A100 with the Foo-9000.",
     2.5, 2.45, 2.55, "eq", None, "Foo-9000", "A100", "2.5x"),
    ("The Foo-9000 has double the throughput of the A100.",
     2, 1.5, 2.5, "eq", "throughput", "Foo-9000", "A100", "double"),
    ("The Foo-9000 works at half the latency of the A100.",
     2, 1.5, 2.5, "eq", "latency", None, "A100", "half"),
    ("Compared to the A100, the Foo-9000 delivers 4x higher throughput.",
     4, 3.5, 4.5, "eq", "throughput", "Foo-9000", "A100", "4x"),
    ("The Foo-9000 outperforms the A100 by 2.6x in throughput.",
     2.6, 2.55, 2.65, "eq", "throughput", "Foo-9000", "A100", "2.6x"),
    ("The A100 is 3x slower than the Foo-9000.", 3, 2.5, 3.5, "eq", None, "Foo-9000", "A100", "3x"),
    ("The A100 has 20% lower throughput than the Foo-9000.",
     1.25, 1 / 0.805, 1 / 0.795, "eq", "throughput", "Foo-9000", "A100", "20%"),
    ("The Foo-9000 shows >60x higher throughput than the A100.",
     60, 60, math.inf, "gt", "throughput", "Foo-9000", "A100", ">60x"),
    ("The Foo-9000 shows over 5x higher throughput than the A100.",
     5, 5, math.inf, "gt", "throughput", "Foo-9000", "A100", "5x"),
    ("The Foo-9000 shows nearly 5x higher throughput than 8x A100.",
     5, 4.5, 5.5, "approx", "throughput", "Foo-9000", "8x A100", "5x"),
    ("The MLPerf results show a 2.8-fold performance improvement over the last five months.",
     2.8, 2.75, 2.85, "eq", "throughput", None, None, "2.8-fold"),
    ("In tests of the A100 and the IPU-M2000 we saw 3x higher throughput.",
     3, 2.5, 3.5, "eq", "throughput", None, None, "3x"),
    ("The A100 and the IPU-M2000 deliver 3x higher throughput.",
     3, 2.5, 3.5, "eq", "throughput", None, None, "3x"),
    ("Compared with the previous generation, Bow Pod64 delivers 1.4x more performance.",
     1.4, 1.35, 1.45, "eq", "throughput", "Bow Pod64", None, "1.4x"),
    ("Kernels fit the Baz-1 better than others, resulting in 3.7x higher throughput on the Foo-9000 vs the A100.",
     3.7, 3.65, 3.75, "eq", "throughput", "Foo-9000", "A100", "3.7x"),
    ("The update cut the time-to-train from 12 to 9 minutes.",
     12 / 9, 11.5 / 9.5, 12.5 / 8.5, "eq", "time_to_train", None, None, "12 to 9 minutes"),
    ("The H200 cuts training time by 40% compared with the H100.",
     1 / 0.6, 1 / 0.605, 1 / 0.595, "eq", "training_time", "H200", "H100", "40%"),
    ("H100 submissions improved 20% since the previous round on BERT training.",
     1.2, 1.195, 1.205, "eq", None, "H100", None, "20%"),
    ("Throughput of the A100 on BERT-Large more than doubled.",
     2, 2, math.inf, "gt", "throughput", "A100", None, "doubled"),
    ("The B200 is tripling inference performance over the H100.",
     3, 2.5, 3.5, "eq", "throughput", "B200", "H100", "tripling"),
    ("Gaudi2's ResNet-50 throughput is 2x that of the A100.",
     2, 1.5, 2.5, "eq", "throughput", "Gaudi2", "A100", "2x"),
    ("The A100 serves BERT at twice the V100's throughput.",
     2, 1.5, 2.5, "eq", "throughput", "A100", "V100", "twice"),
    ("Set against a GPU of almost the same spot price, the Foo-9000 offered a more than 4x speedup over the A100.",
     4, 4, math.inf, "gt", None, "Foo-9000", "A100", "4x"),
    ("The price-performance advantage of Gaudi2 over the A100 is 1.8x.",
     1.8, 1.75, 1.85, "eq", "performance_per_dollar", "Gaudi2", "A100", "1.8x"),
    ("Gaudi2's advantage over the A100 in throughput is 1.8x.",
     1.8, 1.75, 1.85, "eq", "throughput", "Gaudi2", "A100", "1.8x"),
    ("The Foo-9000 outperforms the A100 by 2.1x and needs no fan.",
     2.1, 2.05, 2.15, "eq", None, "Foo-9000", "A100", "2.1x"),
    ("The MaxText runs reach 1.9x higher throughput per dollar on the A100.",
     1.9, 1.85, 1.95, "eq", "performance_per_dollar", "A100", None, "1.9x"),
    ("The A100 has 2x the latency of the H100.", 2, 1.5, 2.5, "eq", "latency", "H100", "A100", "2x"),
    ("The MI300X halves the latency of the H100.", 2, 1.5, 2.5, "eq", "latency", "MI300X", "H100", "halves"),
    ("A driver update cut the latency of the T4 in half.", 2, 1.5, 2.5, "eq", "latency", "T4", None, "half"),
    ("The A10G is half the price of the H100.", 2, 1.5, 2.5, "eq", "price", "A10G", "H100", "half"),
    ("The A10G costs 30% less than the A100.", 1 / 0.7, 1 / 0.705, 1 / 0.695, "eq", "price", "A10G", "A100", "30%"),
    ("The A100 costs 2x more than the A10G.", 2, 1.5, 2.5, "eq", "price", "A10G", "A100", "2x"),
    ("Inferentia2 works at one third of the cost of the A10G.",
     3, 2.5, 3.5, "eq", "cost", "Inferentia2", "A10G", "one third"),
    ("Bow Pod64 is 37% more power efficient than IPU-POD64.",
     1.37, 1.365, 1.375, "eq", "efficiency", "Bow Pod64", "IPU-POD64", "37%"),
    ("The CS-3 has 2x the speed of the CS-2 at the same power and price.",
     2, 1.5, 2.5, "eq", None, "CS-3", "CS-2", "2x"),
    ("The IPU-POD256 trains ResNet-50 in a quarter of the time of the DGX A100.",
     4, 3.5, 4.5, "eq", "time_to_train", "IPU-POD256", "DGX A100", "a quarter"),
    ("The MI300X reaches upwards of 2x higher throughput than the A100.",
     2, 2, math.inf, "gt", "throughput", "MI300X", "A100", "2x"),
    ("The MI300X reaches 2x or more higher throughput than the A100.",
     2, 2, math.inf, "gt", "throughput", "MI300X", "A100", "2x or more"),
    ("The MI300X reaches up to an impressive 2x higher throughput than the A100.",
     2, 0, 2, "up_to", "throughput", "MI300X", "A100", "2x"),
    ("The H100 shows &gt;3x higher throughput than the A100.",
     3, 3, math.inf, "gt", "throughput", "H100", "A100", "3x"),
    ("The H100 shows 3&times; higher throughput than the A100&nbsp;80GB.",
     3, 2.5, 3.5, "eq", "throughput", "H100", "A100 80GB", "3&times;"),
    ("The time to train of BERT on the A100 fell from 1 hour 30 minutes to 40 minutes.",
     90 / 40, 89.5 / 40.5, 90.5 / 39.5, "eq", "time_to_train", "A100", None, "1 hour 30 minutes to 40 minutes"),
    ("Throughput improved from 1,000 to 1,500 images per second.",
     1.5, 1499.5 / 1000.5, 1500.5 / 999.5, "eq", "throughput", None, None, "1,000 to 1,500"),
]  # fmt: skip


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form[0])
def test_form_of_a_comparison(form: tuple[object, ...]) -> None:
    sentence, factor, low, high, bound, metric, subject, baseline, text = form
    claim = only_claim(str(sentence))
    assert (claim.factor, claim.factor_low, claim.factor_high) == pytest.approx((factor, low, high))
    assert (claim.bound, claim.metric, claim.cell.text) == (bound, metric, text)
    assert (claim.subject_printed, claim.baseline_printed, claim.sentence) == (subject, baseline, sentence)


NO_FACTS = [
    "The density of multigraphs can be higher than 1.",
    "The H100's peak performance is 6x that of the A100.",
    "It takes half the time to install the driver on a DGX A100.",
    "GPT-3 is 100x bigger than GPT-2.",
    "A100 instances are available in twice as many regions as before.",
    "H100 SXM5 has 3.35 TB/s of bandwidth, 1.6x that of the A100.",
    "Customers adopting the IPU-POD64 tripled over the last year.",
    "We doubled the batch size of BERT and halved the learning rate.",
    "Trained engineers are 2x more likely to use PyTorch.",
    "He ran 10 km in 45 minutes, 2 minutes faster than his best time.",
    "A quarter of the MLPerf submissions used the A100.",
    "Our support team answers 3x faster than last year.",
    "The sales team delivers 30% better performance.",
    "The chassis holds 8x A100 GPUs, twice as many as before.",
    "The Foo-9000 draws half the power of the Bar-77.",
    "A 10x engineer ran x86 code on 2x4 A100 GPUs at 1080p.",
    "Tickets cost half as much as last year, and the talk took half the time.",
    "We ran on 4x A100 and 8x H100 GPUs with better cooling.",
    "We used 8x H100 faster than planned.",
    "1x IPU-M2000 was compared with 2x DGX A100 for higher throughput.",
    "IPU-POD64 (16x IPU-M2000 Server) is faster.",
    "Images of 224x224 pixels gave better throughput.",
    "The system is 5U high and faster.",
    "About 10% of the total training compute is used.",
    "See https://vendor.example/10x-higher-throughput for more.",
    "On July 4, 2023 version v1.5 of ResNet-50 had better throughput.",
    "It took first place in 2022.",
    "In the last 3 years and six months, performance rose.",
    "BERT-Large runs 24 hours a day on the A100.",
    "Founded 10 years ago, the A100 team has 50 other members.",
    "The A100 has 3x more memory and 2x higher memory bandwidth than the V100.",
    "The A100 has a 4.7x increase in peak compute performance.",
    "The IPU-M2000 is half the price, and one IPU is a quarter of the price.",
    "We hired 40% more engineers in 9 months.",
    "Video plays at 30 frames per second on every camera.",
    "Mixtral 8x7B is a model with better throughput.",
    "We saw orders of magnitude better performance.",
    "The session took 9 minutes and the talk two hours.",
    "Revenue grew 3x and $10 billion was invested.",
    "The A100 costs $3.20 per hour.",
    "BERT-Large was trained 3 times.",
    "The A100 has double precision throughput.",
]


@pytest.mark.parametrize("sentence", NO_FACTS)
def test_sentence_without_a_fact(sentence: str) -> None:
    assert rows_of(sentence) == []
    assert claim_prose.recognise(document_of(sentence)) == 0


UNREAD = [
    "The A100 takes 2x longer than the H100 on BERT.",
    "Revenue of the A100 line grew 31%.",
    "The Foo-9000 shows 3x higher wobble than the A100.",
    "The Foo-9000 offers 2% higher accuracy than the A100.",
    "It went from 12 to 9 minutes.",
    "The Foo-9000 is faster than 5 others.",
]


@pytest.mark.parametrize("sentence", UNREAD)
def test_what_looks_like_a_claim_is_rejected_with_its_sentence(sentence: str) -> None:
    [row] = rows_of(sentence)
    assert isinstance(row, Reject)
    assert (row.rule, row.scope) == ("unread_claim", "sentence")
    assert row.reason
    assert sentence in (row.row_json or "")


def test_a_run_of_text_without_a_stop_is_not_read() -> None:
    assert rows_of("The Foo-9000 is 2x faster and A1 " * 200) == []


def test_lines_of_other_formats_are_left_alone() -> None:
    text = "The Foo-9000 is 2x faster than the A100.\n\nThe Foo-9000 is 3x faster than the A100."
    assert [row.cell.line for row in rows_of(text, taken=(1,))] == [3]
    assert claim_prose.extract(document_of(text), (1,)).lines == {3}


@pytest.mark.parametrize(
    ("printed", "value"),
    [("58 k images/s", 58_000), ("58k images/s", 58_000), ("58 thousand images/s", 58_000), ("58 M tokens/s", 58e6)],
)
def test_a_multiple_may_stand_in_the_unit(printed: str, value: float) -> None:
    [measurement] = rows_of(f"BERT-Large inference on the A100 reaches {printed}.")
    assert isinstance(measurement, Measurement)
    assert (measurement.value, measurement.unit) == (value, "items/s")


@pytest.mark.parametrize(
    ("text", "platform", "count"),
    [
        ("It took just 11 minutes to train BERT on 64 IPUs.", "IPUs", 64),
        ("GPT-3 175B was trained in 3.4 minutes with 10,752 H100 GPUs.", "H100 GPUs", 10_752),
        ("BERT trained in 2 minutes on eight NVIDIA A100s.", "NVIDIA A100", 8),
        ("BERT trained in 2 minutes on two DGX A100 systems.", "DGX A100", 16),
        ("With 384 Gaudi2 accelerators, the time-to-train of GPT-3 was 311 minutes.", "Gaudi2", 384),
        ("BERT trained in 13 minutes on 8 Gaudi2 with BF16.", "Gaudi2", 8),
        ("TPU v4 pods trained ResNet-50 in 0.2 minutes on 3,456 chips.", "TPU v4", 3_456),
        ("In 2021 A100 systems trained BERT in 2 minutes.", "A100", None),
        ("The Llama 2 H100 results show training in 2 minutes.", "H100", None),
        ("BERT trains in 14.5 minutes on IPU-POD64.", "IPU-POD64", None),
        ("The DGX A100 takes 29.1 minutes for ResNet-50 training.", "DGX A100", None),
    ],
)
def test_accelerators_are_counted_with_their_platform(text: str, platform: str, count: int | None) -> None:
    [row] = rows_of(text)
    assert isinstance(row, Measurement)
    assert (row.metric, row.platform_printed, row.accelerator_count) == ("time_to_train", platform, count)


@pytest.mark.parametrize(
    ("text", "batch_size", "precision", "sequence_length"),
    [
        ("BERT inference on the A100 reaches 1,200 sequences per second at a batch size of 64.", 64, None, None),
        ("At batch 32 and FP8, Llama 2 70B inference on the H100 gives 12,400 tokens/s.", 32, "FP8", None),
        ("BERT inference on the A100: 900 sequences/s with INT8 and a sequence length of 384.", None, "INT8", 384),
        ("With batch sizes of 1 and 8 BERT inference on the A100 reaches 900 sequences/s.", None, None, None),
        ("BERT inference on the A100 reaches 900 sequences/s in FP16 or INT8.", None, None, None),
    ],
)
def test_conditions_printed_beside_a_number(
    text: str, batch_size: int | None, precision: str | None, sequence_length: int | None
) -> None:
    [row] = rows_of(text)
    assert isinstance(row, Measurement)
    assert (row.batch_size, row.precision, row.sequence_length) == (batch_size, precision, sequence_length)


def test_each_number_of_a_sentence_has_its_own_conditions() -> None:
    text = "H100: 85 tokens/s with vLLM (FP16, batch=1), 110 tokens/s with TensorRT-LLM 0.9 in FP8 for Llama 2 70B."
    rows = rows_of(text)
    assert all(isinstance(row, Measurement) for row in rows)
    assert [(row.value, row.framework_printed, row.precision, row.batch_size) for row in rows] == [
        (85, "vLLM", "FP16", 1),
        (110, "TensorRT-LLM 0.9", "FP8", None),
    ]


def test_each_factor_has_the_task_behind_it() -> None:
    rows = rows_of("Compared to the A100, the L40S offers 1.7x training performance and 1.2x inference performance.")
    assert [(row.factor, row.task) for row in rows if isinstance(row, Claim)] == [(1.7, "training"), (1.2, "inference")]


def test_an_everyday_word_is_no_framework() -> None:
    [row] = rows_of("BERT inference on the A100 reaches 900 sequences/s with lightning speed.")
    assert isinstance(row, Measurement)
    assert row.framework_printed is None


def test_a_line_with_a_value_is_no_heading_of_the_next() -> None:
    first, second = "TPU v4 trains GPT-J 6B in 1.8 hours on 256 chips", "TPU v5e offers 4.7x more throughput than A100"
    [claim] = [row for row in rows_of(f"{first}\n{second}") if isinstance(row, Claim)]
    assert (claim.subject_printed, claim.model_printed, claim.section) == ("TPU v5e", None, None)


@pytest.mark.parametrize(
    ("text", "rejected"),
    [
        ("ResNet-50 trains in 28.7 minutes on a DGX A100, faster than the 38.8 minutes of last year.", "38.8 minutes"),
        ("BERT trains in 3.2 minutes on 8 A100 GPUs; it took 5.1 minutes with our previous release.", "5.1 minutes"),
    ],
)
def test_an_earlier_value_is_no_result_of_now(text: str, rejected: str) -> None:
    kinds = {row.cell.text: row for row in rows_of(text)}
    now = f"{text.split(' minutes')[0].split()[-1]} minutes"
    assert [printed for printed, row in kinds.items() if isinstance(row, Measurement)] == [now]
    assert rejected not in kinds or isinstance(kinds[rejected], Reject)


def test_a_new_value_beside_an_old_one_is_claim_and_result() -> None:
    claim, measurement = sorted(rows_of("DLRM training takes 9 minutes, down from 12 minutes, on the A100."),
                                key=lambda row: KIND_OF[type(row)])  # fmt: skip
    assert isinstance(claim, Claim)
    assert isinstance(measurement, Measurement)
    assert (claim.cell.text, claim.factor) == ("9 minutes, down from 12 minutes", 12 / 9)
    assert (measurement.cell.text, measurement.value) == ("9 minutes", 540)


@pytest.mark.parametrize(
    "text",
    [
        "On Llama 2 7B the L40S produces between 1,200 and 1,400 tokens per second.",
        "On Llama 2 7B the L40S produces 1,200 to 1,400 tokens per second.",
        "The time-to-train of BERT on the A100 is between 10 and 12 minutes.",
    ],
)
def test_one_end_of_a_range_is_no_result(text: str) -> None:
    assert rows_of(text) == []


def test_prices_are_of_systems() -> None:
    def prices(text: str) -> list[tuple[float, str | None]]:
        return [(row.price_usd, row.platform_printed) for row in rows_of(text) if isinstance(row, Price)]

    assert prices("The DGX H100 was sold for $482,000.") == [(482_000, "DGX H100")]
    assert prices("The A100, used for training, costs $10,500.") == [(10_500, "A100")]
    assert prices("Training BERT on the A100 costs $1,200.") == []
    two = "The DGX H100 has a list price of $400,000, and the DGX A100 with eight accelerators sells for $199,000."
    assert prices(two) == [(400_000, "DGX H100"), (199_000, "DGX A100")]
    assert prices("Gaudi 3 is half the price of an H100, estimated at $30,678.") == [(30_678, "H100")]
    assert prices("It sells for $125,000, far below the DGX H100.") == []
    assert prices("An H100 server costs $300,000.") == []
    assert prices("To run BERT on the A100 costs $1,200.") == []


def test_model_and_task_are_not_taken_over_from_another_paragraph() -> None:
    text = "Gaudi2 is 2x faster than the A100 on BERT inference.\n\nGaudi2 is 3x faster than the V100."
    claims = [row for row in rows_of(text) if isinstance(row, Claim)]
    assert [(claim.model_printed, claim.task) for claim in claims] == [("BERT", "inference"), (None, None)]
    claims = [row for row in rows_of(text.replace("\n\n", " ")) if isinstance(row, Claim)]
    assert [(claim.model_printed, claim.task) for claim in claims] == [("BERT", "inference"), ("BERT", "inference")]


def test_another_side_that_is_no_platform_is_not_replaced() -> None:
    text = "The A100 is 2.5x faster than the V100 for BERT, and up to 237x faster than CPUs."
    claims = [row for row in rows_of(text) if isinstance(row, Claim)]
    assert [(claim.factor, claim.baseline_printed) for claim in claims] == [(2.5, "V100"), (237, None)]


def test_hard_wrapped_paragraph() -> None:
    text = (
        "The Foo-9000 delivers 3x higher throughput than the\n"
        "Bar-77 for BERT-Large inference at batch size 8, and it\n"
        "needs 2.5 ms of latency on average for one request.\n"
    )
    claim, measurement = rows_of(text)
    assert isinstance(claim, Claim)
    assert isinstance(measurement, Measurement)
    assert (claim.baseline_printed, claim.model_printed, claim.conditions) == (
        "Bar-77",
        "BERT-Large",
        "at batch size 8",
    )
    assert (measurement.cell.line, measurement.value, measurement.unit) == (3, 2.5, "ms")


def test_each_factor_of_a_list_has_its_model() -> None:
    rows = rows_of("Trn1 delivers 5x, 3x and 2x higher throughput on BERT-Large, ResNet-50 and GPT2 than the A100.")
    assert [(row.factor, row.model_printed, row.baseline_printed) for row in rows if isinstance(row, Claim)] == [
        (5, "BERT-Large", "A100"), (3, "ResNet-50", "A100"), (2, "GPT2", "A100"),
    ]  # fmt: skip
    rows = rows_of("We see speedups of 1.3x, 1.7x and 2.2x over the A100 for BERT, DLRM and GPT2 on the H100.")
    assert [(row.factor, row.model_printed, row.baseline_printed) for row in rows if isinstance(row, Claim)] == [
        (1.3, "BERT", "A100"), (1.7, "DLRM", "A100"), (2.2, "GPT2", "A100"),
    ]  # fmt: skip
    rows = rows_of("Trn1 delivers 5x higher throughput on BERT-Large and ResNet-50 than the A100.")
    assert [row.model_printed for row in rows if isinstance(row, Claim)] == [None]


def test_releases_are_compared_with_each_other() -> None:
    claim = only_claim("SDK 3.3 delivers 1.5x higher throughput than SDK 3.2 on ResNet-50 training.")
    assert (claim.subject_sdk_version, claim.baseline_sdk_version) == ("3.3", "3.2")
    assert (claim.subject_printed, claim.baseline_printed, claim.task) == (None, None, "training")


def test_ratio_per_dollar_without_two_prices_has_no_baseline() -> None:
    text = "The IPU-POD16 has a list price of $150,000. The IPU-POD16 has an advantage in performance-per-$ of 2x."
    claim = next(row for row in rows_of(text) if isinstance(row, Claim))
    assert (claim.subject_printed, claim.baseline_printed) == ("IPU-POD16", None)


def test_a_precision_is_no_platform() -> None:
    claim = only_claim("The Foo-9000 showed a 2x gain in throughput over FP32.")
    assert (claim.subject_printed, claim.baseline_printed) == ("Foo-9000", None)


def test_suite_ends_where_a_heading_says_so() -> None:
    text = (
        "Results of MLPerf Training v2.1\n\nThe Foo-9000 has 2x higher throughput on BERT.\n\n"
        "EfficientNet (non-MLPerf)\n\nThe Foo-9000 has 2x higher throughput.\n"
    )
    claims = [row for row in rows_of(text) if isinstance(row, Claim)]
    assert [(claim.suite, claim.model_printed) for claim in claims] == [
        ("MLPerf Training v2.1", "BERT"), (None, "EfficientNet"),
    ]  # fmt: skip


def test_recognises_prose_less_surely_than_a_table_can() -> None:
    assert 0 < claim_prose.recognise(document_of("The Foo-9000 is 2x faster than the A100.")) <= 0.3
    assert claim_prose.recognise(document_of("The Foo-9000 is 2x faster than the A100.\n" * 50)) == 0.6
    assert claim_prose.recognise(document_of("A walk in the park. It rained for two hours.")) == 0


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ["2x", "30%", "A100", "Foo-9000", "than", "the", "faster", "throughput", "latency", ",", ".", "\n",
             "9 minutes", "of", "BERT", "in", "\u00a0", "twice", "from", "to", "$5", "MLPerf", "ID:", "1.0-1025", "#",
             "- ", "\u00d7"]
        ), min_size=1, max_size=40,
    )
)  # fmt: skip
def test_any_text_is_read_with_true_places(words: list[str]) -> None:
    text = " ".join(words)
    if text.strip():
        rows_of(text)


def claims_of(path: Path) -> list[tuple[object, ...]]:
    return [
        (c.factor, c.bound, c.metric, c.model_printed, c.task, c.subject_printed, c.baseline_printed)
        for c in rows_of(path.read_text("utf-8"))
        if isinstance(c, Claim)
    ]


def test_claims_of_the_benchmarks_post(originals: Path) -> None:
    ipu, gpu = "IPU-M2000", "latest GPU"
    assert Counter(claims_of(originals / "benchmarks_blog.txt")) == Counter([
        (5, "gt", "time_to_train", "BERT-Large", "training", "IPU-POD64", "DGX A100"),
        (3.4, "eq", "throughput", "BERT-Large", "inference", ipu, "A100"),
        (2.6, "eq", "throughput", "ResNet-50", "training", ipu, "A100"),
        (4.6, "eq", "throughput", "ResNet-50", "inference", ipu, "A100 80GB GPU"),
        (10, "eq", "throughput", "EfficientNet-B4", "training", ipu, gpu),
        (18, "eq", "throughput", "EfficientNet-B4", "training", ipu, gpu),
        (60, "gt", "throughput", "EfficientNet-B0", "inference", ipu, gpu),
        (16, "eq", "latency", "EfficientNet-B0", "inference", ipu, gpu),
        (3.7, "eq", "throughput", "ResNeXt-101", "training", ipu, "A100 GPU"),
        (40, "eq", "throughput", "ResNeXt-101", "inference", ipu, None),
        (10, "eq", "latency", "ResNeXt-101", "inference", ipu, None),
        (17, "eq", "time_to_train", "MCMC", "training", ipu, gpu),
        (13, "gt", "throughput", "Deep Voice 3", "training", ipu, gpu),
        (600, "eq", "throughput", "LSTM", "inference", ipu, gpu),
    ])  # fmt: skip


def test_claims_of_the_mlperf_post(originals: Path) -> None:
    pod, dgx = "IPU-POD16", "NVIDIA DGX-A100 640GB"
    assert Counter(claims_of(originals / "mlperf_blog.txt")) == Counter([
        (1.6, "eq", "performance_per_dollar", "ResNet-50", "training", pod, dgx),
        (1.3, "eq", "performance_per_dollar", "BERT", "training", pod, dgx),
        (2.1, "eq", "throughput", "ResNet-50", None, None, None),
        (1.6, "eq", "throughput", "BERT-Large", None, None, None),
        (1.5, "eq", "throughput", "EfficientNet", None, None, None),
    ])  # fmt: skip
    rows = rows_of((originals / "mlperf_blog.txt").read_text("utf-8"))
    claims = [row for row in rows if isinstance(row, Claim)]
    assert [claim.baseline_sdk_version for claim in claims] == [None, None, "1.4", "1.4", "1.4"]
    assert {row.suite for row in rows if isinstance(row, Claim | Submission)} == {"MLPerf Training v1.0"}


def test_other_facts_of_the_posts(originals: Path) -> None:
    rows = [row for name in ("benchmarks_blog.txt", "mlperf_blog.txt")
            for row in rows_of((originals / name).read_text("utf-8"))]  # fmt: skip
    measured = [(m.cell.text, m.metric, m.value, m.value_low, m.value_high, m.bound, m.model_printed,
                 m.platform_printed)
                for m in rows if isinstance(m, Measurement)]  # fmt: skip
    assert measured == [
        ("58,112", "throughput", 58112, 58111.5, 58112.5, "eq", "ResNet-50", "IPU-M2000"),
        ("3 hours", "time_to_train", 10800, 0, 10800, "lt", "MCMC", "IPU-M2000"),
        ("48 hours", "time_to_train", 172800, 171000, 174600, "eq", "MCMC", "latest GPU"),
        ("9 minutes", "time_to_train", 540, 540, 600, "gt", "BERT", "IPU-POD64"),
        ("14.5 minutes", "time_to_train", 870, 867, 873, "eq", "ResNet-50", "IPU-POD64"),
    ]
    prices = [(p.cell.text, p.price_usd, p.bound, p.platform_printed) for p in rows if isinstance(p, Price)]
    assert prices == [
        ("$149,995", 149_995, "eq", "IPU-POD16"), ("$300,000", 300_000, "approx", "NVIDIA DGX-A100 640GB"),
    ]  # fmt: skip
    assert sorted(row.submission_id for row in rows if isinstance(row, Submission)) == [
        f"1.0-{number}" for number in (1025, 1026, 1027, 1028, 1098, 1099)
    ]
    assert not [row for row in rows if isinstance(row, Reject)]


def test_prose_of_the_other_originals_makes_no_claims(originals: Path) -> None:
    page = rows_of((originals / "performance_results.txt").read_text("utf-8"))
    assert {type(row) for row in page} == {Submission}
    assert len(page) == 8
    log = document_of((originals / "training_log.txt").read_text("utf-8"))
    assert claim_prose.recognise(log) == 0


# (passage, characters of the value, metric, model, platform or subject, baseline, accelerators): real sentences
READ_WRONG_ONCE = [
    ("Introducing Cerebras Inference: AI at Instant Speed\n\nIt runs Llama3.1-8B 20x faster than GPU solutions.",
     "20x", None, "Llama3.1-8B", None, None, None),
    ("Serving Large Language Models\n\nThe Foo-9000 sustains 538 tokens/s.",
     "538", "throughput", None, "Foo-9000", None, None),
    ("The Groq LPU runs Meta's 70-billion-parameter Llama 2 at 100 tokens per second.",
     "100", "throughput", "70-billion-parameter Llama 2", "Groq LPU", None, None),
    ("Cerebras got Meta's Llama 3.1 405B large language model to run 75 times faster than before.",
     "75 times", None, "Llama 3.1 405B", None, None, None),
    ("Intel projects a 40 percent faster training time for GPT-3 175B on Gaudi 3 versus the H100.",
     "40 percent", "training_time", "GPT-3 175B", "Gaudi 3", "H100", None),
    ("If the performance claims are to be believed, Gaudi3 is 1.7x faster in training than the H100.",
     "1.7x", None, None, "Gaudi3", "H100", None),
    ("At 1,800 tokens/s, Cerebras Inference is 2.4x faster than Groq in Llama3.1-8B.",
     "2.4x", "throughput", "Llama3.1-8B", "Cerebras Inference", "Groq", None),
    ("H100 SXM reaches 13,222.06 token/s on Llama 3.1 8B and L40S achieves 2,989.17 token/s.",
     "2,989.17", "throughput", "Llama 3.1 8B", "L40S", None, None),
    ("Google DeepMind and Google Research have seen 2X speedups using TPU v5p chips compared with TPU v4.",
     "2X", None, None, "TPU v5p", "TPU v4", None),
    ("A Blackwell processor is about 3.7X faster than a single Hopper H100 GPU.",
     "3.7X", None, None, "Blackwell", "H100 GPU", None),
    ("A rack of 16 SN40L RDUs serves Deepseek-R1 671B at 198 tokens/s.",
     "198", "throughput", "Deepseek-R1 671B", "SN40L RDUs", None, 16),
    ("A B200 GPU delivers 10,755 tokens/second on a single GPU.",
     "10,755", "throughput", None, "B200 GPU", None, 1),
    ("Llama 3.1 8B (128 input, 4,096 output tokens, 1 card): RNGD delivers 3,935.25 token/s, H100 SXM 13,222.06.",
     "3,935.25", "throughput", "Llama 3.1 8B", "RNGD", None, 1),
    ("With 8 GPUs inside, a DGX H100 serves Llama 2 70B at 900 tokens/s.",
     "900", "throughput", "Llama 2 70B", "DGX H100", None, None),
    ("Cloud TPU v5e shows 3X training efficiency for Gemma models compared to our baseline of Llama-2 training.",
     "3X", "efficiency", None, "Cloud TPU v5e", None, None),
    ("Groq serves Llama 2 70B at 300 tokens/s.", "300", "throughput", "Llama 2 70B", "Groq", None, None),
]  # fmt: skip


@pytest.mark.parametrize("case", READ_WRONG_ONCE, ids=lambda case: case[1])
def test_passage_that_was_read_wrong_once(case: tuple[str | int | None, ...]) -> None:
    text, printed, *expected = case
    [row] = [row for row in rows_of(str(text)) if row.cell.text == printed]
    if isinstance(row, Claim):
        read: list[str | int | None] = [row.metric, row.model_printed, row.subject_printed, row.baseline_printed, None]
    else:
        assert isinstance(row, Measurement)
        read = [row.metric, row.model_printed, row.platform_printed, None, row.accelerator_count]
    assert read == expected


def test_an_unknown_system_stays_as_printed_and_is_not_resolved() -> None:
    names = [
        row.platform_printed
        for row in rows_of("Groq serves Llama 2 70B at 300 tokens/s.")
        if isinstance(row, Measurement)
    ]
    assert names == ["Groq"]
    assert resolve_name({"kind": "platforms", "name_printed": "Groq", "suite": None})["name"] is None
