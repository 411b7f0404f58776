"""Printed variants of a benchmark and its number formats."""

from __future__ import annotations

import pytest

from pipelines.values.precisions import Precision, parse_precision
from pipelines.values.variants import Variant, parse_variant


@pytest.mark.parametrize(
    ("text", "variant"),
    [
        (None, Variant()),
        (" \u00a0", Variant()),
        (
            "Ph1 Pre-Training (SL128) - Packed",
            Variant(stage="pre-training", phase=1, sequence_length=128, is_packed=True),
        ),
        ("Ph2 Pre-Training (SL512)", Variant(stage="pre-training", phase=2, sequence_length=512)),
        ("GPT2-Large (SL512)", Variant(sequence_length=512, name="GPT2-Large")),
        ("SL128", Variant(sequence_length=128)),
        ("seq len 512, finetuning", Variant(stage="fine-tuning", sequence_length=512)),
        ("Temporal Graph Network", Variant(name="Temporal Graph Network")),
        ("MPNN-GIN", Variant(name="MPNN-GIN")),
        (
            "image 896, bps 5, max det 200",
            Variant(image_size="896", configuration="bps 5, max det 200"),
        ),
        ("image size 224 x 224", Variant(image_size="224x224")),
        ("lowest latency config", Variant(configuration="lowest latency")),
        ("1 frame", Variant(configuration="1 frame")),
    ],
)
def test_variants(text: str | None, variant: Variant) -> None:
    assert parse_variant(text) == variant


def test_a_part_that_repeats_the_dataset_is_no_name() -> None:
    text = "Fine-Tuning (SL384 - SQuAD)"
    assert parse_variant(text, "SQuAD") == Variant(stage="fine-tuning", sequence_length=384)
    assert parse_variant(text, "Wikipedia").name == "SQuAD"


@pytest.mark.parametrize(
    ("text", "precision"),
    [
        ("16.16", Precision("16.16", 16, 16)), ("16.32", Precision("16.32", 16, 32)),
        ("FP 32.32", Precision("32.32", 32, 32)), ("FP32", Precision("FP32")), ("fp 16", Precision("FP16")),
        ("bfloat16", Precision("BF16")), ("float32", Precision("FP32")), ("INT8", Precision("INT8")),
        ("NVFP4", Precision("NVFP4")), ("FP8 (E4M3)", Precision("FP8-E4M3")), ("Mixed Precision", Precision("mixed")),
        ("AMP", Precision("mixed")), ('"FP32, BF16"', Precision("FP32+BF16")), ("FP16/FP32", Precision("FP16+FP32")),
        ("INT8-CW", Precision("INT8-CW")), ("INT4-MIXED", Precision("mixed INT4")),
    ],
)  # fmt: skip
def test_precisions(text: str, precision: Precision) -> None:
    assert parse_precision(text) == precision


@pytest.mark.parametrize(
    "text",
    [
        "",
        "17.16",
        "16",
        "6,044",
        "3.1",
        "16.16.16",
        "FP",
        "FP7",
        "PyTorch",
        "FP32, words",
        "FP8-CW",
    ],
)
def test_no_precisions(text: str) -> None:
    assert parse_precision(text) is None
