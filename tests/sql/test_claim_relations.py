"""Claims about one thing: on one slide, in two documents, against baselines of two sizes."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from given_rows import Rows, document_of, evidence_of, made_of

DAY = date(2020, 12, 1)
DOCUMENTS: Rows = [
    {"document_id": document_of(number), "publisher": "acme", "path": f"acme/{name}/{name}.txt", "published_on": day}
    for number, name, day in ((1, "deck", DAY), (2, "post", DAY), (3, "later", date(2021, 6, 30)))
] + [{"document_id": document_of(4), "publisher": "other", "path": "other/review/review.txt", "published_on": DAY}]
NAMES: Rows = [{"kind": "platforms", "name_printed": name, "chips": chips} for name, chips in (("DGX", 8), ("A100", 1))]


def claim(line: int, printed: str, sentence: str | None = None, document: int = 1, **facts: Any) -> dict[str, Any]:
    factor = float(printed.strip(">x"))
    half = 0.5 / 10 ** len(printed.strip(">x").partition(".")[2])
    bound = facts.get("bound", "gt" if printed.startswith(">") else "eq")
    low, high = (factor, float("inf")) if bound == "gt" else (factor - half, factor + half)
    return {
        "claim_id": evidence_of(document * 1000 + line), "evidence_id": evidence_of(document * 1000 + line),
        "document_id": document_of(document), "line": line, "section_line": 1, "task": "training", "model": "MCMC",
        "metric": "time_to_train", "subject_platform": "IPU-POD64", "baseline_platform": "DGX",
        "baseline_printed": "DGX", "factor": factor, "factor_low": low, "factor_high": high, "bound": bound,
        "extractor": "slides", "text_printed": printed,
        "sentence": sentence or f"{printed} faster time to train", "repeat_evidence_ids": [],
    } | facts  # fmt: skip


def relations(*claims: dict[str, Any], configurations: Rows | None = None) -> Rows:
    return made_of(
        "internal.claim_relations",
        resolved__claims=list(claims),
        resolved__configurations=configurations or [],
        resolved__names=NAMES,
        raw__documents=DOCUMENTS,
    )


def test_two_factors_in_the_same_words_on_one_slide_are_found() -> None:
    [relation] = relations(claim(5, "17x", "17x faster Time To Result"), claim(9, "27x", "27x faster time to result"))
    assert (relation["check_name"], relation["holds"], relation["line"]) == ("claims_of_one_place", False, 9)
    assert (relation["expected_low"], relation["expected_high"], relation["printed"]) == (16.5, 17.5, 27)
    assert relation["inputs"] == [evidence_of(1005)]
    assert relation["reason"] == "line 9 claims 27x where line 5 claims 17x in the same words: faster time to result"


def test_the_same_factor_said_again_holds() -> None:
    [relation] = relations(claim(5, ">600x"), claim(9, "602x"))
    assert relation["holds"]


@pytest.mark.parametrize(
    "second",
    [
        pytest.param({"section_line": 2}, id="another slide"),
        pytest.param({"model": "ViT"}, id="another model"),
        pytest.param({"metric": "latency"}, id="another metric"),
        pytest.param({"baseline_platform": "A100"}, id="another baseline"),
        pytest.param({"conditions": "with standard EN-B4"}, id="another condition"),
        pytest.param({"sentence": "27x faster time to train in phase two"}, id="other words"),
        pytest.param({"sentence": "27x"}, id="the label of a bar"),
        pytest.param({"repeat_evidence_ids": ["f" * 16]}, id="a headline that one of the bars repeats"),
        pytest.param({"model": None}, id="a model that could not be read"),
        pytest.param({"extractor": "claim_prose"}, id="a sentence, which another sentence may explain"),
    ],
)
def test_on_one_slide_nothing_is_said_of(second: dict[str, Any]) -> None:
    assert relations(claim(5, "17x"), claim(9, "27x", **second)) == []


def test_bars_labelled_with_one_word_are_bars() -> None:
    assert relations(claim(5, "17x", "17x faster"), claim(9, "27x", "27x faster")) == []


@pytest.mark.parametrize(
    ("deck", "post", "holds"),
    [
        ({"printed": "13.6x"}, {"printed": "13x", "bound": "gt"}, True),
        ({"printed": ">16x"}, {"printed": "16x", "conditions": "at the lowest latency"}, True),
        ({"printed": "2.6x", "model": "ResNet-50 v1.5"}, {"printed": "2.6x", "model": "ResNet-50"}, True),
        ({"printed": "3.7x"}, {"printed": "4.7x"}, False),
        (
            {"printed": "3.4x", "conditions": "headline comparisons using lowest latency"},
            {"printed": "4.4x", "conditions": "at the lowest latency"},
            False,
        ),
        ({"printed": "13.6x"}, {"printed": "15x", "bound": "gt"}, False),
    ],
)
def test_two_documents_of_one_day_are_compared(deck: dict[str, Any], post: dict[str, Any], holds: bool) -> None:
    [relation] = relations(claim(5, **deck), claim(7, **post, document=2))
    assert (relation["check_name"], relation["holds"]) == ("claims_of_two_documents", holds)
    assert relation["evidence_id"] == evidence_of(1005)
    assert relation["inputs"] == [evidence_of(2007)]


@pytest.mark.parametrize(
    "second",
    [
        pytest.param({"document": 3}, id="a later post"),
        pytest.param({"document": 4}, id="another publisher"),
        pytest.param({"document": 2, "conditions": "at batch size 1"}, id="a condition"),
        pytest.param({"document": 2, "conditions": "at lowest latency"}, id="an optimum that the other does not state"),
        pytest.param({"document": 2, "model": "MCMCMC"}, id="another model"),
        pytest.param({"document": 2, "subject_platform": "IPU-POD16"}, id="another subject"),
        pytest.param({"document": 2, "baseline_platform": "A100"}, id="another baseline"),
    ],
)
def test_of_two_documents_nothing_is_said_of(second: dict[str, Any]) -> None:
    assert relations(claim(5, "3.7x"), claim(7, "4.7x", **second)) == []


def test_which_of_several_claims_is_meant_is_not_guessed() -> None:
    deck = [claim(5, "10x", conditions="standard"), claim(6, "18x", conditions="enhanced", section_line=2)]
    post = [claim(7, "12x", document=2), claim(8, "19x", document=2, conditions="tuned")]
    assert relations(*deck, *post) == []


def baseline(count: int, **facts: Any) -> Rows:
    return [
        {"document_id": document_of(1), "section_line": 1, "role": "baseline", "platform": "DGX",
         "accelerator_count": count} | facts
    ]  # fmt: skip


def test_one_factor_against_one_system_and_against_two_is_found() -> None:
    deck, post = claim(5, "5.3x"), claim(7, "5x", bound="gt", document=2)
    [relation] = relations(deck, post, configurations=baseline(16))
    assert (relation["check_name"], relation["holds"]) == ("claims_of_two_baselines", False)
    assert (relation["evidence_id"], relation["inputs"]) == (evidence_of(2007), [evidence_of(1005)])
    assert relation["printed"] < relation["expected_low"] < relation["expected_high"] < 10.8
    assert relation["reason"] == (
        "time_to_train of MCMC on IPU-POD64: post.txt claims over 5x against 1 DGX in line 7, "
        "deck.txt claims 5.3x against 2 in line 5, which is 10.6x against 1 if the baseline scales"
    )


def test_a_factor_that_falls_with_the_second_system_holds() -> None:
    deck, post = claim(5, "5.3x"), claim(7, "9.8x", document=2)
    [relation] = relations(deck, post, configurations=baseline(16))
    assert (relation["check_name"], relation["holds"]) == ("claims_of_two_baselines", True)


def test_baselines_of_one_size_are_no_matter() -> None:
    deck, post = claim(5, "5.3x"), claim(7, "5x", bound="gt", document=2)
    [relation] = relations(deck, post, configurations=baseline(8))
    assert (relation["check_name"], relation["holds"]) == ("claims_of_two_documents", True)
