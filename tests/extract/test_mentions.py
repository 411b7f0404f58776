"""Mentions: each entry's real examples, and words that are easily taken for something else."""

from __future__ import annotations

import pytest

from pipelines.extract.mentions import Mention, condition_value, entries, find_mentions

EXAMPLES = [
    (entry["kind"], text, value, entry.get("in_sentence", False))
    for entry in entries()
    for text, value in entry["examples"].items()
]


def stated(text: str, in_sentence: bool = False) -> list[tuple[str, str]]:
    return [(mention.kind, mention.value) for mention in find_mentions(text, in_sentence)]


@pytest.mark.parametrize(
    ("kind", "text", "value", "in_sentence"), EXAMPLES, ids=[text for _, text, *_ in EXAMPLES]
)
def test_examples(kind: str, text: str, value: str, in_sentence: bool) -> None:
    if kind == "lengths":
        first, second = value.split("/")
        assert stated(text) == [("input_length", first), ("output_length", second)]
    else:
        assert (kind, value) in stated(text, in_sentence)


def test_every_entry_has_an_example() -> None:
    assert all(entry["examples"] for entry in entries())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Latency P100 (ms)", [("metric", "latency"), ("statistic", "p100"), ("unit", "ms")]),
        ("Tesla P100", [("platform", "Tesla P100")]),
        ("SL=2,048", [("sequence_length", "2048")]),
        ("8x NVIDIA A100 80GB GPUs", [("platform", "8x NVIDIA A100 80GB")]),
        ("up to 2x faster", [("comparison", "faster")]),
        ("PyTorch (eager)", [("framework", "PyTorch")]),
        ("MiniCPM-V-2_6", [("model", "MiniCPM-V-2_6")]),
        ("128 (FP32) / 256 (AMP)", [("precision", "FP32"), ("precision", "mixed")]),
    ],
)
def test_words_in_their_context(text: str, expected: list[tuple[str, str]]) -> None:
    assert stated(text) == expected


def test_one_length_however_it_is_printed() -> None:
    assert {condition_value("input_length", text) for text in ("1k", "1,024", "1024")} == {"1024"}


def test_a_count_is_a_whole_number() -> None:
    values = {text: condition_value("accelerator_count", text) for text in ("16 x 8", "1.0", "2.5")}
    assert values == {"16 x 8": None, "1.0": "1", "2.5": None}


def test_no_two_mentions_share_a_character() -> None:
    mentions = find_mentions(
        "Output Token Throughput (tokens/sec) of Llama 3.1 8B on 8x H100, FP8, TP2, ISL/OSL 128/128"
    )
    ends = [0, *(mention.end for mention in mentions)]
    assert all(mention.start >= end for mention, end in zip(mentions, ends, strict=False))
    assert all(isinstance(mention, Mention) for mention in mentions)


def test_the_devices_that_a_program_may_see_are_no_number_of_them() -> None:
    assert not [
        m
        for m in find_mentions("CUDA_VISIBLE_DEVICES=7 python serve.py")
        if m.kind == "accelerator_count"
    ]
    assert [m.value for m in find_mentions("num_devices=7")] == ["7"]


@pytest.mark.parametrize("text", ["CPU only (0GPU)", "0x GPUs", "00 GPUs", "GPUs: 0"])
def test_no_accelerators_are_no_count(text: str) -> None:
    assert "accelerator_count" not in {mention.kind for mention in find_mentions(text)}


@pytest.mark.parametrize("word", ["two", "Double", "twice", "hundred"])
def test_a_word_is_no_count_of_a_cell(word: str) -> None:
    assert condition_value("batch_size", word) is None


def test_random_data_may_end_a_sentence() -> None:
    assert [mention.kind for mention in find_mentions("Synthetic.")] == ["dataset"]
