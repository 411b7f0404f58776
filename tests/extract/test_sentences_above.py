"""What the sentences above a table say of its rows, and which sentences say nothing of them."""

from __future__ import annotations

import pytest

from pipelines.extract.tables.platform_named import read_platform_in
from pipelines.extract.tables.sentences_above import stated_above
from pipelines.read.document import Line


def stated(*texts: str) -> dict[str, str]:
    return stated_above(Line(number, text) for number, text in enumerate(texts, start=1))


def test_the_one_platform_and_model_of_the_results_are_stated() -> None:
    found = stated("Throughput of Llama 2 13B on an inf2.48xlarge in tokens per second.")
    assert found == {"platform": "inf2.48xlarge", "model_printed": "Llama 2 13B"}


@pytest.mark.parametrize(
    "text",
    [
        "Results on H100 and on MI300X are listed.",
        "The results are faster than those of an H100.",
        "An H100 has 80 GB of memory.",
    ],
)
def test_other_sentences_state_no_platform(text: str) -> None:
    assert stated(text) == {}


def test_many_sentences_tell_a_story() -> None:
    assert stated(*["Performance of the H100 is shown."] * 9) == {}


@pytest.mark.parametrize(
    ("heading", "platform"),
    [
        ("DeepSeek-R1 on 8x MI300X", "8x MI300X"),
        ("Training throughput in samples/sec on 4x MI250", "4x MI250"),
        ("Pre-training on 1,024 H100 GPUs", "1,024x H100 GPUs"),
        ("Up to 3x H100 throughput", "H100"),
        ("3x H100 performance", "H100"),
        ("Llama 2 70B H100", "H100"),
        ("A100 and H100", None),
    ],
)
def test_a_heading_says_how_many_there_are(heading: str, platform: str | None) -> None:
    assert read_platform_in(heading) == platform
