"""Prose: forms of a comparison, attribution, what is refused, golden fixtures, and the originals."""

from __future__ import annotations

import csv
import math
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.extract import claim_prose
from pipelines.extract.accounting.ledger import account
from pipelines.extract.rows import KIND_OF, Claim, Measurement, Price, Reject, Row, Submission
from pipelines.read.document import Document
from pipelines.read.text import read_text
from pipelines.yaml_files import load_yaml

FIXTURES = Path(__file__).parents[1] / "fixtures" / "claim_prose"
# What a golden file shows of a row; `value` is the factor, the measured value, the price or the
# identifier.
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
    ("The H200 delivers 31% better throughput than the V100.",
     1.31, 1.305, 1.315, "eq", "throughput", "H200", "V100", "31%"),
    ("Gaudi2 is twice as fast as the A100.", 2, 1.5, 2.5, "eq", None, "Gaudi2", "A100", "twice"),
    ("The MI300X reaches up to 3.2X higher throughput than the H100.",
     3.2, 0, 3.2, "up_to", "throughput", "MI300X", "H100", "3.2X"),
    ("The H200 shows a 45% reduction in latency compared to the V100.",
     1 / 0.55, 1 / 0.555, 1 / 0.545, "eq", "latency", "H200", "V100", "45%"),
    ("The H200 achieves 2x-3x higher throughput versus the A100.",
     2, 2, 3, "eq", "throughput", "H200", "A100", "2x-3x"),
    # A hedge before a range is about both ends.
    *((f"The H200 achieves {printed} higher throughput versus the A100.",
       1.2, 1.2, 1.8, "approx", "throughput", "H200", "A100", text)
      for printed, text in (
          ("approximately 20% to 80%", "20% to 80%"), ("~20\u201380 %", "20\u201380 %"), ("about 20%-80%", "20%-80%"),
          ("between roughly 1.2x and 1.8x", "1.2x and 1.8x"), ("nearly 1.2x to about 1.8x", "1.2x to about 1.8x"),
      )),
    ("The H200 achieves 20%~80% higher throughput versus the A100.",
     1.2, 1.2, 1.8, "eq", "throughput", "H200", "A100", "20%~80%"),
    ("The H200 offers 3x more performance per watt than the A100.",
     3, 2.5, 3.5, "eq", "efficiency", "H200", "A100", "3x"),
    ("The H200 is 30% faster than the A100.", 1.3, 1.295, 1.305, "eq", None, "H200", "A100", "30%"),
    ("The H200 shows a 2.8-fold performance improvement over the last five months.",
     2.8, 2.75, 2.85, "eq", "throughput", "H200", None, "2.8-fold"),
    ("The H200 trains BERT-Large 30% faster than the A100.",
     1.3, 1.295, 1 / 0.695, "eq", "time_to_train", "H200", "A100", "30%"),
    ("The H200 improves latency by 30% over the A100.",
     1.3, 1.295, 1 / 0.695, "eq", "latency", "H200", "A100", "30%"),
    ("We measured a 2.5x speedup over the A100 with the H200.",
     2.5, 2.45, 2.55, "eq", None, "H200", "A100", "2.5x"),
    ("The H200 has double the throughput of the A100.",
     2, 1.5, 2.5, "eq", "throughput", "H200", "A100", "double"),
    ("Compared to the A100, the H200 delivers 4x higher throughput.",
     4, 3.5, 4.5, "eq", "throughput", "H200", "A100", "4x"),
    ("The H200 outperforms the A100 by 2.6x in throughput.",
     2.6, 2.55, 2.65, "eq", "throughput", "H200", "A100", "2.6x"),
    ("The A100 is 3x slower than the H200.", 3, 2.5, 3.5, "eq", None, "H200", "A100", "3x"),
    ("The A100 has 20% lower throughput than the H200.",
     1.25, 1 / 0.805, 1 / 0.795, "eq", "throughput", "H200", "A100", "20%"),
    ("The H200 shows >60x higher throughput than the A100.",
     60, 60, math.inf, "gt", "throughput", "H200", "A100", ">60x"),
    ("The H200 shows over 5x higher throughput than the A100.",
     5, 5, math.inf, "gt", "throughput", "H200", "A100", "5x"),
    ("The H200 shows nearly 5x higher throughput than 8x A100.",
     5, 4.5, 5.5, "approx", "throughput", "H200", "8x A100", "5x"),
    ("The A100 and the IPU-M2000 deliver 3x higher throughput.",
     3, 2.5, 3.5, "eq", "throughput", None, None, "3x"),
    ("Compared with the previous generation, Bow Pod64 delivers 1.4x more performance.",
     1.4, 1.35, 1.45, "eq", "throughput", "Bow Pod64", "previous generation", "1.4x"),
    ("H100 submissions improved 20% since the previous round on BERT training.",
     1.2, 1.195, 1.205, "eq", None, "H100", None, "20%"),
    ("Gaudi2's ResNet-50 throughput is 2x that of the A100.",
     2, 1.5, 2.5, "eq", "throughput", "Gaudi2", "A100", "2x"),
    ("The A100 has 2x the latency of the H100.", 2, 1.5, 2.5, "eq", "latency", "H100", "A100", "2x"),
    ("Bow Pod64 is 37% more power efficient than IPU-POD64.",
     1.37, 1.365, 1.375, "eq", "efficiency", "Bow Pod64", "IPU-POD64", "37%"),
    ("The CS-3 has 2x the speed of the CS-2 at the same power and price.",
     2, 1.5, 2.5, "eq", None, "CS-3", "CS-2", "2x"),
    ("The MI300X reaches upwards of 2x higher throughput than the A100.",
     2, 2, math.inf, "gt", "throughput", "MI300X", "A100", "2x"),
    ("The MI300X reaches 2x or more higher throughput than the A100.",
     2, 2, math.inf, "gt", "throughput", "MI300X", "A100", "2x or more"),
    ("The H100 shows &gt;3x higher throughput than the A100.",
     3, 3, math.inf, "gt", "throughput", "H100", "A100", "3x"),
    ("The H100 shows 3&times; higher throughput than the A100&nbsp;80GB.",
     3, 2.5, 3.5, "eq", "throughput", "H100", "A100 80GB", "3&times;"),
    ("The MI300X is two to three times faster than the H100.",
     2, 2, 3, "eq", None, "MI300X", "H100", "two to three times"),
    ("Unlike the A100, the Foo is 3x faster than the V100.", 3, 2.5, 3.5, "eq", None, None, "V100", "3x"),
]  # fmt: skip


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form[0])
def test_form_of_a_comparison(form: tuple[object, ...]) -> None:
    sentence, factor, low, high, bound, metric, subject, baseline, text = form
    [claim] = rows_of(str(sentence))
    assert isinstance(claim, Claim)
    assert (claim.factor, claim.factor_low, claim.factor_high) == pytest.approx((factor, low, high))
    assert (claim.bound, claim.metric, claim.cell.text) == (bound, metric, text)
    assert (claim.subject_printed, claim.baseline_printed, claim.sentence) == (
        subject,
        baseline,
        sentence,
    )


NO_FACTS = [
    "The density of multigraphs can be higher than 1.",
    "The H100's peak performance is 6x that of the A100.",
    "It takes half the time to install the driver on a DGX A100.",
    "GPT-3 is 100x bigger than GPT-2.",
    "Customers adopting the IPU-POD64 tripled over the last year.",
    "Trained engineers are 2x more likely to use PyTorch.",
    "A quarter of the MLPerf submissions used the A100.",
    "Our support team answers 3x faster than last year.",
    "We ran on 4x A100 and 8x H100 GPUs with better cooling.",
    "With 8x servers at higher throughput and 4x Foo-9000 at lower latency the A100 was compared.",
    "1x IPU-M2000 was compared with 2x DGX A100 for higher throughput.",
    "About 10% of the total training compute is used.",
    "See https://vendor.example/10x-higher-throughput for more.",
    "On July 4, 2023 version v1.5 of ResNet-50 had better throughput.",
    "BERT-Large runs 24 hours a day on the A100.",
    "Video plays at 30 frames per second on every camera.",
    "We saw orders of magnitude better performance.",
    "The A100 costs $3.20 per hour.",
    "On Llama 2 7B the L40S produces between 1,200 and 1,400 tokens per second.",
    "On Llama 2 7B the L40S produces 1,200 to 1,400 tokens per second.",
    "The time-to-train of BERT on the A100 is between 10 and 12 minutes.",
    "The time-to-train of BERT on the A100 fell from 12 to 9 minutes.",
    "The H100 and the B200 reach 300 tokens/s.",
    "Cerebras reached 969 tokens/s on Llama 3.1 405B with Groq's API at around 476 tokens/s.",
]


@pytest.mark.parametrize("sentence", NO_FACTS)
def test_sentence_without_a_fact(sentence: str) -> None:
    assert [row for row in rows_of(sentence) if not isinstance(row, Reject)] == []


SENTENCES = [
    pytest.param(each, id=f"{kind}: {each['text']}")
    for kind, sentences in load_yaml(FIXTURES.with_name("claim_sentences.yml")).items()
    for each in sentences
]


@pytest.mark.parametrize("stated", SENTENCES)
def test_the_sides_of_a_claim_are_those_of_its_own_comparison(stated: dict[str, Any]) -> None:
    rows = rows_of(stated["text"])
    claims = [
        [
            float(f"{c.factor:.6g}"),
            c.bound,
            c.metric,
            c.model_printed,
            c.subject_printed,
            c.baseline_printed,
            c.conditions,
        ]
        for c in rows
        if isinstance(c, Claim)
    ]
    assert claims == stated.get("claims", [])
    assert [row.cell.text for row in rows if isinstance(row, Reject)] == stated.get("rejects", [])


# (sentence, rule, reason)
REASONS = [
    ("Paged attention is 4x faster on the H100.", "unread_claim",
     "the factor is of a component (attention), not of a model"),
    ("We expect 2x more throughput on the H100.", "not_stated", "the sentence states an expectation or a possibility"),
    ("The H100's peak performance is 6x that of the A100.", "unread_claim",
     "a peak or theoretical value is named beside the factor"),
    ("The H100 is 1.5x and the B200 3x faster than the A100.", "unread_claim",
     "no word beside the factor says what is more or less"),
    ("Our release gives 2x higher throughput.", "unread_claim",
     "neither the sentence nor the text above it names hardware or a model"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "rule", "reason"), REASONS, ids=[reason for *_, reason in REASONS]
)
def test_a_refused_factor_says_why(sentence: str, rule: str, reason: str) -> None:
    reject = next(row for row in rows_of(sentence) if isinstance(row, Reject))
    assert (reject.rule, reject.reason) == (rule, reason)


# (sentence, rule, characters)
REFUSED = [
    ("The A100 takes 2x longer than the H100 on BERT.", "unread_claim", "2x"),
    ("Revenue of the A100 line grew 31%.", "unread_claim", "31%"),
    ("The H200 shows 3x higher wobble than the A100.", "unread_claim", "3x"),
    ("The H200 offers 2% higher accuracy than the A100.", "unread_claim", "2%"),
    ("Throughput of the A100 on BERT-Large more than doubled.", "unread_claim", "doubled"),
    ("The A10G costs 30% less than the A100.", "unread_claim", "30%"),
    ("The throughput of the A100 with BERT is 3x.", "unread_claim", "3x"),
    ("The A100 shows 10x latency.", "unread_claim", "10x"),
    ("A single H100 is 90% as fast as two A100s on GPT-J.", "unread_claim", "90%"),
    ("The A100 serves BERT at twice the V100's throughput.", "unread_claim", "twice"),
    (
        "The A100 delivers between l.2x and 1.6x higher throughput than the V100.",
        "unread_claim",
        "1.6x",
    ),
    (
        "The A100 delivers up to 20% to 80% higher throughput than the V100.",
        "unread_claim",
        "20% to 80%",
    ),
    (
        "The A100 delivers more than 1.2x to 1.8x higher throughput than the V100.",
        "unread_claim",
        "1.2x to 1.8x",
    ),
    (
        "The A100 delivers 1.2x to over 1.8x higher throughput than the V100.",
        "unread_claim",
        "1.2x to over 1.8x",
    ),
    (
        "The A100 delivers 1.2x to 1.8x or more higher throughput than the V100.",
        "unread_claim",
        "1.2x to 1.8x or more",
    ),
    ("The B200 is not 3x faster than the H100.", "not_stated", "3x"),
    ("Gaudi 3 isn't 3x faster than the H100.", "not_stated", "3x"),
    ("Is the B200 3x faster than the H100?", "not_stated", "3x"),
    ("The A100 could be 3x faster if its kernels were fused.", "not_stated", "3x"),
    ("The MI300X could achieve 3x higher throughput than the H100.", "not_stated", "3x"),
    ("The A100 is 3x faster than the V100, so nobody would need the T4.", "not_stated", "3x"),
    ("The B200 is not slow but 3x faster than the H100.", "not_stated", "3x"),
    (
        "If the performance claims are true, the B200 is 3x faster than the H100.",
        "not_stated",
        "3x",
    ),
    ("No GPU is 3x faster than the H100.", "not_stated", "3x"),
    ("Our goal is to make the A100 3x faster on BERT.", "not_stated", "3x"),
    ("That the A100 is 3x faster than the V100 is false.", "not_stated", "3x"),
    (
        "Gaudi 3 is projected to deliver 50% faster time-to-train than the H100.",
        "not_stated",
        "50%",
    ),
    ("BERT on the A100 would reach 9,000 sequences per second.", "not_stated", "9,000"),
    ("The MI300X potentially reaches 900 tokens/s on Llama 2 70B.", "not_stated", "900"),
    (
        "BERT trained on the A100 in 5.1 minutes with our previous release.",
        "not_stated",
        "5.1 minutes",
    ),
    (
        "On a four-node cluster of MI300X the throughput is 2,000 tokens/s.",
        "unclear_count",
        "2,000",
    ),
    (
        "TPU v4 pods trained ResNet-50 in 0.2 minutes on 3,456 chips.",
        "unclear_count",
        "0.2 minutes",
    ),
    ("The A100 delivers Ox higher throughput than the V100.", "damaged_number", "O"),
    ("BERT trains in less than l hours on the A100.", "damaged_number", "l"),
]


@pytest.mark.parametrize(("sentence", "rule", "printed"), REFUSED)
def test_what_looks_like_a_fact_is_refused_with_its_sentence(
    sentence: str, rule: str, printed: str
) -> None:
    [row] = rows_of(sentence)
    assert isinstance(row, Reject)
    assert (row.rule, row.cell.text, row.scope) == (rule, printed, "sentence")
    assert sentence in (row.row_json or "")


STATED = [
    "Not only is the B200 3x faster than the H100, it is smaller.",
    "It needs no tuning, and the A100 is 3x faster than the V100.",
    "The A100 needs no tuning and is 3x faster than the V100.",
    "With no change of code, the H100 is 3x faster than the A100.",
    "May 2023: the H100 is 3x faster than the A100.",
    "The A100 is no less than 3x faster than the V100.",
]


@pytest.mark.parametrize("sentence", STATED)
def test_a_denial_of_something_else_denies_no_claim(sentence: str) -> None:
    assert [
        (type(row), row.factor) for row in rows_of(sentence) if not isinstance(row, Reject)
    ] == [(Claim, 3)]


def test_a_comparison_in_words_beside_a_factor_is_reported() -> None:
    reject, claim = rows_of(
        "Throughput of the A100 doubled, and its latency is 3x lower than that of the V100."
    )
    assert isinstance(reject, Reject)
    assert (reject.rule, reject.cell.text) == ("unread_claim", "doubled")
    assert isinstance(claim, Claim)
    assert (claim.factor, claim.metric) == (3, "latency")


DAMAGED = [
    "The A100 delivers 1,6x higher throughput than the V100.",
    "The A100 delivers 4.Ox higher throughput than the V100.",
    "The A100 delivers 3l% better throughput than the V100.",
    "The A100 delivers 1..6 times higher throughput than the V100.",
    "Gaudi2 trained BERT 3x% faster than the A100.",
    "Trn1 offers 3x-40% better price performance than the A100.",
    "Gaudi2 shows a 1x-fold increase in throughput.",
    "BERT trains in 2x minutes on the A100.",
    "The A100 delivers 58,1l2 images per second on ResNet-50.",
    "The A100 delivers 58 112 images per second on ResNet-50.",
    "The A100 delivers 58'112 images per second on ResNet-50.",
    "The time-to-train of BERT is 1O.5 minutes on the A100.",
    "The list price of the A100 is $149,99S.",
    "The list price of the A100 is $149 995.",
    "The list price of the A100 is $149.995.",
    "MLPerf ID: 1.0-1O26",
]


@pytest.mark.parametrize("text", DAMAGED)
def test_a_damaged_number_is_not_read_and_stays_visible(text: str) -> None:
    document = document_of(text)
    extraction = claim_prose.extract(document, ())
    assert [row for row in extraction.rows if not isinstance(row, Reject)] == []
    accounting = account(document, {claim_prose.FORMAT.name: extraction})
    assert "unparsed" in {status for status, _ in accounting.statuses}


# (sentence, (factor or value, model, subject or platform, baseline or accelerators) of each row)
ATTRIBUTED = [
    ("We saw speedups of 2.7x on Llama 3.1 8B, and 1.8x on Llama 3.1 70B.",
     [(2.7, "Llama 3.1 8B", None, None), (1.8, "Llama 3.1 70B", None, None)]),
    ("The B200 delivers 2.7x higher throughput on Llama 3.1 8B and 1.8x higher throughput on average.",
     [(2.7, "Llama 3.1 8B", "B200", None), (1.8, None, "B200", None)]),
    ("The H100 is 1.5x and the B200 3.1x faster than the A100.",
     [(3.1, None, "B200", "A100")]),
    ("The A100 is 2.5x faster than the V100 for BERT, and up to 237x faster than CPUs.",
     [(2.5, "BERT", "A100", "V100"), (237, None, "A100", "CPUs")]),
    ("Trn1 delivers 5x higher throughput on BERT-Large and ResNet-50 than the A100.",
     [(5, None, "Trn1", "A100")]),
    ("The TPU v4 outperforms the TPU v3 by 2.1x and improves performance per watt by 2.7x.",
     [(2.1, None, "TPU v4", "TPU v3"), (2.7, None, "TPU v4", "TPU v3")]),
    ("Gaudi2 trains ResNet-50 with a 36% reduction in time-to-train as compared to Nvidia's TTT for the A100.",
     [(1 / 0.64, "ResNet-50", "Gaudi2", "TTT")]),
    ("The attention operator is up to 14x faster, and the throughput of DeepSeek R1 rises by 2x on the MI300X.",
     [(2, "DeepSeek R1", None, None)]),
    ("The CS-3 reached 969 tokens/s on Llama 3.1 405B, with Groq's API at around 476 tokens/s.",
     [(969, "Llama 3.1 405B", "CS-3", None)]),
    ("The A100 reaches 100 tokens/s and the L4 gives 200 tokens/s.",
     [(100, None, "A100", None), (200, None, "L4", None)]),
    ("H100 SXM reaches 13,222.06 token/s on Llama 3.1 8B and L40S achieves 2,989.17 token/s.",
     [(13222.06, "Llama 3.1 8B", "H100 SXM", None), (2989.17, None, "L40S", None)]),
    ("The MI300X reaches 1,465 tokens/s, 1.3 times the H100 result of 1,120 tokens/s.",
     []),
    ("BERT trains in 3.2 minutes on 8 A100 GPUs.", [(192, "BERT", "A100 GPUs", 8)]),
    ("GPT-3 175B was trained in 3.4 minutes with 10,752 H100 GPUs.", [(204, "GPT-3 175B", "H100 GPUs", 10_752)]),
    ("BERT trained in 2 minutes on two DGX A100 systems.", [(120, "BERT", "DGX A100", 16)]),
    ("In 2021 A100 systems trained BERT in 2 minutes.", []),
    ("Llama 2 70B reaches 24,110 tokens/s on 8x MI300X GPUs.", [(24110, "Llama 2 70B", "8x MI300X GPUs", None)]),
    ("Llama 2 70B reaches 24,110 tokens/s on 8x MI300Xs.", [(24110, "Llama 2 70B", "8x MI300X", None)]),
    ("Llama 2 70B reaches 24,110 tokens/s on 16x MI300X.", [(24110, "Llama 2 70B", "16x MI300X", None)]),
    ("With 384 Gaudi2 accelerators, the time-to-train of GPT-3 was 311 minutes.", [(18660, "GPT-3", "Gaudi2", 384)]),
    ("BERT inference on the A100 reaches 58 k sequences/s.", [(58_000, "BERT", "A100", None)]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), ATTRIBUTED, ids=[text for text, _ in ATTRIBUTED])
def test_a_value_has_the_names_of_its_clause(text: str, expected: list[tuple[object, ...]]) -> None:
    read: list[tuple[object, ...]] = []
    for row in rows_of(text):
        if isinstance(row, Claim):
            read.append((row.factor, row.model_printed, row.subject_printed, row.baseline_printed))
        elif isinstance(row, Measurement):
            read.append((row.value, row.model_printed, row.platform_printed, row.accelerator_count))
    assert read == expected


SETTINGS = ("batch_size", "precision", "framework_printed")
SIDES = ("subject_printed", "baseline_printed", "subject_sdk_version", "baseline_sdk_version")
STATED_OF = [
    (Measurement, SETTINGS, [
        ("BERT inference on the A100 reaches 900 sequences/s at a batch size of 64.", [(64, None, None)]),
        ("At batch 32 and FP8, Llama 2 70B inference on the H100 gives 12,400 tokens/s.", [(32, "FP8", None)]),
        ("With batch sizes of 1 and 8 BERT inference on the A100 reaches 900 sequences/s.", [(None, None, None)]),
        ("BERT on the A100 reaches 900 sequences/s at batch size 4 through 64.", [(None, None, None)]),
        ("BERT inference on the A100 reaches 900 sequences/s in FP16 or INT8.", [(None, None, None)]),
        ("BERT inference on the A100 reaches 900 sequences/s with lightning speed.", [(None, None, None)]),
        ("H100: 85 tokens/s with vLLM in FP16, 110 tokens/s with TensorRT-LLM 0.9 in FP8.",
         [(None, "FP16", "vLLM"), (None, "FP8", "TensorRT-LLM 0.9")]),
        ("In FP16 the A100 reaches 900 tokens/s, the H100 gives 1,800 tokens/s.", [(None, None, None)] * 2),
    ]),
    (Claim, ("subject_printed", "baseline_printed", "baseline_round", "suite"), [
        ("ResNet-50 training on the IPU-POD16 improved by 24% since our first submission.",
         [("IPU-POD16", None, "first", None)]),
        ("Compared to our last MLPerf submission, the IPU-POD16 trains BERT 5% faster.",
         [("IPU-POD16", None, "previous", None)]),
        ("In MLPerf Training v1.1 the IPU-POD16 trains ResNet-50 31% faster than in MLPerf Training v1.0.",
         [("IPU-POD16", None, "v1.0", None)]),
        ("Results from MLPerf Training v1.0 show that the IPU-POD16 trains BERT 1.3x faster than the DGX A100.",
         [("IPU-POD16", "DGX A100", None, "MLPerf Training v1.0")]),
        ("The IPU-POD16 trains ResNet-50 29% faster than the DGX A100, and 24% faster than in our first submission.",
         [("IPU-POD16", "DGX A100", None, None), ("IPU-POD16", None, "first", None)]),
    ]),
    (Price, ("price_usd", "platform_printed"), [
        ("The DGX H100 was sold for $482,000.", [(482_000, "DGX H100")]),
        ("The DGX H100 has a list price of $400,000, and the DGX A100 sells for $199,000.",
         [(400_000, "DGX H100"), (199_000, "DGX A100")]),
        ("An H100 server sells for $300,000.", []),
        ("The A100 has a list price of $10,000.", []),
        ("Training BERT on the A100 costs $1,200.", []),
        ("It sells for $125,000, far below the DGX H100.", []),
    ]),
    (Submission, ("submission_id",), [
        ("MLPerf ID: 1.0-1025, 1.0-1026", [("1.0-1025",), ("1.0-1026",)]),
        ("Results of MLPerf Training v1.0. 1.0-1025, 1.0-1026.", [("1.0-1025",), ("1.0-1026",)]),
        ("The valve opens at 1.5-2000 mbar.", []),
        ("MLPerf ID: 1.0-1025, 1.0-1O26, 1.0-1027", [("1.0-1025",), ("1.0-1027",)]),
    ]),
    (Claim, ("model_printed", "task"), [
        ("Gaudi2 is 2x faster than the A100 on BERT inference. Gaudi2 is 3x faster than the V100.",
         [("BERT", "inference"), (None, None)]),
    ]),
    (Claim, SIDES, [
        ("SDK 3.3 delivers 1.5x higher throughput than SDK 3.2 on ResNet-50 training.", [(None, None, "3.3", "3.2")]),
        # A ratio per dollar without two prices has no baseline.
        ("The IPU-POD16 has a list price of $150,000. The IPU-POD16 has an advantage in performance-per-$ of 2x.",
         [("IPU-POD16", None, None, None)]),
    ]),
    (Claim, ("suite", "model_printed"), [
        ("Results of MLPerf Training v2.1\n\nThe H200 has 2x higher throughput on BERT.\n\n"
         "EfficientNet (non-MLPerf)\n\nThe H200 has 2x higher throughput.\n",
         [("MLPerf Training v2.1", "BERT"), (None, "EfficientNet")]),
    ]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "columns", "text", "expected"),
    [(kind, columns, *case) for kind, columns, cases in STATED_OF for case in cases],
)
def test_what_a_row_takes_from_its_sentence(
    kind: type[Row], columns: tuple[str, ...], text: str, expected: list[tuple[object, ...]]
) -> None:
    rows = [row for row in rows_of(text) if isinstance(row, kind)]
    assert [tuple(getattr(row, column) for column in columns) for row in rows] == expected


def test_a_run_of_text_without_a_stop_is_not_read() -> None:
    assert rows_of("The H200 is 2x faster and A1 " * 200) == []


def test_lines_of_other_formats_are_left_alone() -> None:
    text = "The H200 is 2x faster than the A100.\n\nThe H200 is 3x faster than the A100."
    assert [row.cell.line for row in rows_of(text, taken=(1,))] == [3]
    assert claim_prose.extract(document_of(text), (1,)).lines == {3}


def test_recognises_prose_less_surely_than_a_table_can() -> None:
    assert 0 < claim_prose.recognise(document_of("The H200 is 2x faster than the A100.")) <= 0.3
    assert claim_prose.recognise(document_of("The H200 is 2x faster than the A100.\n" * 50)) == 0.6
    assert claim_prose.recognise(document_of("A walk in the park. It rained for two hours.")) == 0


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ["2x", "30%", "A100", "H200", "than", "the", "faster", "throughput", "latency", ",", ".", "\n",
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
        (
            c.factor,
            c.bound,
            c.metric,
            c.model_printed,
            c.task,
            c.subject_printed,
            c.baseline_printed,
        )
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
    assert {row.suite for row in rows if isinstance(row, Claim | Submission)} == {
        "MLPerf Training v1.0"
    }


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
    prices = [
        (p.cell.text, p.price_usd, p.bound, p.platform_printed)
        for p in rows
        if isinstance(p, Price)
    ]
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


def test_a_list_of_numbers_is_no_prose() -> None:
    text = "resnet50: 12345 images/s on H100\nbert: 334 sequences/s on A100\n"
    assert claim_prose.recognise(read_text(text.encode(), "0" * 64)) == 0
    with_sentence = f"These are our results on two machines.\n\n{text}"
    assert claim_prose.recognise(read_text(with_sentence.encode(), "0" * 64)) > 0
