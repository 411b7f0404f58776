"""What looks like a fact in running text and is none: denied, asked, supposed, damaged, or not to be read."""

from __future__ import annotations

import pytest

from pipelines.extract import claim_prose
from pipelines.extract.accounting.ledger import account
from pipelines.extract.rows import Claim, Reject, Row, Submission
from pipelines.read.text import read_text


def rows_of(text: str) -> list[Row]:
    return claim_prose.extract(read_text(text.encode(), "test"), ()).rows


def refused(text: str) -> list[tuple[str, str]]:
    return [(row.rule, row.cell.text) for row in rows_of(text) if isinstance(row, Reject)]


NOT_STATED = [
    "The B200 is not 3x faster than the H100.",
    "The MI300X is no longer 3x faster than the H100.",
    "Gaudi 3 isn't 3x faster than the H100.",
    "Is the B200 3x faster than the H100?",
    "With more memory, the A100 would be 3x faster than the V100.",
    "The A100 could be 3x faster if its kernels were fused.",
    "The A100 might deliver 3x higher throughput than the V100.",
    "No GPU is 3x faster than the H100.",
    "Our goal is to make the A100 3x faster on BERT.",
    "That the A100 is 3x faster than the V100 is false.",
    "The H100 failed to deliver 3x higher throughput than the A100.",
    "A 3x speedup of the A100 would make BERT cheap.",
]


@pytest.mark.parametrize("sentence", NOT_STATED)
def test_what_is_denied_asked_or_supposed_is_no_claim_and_is_visible(sentence: str) -> None:
    assert refused(sentence) == [("not_stated", "3x")]
    assert len(rows_of(sentence)) == 1


STATED = [
    "Not only is the B200 3x faster than the H100, it is smaller.",
    "The B200 is not just 3x faster than the H100.",
    "It needs no tuning, and the A100 is 3x faster than the V100.",
    "The A100 needs no tuning and is 3x faster than the V100.",
    "With no change of code, the H100 is 3x faster than the A100.",
    "May 2023: the H100 is 3x faster than the A100.",
    "The A100 can be 3x faster than the V100.",
    "The A100 is 3x faster than the V100, so nobody would need the T4.",
    "The A100 is no less than 3x faster than the V100.",
]


@pytest.mark.parametrize("sentence", STATED)
def test_a_denial_of_something_else_denies_no_claim(sentence: str) -> None:
    [claim] = rows_of(sentence)
    assert isinstance(claim, Claim)
    assert claim.factor == 3


def test_only_the_denied_factor_of_a_sentence_is_refused() -> None:
    claim, reject = rows_of("The B200 is not 2x but 3x faster than the H100 and is not 4x faster than the A100.")
    assert isinstance(claim, Claim)
    assert (claim.factor, claim.baseline_printed) == (3, "H100")
    assert isinstance(reject, Reject)
    assert (reject.rule, reject.cell.text) == ("not_stated", "4x")


def test_a_denied_number_is_no_result() -> None:
    text = "BERT on the A100 would reach 9,000 sequences per second."
    assert refused(text) == [("not_stated", "9,000")]
    assert len(rows_of(text)) == 1


def test_a_forecast_is_a_claim_under_its_condition() -> None:
    [claim] = rows_of("Gaudi 3 is projected to deliver 50% faster time-to-train than the H100.")
    assert isinstance(claim, Claim)
    assert (claim.factor, claim.conditions) == (1.5, "is projected to deliver")


UNREAD = [
    "The A100 delivers 1,6x higher throughput than the V100.",
    "The A100 delivers 4.Ox higher throughput than the V100.",
    "The A100 delivers l.6x higher throughput than the V100.",
    "The A100 delivers 3l% better throughput than the V100.",
    "The A100 delivers 1..6 times higher throughput than the V100.",
    "BERT trains in 2x minutes on the A100.",
    "The list price of the A100 is $149,99S.",
    "The A100 delivers 58,1l2 images per second on ResNet-50.",
    "The A100 delivers 58,12 images per second on ResNet-50.",
    "The A100 delivers 58 112 images per second on ResNet-50.",
    "The A100 delivers 58'112 images per second on ResNet-50.",
    "The list price of the A100 is $149 995.",
    "The list price of the A100 is $149'995.",
    "The list price of the A100 is $149.995.",
    "The time-to-train of BERT is 1O.5 minutes on the A100.",
    "MLPerf Training v3.1: BERT took 1S.27 minutes on 8 Gaudi2 accelerators.",
    "MLPerf Training v3.1: BERT took 13.S minutes on 8 Gaudi2 accelerators.",
    "MLPerf Training v3.1: the Bow-Pod16 finished ResNet-50 in 0,191 minutes.",
    "Gaudi2 trained BERT 3x% faster than the A100.",
    # Sound, and beside no word of comparison
    "H200 gives 1.9X H100 on BERT inference.",
    "H100 vs A100: 3.5X on BERT training.",
]


@pytest.mark.parametrize("text", UNREAD)
def test_a_damaged_or_unclear_number_is_not_read_and_stays_visible(text: str) -> None:
    document = read_text(text.encode(), "test")
    extraction = claim_prose.extract(document, ())
    assert [row for row in extraction.rows if not isinstance(row, Reject)] == []
    accounting = account(document, {claim_prose.FORMAT: extraction})
    assert "unparsed" in {status for status, _ in accounting.statuses}


def test_the_value_before_a_change_does_not_take_the_place_of_the_damaged_new_one() -> None:
    sentence = "GPT-3 time-to-train on 384 Gaudi2 accelerators improved from 311.9 minutes to {} minutes."
    assert "153.58 minutes" in {row.cell.text for row in rows_of(sentence.format("153.58"))}
    assert rows_of(sentence.format("15S.58")) == []


@pytest.mark.parametrize(
    "text", ["The A100 delivers Ox higher throughput than the V100.", "BERT trains in less than l hours on the A100."]
)
def test_a_letter_in_place_of_the_only_digit_is_refused(text: str) -> None:
    assert [rule for rule, _ in refused(text)] == ["damaged_number"]
    assert len(rows_of(text)) == 1


def test_one_damaged_end_of_a_range_is_no_factor() -> None:
    text = "The A100 delivers between l.2x and 1.6x higher throughput than the V100."
    assert refused(text) == [("unread_claim", "1.6x")]
    for damaged in (
        text,
        "Trn1 offers 3x-40% better price performance than the A100.",
        "Gaudi2 shows a 1x-fold increase in throughput.",
    ):
        assert not [row for row in rows_of(damaged) if isinstance(row, Claim)]


def test_words_that_look_like_damaged_numbers_are_words() -> None:
    for text in ("Sold in 2021, images per second rose on the A100.", "The Box is faster with the A100 on BERT.",
                 "In SSL BERT runs well.", "It ran on 2021 images."):  # fmt: skip
        assert "damaged_number" not in {rule for rule, _ in refused(text)}, text


def test_lists_of_identifiers() -> None:
    def ids(text: str) -> list[str]:
        return [row.submission_id for row in rows_of(text) if isinstance(row, Submission)]

    assert ids("MLPerf ID: 1.0-1025, 1.0-1026") == ["1.0-1025", "1.0-1026"]
    assert ids("Retrieved on 30 June. MLPerf ID: 1.0-1025.") == ["1.0-1025"]
    assert ids("Results of MLPerf Training v1.0. 1.0-1025, 1.0-1026.") == ["1.0-1025", "1.0-1026"]
    assert ids("MLPerf v1.0 Training Closed ID 1.0-1025") == ["1.0-1025"]
    assert ids("The valve opens at 1.5-2000 mbar.") == []
    text = "MLPerf ID: 1.0-1025, 1.0-1O26, 1.0-1027"
    assert ids(text) == ["1.0-1025", "1.0-1027"]
    assert refused(text) == [("damaged_number", "1.0-1O26")]


@pytest.mark.parametrize(
    "text",
    [
        "The throughput of the A100 with BERT is 3x.",
        "BERT on the A100: 3x, throughput.",
        "The A100 shows 10x latency.",
        "A single H100 is 90% as fast as two A100s on GPT-J.",
        "On BERT the A100 is three times what it was, in throughput.",
    ],
)
def test_a_factor_beside_a_metric_that_no_pattern_takes_is_refused(text: str) -> None:
    [(rule, _)] = refused(text)
    assert rule == "unread_claim"
