from __future__ import annotations

import pytest

from pipelines.values.precisions import Precision, parse_precision


@pytest.mark.parametrize(
    ("text", "precision"),
    [
        ("16.16", Precision("16.16", 16, 16)),
        ("16.32", Precision("16.32", 16, 32)),
        ("FP 32.32", Precision("32.32", 32, 32)),
        ("FP32", Precision("FP32")),
        ("fp 16", Precision("FP16")),
        ("bfloat16", Precision("BF16")),
        ("float32", Precision("FP32")),
        ("INT8", Precision("INT8")),
        ("NVFP4", Precision("NVFP4")),
        ("FP8 (E4M3)", Precision("FP8-E4M3")),
        ("Mixed Precision", Precision("mixed")),
        ("AMP", Precision("mixed")),
        ('"FP32, BF16"', Precision("FP32+BF16")),
        ("FP16/FP32", Precision("FP16+FP32")),
        ("INT8-CW", Precision("INT8-CW")),
        ("INT4-MIXED", Precision("mixed INT4")),
    ],
)
def test_precisions(text: str, precision: Precision) -> None:
    assert parse_precision(text) == precision


@pytest.mark.parametrize(
    "text", ["", "17.16", "16", "6,044", "3.1", "16.16.16", "FP", "FP7", "PyTorch", "FP32, words", "FP8-CW"]
)
def test_no_precisions(text: str) -> None:
    assert parse_precision(text) is None
