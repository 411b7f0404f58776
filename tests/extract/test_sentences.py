"""Sentences of running text: where they end, and where their characters stand in the document."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pipelines.extract.prose.sentences import Sentence, read_sections
from pipelines.read.text import read_text

_WORDS = [
    "One", "two.", "Three!", "vs.", "approx.", "A100", "3x", "\n", "\n\n", "# Four", "- five", "e.g.", "\xa0", "(Six)",
]  # fmt: skip


def sentences_of(text: str) -> list[Sentence]:
    sections = read_sections(read_text(text.encode(), "test"), frozenset())
    return [sentence for section in sections for sentence in section.sentences]


def places_of(sentence: Sentence) -> list[tuple[int, int, int]]:
    return [(cell.line, cell.start, len(cell.text)) for cell in sentence.pieces]


@given(st.lists(st.sampled_from(_WORDS), min_size=1, max_size=60))
def test_pieces_are_the_sentence_and_nothing_behind_it(words: list[str]) -> None:
    text = " ".join(words)
    if not text.strip():
        return
    document = read_text(text.encode(), "test")
    places = set()
    for section in read_sections(document, frozenset()):
        for sentence in section.sentences:
            printed = [
                document.line(line).text[start : start + size]
                for line, start, size in places_of(sentence)
            ]
            assert " ".join(printed) == sentence.text
            for line, start, size in places_of(sentence):
                characters = {(line, at) for at in range(start, start + size)}
                assert not places & characters
                places |= characters


def test_an_abbreviation_ends_no_sentence_however_late_it_stands() -> None:
    text = "A word. " * 2000 + "The MI300X vs. A100 and approx. 3x more. It is so."
    assert [sentence.text for sentence in sentences_of(text)][-2:] == [
        "The MI300X vs. A100 and approx. 3x more.",
        "It is so.",
    ]


def test_what_was_said_long_ago_is_out_of_reach() -> None:
    *_, last = sentences_of("The A100 is first. " + "Then more. " * 60 + "It ends.")
    assert 0 < len(last.near()[1:]) < 60
    assert last.near()[1].text == "Then more."
    assert last.around()[-1] is last


def test_lines_that_all_begin_large_are_a_list() -> None:
    first = "TPU v5e fine-tunes GPT-3 175B equivalent in 2 days on pod"
    second = "TPU v2 ResNet-50 to 76.3% top-1 in 15 minutes on 64 TPUs"
    assert [sentence.text for sentence in sentences_of(f"{first}\n{second}")] == [first, second]
    wrapped = "A cluster of TPU v5e fine-tunes GPT-3 175B in two days and\nResNet-50 in 15 minutes on 64\nof them."
    assert [sentence.text for sentence in sentences_of(wrapped)] == [wrapped.replace("\n", " ")]
